/*
  The exchange between rows and columns, one for all fields: what rank r has of x goes with what this rank has
  of a row's modes.  Slices are written and pencils read where they lie, so that only rows are ever packed.
  A rank's part of its own stays where it is: rows are written straight into its pencils.
*/
#include "field/fft_impl.h"
#include "core/call.h"
#include "core/event.h"

/* This rank's rows, the modes of rank r's slice. */
static PetscErrorCode Slice(UnrFFT fft, PetscInt fields, int r, size_t *at, PetscMPIInt *count)
{
  const struct UnrFFTData_ *d = fft->data;
  const size_t rows = (size_t)fft->grid->count[0] * (size_t)fields;

  PetscFunctionBeginUser;
  *at = rows * (size_t)d->slice[r];
  PetscCall(UnrMPICount(rows * (size_t)(d->slice[r + 1] - d->slice[r]), count));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* This rank's columns, the x of rank r. */
static PetscErrorCode Pencil(UnrFFT fft, PetscInt fields, int r, size_t *at, PetscMPIInt *count)
{
  const PetscInt *x = fft->grid->starts[0];
  const size_t columns = (size_t)fields * (size_t)fft->data->mine;

  PetscFunctionBeginUser;
  *at = columns * (size_t)x[r];
  PetscCall(UnrMPICount(columns * (size_t)(x[r + 1] - x[r]), count));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrFFTToPencils(UnrFFT fft, PetscInt fields, const UnrComplex *slices, UnrComplex *pencil)
{
  struct UnrFFTData_ *d = fft->data;
  const int size = fft->grid->size;
  PetscMPIInt requests = 0, count;
  size_t at;

  PetscFunctionBeginUser;
  if (size == 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(UnrEventBegin(UNR_EVENT_TRANSPOSE));
  for (int i = 1; i < size; i++) {
    const int r = (fft->grid->rank + i) % size;

    PetscCall(Pencil(fft, fields, r, &at, &count));
    if (count)
      PetscCallMPI(MPI_Irecv(pencil + at, count, MPI_C_DOUBLE_COMPLEX, r, d->tag, fft->grid->comm,
                             &d->request[requests++]));
    PetscCall(Slice(fft, fields, r, &at, &count));
    if (count)
      PetscCallMPI(MPI_Isend(slices + at, count, MPI_C_DOUBLE_COMPLEX, r, d->tag, fft->grid->comm,
                             &d->request[requests++]));
  }
  PetscCallMPI(MPI_Waitall(requests, d->request, MPI_STATUSES_IGNORE));
  PetscCall(UnrEventEnd(UNR_EVENT_TRANSPOSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrFFTFromPencils(UnrFFT fft, PetscInt fields, const UnrComplex *pencil, UnrComplex *slices)
{
  struct UnrFFTData_ *d = fft->data;
  const int size = fft->grid->size;
  PetscMPIInt requests = 0, count;
  size_t at;

  PetscFunctionBeginUser;
  if (size == 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(UnrEventBegin(UNR_EVENT_TRANSPOSE));
  for (int i = 1; i < size; i++) {
    const int r = (fft->grid->rank + i) % size;

    PetscCall(Slice(fft, fields, r, &at, &count));
    if (count)
      PetscCallMPI(MPI_Irecv(slices + at, count, MPI_C_DOUBLE_COMPLEX, r, d->tag, fft->grid->comm,
                             &d->request[requests++]));
    PetscCall(Pencil(fft, fields, r, &at, &count));
    if (count)
      PetscCallMPI(MPI_Isend(pencil + at, count, MPI_C_DOUBLE_COMPLEX, r, d->tag, fft->grid->comm,
                             &d->request[requests++]));
  }
  PetscCallMPI(MPI_Waitall(requests, d->request, MPI_STATUSES_IGNORE));
  PetscCall(UnrEventEnd(UNR_EVENT_TRANSPOSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}
