/*
  The curriculum of a training: stages, each with its mode, unroll length, rate and end.  A new stage goes
  on from the weights of the one before and clears the moments.  docs/training.md
*/
#pragma once

#include "app/case.h"
#include "dataset/sampler.h"
#include "optim/rate.h"

enum { UNR_STAGE_MOST = 32 };

typedef struct {
  const char *mode; /* of the rollout */
  PetscInt steps;
  double rate;        /* 0: -optim_lr */
  PetscInt warmup;    /* updates over which the rate grows; below 0: -optim_warmup */
  PetscInt64 updates; /* of the stage, from its limits and those of the whole training */
  PetscInt64 epoch;   /* number of its first epoch in the whole training */
  UnrRollout rollout;
  UnrSampler sampler;
} UnrTrainStage;

typedef struct {
  PetscInt count;
  UnrTrainStage stage[UNR_STAGE_MOST];
  PetscInt64 updates; /* of all stages */
  bool takes_best;    /* a stage begins with the best weights of the one before, not with its last */
} UnrCurriculum;

/* -train_updates, -train_epochs, -stage_... */
extern const UnrOption UnrCurriculumOptions[];
/*
  UnrCurriculumCreate - the stages of the options, checked: plans, rollouts and samplers.     Collective on
  the world. -rollout_mode or -rollout_steps on the command line replace the deck's list by one stage. Errors
  user error where nothing ends the training, lists differ in length, a mode needs an adjoint that is not
  there
*/
PetscErrorCode UnrCurriculumCreate(const UnrCase *c, UnrWell well, UnrFrames frames,
                                   UnrCurriculum *curriculum);
/* The learning rate of stage `s`.  Collective on the world. */
PetscErrorCode UnrCurriculumRate(const UnrCurriculum *curriculum, PetscInt64 s, UnrRate *rate);
PetscErrorCode UnrCurriculumDestroy(UnrCurriculum *curriculum);
