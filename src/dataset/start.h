/* Families of start states: start state `sample` of a family is a function of (seed, sample, par), not of the
 * ranks. */
#pragma once

#include "core/plugin.h"
#include "core/rng.h"
#include "physics/physics.h"

PetscErrorCode UnrStartRegister(void);
PetscErrorCode UnrStartList(UnrPluginVisit visit, void *context);
/* The file that the family's states come from; NULL if they are made.  Collective on the world. */
PetscErrorCode UnrStartSource(const char **path);
/*
  UnrStartFill - states number first, first + 1, ... of the family -start_type into the batch.     Collective
  on the world. In  seed  -seed_data or -seed_test;  par  [sample][parameter];  replicas may have different
  numbers of samples
*/
PetscErrorCode UnrStartFill(UnrPhysics physics, uint64_t seed, PetscInt first, const double par[],
                            UnrBatch u);
