/*
  The transform, forward and backward.  Maths: docs/method/fft.md.

      [field][x][row] --rows: r2c, c2c along y--> slices --one exchange--> [x][field][mode of a row]
                      --columns: c2c along x--> [field][kept x][mode of a row]

  In 1-D a row is a field, and there are no columns.  Rows and columns are taken in blocks that stay in the
  nearest cache; what is not kept is neither copied nor sent.
*/
#include "field/fft_impl.h"
#include "core/call.h"
#include "core/event.h"

#include <string.h>

/* What one call works on. */
typedef struct {
  UnrFFT fft;
  struct UnrFFTData_ *d;
  PetscInt fields;
  UnrFFTPlan plan;
  UnrComplex *row, *column, *pencil, *slices;
} Call;

static PetscErrorCode CallSet(UnrFFT fft, PetscInt fields, Call *c)
{
  struct UnrFFTData_ *d = fft->data;
  const size_t number = sizeof(UnrComplex);

  PetscFunctionBeginUser;
  c->fft = fft;
  c->d = d;
  c->fields = fields;
  PetscCall(UnrFFTPlanGet(fft, fields, &c->plan));
  PetscCall(UnrFFTBufferGet(
      &d->row, (size_t)(c->plan.rows[0].count + c->plan.rows[1].count) * d->row_numbers * number, &c->row));
  c->column = c->pencil = c->slices = NULL;
  if (fft->grid->dim == 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(UnrFFTBufferGet(
      &d->column, (size_t)fft->grid->points[0] * UnrFFTColumnStride(c->plan.columns[0].count) * number,
      &c->column));
  PetscCall(UnrFFTBufferGet(&d->pencil, ((size_t)fft->grid->points[0] * fields * d->mine + 1) * number,
                            &c->pencil));
  if (fft->grid->size > 1)
    PetscCall(UnrFFTBufferGet(
        &d->slices, (size_t)fft->grid->count[0] * fields * d->slice[fft->grid->size] * number, &c->slices));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static double Scale(const Call *c)
{
  return 1.0 / (double)c->fft->grid->total;
}

/* Where rank r's modes of local row `row` [field][x] are: this rank's in its pencils, those of others in the
 * slices. modes: 1-D. */
static UnrComplex *RowAt(const Call *c, PetscInt row, int r, UnrComplex *modes)
{
  const struct UnrFFTData_ *d = c->d;
  UnrGrid g = c->fft->grid;
  const PetscInt field = row / d->field_rows, x = row % d->field_rows;
  const size_t width = (size_t)(d->slice[r + 1] - d->slice[r]);
  UnrComplex *base;

  if (g->dim == 1) return modes + (size_t)field * d->mine;
  base = r == g->rank ? c->pencil + (size_t)g->start[0] * c->fields * width
                      : c->slices + (size_t)g->count[0] * c->fields * d->slice[r];
  return base + ((size_t)x * c->fields + field) * width;
}

/* The kept modes of a transformed row. */
static void PackRow(const Call *c, PetscInt row, const UnrComplex *from, UnrComplex *modes)
{
  const UnrFFTSegment *end = c->d->segment + c->d->segments;

  for (const UnrFFTSegment *s = c->d->segment; s < end; s++)
    memcpy(RowAt(c, row, s->rank, modes) + s->to, from + s->from, (size_t)s->count * sizeof(UnrComplex));
}

/* Its reverse: zeros where nothing is kept; in 1-D scaled, since no columns have done it. */
static void UnpackRow(const Call *c, PetscInt row, const UnrComplex *modes, UnrComplex *to)
{
  const UnrFFTSegment *end = c->d->segment + c->d->segments;
  PetscInt at = 0;

  for (const UnrFFTSegment *s = c->d->segment; s < end; s++) {
    memset(to + at, 0, (size_t)(s->from - at) * sizeof(UnrComplex));
    memcpy(to + s->from, RowAt(c, row, s->rank, (UnrComplex *)modes) + s->to,
           (size_t)s->count * sizeof(UnrComplex));
    at = s->from + s->count;
  }
  memset(to + at, 0, (size_t)(c->d->row_numbers - at) * sizeof(UnrComplex));
  if (c->fft->grid->dim > 1) return;
  for (PetscInt m = 0; m < c->d->row_numbers; m++) to[m] *= Scale(c);
}

/* The block that holds row or column `first` of `all`: the full one, or at the end what is left over. */
static const UnrFFTBlock *BlockAt(const UnrFFTBlock block[2], PetscInt first, PetscInt all)
{
  return first + block[0].count <= all ? &block[0] : &block[1];
}

static void RowsForward(const Call *c, double *work, UnrComplex *modes)
{
  const PetscInt rows = c->fields * c->d->field_rows;
  const UnrFFTBlock *b;

  for (PetscInt first = 0; first < rows; first += b->count) {
    b = BlockAt(c->plan.rows, first, rows);
    fftw_execute_dft_r2c(b->forward, work + (size_t)first * c->d->row_cells, c->row);
    if (b->y_forward) fftw_execute_dft(b->y_forward, c->row, c->row);
    for (PetscInt i = 0; i < b->count; i++)
      PackRow(c, first + i, c->row + (size_t)i * c->d->row_numbers, modes);
  }
}

static void RowsBackward(const Call *c, const UnrComplex *modes, double *work)
{
  const PetscInt rows = c->fields * c->d->field_rows;
  const UnrFFTBlock *b;

  for (PetscInt first = 0; first < rows; first += b->count) {
    b = BlockAt(c->plan.rows, first, rows);
    for (PetscInt i = 0; i < b->count; i++)
      UnpackRow(c, first + i, modes, c->row + (size_t)i * c->d->row_numbers);
    if (b->y_backward) fftw_execute_dft(b->y_backward, c->row, c->row);
    fftw_execute_dft_c2r(b->backward, c->row, work + (size_t)first * c->d->row_cells);
  }
}

/* Kept wavenumber i along x stands in line XLine(i) of a transformed column. */
static PetscInt XLine(const Call *c, PetscInt i)
{
  const PetscInt kept = c->d->kept[0], n = c->fft->grid->points[0];

  return 2 * i < kept || kept == n ? i : n - kept + i;
}

/* Modes of columns [first, first + count), which may span fields: to is [x][column], stride apart. */
static void StoreColumns(const Call *c, PetscInt first, PetscInt count, UnrComplex *modes)
{
  const PetscInt mine = c->d->mine, stride = UnrFFTColumnStride(count);

  for (PetscInt at = first, next; at < first + count; at = next) {
    const PetscInt field = at / mine;
    UnrComplex *to = modes + (size_t)field * c->fft->modes + at % mine;

    next = PetscMin((field + 1) * mine, first + count);
    for (PetscInt i = 0; i < c->d->kept[0]; i++)
      memcpy(to + (size_t)i * mine, c->column + (size_t)XLine(c, i) * stride + at - first,
             (size_t)(next - at) * sizeof(UnrComplex));
  }
}

/* Its reverse, scaled; zeros between. */
static void LoadColumns(const Call *c, PetscInt first, PetscInt count, const UnrComplex *modes)
{
  const PetscInt mine = c->d->mine, stride = UnrFFTColumnStride(count), kept = c->d->kept[0];
  const PetscInt gap = c->fft->grid->points[0] - kept, low = (kept + 1) / 2;
  const double scale = Scale(c);

  if (gap) memset(c->column + (size_t)low * stride, 0, (size_t)gap * stride * sizeof(UnrComplex));
  for (PetscInt at = first, next; at < first + count; at = next) {
    const PetscInt field = at / mine;
    const UnrComplex *from = modes + (size_t)field * c->fft->modes + at % mine;

    next = PetscMin((field + 1) * mine, first + count);
    for (PetscInt i = 0; i < kept; i++) {
      UnrComplex *to = c->column + (size_t)XLine(c, i) * stride + at - first;

      for (PetscInt m = 0; m < next - at; m++) to[m] = scale * from[(size_t)i * mine + m];
    }
  }
}

static void ColumnsForward(const Call *c, UnrComplex *modes)
{
  const PetscInt columns = c->fields * c->d->mine;
  const UnrFFTBlock *b;

  for (PetscInt first = 0; first < columns; first += b->count) {
    b = BlockAt(c->plan.columns, first, columns);
    fftw_execute_dft(b->forward, c->pencil + first, c->column);
    StoreColumns(c, first, b->count, modes);
  }
}

static void ColumnsBackward(const Call *c, const UnrComplex *modes)
{
  const PetscInt columns = c->fields * c->d->mine;
  const UnrFFTBlock *b;

  for (PetscInt first = 0; first < columns; first += b->count) {
    b = BlockAt(c->plan.columns, first, columns);
    LoadColumns(c, first, b->count, modes);
    fftw_execute_dft(b->backward, c->column, c->pencil + first);
  }
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
  const size_t cells = (size_t)fields * fft->cells;
  double *in = (double *)work; /* out-of-place r2c of lines leaves it alone */
  Call c;

  PetscFunctionBeginUser;
  if (fields == 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(UnrEventBegin(UNR_EVENT_FFT));
  PetscCall(CallSet(fft, fields, &c));
  if (!IsAligned(in)) {
    PetscCall(UnrFFTBufferGet(&c.d->real, cells * sizeof(double), &in));
    PetscCall(PetscArraycpy(in, work, cells));
  }
  RowsForward(&c, in, modes);
  if (fft->grid->dim > 1) {
    PetscCall(UnrFFTToPencils(fft, fields, c.slices, c.pencil));
    ColumnsForward(&c, modes);
  }
  PetscCall(UnrEventEnd(UNR_EVENT_FFT));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  UnrFFTBackward - real fields of `fields` sets of modes, scaled by 1 / points.     Collective like
  UnrFFTForward.
  In      modes   [field][modes], preserved
  Out     work    [field][cells]; must not overlap modes
*/
PetscErrorCode UnrFFTBackward(UnrFFT fft, PetscInt fields, const UnrComplex *modes, double *work)
{
  const size_t cells = (size_t)fields * fft->cells;
  double *out = work;
  Call c;

  PetscFunctionBeginUser;
  if (fields == 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(UnrEventBegin(UNR_EVENT_FFT));
  PetscCall(CallSet(fft, fields, &c));
  if (!IsAligned(out)) PetscCall(UnrFFTBufferGet(&c.d->real, cells * sizeof(double), &out));
  if (fft->grid->dim > 1) {
    ColumnsBackward(&c, modes);
    PetscCall(UnrFFTFromPencils(fft, fields, c.pencil, c.slices));
  }
  RowsBackward(&c, modes, out);
  if (out != work) PetscCall(PetscArraycpy(work, out, cells));
  PetscCall(UnrEventEnd(UNR_EVENT_FFT));
  PetscFunctionReturn(PETSC_SUCCESS);
}
