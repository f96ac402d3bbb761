/*
  Batches without a cost: a view of some samples of a batch, and a scratch batch that is kept from call to
  call, whatever the number of samples, so that the steady state allocates nothing.
*/
#pragma once

#include "field/grid.h"

/* Samples [first, first + count) as a batch that owns nothing: it lives as long as `batch` and is never
 * destroyed. */
static inline struct UnrBatch_ UnrBatchView(UnrBatch batch, PetscInt first, PetscInt count)
{
  struct UnrBatch_ view = *batch;

  view.samples = count;
  view.data += (size_t)first * view.stride;
  view.vec += first;
  return view;
}

/* Zero-initialised by its owner; UnrScratchDestroy at the end. */
typedef struct {
  UnrBatch block; /* room for the most samples asked for so far */
  struct UnrBatch_ view;
} UnrScratch;

/* A batch of exactly `samples`, contents undefined; borrowed, valid until the next call for this scratch. */
PetscErrorCode UnrScratchGet(UnrScratch *scratch, UnrGrid grid, PetscInt samples, UnrBatch *batch);
PetscErrorCode UnrScratchDestroy(UnrScratch *scratch);
