/* Progress on stderr of rank 0: share done, rate, time left.  A line that rewrites itself on a terminal, else
 * now and then. */
#pragma once

#include "core/base.h"

typedef struct {
  const char *what;
  PetscInt64 total;
  double begun, told; /* MPI_Wtime() */
  bool is_terminal;
} UnrProgress;

void UnrProgressBegin(UnrProgress *progress, const char *what, PetscInt64 total);
/* After `done` of total; note ("loss 1.2e-3") may be NULL.  Costs a clock reading where nothing is due. */
void UnrProgressStep(UnrProgress *progress, PetscInt64 done, const char *note);
/* The closing line, with the time taken. */
void UnrProgressEnd(UnrProgress *progress, PetscInt64 done, const char *note);
