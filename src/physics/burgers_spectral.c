/*
  Scalar Burgers, Fourier spectral:  u_t + (u^2/2)_x [+ (u^2/2)_y] = nu Laplace u,  periodic, 1-D and 2-D.

  Dealiased, the state and the product have the same modes, those up to two thirds, so that the transpose is
  exact.      Maths   docs/physics/burgers.md
*/
#include "physics/burgers_options.h"
#include "physics/spectral_convection.h"

static PetscErrorCode UnrPhysicsDescribe_BurgersSpectral(int dim, UnrNeeds *needs, PetscInt *components)
{
  PetscFunctionBeginUser;
  (void)dim;
  needs->split[1] = false; /* slabs of x */
  needs->who[1] = "burgers_spectral";
  *components = 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode UnrPhysicsDealias_BurgersSpectral(UnrPhysics physics, bool *dealias)
{
  PetscFunctionBeginUser;
  (void)physics;
  PetscCall(UnrOptionBool(UnrBurgersOptions, NULL, "-physics_burgers_dealias", dealias));
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

const UnrPhysicsOps UnrPhysicsOps_BurgersSpectral = {
    .name = "burgers_spectral",
    .summary = "scalar Burgers equation, Fourier spectral, 1-D and 2-D",
    .field = "u",
    .dim = {1, 2},
    .options = UnrBurgersOptions,
    .parameters = UnrBurgersParameters,
    .describe = UnrPhysicsDescribe_BurgersSpectral,
    .dealias = UnrPhysicsDealias_BurgersSpectral,
    .symbol = UnrPhysicsSymbol_BurgersSpectral,
    .nonlinear = UnrConvectionNonlinear,
    .nonlinear_jvp = UnrConvectionNonlinearJvp,
    .nonlinear_vjp = UnrConvectionNonlinearVjp,
};
