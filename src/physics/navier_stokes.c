/* The incompressible Navier-Stokes equations: the object and its tables of modes. */
#include "physics/navier_stokes.h"

#include <string.h>

/* Diagonal stresses first, then those above it, then the tracer's fluxes. */
static void PairsSet(UnrNavierStokes *ns)
{
  for (int i = 0; i + 1 < ns->dim; i++) ns->pair[ns->products++] = (UnrNavierStokesPair){i, i};
  for (int i = 0; i < ns->dim; i++)
    for (int j = i + 1; j < ns->dim; j++) ns->pair[ns->products++] = (UnrNavierStokesPair){i, j};
  ns->stresses = ns->products;
  for (int j = 0; ns->has_tracer && j < ns->dim; j++)
    ns->pair[ns->products++] = (UnrNavierStokesPair){j, ns->dim};
}

PetscErrorCode UnrPhysicsCreate_NavierStokes(UnrPhysics physics)
{
  const PetscInt modes = physics->fft->modes;
  const char *forcing, *closure;
  UnrNavierStokes *ns;

  PetscFunctionBeginUser;
  PetscCall(PetscNew(&ns));
  physics->data = ns;
  ns->dim = physics->grid->dim;
  ns->components = (int)physics->grid->components;
  ns->has_tracer = ns->components > ns->dim;
  if (ns->has_tracer) physics->field = "velocity|tracer";
  PairsSet(ns);
  PetscCall(UnrOptionWord(UnrNavierStokesOptions, NULL, "-physics_navier_stokes_forcing", &forcing));
  if (!strcmp(forcing, "kolmogorov")) ns->forcing = UNR_NS_FORCING_KOLMOGOROV;
  if (!strcmp(forcing, "linear")) ns->forcing = UNR_NS_FORCING_LINEAR;
  if (!strcmp(forcing, "low_wavenumber")) ns->forcing = UNR_NS_FORCING_LOW_WAVENUMBER;
  PetscCall(UnrOptionWord(UnrNavierStokesOptions, NULL, "-physics_navier_stokes_closure", &closure));
  if (!strcmp(closure, "smagorinsky")) ns->closure = UNR_NS_CLOSURE_SMAGORINSKY;
  if (!strcmp(closure, "dynamic_smagorinsky")) ns->closure = UNR_NS_CLOSURE_DYNAMIC;
  ns->strains = ns->closure == UNR_NS_CLOSURE_NONE ? 0 : ns->stresses;
  physics->has_no_adjoint = ns->closure == UNR_NS_CLOSURE_DYNAMIC;
  ns->forcing_wavenumber = ns->forcing == UNR_NS_FORCING_LOW_WAVENUMBER ? 2 : 6;
  PetscCall(UnrOptionInt(UnrNavierStokesOptions, NULL, "-physics_navier_stokes_forcing_wavenumber",
                         &ns->forcing_wavenumber));
  PetscCall(UnrNavierStokesForcingCheck(physics));
  for (int a = 0; a < UNR_MAX_DIM; a++) PetscCall(PetscCalloc1(modes, &ns->K[a]));
  PetscCall(PetscMalloc2(modes, &ns->K2, modes, &ns->inverse));
  PetscCall(PetscMalloc2(modes, &ns->dropped_at, modes, &ns->forced_at));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrPhysicsDestroy_NavierStokes(UnrPhysics physics)
{
  UnrNavierStokes *ns = physics->data;

  PetscFunctionBeginUser;
  for (int a = 0; a < UNR_MAX_DIM; a++) PetscCall(PetscFree(ns->K[a]));
  PetscCall(PetscFree2(ns->K2, ns->inverse));
  PetscCall(PetscFree2(ns->dropped_at, ns->forced_at));
  PetscCall(PetscFree(ns));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static bool IsNyquist(UnrFFT fft, int dim, PetscInt mode)
{
  for (int a = 0; a < dim; a++)
    if (fft->k[a][mode] != fft->k_odd[a][mode]) return true;
  return false;
}

PetscErrorCode UnrNavierStokesGet(UnrPhysics physics, const UnrNavierStokes **ns_out)
{
  const UnrFFT fft = physics->fft;
  UnrNavierStokes *ns = physics->data;
  double length[UNR_MAX_DIM];

  PetscFunctionBeginUser;
  *ns_out = ns;
  PetscCall(UnrPhysicsLength(physics, NULL, length));
  if (!memcmp(length, ns->length, sizeof length)) PetscFunctionReturn(PETSC_SUCCESS);
  memcpy(ns->length, length, sizeof length);
  ns->dropped = ns->forced = 0;
  ns->width = 1;
  for (int a = 0; a < ns->dim; a++) ns->width *= length[a] / (2 * (double)fft->cut[a]);
  ns->width = PetscPowReal(ns->width, 1.0 / ns->dim);
  for (PetscInt m = 0; m < fft->modes; m++) {
    const bool is_nyquist = IsNyquist(fft, ns->dim, m);

    ns->K2[m] = 0;
    for (int a = 0; a < ns->dim; a++) {
      const double K = 2 * PETSC_PI / length[a] * fft->k[a][m];

      ns->K[a][m] = is_nyquist ? 0 : K;
      ns->K2[m] += K * K;
    }
    ns->inverse[m] = is_nyquist || ns->K2[m] == 0 ? 0 : 1 / ns->K2[m];
    if (is_nyquist) ns->dropped_at[ns->dropped++] = m;
    if (UnrNavierStokesForcingActs(physics, ns, m)) ns->forced_at[ns->forced++] = m;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrNavierStokesCells(UnrPhysics physics, int slot, size_t fields, double **cells)
{
  PetscFunctionBeginUser;
  PetscCall(UnrPhysicsScratch(physics, slot, fields * (size_t)physics->fft->cells * sizeof(double),
                              (void **)cells));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrNavierStokesModes(UnrPhysics physics, int slot, size_t fields, UnrComplex **modes)
{
  PetscFunctionBeginUser;
  PetscCall(UnrPhysicsScratch(physics, slot, fields * (size_t)physics->fft->modes * sizeof(UnrComplex),
                              (void **)modes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrNavierStokesLoad(UnrPhysics physics, UnrBatch u, int cells_slot, int modes_slot,
                                   double **cells, UnrComplex **modes)
{
  const PetscInt fields = u->samples * u->grid->components;

  PetscFunctionBeginUser;
  PetscCall(UnrNavierStokesCells(physics, cells_slot, (size_t)fields, cells));
  PetscCall(UnrNavierStokesModes(physics, modes_slot, (size_t)fields, modes));
  PetscCall(UnrFFTLoad(physics->fft, u, *cells));
  PetscCall(UnrFFTForward(physics->fft, fields, *cells, *modes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrNavierStokesStore(UnrPhysics physics, const UnrComplex *modes, int cells_slot, UnrBatch u,
                                    InsertMode mode)
{
  const PetscInt fields = u->samples * u->grid->components;
  double *cells;

  PetscFunctionBeginUser;
  PetscCall(UnrNavierStokesCells(physics, cells_slot, (size_t)fields, &cells));
  PetscCall(UnrFFTBackward(physics->fft, fields, modes, cells));
  PetscCall(UnrFFTStore(physics->fft, cells, u, mode));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const UnrDiagnosticOps UnrNavierStokesDiagnostics[] = {
    {"pressure", UnrPressureComponents, UnrPressureApply, UnrPressureJvp, UnrPressureVjp},
    {"vorticity", UnrVorticityComponents, UnrVorticityApply, UnrVorticityJvp, UnrVorticityVjp},
    {NULL, NULL, NULL, NULL, NULL},
};
