/* The convective flux of scalar spectral physics, its tangent and its transpose. */
#include "physics/spectral_flux.h"

enum { SLOT_V, SLOT_PRODUCT, SLOT_MODES };

typedef struct {
  UnrFFT fft;
  PetscInt samples;
  size_t cells, modes; /* of one sample */
  double *v, *product; /* [sample][cell] */
  UnrComplex *scratch; /* [sample][mode] */
} Work;

static PetscErrorCode WorkSet(UnrPhysics physics, PetscInt samples, Work *w)
{
  PetscFunctionBeginUser;
  w->fft = physics->fft;
  w->samples = samples;
  w->cells = (size_t)w->fft->cells;
  w->modes = (size_t)w->fft->modes;
  PetscCall(UnrPhysicsScratch(physics, SLOT_V, (size_t)samples * w->cells * sizeof(double), (void **)&w->v));
  PetscCall(UnrPhysicsScratch(physics, SLOT_PRODUCT, (size_t)samples * w->cells * sizeof(double),
                              (void **)&w->product));
  PetscCall(UnrPhysicsScratch(physics, SLOT_MODES, (size_t)samples * w->modes * sizeof(UnrComplex),
                              (void **)&w->scratch));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* out = factor scale G in; with factor real, its transpose is out = -factor scale G in: conj(G) = -G. */
static void Differentiate(const Work *w, const UnrSpectralFlux *flux, double factor, const UnrComplex in[],
                          UnrComplex out[])
{
  for (PetscInt s = 0; s < w->samples; s++) {
    const double c = factor * (flux->scale ? flux->scale[s] : 1);

    for (size_t m = 0, i = (size_t)s * w->modes; m < w->modes; m++, i++)
      out[i] = c * flux->derivative[m] * in[i];
  }
}

PetscErrorCode UnrSpectralFluxApply(UnrPhysics physics, const UnrSpectralFlux *flux, PetscInt samples,
                                    const UnrComplex u[], UnrComplex n[])
{
  Work w;

  PetscFunctionBeginUser;
  PetscCall(WorkSet(physics, samples, &w));
  PetscCall(UnrFFTBackward(w.fft, samples, u, w.v));
  for (size_t i = 0; i < (size_t)samples * w.cells; i++) w.product[i] = w.v[i] * w.v[i];
  PetscCall(UnrFFTForward(w.fft, samples, w.product, n));
  Differentiate(&w, flux, -0.5, n, n);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* N_dot = -scale G FFT(v v_dot + (scale_dot / scale) v^2 / 2). */
PetscErrorCode UnrSpectralFluxJvp(UnrPhysics physics, const UnrSpectralFlux *flux, PetscInt samples,
                                  const UnrComplex u[], const UnrComplex u_dot[], const double scale_dot[],
                                  UnrComplex n_dot[])
{
  Work w;

  PetscFunctionBeginUser;
  PetscCall(WorkSet(physics, samples, &w));
  PetscCall(UnrFFTBackward(w.fft, samples, u, w.v));
  if (u_dot) PetscCall(UnrFFTBackward(w.fft, samples, u_dot, w.product));
  for (PetscInt s = 0; s < samples; s++) {
    const double rate = scale_dot ? scale_dot[s] / flux->scale[s] : 0;

    for (size_t i = (size_t)s * w.cells; i < (size_t)(s + 1) * w.cells; i++)
      w.product[i] = (u_dot ? w.v[i] * w.product[i] : 0) + 0.5 * rate * w.v[i] * w.v[i];
  }
  PetscCall(UnrFFTForward(w.fft, samples, w.product, n_dot));
  Differentiate(&w, flux, -1, n_dot, n_dot);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Reverse of N_dot = -scale G FFT(v v_dot + ...), with q_bar = IFFT(scale G n_bar):
  u_bar += FFT(v q_bar);  scale_bar += sum_x q_bar v^2 / (2 scale)  (Parseval: no other transform).
*/
PetscErrorCode UnrSpectralFluxVjp(UnrPhysics physics, const UnrSpectralFlux *flux, PetscInt samples,
                                  const UnrComplex u[], const UnrComplex n_bar[], UnrComplex u_bar[],
                                  double scale_bar[])
{
  Work w;

  PetscFunctionBeginUser;
  PetscCall(WorkSet(physics, samples, &w));
  PetscCall(UnrFFTBackward(w.fft, samples, u, w.v));
  Differentiate(&w, flux, 1, n_bar, w.scratch);
  PetscCall(UnrFFTBackward(w.fft, samples, w.scratch, w.product));
  for (PetscInt s = 0; s < samples; s++) {
    double sum = 0;

    for (size_t i = (size_t)s * w.cells; i < (size_t)(s + 1) * w.cells; i++) {
      sum += w.product[i] * w.v[i] * w.v[i];
      w.product[i] *= w.v[i];
    }
    if (scale_bar) scale_bar[s] += 0.5 * sum / flux->scale[s];
  }
  if (!u_bar) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(UnrFFTForward(w.fft, samples, w.product, w.scratch));
  for (size_t i = 0; i < (size_t)samples * w.modes; i++) u_bar[i] += w.scratch[i];
  PetscFunctionReturn(PETSC_SUCCESS);
}
