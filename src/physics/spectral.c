/* rhs, jvp, vjp in physical space, made from a physics' spectral form: u_t = L u + N(u) on modes. */
#include "physics/spectral.h"

/* spectral.c's slots of scratch; the plugin's come before. */
enum { SLOT_WORK = UNR_PHYSICS_PLUGIN_SLOTS, SLOT_STATE, SLOT_OTHER, SLOT_SYMBOL };

/* What one call works on: this rank's share of the batch, in the work and mode layouts of fft.h. */
typedef struct {
  UnrFFT fft;
  PetscInt first, samples; /* the share */
  PetscInt components, fields;
  size_t modes; /* of one sample: components x modes of a field */
  double *work;
  UnrComplex *u, *v;  /* state and result, [sample][component][mode] */
  UnrComplex *symbol; /* [component][mode] of one sample, then [parameter][component][mode] */
} Share;

static PetscErrorCode ShareSet(UnrPhysics physics, PetscInt samples, Share *share)
{
  UnrFFT fft = physics->fft;
  size_t numbers;

  PetscFunctionBeginUser;
  PetscCheck(fft, PETSC_COMM_SELF, PETSC_ERR_SUP, "physics %s has neither rhs nor symbol",
             physics->ops->name);
  share->fft = fft;
  UnrFFTShare(fft, samples, &share->first, &share->samples);
  share->components = physics->grid->components;
  share->fields = share->samples * share->components;
  share->modes = (size_t)share->components * (size_t)fft->modes;
  numbers = (size_t)share->samples * share->modes;
  PetscCall(UnrPhysicsScratch(physics, SLOT_WORK, (size_t)share->fields * (size_t)fft->cells * sizeof(double),
                              (void **)&share->work));
  PetscCall(UnrPhysicsScratch(physics, SLOT_STATE, 2 * numbers * sizeof(UnrComplex), (void **)&share->u));
  PetscCall(UnrPhysicsScratch(physics, SLOT_OTHER, numbers * sizeof(UnrComplex), (void **)&share->v));
  PetscCall(UnrPhysicsScratch(physics, SLOT_SYMBOL,
                              (size_t)(1 + physics->parameters) * share->modes * sizeof(UnrComplex),
                              (void **)&share->symbol));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ToModes(const Share *share, UnrBatch u, UnrComplex *modes)
{
  PetscFunctionBeginUser;
  PetscCall(UnrFFTLoad(share->fft, u, share->work));
  PetscCall(UnrFFTForward(share->fft, share->fields, share->work, modes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode FromModes(const Share *share, const UnrComplex *modes, UnrBatch u, InsertMode mode)
{
  PetscFunctionBeginUser;
  PetscCall(UnrFFTBackward(share->fft, share->fields, modes, share->work));
  PetscCall(UnrFFTStore(share->fft, share->work, u, mode));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* u = P u: to modes, what a dealiased transform keeps of them, P on them, and back.     Collective on the
 * grid. */
PetscErrorCode UnrPhysicsConstrain_Spectral(UnrPhysics physics, const double par[], UnrBatch u)
{
  Share share;

  PetscFunctionBeginUser;
  PetscCall(ShareSet(physics, u->samples, &share));
  PetscCall(ToModes(&share, u, share.u));
  PetscCall(
      UnrPhysicsConstrainModes(physics, share.samples, par + share.first * physics->parameters, share.u));
  PetscCall(FromModes(&share, share.u, u, INSERT_VALUES));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* rhs = L u + N(u).     Collective on the grid. */
PetscErrorCode UnrPhysicsRhs_Spectral(UnrPhysics physics, const double par[], UnrBatch u, UnrBatch rhs)
{
  Share share;
  const double *par_share;

  PetscFunctionBeginUser;
  PetscCall(ShareSet(physics, u->samples, &share));
  par_share = par + share.first * physics->parameters;
  PetscCall(ToModes(&share, u, share.u));
  PetscCall(UnrPhysicsNonlinear(physics, share.samples, par_share, share.u, share.v));
  for (PetscInt s = 0; s < share.samples; s++) {
    const UnrComplex *us = share.u + (size_t)s * share.modes;
    UnrComplex *vs = share.v + (size_t)s * share.modes;

    PetscCall(UnrPhysicsSymbol(physics, par_share + s * physics->parameters, share.symbol, NULL));
    for (size_t m = 0; m < share.modes; m++) vs[m] += share.symbol[m] * us[m];
  }
  PetscCall(FromModes(&share, share.v, rhs, INSERT_VALUES));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One sample: v_dot += L u_dot + (dL/dpar par_dot) u. */
static PetscErrorCode LinearJvp(UnrPhysics physics, const Share *share, const double par[],
                                const UnrComplex u[], const UnrComplex u_dot[], const double par_dot[],
                                UnrComplex v_dot[])
{
  UnrComplex *symbol_par = share->symbol + share->modes;

  PetscFunctionBeginUser;
  PetscCall(UnrPhysicsSymbol(physics, par, share->symbol, par_dot ? symbol_par : NULL));
  if (u_dot) {
    for (size_t m = 0; m < share->modes; m++) v_dot[m] += share->symbol[m] * u_dot[m];
  }
  for (PetscInt p = 0; par_dot && p < physics->parameters; p++) {
    for (size_t m = 0; m < share->modes; m++)
      v_dot[m] += par_dot[p] * symbol_par[(size_t)p * share->modes + m] * u[m];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Reverse of LinearJvp: u_bar += conj(L) v_bar;  par_bar += sum_m weight Re(conj(v_bar) dL/dpar u) / points.
 */
static PetscErrorCode LinearVjp(UnrPhysics physics, const Share *share, const double par[],
                                const UnrComplex u[], const UnrComplex v_bar[], UnrComplex u_bar[],
                                double par_bar[])
{
  const double scale = 1.0 / (double)physics->grid->total;
  UnrComplex *symbol_par = share->symbol + share->modes;

  PetscFunctionBeginUser;
  PetscCall(UnrPhysicsSymbol(physics, par, share->symbol, par_bar ? symbol_par : NULL));
  if (u_bar) {
    for (size_t m = 0; m < share->modes; m++) u_bar[m] += conj(share->symbol[m]) * v_bar[m];
  }
  for (PetscInt p = 0; par_bar && p < physics->parameters; p++) {
    const UnrComplex *dL = symbol_par + (size_t)p * share->modes;
    double sum = 0;

    for (PetscInt c = 0; c < share->components; c++) {
      for (PetscInt k = 0; k < share->fft->modes; k++) {
        const size_t m = (size_t)c * (size_t)share->fft->modes + (size_t)k;

        sum += share->fft->weight[k] * creal(conj(v_bar[m]) * dL[m] * u[m]);
      }
    }
    par_bar[p] += scale * sum;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Tangent of UnrPhysicsRhs_Spectral.     Collective on the grid. */
PetscErrorCode UnrPhysicsJvp_Spectral(UnrPhysics physics, const double par[], UnrBatch u, UnrBatch u_dot,
                                      const double par_dot[], UnrBatch rhs_dot)
{
  Share share;
  UnrComplex *u_dot_modes = NULL;

  PetscFunctionBeginUser;
  PetscCall(ShareSet(physics, u->samples, &share));
  PetscCall(ToModes(&share, u, share.u));
  if (u_dot) {
    u_dot_modes = share.u + (size_t)share.samples * share.modes;
    PetscCall(ToModes(&share, u_dot, u_dot_modes));
  }
  par += share.first * physics->parameters;
  if (par_dot) par_dot += share.first * physics->parameters;
  PetscCall(UnrPhysicsNonlinearJvp(physics, share.samples, par, share.u, u_dot_modes, par_dot, share.v));
  for (PetscInt s = 0; s < share.samples; s++) {
    const size_t at = (size_t)s * share.modes;
    const PetscInt p = s * physics->parameters;

    PetscCall(LinearJvp(physics, &share, par + p, share.u + at, u_dot_modes ? u_dot_modes + at : NULL,
                        par_dot ? par_dot + p : NULL, share.v + at));
  }
  PetscCall(FromModes(&share, share.v, rhs_dot, INSERT_VALUES));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Reverse of UnrPhysicsRhs_Spectral: ADDS.     Collective on the grid. */
PetscErrorCode UnrPhysicsVjp_Spectral(UnrPhysics physics, const double par[], UnrBatch u, UnrBatch rhs_bar,
                                      UnrBatch u_bar, double par_bar[])
{
  Share share;
  UnrComplex *bar, *u_bar_modes;
  size_t numbers;

  PetscFunctionBeginUser;
  PetscCall(ShareSet(physics, u->samples, &share));
  numbers = (size_t)share.samples * share.modes;
  bar = share.u + numbers;
  u_bar_modes = share.v;
  PetscCall(ToModes(&share, u, share.u));
  PetscCall(ToModes(&share, rhs_bar, bar));
  PetscCall(PetscArrayzero(u_bar_modes, numbers));
  par += share.first * physics->parameters;
  if (par_bar) par_bar += share.first * physics->parameters;
  PetscCall(UnrPhysicsNonlinearVjp(physics, share.samples, par, share.u, bar, u_bar_modes, par_bar));
  for (PetscInt s = 0; s < share.samples; s++) {
    const size_t at = (size_t)s * share.modes;
    const PetscInt p = s * physics->parameters;

    PetscCall(LinearVjp(physics, &share, par + p, share.u + at, bar + at, u_bar_modes + at,
                        par_bar ? par_bar + p : NULL));
  }
  if (u_bar) PetscCall(FromModes(&share, u_bar_modes, u_bar, ADD_VALUES));
  PetscFunctionReturn(PETSC_SUCCESS);
}
