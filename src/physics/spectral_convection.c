/* The convective flux with nothing to choose, as functions for a plugin's table. */
#include "physics/spectral_convection.h"

enum { SLOT_DERIVATIVE = UNR_SPECTRAL_FLUX_SLOTS };

/* G = i sum over axes of 2 pi k_odd / length.  Lengths are the same for all samples, but a file may set them
 * late. */
static PetscErrorCode FluxSet(UnrPhysics physics, const double par[], UnrSpectralFlux *flux)
{
  double length[UNR_MAX_DIM];
  UnrComplex *derivative;

  PetscFunctionBeginUser;
  PetscCall(UnrPhysicsScratch(physics, SLOT_DERIVATIVE, (size_t)physics->fft->modes * sizeof(UnrComplex),
                              (void **)&derivative));
  PetscCall(UnrPhysicsLength(physics, par, length));
  for (PetscInt m = 0; m < physics->fft->modes; m++) {
    derivative[m] = 0;
    for (int a = 0; a < physics->grid->dim; a++)
      derivative[m] += I * (2 * PETSC_PI / length[a] * physics->fft->k_odd[a][m]);
  }
  *flux = (UnrSpectralFlux){.derivative = derivative};
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrConvectionNonlinear(UnrPhysics physics, PetscInt samples, const double par[],
                                      const UnrComplex u[], UnrComplex n[])
{
  UnrSpectralFlux flux;

  PetscFunctionBeginUser;
  PetscCall(FluxSet(physics, par, &flux));
  PetscCall(UnrSpectralFluxApply(physics, &flux, samples, u, n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrConvectionNonlinearJvp(UnrPhysics physics, PetscInt samples, const double par[],
                                         const UnrComplex u[], const UnrComplex u_dot[],
                                         const double par_dot[], UnrComplex n_dot[])
{
  UnrSpectralFlux flux;

  PetscFunctionBeginUser;
  (void)par_dot;
  PetscCall(FluxSet(physics, par, &flux));
  PetscCall(UnrSpectralFluxJvp(physics, &flux, samples, u, u_dot, NULL, n_dot));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrConvectionNonlinearVjp(UnrPhysics physics, PetscInt samples, const double par[],
                                         const UnrComplex u[], const UnrComplex n_bar[], UnrComplex u_bar[],
                                         double par_bar[])
{
  UnrSpectralFlux flux;

  PetscFunctionBeginUser;
  (void)par_bar;
  PetscCall(FluxSet(physics, par, &flux));
  PetscCall(UnrSpectralFluxVjp(physics, &flux, samples, u, n_bar, u_bar, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}
