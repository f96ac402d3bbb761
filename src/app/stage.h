/*
  The curriculum of a training: stages, each with its mode, unroll length, rate and end.  A new stage keeps
  the weights and clears the moments.  docs/training.md
*/
#pragma once

#include "app/case.h"
#include "dataset/sampler.h"

enum { UNR_STAGE_MOST = 32 };

typedef struct {
  const char *mode; /* of the rollout */
  PetscInt steps;
  double rate;        /* 0: -optim_lr */
  PetscInt64 updates; /* of the stage, from its limits and those of the whole training */
  PetscInt64 epoch;   /* number of its first epoch in the whole training */
  UnrRollout rollout;
  UnrSampler sampler;
} UnrTrainStage;

typedef struct {
  PetscInt count;
  UnrTrainStage stage[UNR_STAGE_MOST];
  PetscInt64 updates; /* of all stages */
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
PetscErrorCode UnrCurriculumDestroy(UnrCurriculum *curriculum);
