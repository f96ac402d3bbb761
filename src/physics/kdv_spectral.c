/*
  Korteweg-de Vries, Fourier spectral:  u_t + (u^2/2)_x + delta u_xxx = 0,  periodic, 1-D.

  Its symbol is imaginary: dispersion instead of diffusion.      Maths   docs/physics/kdv.md
  Source  Zabusky & Kruskal 1965, doi:10.1103/PhysRevLett.15.240
*/
#include "physics/spectral_convection.h"

static const UnrOption options[] = {
    {"-physics_kdv_dispersion", UNR_REAL, "0.05", 0, 1e12, "length^3/time",
     "delta of u_t + u u_x + delta u_xxx = 0", NULL},
    {NULL, UNR_BOOL, NULL, 0, 0, NULL, NULL, NULL},
};
static const char *const parameters[] = {"-physics_kdv_dispersion", NULL};

static PetscErrorCode UnrPhysicsDescribe_KdVSpectral(int dim, UnrNeeds *needs, PetscInt *components)
{
  PetscFunctionBeginUser;
  (void)dim;
  (void)needs;
  *components = 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode UnrPhysicsDealias_KdVSpectral(UnrPhysics physics, bool *dealias)
{
  PetscFunctionBeginUser;
  (void)physics;
  *dealias = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* -delta (i K)^3 = i delta K^3;  d/d delta = i K^3;  K = 2 pi k / length, 0 at the Nyquist mode. */
static PetscErrorCode UnrPhysicsSymbol_KdVSpectral(UnrPhysics physics, const double par[],
                                                   UnrComplex symbol[], UnrComplex symbol_par[])
{
  double length[UNR_MAX_DIM];

  PetscFunctionBeginUser;
  PetscCall(UnrPhysicsLength(physics, par, length));
  for (PetscInt m = 0; m < physics->fft->modes; m++) {
    const double K = 2 * PETSC_PI / length[0] * physics->fft->k_odd[0][m], K3 = K * K * K;

    symbol[m] = I * par[0] * K3;
    if (symbol_par) symbol_par[m] = I * K3;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

const UnrPhysicsOps UnrPhysicsOps_KdVSpectral = {
    .name = "kdv_spectral",
    .summary = "Korteweg-de Vries equation, Fourier spectral, dealiased, 1-D",
    .field = "u",
    .dim = {1, 1},
    .options = options,
    .parameters = parameters,
    .describe = UnrPhysicsDescribe_KdVSpectral,
    .dealias = UnrPhysicsDealias_KdVSpectral,
    .symbol = UnrPhysicsSymbol_KdVSpectral,
    .nonlinear = UnrConvectionNonlinear,
    .nonlinear_jvp = UnrConvectionNonlinearJvp,
    .nonlinear_vjp = UnrConvectionNonlinearVjp,
};
