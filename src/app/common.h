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
/*
  UnrCommonRemoveOld - files of an earlier run must not be taken for this one's; but never what this run
  reads. Collective on the world. In      written  names in `out`, NULL behind the last;  read  [reads] paths
  of inputs, NULL where there is none Errors  user error where a written one is a read one, or cannot be
  removed
*/
PetscErrorCode UnrCommonRemoveOld(const char *out, const char *const written[], PetscInt reads,
                                  const char *const read[]);
