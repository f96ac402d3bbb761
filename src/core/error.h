/*
  A user's mistake: found collectively, printed once, status 2 on every rank, no trace.

      unroll: error: WHAT (value); allowed: ...; try: ...

  Faults of the program stay PetscCheck()s: they keep PETSc's trace.
*/
#pragma once

#include "core/base.h"

/* What every caller up to main() passes on after a user's mistake; outside PETSc's own range of codes. */
#define UNR_ERR_USER ((PetscErrorCode)240)

/*
  UnrUserAgree - UNR_ERR_USER on every rank if `bad` on any.     Collective on the world.
  The message of the lowest such rank is kept for UnrUserErrorMessage(); format gives "WHAT (value); allowed:
  ...; try: ...".
*/
PetscErrorCode UnrUserAgree(bool bad, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Collective on the world: go on only where `good` holds on all ranks. */
#define UnrUserCheck(good, ...) PetscCall(UnrUserAgree(!(good), __VA_ARGS__))

/* Silences PETSc's trace for UNR_ERR_USER only; after PetscInitialize(). */
PetscErrorCode UnrErrorHandlerPush(void);

/*
  Between Begin and End, PETSc's errors make no trace: what is given to PETSc there is the user's.  Not
  collective. In   code     what the calls between them returned Out  problem  PETSc's first message; "" if
  code is 0
*/
enum { UNR_ERROR_TEXT = 256 };
PetscErrorCode UnrErrorCaptureBegin(char problem[UNR_ERROR_TEXT]);
PetscErrorCode UnrErrorCaptureEnd(PetscErrorCode code, char problem[UNR_ERROR_TEXT]);

/* The kept message ("" if none), for main() and the tests; and forgetting it. */
const char *UnrUserErrorMessage(void);
void UnrUserErrorClear(void);
