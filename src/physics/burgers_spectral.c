/*
  Scalar Burgers, Fourier spectral:  u_t + (u^2/2)_x [+ (u^2/2)_y] = nu Laplace u,  periodic, 1-D and 2-D.

  Dealiased, the state and the product lose their modes above two thirds by the same mask D, so that on modes
      N(u) = -i/2 K D FFT(v^2),   v = IFFT(D u),   K = sum over axes of 2 pi k / length,
  and the transposed N' is exact: D is real and its own transpose.      Maths   docs/physics/burgers.md
*/
#include "core/error.h"
#include "physics/burgers_options.h"

typedef struct {
  bool    dealias;
  double *mask; /* D [mode]: 1 or 0 */
} Burgers;

/* Scratch: two batches of fields, one of modes, i K D of one field. */
enum { SLOT_V, SLOT_PRODUCT, SLOT_MODES, SLOT_DERIVATIVE };

typedef struct {
  UnrFFT        fft;
  size_t        modes, cells; /* of all samples */
  const double *mask;
  double       *v, *product; /* [sample][cell] */
  UnrComplex   *scratch;     /* [sample][mode] */
  UnrComplex   *derivative;  /* [mode] i K D */
} Work;

static PetscErrorCode Describe(int dim, UnrNeeds *needs, PetscInt *components)
{
  PetscFunctionBeginUser;
  UnrUserCheck(dim == 1 || dim == 2, "burgers_spectral on a grid of dimension %d; allowed: 1, 2; try: -grid_points 64,64",
               dim);
  needs->split[1] = false; /* slabs of x */
  needs->who[1] = "burgers_spectral";
  *components = 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* |k| <= cut along every axis; 3 cut < points, so that no product of two kept modes aliases onto a kept one. */
static bool IsKept(UnrPhysics physics, PetscInt m)
{
  for (int a = 0; a < physics->grid->dim; a++) {
    if (PetscAbsReal(physics->fft->k[a][m]) > (double)((physics->grid->points[a] - 1) / 3)) return false;
  }
  return true;
}

static PetscErrorCode Create(UnrPhysics physics)
{
  Burgers *b;

  PetscFunctionBeginUser;
  PetscCall(PetscNew(&b));
  PetscCall(UnrOptionBool(UnrBurgersOptions, NULL, "-physics_burgers_dealias", &b->dealias));
  PetscCall(PetscMalloc1(physics->fft->modes, &b->mask));
  for (PetscInt m = 0; m < physics->fft->modes; m++) b->mask[m] = !b->dealias || IsKept(physics, m);
  physics->data = b;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Destroy(UnrPhysics physics)
{
  Burgers *b = physics->data;

  PetscFunctionBeginUser;
  if (b) PetscCall(PetscFree(b->mask));
  PetscCall(PetscFree(b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode WorkSet(UnrPhysics physics, PetscInt samples, const double par[], Work *w)
{
  double length[UNR_MAX_DIM];

  PetscFunctionBeginUser;
  w->fft = physics->fft;
  w->modes = (size_t)samples * (size_t)w->fft->modes;
  w->cells = (size_t)samples * (size_t)w->fft->cells;
  w->mask = ((Burgers *)physics->data)->mask;
  PetscCall(UnrPhysicsScratch(physics, SLOT_V, w->cells * sizeof(double), (void **)&w->v));
  PetscCall(UnrPhysicsScratch(physics, SLOT_PRODUCT, w->cells * sizeof(double), (void **)&w->product));
  PetscCall(UnrPhysicsScratch(physics, SLOT_MODES, w->modes * sizeof(UnrComplex), (void **)&w->scratch));
  PetscCall(UnrPhysicsScratch(physics, SLOT_DERIVATIVE, (size_t)w->fft->modes * sizeof(UnrComplex),
                              (void **)&w->derivative));
  PetscCall(UnrPhysicsLength(physics, par, length));
  for (PetscInt m = 0; m < w->fft->modes; m++) {
    double K = 0;

    for (int a = 0; a < physics->grid->dim; a++) K += 2 * PETSC_PI / length[a] * w->fft->k_odd[a][m];
    w->derivative[m] = I * K * w->mask[m];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* out = scale factor in, on every sample's modes; in may be out. */
static void MultiplyModes(const Work *w, double scale, const UnrComplex factor[], const UnrComplex in[], UnrComplex out[])
{
  for (size_t i = 0; i < w->modes; i += (size_t)w->fft->modes) {
    for (size_t m = 0; m < (size_t)w->fft->modes; m++) out[i + m] = scale * factor[m] * in[i + m];
  }
}

/* v = IFFT(D u). */
static PetscErrorCode Kept(const Work *w, PetscInt samples, const UnrComplex u[], double v[])
{
  PetscFunctionBeginUser;
  for (size_t i = 0; i < w->modes; i += (size_t)w->fft->modes) {
    for (size_t m = 0; m < (size_t)w->fft->modes; m++) w->scratch[i + m] = w->mask[m] * u[i + m];
  }
  PetscCall(UnrFFTBackward(w->fft, samples, w->scratch, v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* L = -nu |K|^2;  dL/dnu = -|K|^2. */
static PetscErrorCode Symbol(UnrPhysics physics, const double par[], UnrComplex symbol[], UnrComplex symbol_par[])
{
  double length[UNR_MAX_DIM];

  PetscFunctionBeginUser;
  PetscCall(UnrPhysicsLength(physics, par, length));
  for (PetscInt m = 0; m < physics->fft->modes; m++) {
    double K2 = 0;

    for (int a = 0; a < physics->grid->dim; a++) K2 += PetscSqr(2 * PETSC_PI / length[a] * physics->fft->k[a][m]);
    symbol[m] = -par[0] * K2;
    if (symbol_par) symbol_par[m] = -K2;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* N(u) = -i/2 K D FFT(v^2). */
static PetscErrorCode Nonlinear(UnrPhysics physics, PetscInt samples, const double par[], const UnrComplex u[],
                                UnrComplex n[])
{
  Work w;

  PetscFunctionBeginUser;
  PetscCall(WorkSet(physics, samples, par, &w));
  PetscCall(Kept(&w, samples, u, w.v));
  for (size_t i = 0; i < w.cells; i++) w.product[i] = w.v[i] * w.v[i];
  PetscCall(UnrFFTForward(w.fft, samples, w.product, n));
  MultiplyModes(&w, -0.5, w.derivative, n, n);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* N_dot = -i K D FFT(v v_dot): no parameter in it. */
static PetscErrorCode NonlinearJvp(UnrPhysics physics, PetscInt samples, const double par[], const UnrComplex u[],
                                   const UnrComplex u_dot[], const double par_dot[], UnrComplex n_dot[])
{
  Work w;

  PetscFunctionBeginUser;
  (void)par_dot;
  PetscCall(WorkSet(physics, samples, par, &w));
  if (!u_dot) {
    PetscCall(PetscArrayzero(n_dot, w.modes));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(Kept(&w, samples, u, w.v));
  PetscCall(Kept(&w, samples, u_dot, w.product));
  for (size_t i = 0; i < w.cells; i++) w.product[i] *= w.v[i];
  PetscCall(UnrFFTForward(w.fft, samples, w.product, n_dot));
  MultiplyModes(&w, -1, w.derivative, n_dot, n_dot);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Reverse of N_dot: u_bar += D FFT(v q_bar),  q_bar = IFFT(conj(-i K D) n_bar) = IFFT(i K D n_bar). */
static PetscErrorCode NonlinearVjp(UnrPhysics physics, PetscInt samples, const double par[], const UnrComplex u[],
                                   const UnrComplex n_bar[], UnrComplex u_bar[], double par_bar[])
{
  Work w;

  PetscFunctionBeginUser;
  (void)par_bar;
  if (!u_bar) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(WorkSet(physics, samples, par, &w));
  PetscCall(Kept(&w, samples, u, w.v));
  MultiplyModes(&w, 1, w.derivative, n_bar, w.scratch);
  PetscCall(UnrFFTBackward(w.fft, samples, w.scratch, w.product));
  for (size_t i = 0; i < w.cells; i++) w.product[i] *= w.v[i];
  PetscCall(UnrFFTForward(w.fft, samples, w.product, w.scratch));
  for (size_t i = 0; i < w.modes; i += (size_t)w.fft->modes) {
    for (size_t m = 0; m < (size_t)w.fft->modes; m++) u_bar[i + m] += w.mask[m] * w.scratch[i + m];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* P = D: symmetric. */
static PetscErrorCode Constrain(UnrPhysics physics, const double par[], UnrBatch u)
{
  PetscInt first, samples;
  Work     w;

  PetscFunctionBeginUser;
  if (!((Burgers *)physics->data)->dealias) PetscFunctionReturn(PETSC_SUCCESS);
  UnrFFTShare(physics->fft, u->samples, &first, &samples);
  PetscCall(WorkSet(physics, samples, par, &w));
  PetscCall(UnrFFTLoad(w.fft, u, w.v));
  PetscCall(UnrFFTForward(w.fft, samples, w.v, w.scratch));
  PetscCall(Kept(&w, samples, w.scratch, w.v));
  PetscCall(UnrFFTStore(w.fft, w.v, u, INSERT_VALUES));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const UnrPhysicsOps UnrPhysicsOps_BurgersSpectral = {
  .name = "burgers_spectral",
  .summary = "scalar Burgers equation, Fourier spectral, 1-D and 2-D",
  .field = "u",
  .options = UnrBurgersOptions,
  .parameters = UnrBurgersParameters,
  .describe = Describe,
  .create = Create,
  .destroy = Destroy,
  .symbol = Symbol,
  .nonlinear = Nonlinear,
  .nonlinear_jvp = NonlinearJvp,
  .nonlinear_vjp = NonlinearVjp,
  .constrain = Constrain,
};
