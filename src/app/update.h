/*
  One update of the weights: gradient of a window, the sum over the world, the guard's verdict, the optimiser.
  train repeats it over a data set's windows, bench over a made one.
*/
#pragma once

#include "app/case.h"
#include "optim/guard.h"
#include "optim/optim.h"
#include "optim/reduce.h"

typedef struct {
  const UnrCase *c; /* borrowed */
  UnrOptim optim;
  UnrGuard guard;
  UnrBlock theta_bar;
} UnrUpdater;

typedef struct {
  double loss, norm; /* of the whole batch; of the gradient before clipping */
  UnrSkip skip;
  bool is_stopping; /* a signal has come to some rank */
} UnrUpdateResult;

/* The case must have a net.  Collective on the world. */
PetscErrorCode UnrUpdaterCreate(const UnrCase *c, UnrUpdater *updater);
PetscErrorCode UnrUpdaterDestroy(UnrUpdater *updater);
/* Collective on the world. */
PetscErrorCode UnrUpdaterStep(UnrUpdater *updater, UnrRollout rollout, const UnrWindow *window, double rate,
                              UnrUpdateResult *result);
