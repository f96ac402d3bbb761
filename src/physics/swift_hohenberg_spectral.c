/*
  Swift-Hohenberg, Fourier spectral:  u_t = r u - (1 + Laplace)^2 u + g u^2 - u^3,  periodic, 1-D and 2-D.

  A cubic nonlinearity, one parameter in the symbol and one outside.
  Maths   docs/physics/swift_hohenberg.md      Source  Swift & Hohenberg 1977, doi:10.1103/PhysRevA.15.319
*/
#include "physics/physics_impl.h"

enum { PAR_R, PAR_G, PARAMETERS };
enum { SLOT_V, SLOT_Q, SLOT_MODES };

static const UnrOption options[] = {
    {"-physics_swift_hohenberg_r", UNR_REAL, "0.3", 0, 0, "1/time",
     "r of u_t = r u - (1 + Laplace)^2 u + g u^2 - u^3: distance from the onset of patterns", NULL},
    {"-physics_swift_hohenberg_g", UNR_REAL, "1", 0, 0, "1/time",
     "g of u_t = r u - (1 + Laplace)^2 u + g u^2 - u^3: prefers hexagons to stripes", NULL},
    {NULL, UNR_BOOL, NULL, 0, 0, NULL, NULL, NULL},
};
static const char *const parameters[] = {"-physics_swift_hohenberg_r", "-physics_swift_hohenberg_g", NULL};

static PetscErrorCode UnrPhysicsDescribe_SwiftHohenbergSpectral(int dim, UnrNeeds *needs,
                                                                PetscInt *components)
{
  PetscFunctionBeginUser;
  if (dim == 2) {
    needs->split[1] = false;
    needs->who[1] = "swift_hohenberg_spectral";
  }
  *components = 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* r - (1 - K^2)^2;  d/dr = 1, d/dg = 0. */
static PetscErrorCode UnrPhysicsSymbol_SwiftHohenbergSpectral(UnrPhysics physics, const double par[],
                                                              UnrComplex symbol[], UnrComplex symbol_par[])
{
  const UnrFFT fft = physics->fft;
  const int dim = physics->grid->dim;
  double length[UNR_MAX_DIM];

  PetscFunctionBeginUser;
  PetscCall(UnrPhysicsLength(physics, par, length));
  for (PetscInt m = 0; m < fft->modes; m++) {
    double K2 = 0;

    for (int a = 0; a < dim; a++) K2 += PetscSqr(2 * PETSC_PI / length[a] * fft->k[a][m]);
    symbol[m] = par[PAR_R] - PetscSqr(1 - K2);
    if (symbol_par) {
      symbol_par[PAR_R * fft->modes + m] = 1;
      symbol_par[PAR_G * fft->modes + m] = 0;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* v [sample][cell], in scratch = IFFT(u). */
static PetscErrorCode ToCells(UnrPhysics physics, int slot, PetscInt samples, const UnrComplex u[],
                              double **v)
{
  const size_t cells = (size_t)samples * (size_t)physics->fft->cells;

  PetscFunctionBeginUser;
  PetscCall(UnrPhysicsScratch(physics, slot, cells * sizeof(double), (void **)v));
  PetscCall(UnrFFTBackward(physics->fft, samples, u, *v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* N = FFT(g v^2 - v^3) */
static PetscErrorCode UnrPhysicsNonlinear_SwiftHohenbergSpectral(UnrPhysics physics, PetscInt samples,
                                                                 const double par[], const UnrComplex u[],
                                                                 UnrComplex n[])
{
  const PetscInt cells = physics->fft->cells;
  double *v;

  PetscFunctionBeginUser;
  PetscCall(ToCells(physics, SLOT_V, samples, u, &v));
  for (PetscInt s = 0; s < samples; s++) {
    const double g = par[s * PARAMETERS + PAR_G];

    for (PetscInt i = s * cells; i < (s + 1) * cells; i++) v[i] = (g - v[i]) * v[i] * v[i];
  }
  PetscCall(UnrFFTForward(physics->fft, samples, v, n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* N_dot = FFT((2 g - 3 v) v v_dot + g_dot v^2) */
static PetscErrorCode UnrPhysicsNonlinearJvp_SwiftHohenbergSpectral(UnrPhysics physics, PetscInt samples,
                                                                    const double par[], const UnrComplex u[],
                                                                    const UnrComplex u_dot[],
                                                                    const double par_dot[],
                                                                    UnrComplex n_dot[])
{
  const PetscInt cells = physics->fft->cells;
  double *v, *v_dot = NULL;

  PetscFunctionBeginUser;
  PetscCall(ToCells(physics, SLOT_V, samples, u, &v));
  if (u_dot) PetscCall(ToCells(physics, SLOT_Q, samples, u_dot, &v_dot));
  for (PetscInt s = 0; s < samples; s++) {
    const double g = par[s * PARAMETERS + PAR_G], g_dot = par_dot ? par_dot[s * PARAMETERS + PAR_G] : 0;

    for (PetscInt i = s * cells; i < (s + 1) * cells; i++)
      v[i] = (2 * g - 3 * v[i]) * v[i] * (v_dot ? v_dot[i] : 0) + g_dot * v[i] * v[i];
  }
  PetscCall(UnrFFTForward(physics->fft, samples, v, n_dot));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Reverse, with q = IFFT(N_bar):  u_bar += FFT((2 g - 3 v) v q),  g_bar += sum over cells of v^2 q */
static PetscErrorCode UnrPhysicsNonlinearVjp_SwiftHohenbergSpectral(UnrPhysics physics, PetscInt samples,
                                                                    const double par[], const UnrComplex u[],
                                                                    const UnrComplex n_bar[],
                                                                    UnrComplex u_bar[], double par_bar[])
{
  const PetscInt cells = physics->fft->cells, modes = samples * physics->fft->modes;
  double *v, *q;
  UnrComplex *sum;

  PetscFunctionBeginUser;
  PetscCall(ToCells(physics, SLOT_V, samples, u, &v));
  PetscCall(ToCells(physics, SLOT_Q, samples, n_bar, &q));
  for (PetscInt s = 0; s < samples; s++) {
    const double g = par[s * PARAMETERS + PAR_G];
    double g_bar = 0;

    for (PetscInt i = s * cells; i < (s + 1) * cells; i++) {
      g_bar += v[i] * v[i] * q[i];
      q[i] *= (2 * g - 3 * v[i]) * v[i];
    }
    if (par_bar) par_bar[s * PARAMETERS + PAR_G] += g_bar;
  }
  if (!u_bar) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(UnrPhysicsScratch(physics, SLOT_MODES, (size_t)modes * sizeof(UnrComplex), (void **)&sum));
  PetscCall(UnrFFTForward(physics->fft, samples, q, sum));
  for (PetscInt m = 0; m < modes; m++) u_bar[m] += sum[m];
  PetscFunctionReturn(PETSC_SUCCESS);
}

const UnrPhysicsOps UnrPhysicsOps_SwiftHohenbergSpectral = {
    .name = "swift_hohenberg_spectral",
    .summary = "Swift-Hohenberg equation, Fourier spectral, 1-D and 2-D",
    .field = "u",
    .dim = {1, 2},
    .options = options,
    .parameters = parameters,
    .default_length = 8 * 2 * PETSC_PI, /* eight wavelengths */
    .describe = UnrPhysicsDescribe_SwiftHohenbergSpectral,
    .symbol = UnrPhysicsSymbol_SwiftHohenbergSpectral,
    .nonlinear = UnrPhysicsNonlinear_SwiftHohenbergSpectral,
    .nonlinear_jvp = UnrPhysicsNonlinearJvp_SwiftHohenbergSpectral,
    .nonlinear_vjp = UnrPhysicsNonlinearVjp_SwiftHohenbergSpectral,
};
