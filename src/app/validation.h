/*
  Validation: the error of the present weights over a fixed horizon on windows that training never sees, so
  that runs of any mode and unroll length, and stages, compare.  docs/training.md
*/
#pragma once

#include "app/case.h"
#include "dataset/sampler.h"

typedef struct {
  const UnrCase *c; /* borrowed */
  PetscInt windows, first, count, steps;
  PetscInt64 interval; /* updates; 0: every epoch */
  double *par;         /* [count][parameter] */
  UnrBatch *frame;     /* [steps + 1], of this replica's windows */
  UnrBatch u, next;
} UnrValidation;

extern const UnrOption UnrValidationOptions[];
/* Reads -validation_samples windows, spread evenly over the frames and trajectories.  Collective on the
 * world. */
PetscErrorCode UnrValidationCreate(const UnrCase *c, UnrWell well, UnrFrames frames,
                                   UnrValidation *validation);
PetscErrorCode UnrValidationDestroy(UnrValidation *validation);
/*
  UnrValidationError - the geometric mean over the windows of their mean square errors over frames 1 .. steps.
  Collective on the world.  Infinite where a window's roll-out is not finite.  The geometric mean, because one
  window that is about to blow up would drown all others in a plain one.
*/
PetscErrorCode UnrValidationError(UnrValidation *validation, double *error);
