/* What bench has measured: its table and its summary.json. */
#pragma once

#include "app/bench_phase.h"
#include "app/case.h"

typedef struct {
  PetscInt updates, warmup; /* of each of the two passes; before them */
  PetscInt steps;           /* of a window */
  double seconds;           /* an update, the slowest rank's: median; without PETSc's log */
  double fastest;           /* the least of them */
  double logged;            /* an update in the pass with the log: mean over updates and ranks */
  double phase[UNR_PHASES +
               1]; /* of the same pass, mean over ranks; the last is all else: their sum is logged */
  double flops;    /* of the convolutions in an update, all ranks */
  double peak;     /* GFLOP/s by multiply-adds of all ranks at once */
  double recompute;
  PetscInt64 skipped;
} UnrBenchResult;

PetscErrorCode UnrBenchPrint(const UnrBenchResult *result);
/* Writes out/summary.json.  Collective on the world. */
PetscErrorCode UnrBenchWrite(const UnrCase *c, const UnrBenchResult *result, const char *out);
