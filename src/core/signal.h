/* USR1, TERM and Ctrl-C (INT): save and stop.  The handler only counts; training asks at every update and
 * agrees on the answer. */
#pragma once

#include "core/base.h"

enum { UNR_STATUS_REQUEUE = 85 };

/* From now on USR1, TERM and the first INT are counted instead of ending the process. */
PetscErrorCode UnrSignalInstall(void);
/* Signals this process has seen since. */
int UnrSignalCount(void);
