/* Vorticity, curl u: one component in 2-D, three in 3-D.  Linear, without parameters.  Maths
   docs/physics/navier_stokes.md */
#include "physics/navier_stokes.h"

PetscInt UnrVorticityComponents(int dim)
{
  return dim == 2 ? 1 : 3;
}

/* to = i K x from, which is its own transpose. */
static void Curl3(const UnrNavierStokes *ns, size_t modes, const UnrComplex from[], UnrComplex to[])
{
  for (int a = 0; a < 3; a++) {
    const int b = (a + 1) % 3, c = (a + 2) % 3;
    const UnrComplex *from_b = from + (size_t)b * modes, *from_c = from + (size_t)c * modes;

    for (size_t m = 0; m < modes; m++)
      to[(size_t)a * modes + m] = I * (ns->K[b][m] * from_c[m] - ns->K[c][m] * from_b[m]);
  }
}

/* omega = i (K_x v - K_y u) */
static void Curl2(const UnrNavierStokes *ns, size_t modes, const UnrComplex u[], UnrComplex omega[])
{
  for (size_t m = 0; m < modes; m++) omega[m] = I * (ns->K[0][m] * u[modes + m] - ns->K[1][m] * u[m]);
}
static void Curl2Vjp(const UnrNavierStokes *ns, size_t modes, const UnrComplex omega_bar[],
                     UnrComplex u_bar[])
{
  for (size_t m = 0; m < modes; m++) {
    u_bar[m] = I * (ns->K[1][m] * omega_bar[m]);
    u_bar[modes + m] = -I * (ns->K[0][m] * omega_bar[m]);
  }
}

PetscErrorCode UnrVorticityApply(UnrPhysics physics, const double par[], UnrBatch u, UnrBatch omega)
{
  const size_t modes = (size_t)physics->fft->modes, samples = (size_t)u->samples;
  const UnrNavierStokes *ns;
  double *cells;
  UnrComplex *state, *curl;

  PetscFunctionBeginUser;
  (void)par;
  PetscCall(UnrNavierStokesGet(physics, &ns));
  PetscCall(UnrNavierStokesLoad(physics, u, UNR_NS_SLOT_CELLS, UNR_NS_SLOT_MODES, &cells, &state));
  const size_t out = (size_t)UnrVorticityComponents(ns->dim), in = (size_t)ns->components;
  PetscCall(UnrNavierStokesModes(physics, UNR_NS_SLOT_OTHER, samples * out, &curl));
  for (size_t s = 0; s < samples; s++) {
    if (ns->dim == 2)
      Curl2(ns, modes, state + s * in * modes, curl + s * out * modes);
    else
      Curl3(ns, modes, state + s * in * modes, curl + s * out * modes);
  }
  PetscCall(UnrNavierStokesStore(physics, curl, UNR_NS_SLOT_CELLS, omega, INSERT_VALUES));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrVorticityJvp(UnrPhysics physics, const double par[], UnrBatch u, UnrBatch u_dot,
                               const double par_dot[], UnrBatch omega_dot)
{
  PetscFunctionBeginUser;
  (void)u;
  (void)par_dot;
  if (u_dot)
    PetscCall(UnrVorticityApply(physics, par, u_dot, omega_dot));
  else
    PetscCall(UnrBatchZero(omega_dot));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrVorticityVjp(UnrPhysics physics, const double par[], UnrBatch u, UnrBatch omega_bar,
                               UnrBatch u_bar, double par_bar[])
{
  const size_t modes = (size_t)physics->fft->modes, samples = (size_t)u->samples;
  const UnrNavierStokes *ns;
  double *cells;
  UnrComplex *curl_bar, *state_bar;

  PetscFunctionBeginUser;
  (void)par;
  (void)par_bar;
  if (!u_bar) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(UnrNavierStokesGet(physics, &ns));
  PetscCall(UnrNavierStokesLoad(physics, omega_bar, UNR_NS_SLOT_CELLS, UNR_NS_SLOT_MODES, &cells, &curl_bar));
  const size_t out = (size_t)UnrVorticityComponents(ns->dim), in = (size_t)ns->components;
  PetscCall(UnrNavierStokesModes(physics, UNR_NS_SLOT_OTHER, samples * in, &state_bar));
  PetscCall(PetscArrayzero(state_bar, samples * in * modes)); /* the tracer */
  for (size_t s = 0; s < samples; s++) {
    if (ns->dim == 2)
      Curl2Vjp(ns, modes, curl_bar + s * out * modes, state_bar + s * in * modes);
    else
      Curl3(ns, modes, curl_bar + s * out * modes, state_bar + s * in * modes);
  }
  PetscCall(UnrNavierStokesStore(physics, state_bar, UNR_NS_SLOT_CELLS, u_bar, ADD_VALUES));
  PetscFunctionReturn(PETSC_SUCCESS);
}
