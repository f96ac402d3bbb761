/* What every summary.json says of its run: command, version, verdict, time, layout, memory, resolved options.
 */
#pragma once

#include "core/layout.h"
#include "core/summary.h"

/* A pointer: an array would be copied into the program, whose size is then that of the day it was linked. */
extern const char *const UnrVersion; /* "0.1.0+COMMIT", "+" behind the commit where files differ from it */

/* Seconds since UnrOptionsStart(), where the clock is started. */
void UnrClockStart(void);
double UnrClockSeconds(void);

/* Opens summary.json's object and writes its head; the command adds its own entries.  layout may be NULL; it
 * is copied. */
PetscErrorCode UnrSummaryBegin(UnrJson *json, const char *command, const UnrLayout *layout);
/*
  UnrSummaryEnd - closes the object and writes it to path, atomically; destroys json.     Collective on the
  world. reason: NULL for status "ok", else the enumerated word why the run failed.
*/
PetscErrorCode UnrSummaryEnd(UnrJson *json, const char *reason, const char *path);
/* The largest resident memory of this process so far, in bytes. */
size_t UnrMemoryPeak(void);
