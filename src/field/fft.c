/* Which modes a transform has, and which of them this rank.  Maths: docs/method/fft.md. */
#include "field/fft_impl.h"
#include "core/call.h"

/*
  Along an axis other than the last the wavenumbers 0 .. high, low .. -1 are kept, in this order: FFTW's own,
  without the middle.  Where all are kept, that is FFTW's order.
*/
static PetscInt Wavenumber(PetscInt i, PetscInt kept, PetscInt n)
{
  return kept < n ? (2 * i < kept ? i : i - kept) : (2 * i <= n ? i : i - n);
}
static bool IsNyquist(PetscInt k, PetscInt n)
{
  return 2 * PetscAbsInt(k) == n;
}

/* The wavenumber's place among the kept ones, -1 if it is none; of the two at Nyquist there is one. */
static PetscInt Place(PetscInt k, PetscInt cut, PetscInt kept, PetscInt n)
{
  if (PetscAbsInt(k) > cut) return -1;
  return IsNyquist(k, n) ? n / 2 : (k < 0 ? k + kept : k);
}

/* Modes of a rank are [kept x][slice of the row]; a row is [kept y][kept z] or [kept y]; in 1-D [kept x]. */
static void ModeWavenumbers(UnrFFT fft, PetscInt mode, PetscInt k[UNR_MAX_DIM])
{
  const struct UnrFFTData_ *d = fft->data;
  const PetscInt *n = fft->grid->points;
  const int last = fft->grid->dim - 1;
  const PetscInt place = d->first + mode % d->mine;

  k[0] = k[1] = k[2] = 0;
  if (last > 0) k[0] = Wavenumber(mode / d->mine, d->kept[0], n[0]);
  if (last > 1) k[1] = Wavenumber(place / d->kept[2], d->kept[1], n[1]);
  k[last] = place % d->kept[last];
}

static PetscErrorCode SetWavenumbers(UnrFFT fft)
{
  const PetscInt *n = fft->grid->points;
  const int last = fft->grid->dim - 1;
  PetscInt k[UNR_MAX_DIM];

  PetscFunctionBeginUser;
  for (int a = 0; a < UNR_MAX_DIM; a++)
    PetscCall(PetscMalloc2(fft->modes, &fft->k[a], fft->modes, &fft->k_odd[a]));
  PetscCall(PetscMalloc1(fft->modes, &fft->weight));
  for (PetscInt m = 0; m < fft->modes; m++) {
    ModeWavenumbers(fft, m, k);
    for (int a = 0; a < UNR_MAX_DIM; a++) {
      fft->k[a][m] = (double)k[a];
      fft->k_odd[a][m] = IsNyquist(k[a], n[a]) ? 0 : (double)k[a];
    }
    fft->weight[m] = k[last] == 0 || IsNyquist(k[last], n[last]) ? 1 : 2;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

void UnrFFTLocate(UnrFFT fft, const PetscInt k[UNR_MAX_DIM], int *rank, PetscInt *mode)
{
  const struct UnrFFTData_ *d = fft->data;
  const PetscInt *n = fft->grid->points;
  const int last = fft->grid->dim - 1;
  const PetscInt sign = k[last] < 0 && !IsNyquist(k[last], n[last]) ? -1 : 1;
  PetscInt place[UNR_MAX_DIM] = {0}, row;
  bool is_kept = true;

  for (int a = 0; a <= last; a++) {
    place[a] = Place(sign * k[a], fft->cut[a], d->kept[a], n[a]);
    is_kept = is_kept && place[a] >= 0;
  }
  *rank = -1;
  *mode = -1;
  if (!is_kept) return;
  row = last > 1 ? place[1] * d->kept[2] + place[2] : place[last];
  *rank = fft->grid->rank;
  if (last > 0)
    for (*rank = 0; d->slice[*rank + 1] <= row;) (*rank)++;
  *mode = row - d->slice[*rank];
  if (last > 0) *mode += place[0] * (d->slice[*rank + 1] - d->slice[*rank]);
}

/* Cuts `count` modes of a row, from `from` of the transformed row and `place` of the kept ones on, at the
 * ranks' borders. */
static void AddSegments(UnrFFT fft, PetscInt from, PetscInt place, PetscInt count)
{
  struct UnrFFTData_ *d = fft->data;

  for (int r = 0; r < fft->grid->size && count > 0; r++) {
    const PetscInt here = PetscMin(count, d->slice[r + 1] - place);

    if (here <= 0) continue;
    d->segment[d->segments++] =
        (UnrFFTSegment){.rank = r, .from = from, .to = place - d->slice[r], .count = here};
    from += here;
    place += here;
    count -= here;
  }
}

/* Slices and segments of a row.  In 1-D every rank has the whole line. */
static PetscErrorCode SetRow(UnrFFT fft)
{
  struct UnrFFTData_ *d = fft->data;
  UnrGrid g = fft->grid;
  const int last = g->dim - 1;
  const PetscInt lines = last > 1 ? g->points[1] : 1, kept_lines = last > 1 ? d->kept[1] : 1;
  const PetscInt half = g->points[last] / 2 + 1, rest = kept_lines * d->kept[last];

  PetscFunctionBeginUser;
  d->row_cells = lines * g->points[last];
  d->row_numbers = lines * half;
  d->field_rows = last > 0 ? g->count[0] : 1;
  PetscCall(PetscMalloc2(g->size + 1, &d->slice, kept_lines * g->size, &d->segment));
  for (int r = 0; r <= g->size; r++)
    d->slice[r] = last > 0 ? UnrPartStart(rest, g->size, r) : (r > g->rank ? rest : 0);
  d->first = d->slice[g->rank];
  d->mine = d->slice[g->rank + 1] - d->first;
  for (PetscInt l = 0; l < kept_lines; l++) {
    const PetscInt k = last > 1 ? Wavenumber(l, d->kept[1], lines) : 0;

    AddSegments(fft, (k < 0 ? k + lines : k) * half, l * d->kept[last], d->kept[last]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  UnrFFTCreate - the transform of a grid's fields.     Collective on the grid.
  In      grid     borrowed, must outlive the transform; in 2-D and 3-D in one block along y and z
          dealias  leave out the modes above two thirds: of a product of two kept modes, what the points
                   mistake for a lower mode is then left out
  Errors  PETSC_ERR_SUP for other blocks: the layout must have been chosen with split[1] = split[2] = false
*/
PetscErrorCode UnrFFTCreate(UnrGrid grid, bool dealias, UnrFFT *fft)
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
  f->is_dealiased = dealias;
  f->data = d;
  for (int a = 0; a < UNR_MAX_DIM; a++) {
    const PetscInt n = grid->points[a];

    /* 3 cut < n: the alias n - 2 cut of the highest sum lies beyond the cut. */
    f->cut[a] = dealias ? (n - 1) / 3 : n / 2;
    d->kept[a] = a == grid->dim - 1 ? f->cut[a] + 1 : PetscMin(2 * f->cut[a] + 1, n);
  }
  PetscCall(SetRow(f));
  f->cells = d->field_rows * d->row_cells;
  f->modes = (grid->dim > 1 ? d->kept[0] : 1) * d->mine;
  PetscCall(SetWavenumbers(f));
  PetscCall(PetscCommGetNewTag(grid->comm, &d->tag));
  PetscCall(PetscMalloc1(2 * grid->size, &d->request));
  PetscCall(PetscCalloc4(grid->size, &d->lines, grid->size, &d->lines_at, grid->size, &d->segments_of,
                         grid->size, &d->segments_at));
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
  PetscCall(PetscFree2(d->slice, d->segment));
  PetscCall(PetscFree(d->request));
  PetscCall(PetscFree4(d->lines, d->lines_at, d->segments_of, d->segments_at));
  PetscCall(PetscFree(f->data));
  PetscCall(PetscFree(*fft));
  PetscFunctionReturn(PETSC_SUCCESS);
}
