/*
  Kuramoto-Sivashinsky, Fourier spectral:  u_t = -u_xx - u_xxxx - (u^2/2)_x  on [0, 2 pi s], periodic.

  Maths   docs/physics/ks.md      Source  List, Chen, Bali & Thuerey 2025, arXiv:2402.12971 (as its code has
  it: the product is not dealiased)
*/
#include "physics/ks_options.h"
#include "physics/spectral_flux.h"

/* Scratch: 1/s of every sample; its tangent or cotangent. */
enum { SLOT_SCALE = UNR_SPECTRAL_FLUX_SLOTS, SLOT_SCALE_OTHER };

static PetscErrorCode UnrPhysicsDescribe_KSSpectral(int dim, UnrNeeds *needs, PetscInt *components)
{
  PetscFunctionBeginUser;
  (void)dim;
  (void)needs; /* x may be split: fft.c redistributes whole lines */
  *components = 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* data: i k [mode], the derivative on a domain of length 2 pi. */
static PetscErrorCode UnrPhysicsCreate_KSSpectral(UnrPhysics physics)
{
  UnrComplex *derivative;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc1(physics->fft->modes, &derivative));
  for (PetscInt m = 0; m < physics->fft->modes; m++) derivative[m] = I * physics->fft->k_odd[0][m];
  physics->data = derivative;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode UnrPhysicsDestroy_KSSpectral(UnrPhysics physics)
{
  PetscFunctionBeginUser;
  PetscCall(PetscFree(physics->data));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* L = (k/s)^2 - (k/s)^4;  dL/ds = (-2 (k/s)^2 + 4 (k/s)^4) / s. */
static PetscErrorCode UnrPhysicsSymbol_KSSpectral(UnrPhysics physics, const double par[], UnrComplex symbol[],
                                                  UnrComplex symbol_par[])
{
  const double s = par[0];

  PetscFunctionBeginUser;
  for (PetscInt m = 0; m < physics->fft->modes; m++) {
    const double k = physics->fft->k[0][m] / s, k2 = k * k;

    symbol[m] = k2 - k2 * k2;
    if (symbol_par) symbol_par[m] = (-2 * k2 + 4 * k2 * k2) / s;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* N(u) = -1/2 (1/s) i k FFT(u^2): the flux with scale 1/s. */
static PetscErrorCode FluxSet(UnrPhysics physics, PetscInt samples, const double par[], UnrSpectralFlux *flux)
{
  double *scale;

  PetscFunctionBeginUser;
  PetscCall(UnrPhysicsScratch(physics, SLOT_SCALE, (size_t)samples * sizeof(double), (void **)&scale));
  for (PetscInt s = 0; s < samples; s++) scale[s] = 1 / par[s];
  *flux = (UnrSpectralFlux){.derivative = physics->data, .scale = scale};
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode UnrPhysicsNonlinear_KSSpectral(UnrPhysics physics, PetscInt samples, const double par[],
                                                     const UnrComplex u[], UnrComplex n[])
{
  UnrSpectralFlux flux;

  PetscFunctionBeginUser;
  PetscCall(FluxSet(physics, samples, par, &flux));
  PetscCall(UnrSpectralFluxApply(physics, &flux, samples, u, n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* scale_dot = -s_dot / s^2. */
static PetscErrorCode UnrPhysicsNonlinearJvp_KSSpectral(UnrPhysics physics, PetscInt samples,
                                                        const double par[], const UnrComplex u[],
                                                        const UnrComplex u_dot[], const double par_dot[],
                                                        UnrComplex n_dot[])
{
  UnrSpectralFlux flux;
  double *scale_dot;

  PetscFunctionBeginUser;
  PetscCall(FluxSet(physics, samples, par, &flux));
  PetscCall(
      UnrPhysicsScratch(physics, SLOT_SCALE_OTHER, (size_t)samples * sizeof(double), (void **)&scale_dot));
  for (PetscInt s = 0; par_dot && s < samples; s++) scale_dot[s] = -par_dot[s] / PetscSqr(par[s]);
  PetscCall(UnrSpectralFluxJvp(physics, &flux, samples, u, u_dot, par_dot ? scale_dot : NULL, n_dot));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Reverse: s_bar += -scale_bar / s^2. */
static PetscErrorCode UnrPhysicsNonlinearVjp_KSSpectral(UnrPhysics physics, PetscInt samples,
                                                        const double par[], const UnrComplex u[],
                                                        const UnrComplex n_bar[], UnrComplex u_bar[],
                                                        double par_bar[])
{
  UnrSpectralFlux flux;
  double *scale_bar;

  PetscFunctionBeginUser;
  PetscCall(FluxSet(physics, samples, par, &flux));
  PetscCall(
      UnrPhysicsScratch(physics, SLOT_SCALE_OTHER, (size_t)samples * sizeof(double), (void **)&scale_bar));
  PetscCall(PetscArrayzero(scale_bar, samples));
  PetscCall(UnrSpectralFluxVjp(physics, &flux, samples, u, n_bar, u_bar, par_bar ? scale_bar : NULL));
  for (PetscInt s = 0; par_bar && s < samples; s++) par_bar[s] -= scale_bar[s] / PetscSqr(par[s]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

const UnrPhysicsOps UnrPhysicsOps_KSSpectral = {
    .name = "ks_spectral",
    .summary = "Kuramoto-Sivashinsky equation, Fourier spectral, 1-D",
    .field = "u",
    .dim = {1, 1},
    .options = UnrKSOptions,
    .parameters = UnrKSParameters,
    .describe = UnrPhysicsDescribe_KSSpectral,
    .create = UnrPhysicsCreate_KSSpectral,
    .destroy = UnrPhysicsDestroy_KSSpectral,
    .length = UnrPhysicsLength_KS,
    .set_length = UnrPhysicsSetLength_KS,
    .symbol = UnrPhysicsSymbol_KSSpectral,
    .nonlinear = UnrPhysicsNonlinear_KSSpectral,
    .nonlinear_jvp = UnrPhysicsNonlinearJvp_KSSpectral,
    .nonlinear_vjp = UnrPhysicsNonlinearVjp_KSSpectral,
};
