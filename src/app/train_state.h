/* The whole state of a training between two updates: what a checkpoint holds, no more and no less. */
#pragma once

#include "app/update.h"
#include "checkpoint/checkpoint.h"
#include "checkpoint/model_file.h"
#include "optim/rate.h"

typedef struct {
  PetscInt64 update;       /* done, over all stages */
  PetscInt64 total;        /* at the end of this training: for `info` */
  PetscInt64 stage;        /* number of the present one, from 0 */
  PetscInt64 stage_update; /* done in it */
  PetscInt64 batches;      /* of an epoch of the present stage: another number is another data set */
  UnrRate rate;            /* of the present stage; its state is kept */
  double best;             /* least validation error of the stage; infinite before the first */
  double loss_first, loss_last;
  double seconds; /* of all runs so far */
  UnrBlock best_theta;
} UnrTrainState;

/* Weights as they are, nothing done.  Collective on the world. */
PetscErrorCode UnrTrainStateCreate(const UnrUpdater *updater, UnrTrainState *state);
PetscErrorCode UnrTrainStateDestroy(UnrTrainState *state);
/* DIR/checkpoint-UPDATE.h5; and reading it back into state, updater and net.  Collective on the world. */
PetscErrorCode UnrTrainStateWrite(UnrTrainState *state, UnrUpdater *updater, const char *directory);
PetscErrorCode UnrTrainStateRead(UnrTrainState *state, UnrUpdater *updater, const char *path);
/* The present weights are the best so far. */
PetscErrorCode UnrTrainStateKeepBest(UnrTrainState *state, UnrNet net);
/* And they are the net's again. */
PetscErrorCode UnrTrainStateTakeBest(const UnrTrainState *state, UnrNet net);
