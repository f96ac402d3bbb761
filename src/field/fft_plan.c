/* FFTW's plans, one set for each number of fields, made once and kept; and the buffers. */
#include "field/fft_impl.h"
#include "core/call.h"

/* At least `bytes`, kept for the next call; *(void **)block is set. */
PetscErrorCode UnrFFTBufferGet(UnrFFTBuffer *buffer, size_t bytes, void *block)
{
  PetscFunctionBeginUser;
  if (buffer->bytes < bytes) {
    fftw_free(buffer->block);
    buffer->bytes = 0;
    buffer->block = fftw_malloc(bytes);
    PetscCheck(buffer->block, PETSC_COMM_SELF, PETSC_ERR_MEM, "no memory for %zu bytes of a transform",
               bytes);
    buffer->bytes = bytes;
  }
  *(void **)block = buffer->block;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A block of rows, and one of columns, fill about half of the nearest cache. */
enum { BLOCK_NUMBERS = 2048 };

static PetscInt RowCount(UnrFFT fft, PetscInt rows)
{
  PetscInt count = PetscMax(1, BLOCK_NUMBERS / fft->data->row_numbers);

  /* Every block starts on an even double: FFTW's SIMD wants 16 bytes. */
  if (fft->data->row_cells % 2) count = (count + 1) / 2 * 2;
  return PetscMin(count, rows);
}

static PetscInt ColumnCount(UnrFFT fft, PetscInt columns)
{
  return PetscMin(PetscMax(8, BLOCK_NUMBERS / fft->grid->points[0]), columns);
}

/* Real and complex transforms of `count` rows: lines of the last axis, then in 3-D along y where z is kept.
 */
static PetscErrorCode RowPlans(UnrFFT fft, PetscInt count, double *real, UnrComplex *row, UnrFFTBlock *block)
{
  const struct UnrFFTData_ *d = fft->data;
  const int last = fft->grid->dim - 1;
  const ptrdiff_t n = fft->grid->points[last], half = n / 2 + 1;
  const ptrdiff_t lines = count * (d->row_cells / n), ny = fft->grid->points[1];
  fftw_iodim64 line = {.n = n, .is = 1, .os = 1}, y = {.n = ny, .is = half, .os = half};
  fftw_iodim64 to = {.n = lines, .is = n, .os = half}, from = {.n = lines, .is = half, .os = n};
  fftw_iodim64 along_y[2] = {{.n = count, .is = ny * half, .os = ny * half},
                             {.n = d->kept[last], .is = 1, .os = 1}};

  PetscFunctionBeginUser;
  *block = (UnrFFTBlock){.count = count};
  if (count == 0) PetscFunctionReturn(PETSC_SUCCESS);
  block->forward = fftw_plan_guru64_dft_r2c(1, &line, 1, &to, real, row, FFTW_ESTIMATE);
  UnrCheckPlan(block->forward);
  block->backward = fftw_plan_guru64_dft_c2r(1, &line, 1, &from, row, real, FFTW_ESTIMATE);
  UnrCheckPlan(block->backward);
  if (last < 2) PetscFunctionReturn(PETSC_SUCCESS);
  block->y_forward = fftw_plan_guru64_dft(1, &y, 2, along_y, row, row, FFTW_FORWARD, FFTW_ESTIMATE);
  UnrCheckPlan(block->y_forward);
  block->y_backward = fftw_plan_guru64_dft(1, &y, 2, along_y, row, row, FFTW_BACKWARD, FFTW_ESTIMATE);
  UnrCheckPlan(block->y_backward);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Complex transforms along x of `count` of the `columns`, between pencil and column buffer. */
static PetscErrorCode ColumnPlans(UnrFFT fft, PetscInt columns, PetscInt count, UnrComplex *pencil,
                                  UnrComplex *column, UnrFFTBlock *block)
{
  const ptrdiff_t n = fft->grid->points[0], stride = UnrFFTColumnStride(count);
  fftw_iodim64 to = {.n = n, .is = columns, .os = stride}, from = {.n = n, .is = stride, .os = columns};
  fftw_iodim64 many = {.n = count, .is = 1, .os = 1};

  PetscFunctionBeginUser;
  *block = (UnrFFTBlock){.count = count};
  if (count == 0) PetscFunctionReturn(PETSC_SUCCESS);
  block->forward = fftw_plan_guru64_dft(1, &to, 1, &many, pencil, column, FFTW_FORWARD, FFTW_ESTIMATE);
  UnrCheckPlan(block->forward);
  block->backward = fftw_plan_guru64_dft(1, &from, 1, &many, column, pencil, FFTW_BACKWARD, FFTW_ESTIMATE);
  UnrCheckPlan(block->backward);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* FFTW_ESTIMATE touches no array: one address that is aligned stands for all. */
static PetscErrorCode MakePlan(UnrFFT fft, PetscInt fields, UnrFFTPlan *plan)
{
  const PetscInt rows = fields * fft->data->field_rows, columns = fields * fft->data->mine;
  const PetscInt row = RowCount(fft, rows), column = ColumnCount(fft, columns);
  UnrFFTBuffer here = {NULL, 0}, there = {NULL, 0};
  void *a, *b;

  PetscFunctionBeginUser;
  *plan = (UnrFFTPlan){.fields = fields};
  PetscCall(UnrFFTBufferGet(&here, 64, &a));
  PetscCall(UnrFFTBufferGet(&there, 64, &b));
  PetscCall(RowPlans(fft, row, a, b, &plan->rows[0]));
  PetscCall(RowPlans(fft, rows % row, a, b, &plan->rows[1]));
  if (fft->grid->dim > 1 && columns > 0) {
    PetscCall(ColumnPlans(fft, columns, column, a, b, &plan->columns[0]));
    PetscCall(ColumnPlans(fft, columns, columns % column, a, b, &plan->columns[1]));
  }
  fftw_free(here.block);
  fftw_free(there.block);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* UnrFFTPlanGet - the kept plan for `fields` > 0 fields.     Local. */
PetscErrorCode UnrFFTPlanGet(UnrFFT fft, PetscInt fields, UnrFFTPlan *plan)
{
  struct UnrFFTData_ *d = fft->data;

  PetscFunctionBeginUser;
  for (PetscInt p = 0; p < d->plans; p++) {
    if (d->plan[p].fields == fields) {
      *plan = d->plan[p];
      PetscFunctionReturn(PETSC_SUCCESS);
    }
  }
  PetscCall(MakePlan(fft, fields, plan));
  PetscCall(PetscRealloc((size_t)(d->plans + 1) * sizeof(UnrFFTPlan), &d->plan));
  d->plan[d->plans++] = *plan;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void BlockDestroy(UnrFFTBlock *block)
{
  fftw_plan plans[] = {block->forward, block->backward, block->y_forward, block->y_backward};

  for (int i = 0; i < 4; i++)
    if (plans[i]) fftw_destroy_plan(plans[i]);
}

/* UnrFFTPlansDestroy - frees plans and buffers.     Local. */
PetscErrorCode UnrFFTPlansDestroy(UnrFFT fft)
{
  struct UnrFFTData_ *d = fft->data;
  UnrFFTBuffer *buffers[] = {&d->real, &d->row, &d->column, &d->pencil, &d->slices, &d->send, &d->receive};

  PetscFunctionBeginUser;
  for (PetscInt p = 0; p < d->plans; p++) {
    for (int i = 0; i < 2; i++) {
      BlockDestroy(&d->plan[p].rows[i]);
      BlockDestroy(&d->plan[p].columns[i]);
    }
  }
  PetscCall(PetscFree(d->plan));
  for (size_t b = 0; b < sizeof buffers / sizeof *buffers; b++) fftw_free(buffers[b]->block);
  PetscFunctionReturn(PETSC_SUCCESS);
}
