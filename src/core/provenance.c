#include "core/provenance.h"

#include <sys/resource.h>
#include <time.h>

#include "core/tape.h"

static struct timespec start;

void UnrClockStart(void)
{
  clock_gettime(CLOCK_MONOTONIC, &start);
}

double UnrClockSeconds(void)
{
  struct timespec now;

  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)(now.tv_sec - start.tv_sec) + 1e-9 * (double)(now.tv_nsec - start.tv_nsec);
}

size_t UnrMemoryPeak(void)
{
  struct rusage usage;

  /* Linux counts in KiB. */
  return getrusage(RUSAGE_SELF, &usage) ? 0 : (size_t)usage.ru_maxrss * 1024;
}

PetscErrorCode UnrSummaryBegin(UnrJson *json, const char *command, const UnrLayout *layout)
{
  int size;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(UnrJsonCreate(json));
  PetscCall(UnrJsonBegin(*json, NULL, '{'));
  PetscCall(UnrJsonInt(*json, "schema", 1));
  PetscCall(UnrJsonString(*json, "command", command));
  PetscCall(UnrJsonString(*json, "version", UnrVersion));
  PetscCall(UnrJsonBegin(*json, "layout", '{'));
  PetscCall(UnrJsonInt(*json, "size", layout ? layout->size : size));
  PetscCall(UnrJsonInt(*json, "replicas", layout ? layout->replicas : 1));
  PetscCall(UnrJsonBegin(*json, "grid", '['));
  for (int a = 0; layout && a < layout->dim; a++) PetscCall(UnrJsonInt(*json, NULL, layout->blocks[a]));
  PetscCall(UnrJsonEnd(*json));
  PetscCall(UnrJsonEnd(*json));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrSummaryEnd(UnrJson *json, const char *reason, const char *path)
{
  PetscInt64 mine[2] = {(PetscInt64)UnrMemoryPeak(), (PetscInt64)UnrTapeBytesPeak()}, largest[2];
  const char *name, *value;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Allreduce(mine, largest, 2, MPIU_INT64, MPI_MAX, PETSC_COMM_WORLD));
  PetscCall(UnrJsonString(*json, "status", reason ? "failed" : "ok"));
  if (reason) PetscCall(UnrJsonString(*json, "reason", reason));
  PetscCall(UnrJsonReal(*json, "seconds", UnrClockSeconds()));
  PetscCall(UnrJsonInt(*json, "peak_memory_bytes", largest[0]));
  PetscCall(UnrJsonInt(*json, "tape_bytes", largest[1]));
  if (UnrOptionsDeck()) PetscCall(UnrJsonString(*json, "deck", UnrOptionsDeck()));
  PetscCall(UnrJsonBegin(*json, "options", '{'));
  for (size_t i = 0; UnrOptionsResolved(i, &name, &value), name; i++)
    PetscCall(UnrJsonString(*json, name, value));
  PetscCall(UnrJsonEnd(*json));
  PetscCall(UnrJsonEnd(*json));
  PetscCall(UnrFileWriteAtomic(path, UnrJsonText(*json)));
  PetscCall(UnrJsonDestroy(json));
  PetscFunctionReturn(PETSC_SUCCESS);
}
