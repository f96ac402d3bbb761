/* A data set that fits into memory is read once: then reads are copies, without a collective call. */
#include "dataset/well_impl.h"

#include <math.h>
#include "core/error.h"
#include "core/event.h"

/* All frames of one trajectory, this rank's block: `numbers` of them, one collective read.  false: HDF5
 * failed. */
static bool ReadTrajectory(UnrWell well, PetscInt trajectory, UnrGrid grid, hsize_t numbers, void *values)
{
  const UnrWellInfo *info = &well->facts.info;
  hsize_t start[UNR_MAX_DIM + 3] = {(hsize_t)trajectory}, count[UNR_MAX_DIM + 3] = {1, (hsize_t)info->frames};
  hid_t space = H5Dget_space(well->data), memory = H5Screate_simple(1, &numbers, NULL);
  herr_t status;

  for (int a = 0; a < info->dim; a++) {
    start[2 + a] = (hsize_t)grid->start[a];
    count[2 + a] = (hsize_t)grid->count[a];
  }
  count[2 + info->dim] = (hsize_t)info->components;
  H5E_BEGIN_TRY
  {
    status = H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL);
    if (status >= 0)
      status = H5Dread(well->data, info->is_double ? H5T_NATIVE_DOUBLE : H5T_NATIVE_FLOAT, memory, space,
                       well->transfer, values);
  }
  H5E_END_TRY;
  H5Sclose(memory);
  H5Sclose(space);
  return status >= 0;
}

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
  Out     is_cached  the same on every rank
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
  PetscCheck(!well->cache, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONGSTATE, "%s is cached already", well->path);
  *is_cached = largest <= most;
  if (!*is_cached) PetscFunctionReturn(PETSC_SUCCESS);
  UnrWellReadRefusal(well, 0, 0, grid, message);
  UnrUserCheck(!message[0], "%s", message);
  PetscCall(UnrEventBegin(UNR_EVENT_HDF5));
  PetscCall(PetscMalloc1(bytes * (size_t)info->trajectories, &cache));
  for (PetscInt t = 0; t < info->trajectories; t++) {
    void *values = cache + (size_t)t * bytes;
    const bool good = ReadTrajectory(well, t, grid, numbers, values);
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

PetscErrorCode UnrWellReadCached(UnrWell well, PetscInt trajectory, PetscInt frame, UnrBatch batch,
                                 PetscInt sample)
{
  const size_t stride = well->cache_stride,
               at = ((size_t)trajectory * (size_t)well->facts.info.frames + (size_t)frame) * stride;
  char message[UNR_WELL_MESSAGE] = "";
  double *u;

  PetscFunctionBeginUser;
  if (!batch) PetscFunctionReturn(PETSC_SUCCESS);
  UnrWellReadRefusal(well, trajectory, frame, batch->grid, message);
  PetscCheck(!message[0] && stride == batch->stride, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
             "a cached file and a batch of another layout: %s", message);
  u = batch->data + (size_t)sample * stride;
  if (well->facts.info.is_double) {
    PetscCall(PetscArraycpy(u, (const double *)well->cache + at, stride));
  } else {
    for (size_t i = 0; i < stride; i++) u[i] = ((const float *)well->cache)[at + i];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
