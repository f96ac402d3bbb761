/*
  Checkpoints of a run: DIR/checkpoint-UPDATE.h5, the last -checkpoint_keep of them.  What is in one is the
  caller's list of arrays: train's whole state (app/train_state.c).
*/
#pragma once

#include "checkpoint/state_file.h"

/* -checkpoint_interval UPDATES (0: only at the end and on a signal), -checkpoint_keep, -restart
 * auto|FILE|none. */
extern const UnrOption UnrCheckpointOptions[];
PetscErrorCode UnrCheckpointInterval(PetscInt64 *updates);
/* Writes DIR/checkpoint-UPDATE.h5 and removes those older than the last -checkpoint_keep.  Collective on the
 * world. */
PetscErrorCode UnrCheckpointWrite(const char *directory, PetscInt64 update, PetscInt arrays,
                                  const UnrArray array[]);
/*
  UnrCheckpointFind - the file to go on from.     Collective on the world.
  -restart auto: the newest of DIR, or none if there is none; FILE: that one, a user error if it is no
  checkpoint. Out     path  "" where the run starts anew
*/
PetscErrorCode UnrCheckpointFind(const char *directory, char path[PETSC_MAX_PATH_LEN]);
/* Calls visit for every checkpoint of DIR, the oldest first.  Collective on the world. */
PetscErrorCode UnrCheckpointEach(const char *directory,
                                 PetscErrorCode (*visit)(PetscInt64 update, const char *path, void *context),
                                 void *context);
/* Moves an earlier run's files (checkpoints, and those of `names`, NULL-terminated, each a pattern as
   fnmatch's) of DIR into DIR/previous, replacing what is there: a new run in an old directory loses nothing.
   Collective on the world. */
PetscErrorCode UnrCheckpointRetire(const char *directory, const char *const names[]);
