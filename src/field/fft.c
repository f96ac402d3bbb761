/*
  The transform: which modes this rank has, forward and backward.  Maths: docs/method/fft.md.

  A grid that one rank can see (1-D: whole lines) takes one FFTW transform.  A slab takes three steps, with
  one exchange for all fields:

      [field][local x][y][z]  --r2c over y, z-->  [field][local x][rest]  --Alltoallw-->  [field][x][mine]
  --c2c over x
*/
#include "field/fft_impl.h"
#include "core/call.h"
#include "core/event.h"

#include <string.h>

/* Signed wavenumber of index i of n; is_nyquist where it is its own negative besides 0. */
static double Wavenumber(PetscInt i, PetscInt n)
{
  return (double)(2 * i <= n ? i : i - n);
}
static bool IsNyquist(PetscInt i, PetscInt n)
{
  return 2 * i == n;
}

/* The mode's index along every axis; modes are [x][mine], `rest` is [y][half of z] or [half of y]. */
static void ModeIndex(UnrFFT fft, PetscInt mode, PetscInt index[UNR_MAX_DIM])
{
  const struct UnrFFTData_ *d = fft->data;
  PetscInt last = fft->grid->dim - 1, half = fft->grid->points[last] / 2 + 1;
  PetscInt rest = d->first + (d->mine ? mode % d->mine : 0), x = d->mine ? mode / d->mine : 0;

  index[0] = index[1] = index[2] = 0;
  if (last == 0) {
    index[0] = rest;
  } else {
    index[0] = x;
    index[last] = rest % half;
    if (last == 2) index[1] = rest / half;
  }
}

static PetscErrorCode SetWavenumbers(UnrFFT fft)
{
  const PetscInt *n = fft->grid->points;
  PetscInt last = fft->grid->dim - 1, index[UNR_MAX_DIM];

  PetscFunctionBeginUser;
  for (int a = 0; a < UNR_MAX_DIM; a++)
    PetscCall(PetscMalloc2(fft->modes, &fft->k[a], fft->modes, &fft->k_odd[a]));
  PetscCall(PetscMalloc1(fft->modes, &fft->weight));
  for (PetscInt m = 0; m < fft->modes; m++) {
    ModeIndex(fft, m, index);
    for (int a = 0; a < UNR_MAX_DIM; a++) {
      fft->k[a][m] = Wavenumber(index[a], n[a]);
      fft->k_odd[a][m] = IsNyquist(index[a], n[a]) ? 0 : fft->k[a][m];
    }
    fft->weight[m] = index[last] == 0 || IsNyquist(index[last], n[last]) ? 1 : 2;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  UnrFFTCreate - the transform of a grid's fields.     Collective on the grid.
  In      grid    borrowed, must outlive the transform; in 2-D and 3-D in one block along y and z
  Errors  PETSC_ERR_SUP for other blocks: the layout must have been chosen with split[1] = split[2] = false
*/
PetscErrorCode UnrFFTCreate(UnrGrid grid, UnrFFT *fft)
{
  UnrFFT f;
  struct UnrFFTData_ *d;

  PetscFunctionBeginUser;
  PetscCheck(grid->blocks[1] == 1 && grid->blocks[2] == 1, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "a transform of %" PetscInt_FMT "x%" PetscInt_FMT "x%" PetscInt_FMT
             " blocks: only x may be split",
             grid->blocks[0], grid->blocks[1], grid->blocks[2]);
  PetscCall(PetscNew(&f));
  PetscCall(PetscNew(&d));
  f->grid = grid;
  f->data = d;
  d->is_whole = grid->dim == 1 || grid->size == 1;
  d->rest = grid->points[grid->dim - 1] / 2 + 1;
  if (grid->dim == 3) d->rest *= grid->points[1];
  if (!d->is_whole) d->first = UnrPartStart(d->rest, grid->size, grid->rank);
  d->mine = d->is_whole ? d->rest : UnrPartStart(d->rest, grid->size, grid->rank + 1) - d->first;
  f->cells = grid->dim == 1 ? grid->points[0] : grid->local;
  f->modes = grid->dim == 1 ? d->rest : grid->points[0] * d->mine;
  PetscCall(SetWavenumbers(f));
  PetscCall(PetscCalloc3(grid->size, &d->one_slab, grid->size, &d->one_pencil, grid->size, &d->nought));
  PetscCall(PetscCalloc4(grid->size, &d->lines, grid->size, &d->lines_at, grid->size, &d->segments,
                         grid->size, &d->segments_at));
  for (int r = 0; r < grid->size; r++) {
    d->one_slab[r] = UnrPartStart(d->rest, grid->size, r + 1) > UnrPartStart(d->rest, grid->size, r);
    d->one_pencil[r] = d->mine > 0;
  }
  *fft = f;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* UnrFFTDestroy - local; NULL is fine. */
PetscErrorCode UnrFFTDestroy(UnrFFT *fft)
{
  UnrFFT f = *fft;
  struct UnrFFTData_ *d;

  PetscFunctionBeginUser;
  if (!f) PetscFunctionReturn(PETSC_SUCCESS);
  d = f->data;
  PetscCall(UnrFFTPlansDestroy(f));
  for (int a = 0; a < UNR_MAX_DIM; a++) PetscCall(PetscFree2(f->k[a], f->k_odd[a]));
  PetscCall(PetscFree(f->weight));
  PetscCall(PetscFree3(d->one_slab, d->one_pencil, d->nought));
  PetscCall(PetscFree4(d->lines, d->lines_at, d->segments, d->segments_at));
  PetscCall(PetscFree(f->data));
  PetscCall(PetscFree(*fft));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A plan runs on arrays aligned like those it was made for; others go through a buffer, so that the bits
 * stay. */
static bool IsAligned(const void *array)
{
  return fftw_alignment_of((double *)array) == 0;
}

/*
  UnrFFTForward - modes of `fields` real fields, unscaled.     Collective on the grid in 2-D and 3-D.
  In      work    [field][cells]
  Out     modes   [field][modes]; must not overlap work
  Cost    one exchange of all fields on more than one rank in 2-D and 3-D; none else
*/
PetscErrorCode UnrFFTForward(UnrFFT fft, PetscInt fields, const double *work, UnrComplex *modes)
{
  struct UnrFFTData_ *d = fft->data;
  size_t cells = (size_t)fields * fft->cells, numbers = (size_t)fields * fft->modes;
  UnrComplex *out = modes, *slab;
  double *in = (double *)work; /* FFTW's r2c leaves it alone */
  UnrFFTPlan plan;

  PetscFunctionBeginUser;
  if (fields == 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(UnrEventBegin(UNR_EVENT_FFT));
  PetscCall(UnrFFTPlanGet(fft, fields, &plan));
  if (!IsAligned(in)) {
    PetscCall(UnrFFTBufferGet(&d->real, cells * sizeof(double), &in));
    PetscCall(PetscArraycpy(in, work, cells));
  }
  if (!IsAligned(out)) PetscCall(UnrFFTBufferGet(&d->pencil, numbers * sizeof(UnrComplex), &out));
  if (d->is_whole) {
    fftw_execute_dft_r2c(plan.forward, in, out);
  } else {
    PetscCall(UnrFFTBufferGet(&d->slab, (size_t)fields * fft->grid->count[0] * d->rest * sizeof(UnrComplex),
                              &slab));
    fftw_execute_dft_r2c(plan.forward, in, slab);
    PetscCall(UnrEventBegin(UNR_EVENT_TRANSPOSE));
    PetscCallMPI(MPI_Alltoallw(slab, d->one_slab, d->nought, plan.slab_type, out, d->one_pencil, d->nought,
                               plan.pencil_type, fft->grid->comm));
    PetscCall(UnrEventEnd(UNR_EVENT_TRANSPOSE));
    if (plan.x_forward) fftw_execute_dft(plan.x_forward, out, out);
  }
  if (out != modes) PetscCall(PetscArraycpy(modes, out, numbers));
  PetscCall(UnrEventEnd(UNR_EVENT_FFT));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  UnrFFTBackward - real fields of `fields` sets of modes, scaled by 1 / points.     Collective like
  UnrFFTForward. In      modes   [field][modes], preserved: FFTW's c2r would not, so the scaled copy is what
  it gets Out     work    [field][cells]; must not overlap modes
*/
PetscErrorCode UnrFFTBackward(UnrFFT fft, PetscInt fields, const UnrComplex *modes, double *work)
{
  struct UnrFFTData_ *d = fft->data;
  size_t cells = (size_t)fields * fft->cells, numbers = (size_t)fields * fft->modes;
  double scale = 1.0 / (double)fft->grid->total, *out = work;
  UnrComplex *in, *slab;
  UnrFFTPlan plan;

  PetscFunctionBeginUser;
  if (fields == 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(UnrEventBegin(UNR_EVENT_FFT));
  PetscCall(UnrFFTPlanGet(fft, fields, &plan));
  if (!IsAligned(out)) PetscCall(UnrFFTBufferGet(&d->real, cells * sizeof(double), &out));
  PetscCall(UnrFFTBufferGet(&d->pencil, numbers * sizeof(UnrComplex), &in));
  for (size_t m = 0; m < numbers; m++) in[m] = scale * modes[m];
  if (d->is_whole) {
    fftw_execute_dft_c2r(plan.backward, in, out);
  } else {
    PetscCall(UnrFFTBufferGet(&d->slab, (size_t)fields * fft->grid->count[0] * d->rest * sizeof(UnrComplex),
                              &slab));
    if (plan.x_backward) fftw_execute_dft(plan.x_backward, in, in);
    PetscCall(UnrEventBegin(UNR_EVENT_TRANSPOSE));
    PetscCallMPI(MPI_Alltoallw(in, d->one_pencil, d->nought, plan.pencil_type, slab, d->one_slab, d->nought,
                               plan.slab_type, fft->grid->comm));
    PetscCall(UnrEventEnd(UNR_EVENT_TRANSPOSE));
    fftw_execute_dft_c2r(plan.backward, slab, out);
  }
  if (out != work) PetscCall(PetscArraycpy(work, out, cells));
  PetscCall(UnrEventEnd(UNR_EVENT_FFT));
  PetscFunctionReturn(PETSC_SUCCESS);
}
