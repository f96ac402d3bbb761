/* The pieces of `unroll train`: set-up in train_setup.c, the loop in train_run.c, the command in train.c. */
#pragma once

#include "app/common.h"
#include "app/history.h"
#include "app/stage.h"
#include "app/train_state.h"
#include "app/validation.h"
#include "core/progress.h"

typedef struct {
  UnrCommon common;
  UnrCase c;
  UnrWell well;
  UnrCurriculum curriculum;
  UnrUpdater updater;
  UnrValidation validation;
  UnrTrainState state;
  UnrHistory history;
  PetscInt64 checkpoint_interval;
  PetscInt64 start_update; /* 0, or the update resumed from */
  PetscInt64 written;      /* update of the last checkpoint; -1: none */
  PetscInt64 in_a_row;     /* updates skipped in a row */
  float *seconds;          /* [updates of this run] each */
  UnrProgress progress;
} UnrTrain;

/* How the loop ended. */
typedef enum { UNR_TRAIN_DONE, UNR_TRAIN_STOPPED, UNR_TRAIN_HOPELESS } UnrTrainEnd;

PetscErrorCode UnrTrainRegister(void);
/* Everything but -out: case, data, curriculum, updater, validation, the model of -model_file.  Collective on
   the world, as all of these. */
PetscErrorCode UnrTrainCreate(UnrTrain *train);
/* -out made, a checkpoint read or an earlier run moved aside, history opened. */
PetscErrorCode UnrTrainOpen(UnrTrain *train);
PetscErrorCode UnrTrainRun(UnrTrain *train, UnrTrainEnd *end);
PetscErrorCode UnrTrainDestroy(UnrTrain *train);
