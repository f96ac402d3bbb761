#include "core/error.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char kept[8192]; /* the message of the last mistake; the same on all ranks */

const char *UnrUserErrorMessage(void)
{
  return kept;
}

void UnrUserErrorClear(void)
{
  kept[0] = '\0';
}

/* Into kept: one line, whatever the values hold; of one too long the middle goes, not what to try. */
static void UnrUserErrorKeep(const char *format, va_list arguments)
{
  static const char gap[] = " ... ";
  const size_t half = (sizeof(kept) - sizeof(gap)) / 2;
  va_list again;

  va_copy(again, arguments);
  const size_t length = (size_t)vsnprintf(NULL, 0, format, again);
  va_end(again);
  /* By way of a second buffer: a caller may quote the message kept so far. */
  char *text = calloc(length + 1, 1);
  if (!text) return;
  vsnprintf(text, length + 1, format, arguments);
  for (char *at = text; *at; at++)
    if (iscntrl((unsigned char)*at)) *at = ' ';
  if (length < sizeof(kept))
    memcpy(kept, text, length + 1);
  else
    snprintf(kept, sizeof(kept), "%.*s%s%s", (int)half, text, gap, text + length - half);
  free(text);
}

PetscErrorCode UnrUserAgree(bool bad, const char *format, ...)
{
  int size, rank, lowest;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  int mine = bad ? rank : size;
  PetscCallMPI(MPI_Allreduce(&mine, &lowest, 1, MPI_INT, MPI_MIN, PETSC_COMM_WORLD));
  if (lowest == size) PetscFunctionReturn(PETSC_SUCCESS);
  if (rank == lowest) {
    va_list arguments;
    va_start(arguments, format);
    UnrUserErrorKeep(format, arguments);
    va_end(arguments);
  }
  PetscCallMPI(MPI_Bcast(kept, sizeof(kept), MPI_CHAR, lowest, PETSC_COMM_WORLD));
  PetscFunctionReturn(UNR_ERR_USER);
}

/* A user's mistake passes in silence, also where PetscCall() repeats it; all else keeps PETSc's trace. */
static PetscErrorCode UnrErrorHandler(MPI_Comm comm, int line, const char *function, const char *file,
                                      PetscErrorCode code, PetscErrorType type, const char *message,
                                      void *context)
{
  if (code == UNR_ERR_USER) return code;
  return PetscTraceBackErrorHandler(comm, line, function, file, code, type, message, context);
}

/* The first message of a failing call into PETSc, in place of a trace. */
static PetscErrorCode UnrErrorCapture(MPI_Comm comm, int line, const char *function, const char *file,
                                      PetscErrorCode code, PetscErrorType type, const char *message,
                                      void *context)
{
  char *problem = context;

  (void)comm, (void)line, (void)function, (void)file;
  if (type == PETSC_ERROR_INITIAL && message && !problem[0]) snprintf(problem, UNR_ERROR_TEXT, "%s", message);
  return code;
}

PetscErrorCode UnrErrorCaptureBegin(char problem[UNR_ERROR_TEXT])
{
  problem[0] = '\0';
  return PetscPushErrorHandler(UnrErrorCapture, problem);
}

PetscErrorCode UnrErrorCaptureEnd(PetscErrorCode code, char problem[UNR_ERROR_TEXT])
{
  if (code && !problem[0]) snprintf(problem, UNR_ERROR_TEXT, "PETSc refuses it");
  return PetscPopErrorHandler();
}

PetscErrorCode UnrErrorHandlerPush(void)
{
  PetscFunctionBeginUser;
  PetscCall(PetscPushErrorHandler(UnrErrorHandler, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}
