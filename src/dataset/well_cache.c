/* A data set that fits into memory is read once: then reads are copies, without a collective call. */
#include "dataset/well_impl.h"

#include <math.h>
#include "core/call.h"
#include "core/error.h"
#include "core/event.h"
#include "core/memory.h"

/* The first number that is not finite, or `numbers`. */
static size_t FirstBad(bool is_double, size_t numbers, const void *values)
{
  size_t i = 0;

  if (is_double)
    while (i < numbers && isfinite(((const double *)values)[i])) i++;
  else
    while (i < numbers && isfinite(((const float *)values)[i])) i++;
  return i;
}

/*
  UnrWellCache - this rank's block of all states into memory, if no rank needs more than `most` bytes for it.
                 Collective on the world.
  In      grid   of the batches that will be read; borrowed
  Out     is_cached  the same on every rank; a file that is cached already stays so
  Errors  user errors as UnrWellRead, but for any state of the file
*/
PetscErrorCode UnrWellCache(UnrWell well, UnrGrid grid, double most, bool *is_cached)
{
  const UnrWellInfo *info = &well->facts.info;
  const size_t stride = (size_t)grid->local * (size_t)grid->components,
               numbers = stride * (size_t)info->frames;
  const size_t bytes = numbers * (info->is_double ? sizeof(double) : sizeof(float));
  char message[UNR_WELL_MESSAGE] = "";
  double largest = (double)bytes * (double)info->trajectories;
  char *cache;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
  *is_cached = well->cache || largest <= most;
  if (well->cache || !*is_cached) PetscFunctionReturn(PETSC_SUCCESS);
  UnrWellReadRefusal(well, &(UnrWellBlock){0, 1, 0, 1}, grid, message);
  UnrUserCheck(!message[0], "%s", message);
  PetscCall(UnrMemoryCheck((double)bytes * (double)info->trajectories, "the data set",
                           "a smaller -dataset_memory: then batches are read from the file"));
  PetscCall(UnrEventBegin(UNR_EVENT_HDF5));
  PetscCall(PetscMalloc1(bytes * (size_t)info->trajectories, &cache));
  for (PetscInt t = 0; t < info->trajectories; t++) {
    void *values = cache + (size_t)t * bytes;
    bool good;
    PetscCall(UnrWellMove(well, false, &(UnrWellBlock){t, 1, 0, info->frames}, grid, values, &good));
    const size_t bad = good ? FirstBad(info->is_double, numbers, values) : numbers;
    if (message[0]) continue;
    if (!good)
      UnrWellDamaged(well, message);
    else if (bad < numbers)
      UnrWellNotFinite(well, t, (PetscInt)(bad / stride), NAN, message);
  }
  PetscCall(UnrEventEnd(UNR_EVENT_HDF5));
  UnrUserCheck(!message[0], "%s", message);
  well->cache = cache;
  well->cache_stride = stride;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrWellReadCached(UnrWell well, const UnrWellBlock *block, UnrGrid grid, double u[])
{
  const size_t stride = well->cache_stride, numbers = (size_t)block->frames * stride;
  char message[UNR_WELL_MESSAGE] = "";

  PetscFunctionBeginUser;
  if (!block->trajectories) PetscFunctionReturn(PETSC_SUCCESS);
  UnrWellReadRefusal(well, block, grid, message);
  PetscCheck(!message[0] && stride == (size_t)grid->local * (size_t)grid->components, PETSC_COMM_SELF,
             PETSC_ERR_ARG_WRONG, "a cached file and a batch of another layout: %s", message);
  for (PetscInt t = block->trajectory; t < block->trajectory + block->trajectories; t++, u += numbers) {
    const size_t at = ((size_t)t * (size_t)well->facts.info.frames + (size_t)block->frame) * stride;

    if (well->facts.info.is_double) {
      PetscCall(PetscArraycpy(u, (const double *)well->cache + at, numbers));
    } else {
      for (size_t i = 0; i < numbers; i++) u[i] = ((const float *)well->cache)[at + i];
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
