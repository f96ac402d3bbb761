/*
  Filters: a state of a fine grid to one of a coarser grid of the same domain, for data of a coarse solver.
  The filters of this build are in dataset/filter_list.h, a file each (-generate_filter).
  Maths: docs/method/coarsening.md
*/
#pragma once

#include "core/plugin.h"
#include "physics/physics.h"

typedef struct UnrFilter_ *UnrFilter;

PetscErrorCode UnrFilterRegister(void);
PetscErrorCode UnrFilterList(UnrPluginVisit visit, void *context);
/*
  UnrFilterCreate - the filter of -generate_filter from one physics' grid to another's.     Collective on the
  world.  Both are borrowed, of the same type, components, lengths and ranks (the same grid communicator).
  Errors  user error where the filter cannot do it (volume: points that do not divide), or the target is finer
*/
PetscErrorCode UnrFilterCreate(UnrPhysics fine, UnrPhysics coarse, UnrFilter *filter);
PetscErrorCode UnrFilterDestroy(UnrFilter *filter);
const char *UnrFilterName(UnrFilter filter);
/* to = F from, for all samples, whose number may differ from call to call.  Collective on the grid. */
PetscErrorCode UnrFilterApply(UnrFilter filter, UnrBatch from, UnrBatch to);
