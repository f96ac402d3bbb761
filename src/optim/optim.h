/*
  An optimiser: theta <- theta + update(theta_bar), on one flat array of the network's precision.

  The same on every rank, from the same bits: no communication here (optim/reduce.h sums the gradient before).
  The moments are named arrays, so that a checkpoint holds them and a new stage clears them.  Maths:
  docs/method/optim.md
*/
#pragma once

#include "core/plugin.h"

typedef struct UnrOptim_ *UnrOptim;

PetscErrorCode UnrOptimRegister(void);
PetscErrorCode UnrOptimList(UnrPluginVisit visit, void *context);
/* -optim_type adam|adamw|sgd for n numbers; moments zero.  Collective on the world. */
PetscErrorCode UnrOptimCreate(UnrPrecision precision, size_t n, UnrOptim *optim);
PetscErrorCode UnrOptimDestroy(UnrOptim *optim);
const char *UnrOptimName(UnrOptim optim);
/* One update at a learning rate.  factor multiplies theta_bar on the way in: clipping.  Local. */
PetscErrorCode UnrOptimStep(UnrOptim optim, double rate, double factor, const void *theta_bar, void *theta);
/* Moments and the count of updates back to zero: a new stage. */
PetscErrorCode UnrOptimReset(UnrOptim optim);
/* Moment i, [n] in the network's precision, owned by the optimiser; name NULL past the last. */
PetscErrorCode UnrOptimMoment(UnrOptim optim, PetscInt i, const char **name, void **moment);
/* Updates since the last reset; for checkpoints. */
PetscInt64 *UnrOptimCount(UnrOptim optim);
