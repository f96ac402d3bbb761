/*
  Kuramoto-Sivashinsky, Fourier spectral:  u_t = -u_xx - u_xxxx - (u^2/2)_x  on [0, 2 pi s], periodic.

  Maths   docs/physics/ks.md      Source  List, Chen, Bali & Thuerey 2025, arXiv:2402.12971 (as its code has it: the
  product is not dealiased)
*/
#include "core/error.h"
#include "physics/ks_options.h"

/* Scratch: two batches of fields, one of modes. */
enum { SLOT_U, SLOT_PRODUCT, SLOT_MODES };

typedef struct {
  UnrFFT      fft;
  double     *u, *product; /* [sample][cell] */
  UnrComplex *modes;       /* [sample][mode] */
} Work;

static PetscErrorCode WorkSet(UnrPhysics physics, PetscInt samples, Work *w)
{
  const size_t cells = (size_t)samples * (size_t)physics->fft->cells;
  const size_t modes = (size_t)samples * (size_t)physics->fft->modes;

  PetscFunctionBeginUser;
  w->fft = physics->fft;
  PetscCall(UnrPhysicsScratch(physics, SLOT_U, cells * sizeof(double), (void **)&w->u));
  PetscCall(UnrPhysicsScratch(physics, SLOT_PRODUCT, cells * sizeof(double), (void **)&w->product));
  PetscCall(UnrPhysicsScratch(physics, SLOT_MODES, modes * sizeof(UnrComplex), (void **)&w->modes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Describe(int dim, UnrNeeds *needs, PetscInt *components)
{
  PetscFunctionBeginUser;
  UnrUserCheck(dim == 1, "ks_spectral on a grid of dimension %d; allowed: 1; try: -grid_points 48", dim);
  *components = 1;
  (void)needs; /* x may be split: fft.c redistributes whole lines */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* L = (k/s)^2 - (k/s)^4;  dL/ds = (-2 (k/s)^2 + 4 (k/s)^4) / s. */
static PetscErrorCode Symbol(UnrPhysics physics, const double par[], UnrComplex symbol[], UnrComplex symbol_par[])
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

/* N(u) = -i/2 (k/s) FFT(u^2);  [sample][mode]. */
static PetscErrorCode Nonlinear(UnrPhysics physics, PetscInt samples, const double par[], const UnrComplex u[],
                                UnrComplex n[])
{
  const UnrFFT fft = physics->fft;
  Work         w;

  PetscFunctionBeginUser;
  PetscCall(WorkSet(physics, samples, &w));
  PetscCall(UnrFFTBackward(fft, samples, u, w.u));
  for (size_t i = 0; i < (size_t)samples * (size_t)fft->cells; i++) w.product[i] = w.u[i] * w.u[i];
  PetscCall(UnrFFTForward(fft, samples, w.product, n));
  for (PetscInt s = 0; s < samples; s++) {
    for (PetscInt m = 0; m < fft->modes; m++) n[s * fft->modes + m] *= -0.5 * I * (fft->k_odd[0][m] / par[s]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* N_dot = -i (k/s) FFT(u u_dot) + (i/2) (k/s) (s_dot/s) FFT(u^2). */
static PetscErrorCode NonlinearJvp(UnrPhysics physics, PetscInt samples, const double par[], const UnrComplex u[],
                                   const UnrComplex u_dot[], const double par_dot[], UnrComplex n_dot[])
{
  const UnrFFT fft = physics->fft;
  Work         w;

  PetscFunctionBeginUser;
  PetscCall(WorkSet(physics, samples, &w));
  PetscCall(UnrFFTBackward(fft, samples, u, w.u));
  if (u_dot) PetscCall(UnrFFTBackward(fft, samples, u_dot, w.product));
  for (PetscInt s = 0; s < samples; s++) {
    const double rate = par_dot ? par_dot[s] / par[s] : 0;

    for (size_t i = (size_t)(s * fft->cells); i < (size_t)((s + 1) * fft->cells); i++)
      w.product[i] = (u_dot ? w.u[i] * w.product[i] : 0) - 0.5 * rate * w.u[i] * w.u[i];
  }
  PetscCall(UnrFFTForward(fft, samples, w.product, n_dot));
  for (PetscInt s = 0; s < samples; s++) {
    for (PetscInt m = 0; m < fft->modes; m++) n_dot[s * fft->modes + m] *= -I * (fft->k_odd[0][m] / par[s]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Reverse of N_dot, with q_bar = IFFT(conj(-i k/s) n_bar):
  u_bar += FFT(u q_bar);  s_bar -= sum_x q_bar u^2 / (2 s)  (Parseval: no other transform).
*/
static PetscErrorCode NonlinearVjp(UnrPhysics physics, PetscInt samples, const double par[], const UnrComplex u[],
                                   const UnrComplex n_bar[], UnrComplex u_bar[], double par_bar[])
{
  const UnrFFT fft = physics->fft;
  Work         w;

  PetscFunctionBeginUser;
  PetscCall(WorkSet(physics, samples, &w));
  for (PetscInt s = 0; s < samples; s++) {
    for (PetscInt m = 0; m < fft->modes; m++)
      w.modes[s * fft->modes + m] = I * (fft->k_odd[0][m] / par[s]) * n_bar[s * fft->modes + m];
  }
  PetscCall(UnrFFTBackward(fft, samples, w.modes, w.product));
  PetscCall(UnrFFTBackward(fft, samples, u, w.u));
  for (PetscInt s = 0; s < samples; s++) {
    double sum = 0;

    for (size_t i = (size_t)(s * fft->cells); i < (size_t)((s + 1) * fft->cells); i++) {
      sum += w.product[i] * w.u[i] * w.u[i];
      w.product[i] *= w.u[i];
    }
    if (par_bar) par_bar[s] -= 0.5 * sum / par[s];
  }
  if (!u_bar) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(UnrFFTForward(fft, samples, w.product, w.modes));
  for (size_t i = 0; i < (size_t)samples * (size_t)fft->modes; i++) u_bar[i] += w.modes[i];
  PetscFunctionReturn(PETSC_SUCCESS);
}

const UnrPhysicsOps UnrPhysicsOps_KSSpectral = {
  .name = "ks_spectral",
  .summary = "Kuramoto-Sivashinsky equation, Fourier spectral, 1-D",
  .field = "u",
  .options = UnrKSOptions,
  .parameters = UnrKSParameters,
  .describe = Describe,
  .length = UnrPhysicsLength_KS,
  .set_length = UnrPhysicsSetLength_KS,
  .symbol = Symbol,
  .nonlinear = Nonlinear,
  .nonlinear_jvp = NonlinearJvp,
  .nonlinear_vjp = NonlinearVjp,
};
