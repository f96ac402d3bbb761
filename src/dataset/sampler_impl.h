/* For the sampler's files only: what it knows, and the order of an epoch. */
#pragma once

#include "dataset/sampler.h"
#include "field/scratch.h"

struct UnrSampler_ {
  UnrWell well;
  UnrPhysics physics;
  const UnrLayout *layout;
  PetscInt first;            /* frame of the first window of a trajectory */
  PetscInt steps, batch;     /* of a window; samples of a whole batch */
  PetscInt64 per_trajectory; /* windows */
  PetscInt trajectories, frames;
  PetscInt parameters;
  double *par; /* [trajectory][parameter] */
  uint64_t seed;
  double noise;

  /* Trajectories of equal parameters, or all: those of group g are member[begin[g] .. begin[g + 1]), its
     batches, before they are shuffled, batch_begin[g] .. batch_begin[g + 1]. */
  PetscInt groups, *member, *begin;
  PetscInt64 *batch_begin;

  /* What a call hands out, and the windows on their way there. */
  UnrPlace *place;     /* [sample of the whole batch] */
  double *own_par;     /* [own sample][parameter] */
  UnrScratch *scratch; /* [frame] */
  UnrBatch *frame;     /* [frame] */
  double *states;      /* [frame][this rank's part] of one window */
};

/* Fills groups, member, begin, batch_begin.  is_mixed: one group. */
PetscErrorCode UnrSamplerGroup(UnrSampler sampler, bool is_mixed);
