/* Mean and standard deviation of a field's components over part of a data set, for normalisation. */
#pragma once

#include "dataset/sampler.h"

/*
  UnrStatistics - mean[component], std[component], rms[component] over `frames` of every trajectory.
  Collective on the world.  All ranks share the work and get the same bits; rank counts agree to rounding. Two
  passes: no cancellation.  A component that is constant has std 0.
*/
PetscErrorCode UnrStatistics(UnrWell well, UnrGrid grid, const UnrLayout *layout, UnrFrames frames,
                             double mean[], double std[], double rms[]);
