/*
  Scalar Burgers, Fourier spectral:  u_t + (u^2/2)_x [+ (u^2/2)_y] = nu Laplace u,  periodic, 1-D and 2-D.

  Dealiased, the state and the product lose their modes above two thirds by the same mask, so that the
  transpose is exact.      Maths   docs/physics/burgers.md
*/
#include "core/error.h"
#include "physics/burgers_options.h"
#include "physics/spectral_flux.h"

typedef struct {
  double *mask; /* [mode] 1 or 0; NULL: not dealiased */
} Burgers;

enum { SLOT_DERIVATIVE = UNR_SPECTRAL_FLUX_SLOTS };

static PetscErrorCode UnrPhysicsDescribe_BurgersSpectral(int dim, UnrNeeds *needs, PetscInt *components)
{
  PetscFunctionBeginUser;
  UnrUserCheck(dim == 1 || dim == 2,
               "burgers_spectral on a grid of dimension %d; allowed: 1, 2; try: -grid_points 64,64", dim);
  needs->split[1] = false; /* slabs of x */
  needs->who[1] = "burgers_spectral";
  *components = 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode UnrPhysicsCreate_BurgersSpectral(UnrPhysics physics)
{
  Burgers *b;
  bool dealias;

  PetscFunctionBeginUser;
  PetscCall(PetscNew(&b));
  physics->data = b;
  PetscCall(UnrOptionBool(UnrBurgersOptions, NULL, "-physics_burgers_dealias", &dealias));
  if (!dealias) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(physics->fft->modes, &b->mask));
  UnrSpectralMask(physics->fft, b->mask);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode UnrPhysicsDestroy_BurgersSpectral(UnrPhysics physics)
{
  Burgers *b = physics->data;

  PetscFunctionBeginUser;
  if (b) PetscCall(PetscFree(b->mask));
  PetscCall(PetscFree(b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* L = -nu |K|^2;  dL/dnu = -|K|^2;  K = 2 pi k / length. */
static PetscErrorCode UnrPhysicsSymbol_BurgersSpectral(UnrPhysics physics, const double par[],
                                                       UnrComplex symbol[], UnrComplex symbol_par[])
{
  double length[UNR_MAX_DIM];

  PetscFunctionBeginUser;
  PetscCall(UnrPhysicsLength(physics, par, length));
  for (PetscInt m = 0; m < physics->fft->modes; m++) {
    double K2 = 0;

    for (int a = 0; a < physics->grid->dim; a++)
      K2 += PetscSqr(2 * PETSC_PI / length[a] * physics->fft->k[a][m]);
    symbol[m] = -par[0] * K2;
    if (symbol_par) symbol_par[m] = -K2;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The lengths are the same for all samples, but a file may set them after the physics was made. */
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
  *flux = (UnrSpectralFlux){.derivative = derivative, .mask = ((Burgers *)physics->data)->mask};
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode UnrPhysicsNonlinear_BurgersSpectral(UnrPhysics physics, PetscInt samples,
                                                          const double par[], const UnrComplex u[],
                                                          UnrComplex n[])
{
  UnrSpectralFlux flux;

  PetscFunctionBeginUser;
  PetscCall(FluxSet(physics, par, &flux));
  PetscCall(UnrSpectralFluxApply(physics, &flux, samples, u, n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* No parameter in the flux. */
static PetscErrorCode UnrPhysicsNonlinearJvp_BurgersSpectral(UnrPhysics physics, PetscInt samples,
                                                             const double par[], const UnrComplex u[],
                                                             const UnrComplex u_dot[], const double par_dot[],
                                                             UnrComplex n_dot[])
{
  UnrSpectralFlux flux;

  PetscFunctionBeginUser;
  (void)par_dot;
  PetscCall(FluxSet(physics, par, &flux));
  PetscCall(UnrSpectralFluxJvp(physics, &flux, samples, u, u_dot, NULL, n_dot));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode UnrPhysicsNonlinearVjp_BurgersSpectral(UnrPhysics physics, PetscInt samples,
                                                             const double par[], const UnrComplex u[],
                                                             const UnrComplex n_bar[], UnrComplex u_bar[],
                                                             double par_bar[])
{
  UnrSpectralFlux flux;

  PetscFunctionBeginUser;
  (void)par_bar;
  PetscCall(FluxSet(physics, par, &flux));
  PetscCall(UnrSpectralFluxVjp(physics, &flux, samples, u, n_bar, u_bar, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode UnrPhysicsConstrain_BurgersSpectral(UnrPhysics physics, const double par[], UnrBatch u)
{
  const Burgers *b = physics->data;

  PetscFunctionBeginUser;
  (void)par;
  if (b->mask) PetscCall(UnrSpectralConstrain(physics, b->mask, u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const UnrPhysicsOps UnrPhysicsOps_BurgersSpectral = {
    .name = "burgers_spectral",
    .summary = "scalar Burgers equation, Fourier spectral, 1-D and 2-D",
    .field = "u",
    .options = UnrBurgersOptions,
    .parameters = UnrBurgersParameters,
    .describe = UnrPhysicsDescribe_BurgersSpectral,
    .create = UnrPhysicsCreate_BurgersSpectral,
    .destroy = UnrPhysicsDestroy_BurgersSpectral,
    .symbol = UnrPhysicsSymbol_BurgersSpectral,
    .nonlinear = UnrPhysicsNonlinear_BurgersSpectral,
    .nonlinear_jvp = UnrPhysicsNonlinearJvp_BurgersSpectral,
    .nonlinear_vjp = UnrPhysicsNonlinearVjp_BurgersSpectral,
    .constrain = UnrPhysicsConstrain_BurgersSpectral,
};
