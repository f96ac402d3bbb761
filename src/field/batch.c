/* Batches of states: one block of doubles, and a Vec view of every sample. */
#include "field/grid.h"

#include <string.h>

static size_t Numbers(UnrBatch b)
{
  return (size_t)b->samples * b->stride;
}

/*
  UnrBatchCreate - zeroed states.     Collective on the grid.
  In      grid     borrowed, must outlive the batch
          samples  >= 0
*/
PetscErrorCode UnrBatchCreate(UnrGrid grid, PetscInt samples, UnrBatch *batch)
{
  UnrBatch b;
  PetscInt local = grid->local * grid->components, total = grid->total * grid->components;

  PetscFunctionBeginUser;
  PetscCheck(samples >= 0, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "%" PetscInt_FMT " samples", samples);
  PetscCall(PetscNew(&b));
  b->grid = grid;
  b->samples = samples;
  b->stride = (size_t)local;
  PetscCall(PetscCalloc1(Numbers(b), &b->data));
  PetscCall(PetscMalloc1(samples, &b->vec));
  for (PetscInt s = 0; s < samples; s++) {
    PetscCall(VecCreateMPIWithArray(grid->comm, grid->components, local, total,
                                    b->data + (size_t)s * b->stride, &b->vec[s]));
  }
  *batch = b;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* UnrBatchDestroy - collective on the grid; NULL is fine. */
PetscErrorCode UnrBatchDestroy(UnrBatch *batch)
{
  PetscFunctionBeginUser;
  if (!*batch) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt s = 0; s < (*batch)->samples; s++) PetscCall(VecDestroy(&(*batch)->vec[s]));
  PetscCall(PetscFree((*batch)->vec));
  PetscCall(PetscFree((*batch)->data));
  PetscCall(PetscFree(*batch));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckAlike(UnrBatch x, UnrBatch y)
{
  PetscFunctionBeginUser;
  PetscCheck(x->samples == y->samples && x->stride == y->stride, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ,
             "batches of %" PetscInt_FMT " samples of %zu numbers and %" PetscInt_FMT " of %zu", x->samples,
             x->stride, y->samples, y->stride);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrBatchCopy(UnrBatch from, UnrBatch to)
{
  PetscFunctionBeginUser;
  PetscCall(CheckAlike(from, to));
  if (from != to) PetscCall(PetscArraycpy(to->data, from->data, Numbers(to)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrBatchZero(UnrBatch batch)
{
  PetscFunctionBeginUser;
  PetscCall(PetscArrayzero(batch->data, Numbers(batch)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrBatchAXPY(UnrBatch y, double a, UnrBatch x)
{
  size_t n = Numbers(y);

  PetscFunctionBeginUser;
  PetscCall(CheckAlike(x, y));
  for (size_t i = 0; i < n; i++) y->data[i] += a * x->data[i];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Eight sums side by side: an order that is fixed and that the compiler may keep in vector registers. */
static double LocalDot(size_t n, const double *x, const double *y)
{
  double part[8] = {0}, rest = 0;
  size_t i = 0;

  for (; i + 8 <= n; i += 8)
    for (int j = 0; j < 8; j++) part[j] += x[i + j] * y[i + j];
  for (; i < n; i++) rest += x[i] * y[i];
  return ((part[0] + part[4]) + (part[2] + part[6])) + ((part[1] + part[5]) + (part[3] + part[7])) + rest;
}

/*
  UnrBatchDot - sum over samples, cells and components of x y.     Collective on the grid.
  Out     dot   the same bits on all ranks: reduced to one and broadcast, which an allreduce need not promise
*/
PetscErrorCode UnrBatchDot(UnrBatch x, UnrBatch y, double *dot)
{
  double part;

  PetscFunctionBeginUser;
  PetscCall(CheckAlike(x, y));
  *dot = part = LocalDot(Numbers(x), x->data, y->data);
  if (x->grid->size > 1) {
    PetscCallMPI(MPI_Reduce(&part, dot, 1, MPI_DOUBLE, MPI_SUM, 0, x->grid->comm));
    PetscCallMPI(MPI_Bcast(dot, 1, MPI_DOUBLE, 0, x->grid->comm));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
