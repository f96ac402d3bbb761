#include "core/error.h"

#include <stdarg.h>
#include <stdio.h>
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
    /* By way of a second buffer: a caller may quote the message kept so far. */
    char text[sizeof(kept)];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    memcpy(kept, text, sizeof(kept));
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

PetscErrorCode UnrErrorHandlerPush(void)
{
  PetscFunctionBeginUser;
  PetscCall(PetscPushErrorHandler(UnrErrorHandler, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}
