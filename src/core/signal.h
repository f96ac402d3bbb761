/* USR1 and TERM: save and stop.  The handler only counts; training asks at every update and agrees on the
 * answer. */
#pragma once

#include "core/base.h"

enum { UNR_STATUS_REQUEUE = 85 };

/* From now on USR1 and TERM are counted instead of ending the process. */
PetscErrorCode UnrSignalInstall(void);
/* Signals this process has seen since. */
int UnrSignalCount(void);
