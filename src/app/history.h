/* history.csv of a training: a line an update, appended in whole lines by rank 0. */
#pragma once

#include "core/base.h"

typedef struct {
  PetscInt64 update;                                   /* counted from 1 */
  PetscInt stage;                                      /* from 1 */
  double epoch, loss, validation, rate, norm, seconds; /* validation NaN: none was made */
  const char *skipped;
} UnrHistoryRow;

typedef struct UnrHistory_ *UnrHistory;

/*
  UnrHistoryOpen - a new file, or an old one without its rows after `update`.     Collective on the world.
  Errors  user error for an old file that is no history, or cannot be written
*/
PetscErrorCode UnrHistoryOpen(const char *directory, PetscInt64 update, UnrHistory *history);
/* Not collective: all but rank 0 return at once.  Rows are kept until Flush, or for some seconds. */
PetscErrorCode UnrHistoryAdd(UnrHistory history, const UnrHistoryRow *row);
/* What was added is on the disk.  Collective on the world: a full disk is a user error. */
PetscErrorCode UnrHistoryFlush(UnrHistory history);
PetscErrorCode UnrHistoryClose(UnrHistory *history);
