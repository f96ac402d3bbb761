/* Options that every command reads. */
#pragma once

#include "core/layout.h"
#include "core/options.h"

typedef struct {
  const char *out; /* -out DIR, NULL if not given */
  bool dry_run;
} UnrCommon;

extern const UnrOption UnrCommonOptions[];
/* Refuses a grid whose states alone pass the memory: `states` of `samples` a replica.  Collective on the
 * world. */
PetscErrorCode UnrCommonMemory(const UnrLayout *layout, const PetscInt points[UNR_MAX_DIM],
                               PetscInt components, PetscInt samples, PetscInt states);
PetscErrorCode UnrCommonGet(UnrCommon *common);
