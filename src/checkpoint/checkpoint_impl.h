/* For files in this folder only: the files of numbered checkpoints, on rank 0.  Each returns 0 or errno. */
#pragma once

#include "core/base.h"

void UnrCheckpointPath(const char *directory, PetscInt64 update, char path[PETSC_MAX_PATH_LEN]);
/* Their updates, ascending; *update is the caller's (free).  No directory: none. */
int UnrCheckpointList(const char *directory, PetscInt64 **update, size_t *count);
/* Removes all but the last `keep`, and what killed runs left half written. */
int UnrCheckpointPrune(const char *directory, size_t keep);
/* Those of a later update go to DIR/previous. */
int UnrCheckpointSetAsideLater(const char *directory, PetscInt64 update);
/* Checkpoints and what matches `names` go to DIR/previous, replacing what is there. */
int UnrCheckpointSetAside(const char *directory, const char *const names[]);
