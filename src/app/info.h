/* The pieces of `unroll info`: the build in info.c, a file in info_file.c, a run's directory in info_run.c.
 */
#pragma once

#include "core/base.h"

/* What a model, a checkpoint, a data file or metrics.h5 holds.  A damaged or foreign one is a user error.
   Collective on the world. */
PetscErrorCode UnrInfoFile(const char *path);
/* How far a run is, and whether its files agree with each other.  Collective on the world. */
PetscErrorCode UnrInfoDirectory(const char *path, bool *is_healthy);

enum { UNR_INFO_COLUMNS = 16, UNR_INFO_CELL = 64 };

/* history.csv as it stands. */
typedef struct {
  bool exists;
  int columns;
  char name[UNR_INFO_COLUMNS][UNR_INFO_CELL];
  char value[UNR_INFO_COLUMNS][UNR_INFO_CELL]; /* the last that is not empty */
  PetscInt64 rows, skipped, update;            /* update of the last row */
  bool is_cut;                                 /* a half written row follows */
  double age;                                  /* seconds since it was written */
  char problem[256];                           /* "" or what is wrong with it */
} UnrInfoHistory;

/* Not collective; for rank 0. */
void UnrInfoHistoryRead(const char *directory, UnrInfoHistory *history);
