/*
  Batches to and from the work layout: [sample][cell][component] <-> [sample][component][cell].
  In 1-D on several ranks, segments of all lines go against whole lines of a share of the samples, in one
  exchange.
*/
#include "field/fft_impl.h"
#include "core/call.h"
#include "core/event.h"

#include <string.h>

/* UnrFFTShare - the samples of this rank's work layout.     Local. */
void UnrFFTShare(UnrFFT fft, PetscInt samples, PetscInt *first, PetscInt *count)
{
  *first = 0;
  *count = samples;
  if (fft->grid->dim > 1) return;
  *first = UnrPartStart(samples, fft->grid->size, fft->grid->rank);
  *count = UnrPartStart(samples, fft->grid->size, fft->grid->rank + 1) - *first;
}

/* Cells that are taken at a time, so that they are still in the nearest cache for the next component. */
enum { CHUNK = 512 };

/* Components apart: planes [sample][component][cell] from cells [sample][cell][component]. */
static void Split(UnrBatch u, double *planes)
{
  size_t cells = (size_t)u->grid->local, components = (size_t)u->grid->components;

  if (components == 1) {
    if (u->samples) memcpy(planes, u->data, (size_t)u->samples * cells * sizeof(double));
    return;
  }
  for (PetscInt s = 0; s < u->samples; s++)
    for (size_t first = 0; first < cells; first += CHUNK)
      for (size_t c = 0; c < components; c++) {
        const double *from = u->data + (size_t)s * u->stride + first * components + c;
        double *to = planes + ((size_t)s * components + c) * cells + first;
        size_t count = PetscMin(CHUNK, cells - first);

        for (size_t i = 0; i < count; i++) to[i] = from[i * components];
      }
}

/* Its reverse; cells = planes, or cells += planes. */
static void Merge(const double *planes, UnrBatch u, InsertMode mode)
{
  size_t cells = (size_t)u->grid->local, components = (size_t)u->grid->components;

  if (components == 1 && mode == INSERT_VALUES) {
    if (u->samples) memcpy(u->data, planes, (size_t)u->samples * cells * sizeof(double));
    return;
  }
  for (PetscInt s = 0; s < u->samples; s++)
    for (size_t first = 0; first < cells; first += CHUNK)
      for (size_t c = 0; c < components; c++) {
        const double *from = planes + ((size_t)s * components + c) * cells + first;
        double *to = u->data + (size_t)s * u->stride + first * components + c;
        size_t count = PetscMin(CHUNK, cells - first);

        if (mode == ADD_VALUES)
          for (size_t i = 0; i < count; i++) to[i * components] += from[i];
        else
          for (size_t i = 0; i < count; i++) to[i * components] = from[i];
      }
}

/* Counts and displacements: lines [rank] of segments here, segments [rank] of lines here, in doubles. */
static PetscErrorCode SetCounts(UnrFFT fft, UnrBatch u, PetscInt mine)
{
  struct UnrFFTData_ *d = fft->data;
  UnrGrid g = fft->grid;

  PetscFunctionBeginUser;
  for (int r = 0; r < g->size; r++) {
    PetscInt first = UnrPartStart(u->samples, g->size, r), next = UnrPartStart(u->samples, g->size, r + 1);
    size_t x = (size_t)g->starts[0][r], points = (size_t)g->starts[0][r + 1] - x;
    size_t lines = (size_t)mine * (size_t)u->grid->components;

    PetscCall(UnrMPICount(u->stride * (size_t)(next - first), &d->lines[r]));
    PetscCall(UnrMPICount(u->stride * (size_t)first, &d->lines_at[r]));
    PetscCall(UnrMPICount(lines * points, &d->segments_of[r]));
    PetscCall(UnrMPICount(lines * x, &d->segments_at[r]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Segments as they come, [rank][line][its points], into lines. */
static void Join(UnrFFT fft, PetscInt lines, const double *segments, double *work)
{
  for (int r = 0; r < fft->grid->size; r++) {
    size_t x = (size_t)fft->grid->starts[0][r], points = (size_t)fft->grid->starts[0][r + 1] - x;
    const double *from = segments + (size_t)lines * x;

    for (PetscInt l = 0; l < lines; l++)
      memcpy(work + (size_t)l * fft->cells + x, from + (size_t)l * points, points * sizeof(double));
  }
}

/* Its reverse. */
static void Cut(UnrFFT fft, PetscInt lines, const double *work, double *segments)
{
  for (int r = 0; r < fft->grid->size; r++) {
    size_t x = (size_t)fft->grid->starts[0][r], points = (size_t)fft->grid->starts[0][r + 1] - x;
    double *to = segments + (size_t)lines * x;

    for (PetscInt l = 0; l < lines; l++)
      memcpy(to + (size_t)l * points, work + (size_t)l * fft->cells + x, points * sizeof(double));
  }
}

static PetscErrorCode CheckBatch(UnrFFT fft, UnrBatch u)
{
  PetscFunctionBeginUser;
  PetscCheck(u->grid->dim == fft->grid->dim && u->grid->local == fft->grid->local &&
                 u->grid->total == fft->grid->total,
             PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ,
             "a batch of another grid: %" PetscInt_FMT " cells here, not %" PetscInt_FMT, u->grid->local,
             fft->grid->local);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static bool IsRedistributed(UnrFFT fft)
{
  return fft->grid->dim == 1 && fft->grid->size > 1;
}

/*
  UnrFFTLoad - work = u.     Collective on the grid.
  In      u       of the transform's grid, or of one with the same blocks and other components
  Out     work    [sample of the share][component][cell]
  Cost    a copy; in 1-D on several ranks one MPI_Alltoallv
*/
PetscErrorCode UnrFFTLoad(UnrFFT fft, UnrBatch u, double *work)
{
  struct UnrFFTData_ *d = fft->data;
  PetscInt first, mine;
  double *send, *receive;

  PetscFunctionBeginUser;
  PetscCall(CheckBatch(fft, u));
  if (!IsRedistributed(fft)) {
    Split(u, work);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(UnrEventBegin(UNR_EVENT_TRANSPOSE));
  UnrFFTShare(fft, u->samples, &first, &mine);
  PetscCall(SetCounts(fft, u, mine));
  PetscCall(UnrFFTBufferGet(&d->send, (size_t)u->samples * u->stride * sizeof(double), &send));
  PetscCall(UnrFFTBufferGet(&d->receive, (size_t)mine * u->grid->components * fft->cells * sizeof(double),
                            &receive));
  Split(u, send);
  PetscCallMPI(MPI_Alltoallv(send, d->lines, d->lines_at, MPI_DOUBLE, receive, d->segments_of, d->segments_at,
                             MPI_DOUBLE, fft->grid->comm));
  Join(fft, mine * u->grid->components, receive, work);
  PetscCall(UnrEventEnd(UNR_EVENT_TRANSPOSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  UnrFFTStore - u = work, or u += work.     Collective on the grid.
  In      mode    INSERT_VALUES or ADD_VALUES
*/
PetscErrorCode UnrFFTStore(UnrFFT fft, const double *work, UnrBatch u, InsertMode mode)
{
  struct UnrFFTData_ *d = fft->data;
  PetscInt first, mine;
  double *send, *receive;

  PetscFunctionBeginUser;
  PetscCall(CheckBatch(fft, u));
  if (!IsRedistributed(fft)) {
    Merge(work, u, mode);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(UnrEventBegin(UNR_EVENT_TRANSPOSE));
  UnrFFTShare(fft, u->samples, &first, &mine);
  PetscCall(SetCounts(fft, u, mine));
  PetscCall(
      UnrFFTBufferGet(&d->send, (size_t)mine * u->grid->components * fft->cells * sizeof(double), &send));
  PetscCall(UnrFFTBufferGet(&d->receive, (size_t)u->samples * u->stride * sizeof(double), &receive));
  Cut(fft, mine * u->grid->components, work, send);
  PetscCallMPI(MPI_Alltoallv(send, d->segments_of, d->segments_at, MPI_DOUBLE, receive, d->lines, d->lines_at,
                             MPI_DOUBLE, fft->grid->comm));
  Merge(receive, u, mode);
  PetscCall(UnrEventEnd(UNR_EVENT_TRANSPOSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}
