/* Counts of the calls that a mode must not make; `check` and the tests read them. */
#pragma once

#include "core/base.h"

typedef enum {
  UNR_COUNT_SOLVER_APPLY, /* frames advanced by a stepper, per sample */
  UNR_COUNT_SOLVER_VJP,
  UNR_COUNT_NET_APPLY,
  UNR_COUNT_NET_VJP,
  UNR_COUNT_NET_INPUT_VJP, /* a net's vjp that was asked for u_bar */
  UNR_COUNT_SOLVER_FAILED, /* frames that a solver gave up: their states are not finite */
  UNR_COUNT_HALO,          /* exchanges of ghosts */
  UNR_COUNT_HALO_T,        /* their transposes */
  UNR_COUNTS
} UnrCount;

void UnrCountAdd(UnrCount which, PetscInt n);
PetscInt64 UnrCountGet(UnrCount which);
void UnrCountReset(void);
