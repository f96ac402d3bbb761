/*
  The learning rate: -optim_rate constant|exponential|plateau|cosine, times a linear warm-up over the first
  -optim_warmup updates of a stage.  A schedule is a line of a table; its state (plateau) is numbers that a
  checkpoint holds.
*/
#pragma once

#include "core/options.h"

enum { UNR_RATE_STATE = 4 };

typedef struct {
  const struct UnrRateOps_ *ops;
  double base;                        /* -optim_lr, or a stage's own */
  double factor, floor;               /* -optim_lr_factor, -optim_lr_min */
  PetscInt64 interval, warmup, stage; /* -optim_lr_interval, -optim_warmup, updates of the whole stage */
  PetscInt patience;                  /* -optim_lr_patience: validations without improvement */
  double state[UNR_RATE_STATE];       /* of the schedule: checkpointed as it is */
} UnrRate;

/* What a stage says of its rate. */
typedef struct {
  double base;        /* 0: -optim_lr */
  PetscInt64 updates; /* of the stage, > 0: what the cosine spans */
  PetscInt64 epoch;   /* updates of an epoch, > 0 */
  PetscInt64 warmup;  /* updates; below 0: -optim_warmup */
} UnrRateStage;

extern const UnrOption UnrRateOptions[];
/* Reads the options.  Collective on the world. */
PetscErrorCode UnrRateCreate(const UnrRateStage *stage, UnrRate *rate);
/* For update number `update` of the stage, counted from 0.  Local, no change of state. */
double UnrRateAt(const UnrRate *rate, PetscInt64 update);
/* Tells the schedule a validation error: the plateau listens. */
void UnrRateValidated(UnrRate *rate, double error);
