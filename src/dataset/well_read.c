/* Reading states: one hyperslab a rank, all ranks together. */
#include "dataset/well_impl.h"

#include <math.h>
#include <stdio.h>
#include "core/call.h"
#include "core/error.h"
#include "core/event.h"

PetscErrorCode UnrWellSelect(UnrWell well, PetscInt trajectory, PetscInt frame, UnrBatch batch,
                             hid_t *file_space, hid_t *memory)
{
  const UnrWellFacts *facts = &well->facts;
  hsize_t start[UNR_MAX_DIM + 3] = {(hsize_t)trajectory, (hsize_t)frame}, count[UNR_MAX_DIM + 3] = {1, 1};
  hsize_t numbers = batch ? batch->stride : 1;

  PetscFunctionBeginUser;
  UnrCallHDF5(*file_space = H5Dget_space(well->data));
  UnrCallHDF5(*memory = H5Screate_simple(1, &numbers, NULL));
  if (batch) {
    for (int a = 0; a < facts->info.dim; a++) {
      start[2 + a] = (hsize_t)batch->grid->start[a];
      count[2 + a] = (hsize_t)batch->grid->count[a];
    }
    start[2 + facts->info.dim] = 0;
    count[2 + facts->info.dim] = (hsize_t)facts->info.components;
    UnrCallHDF5(H5Sselect_hyperslab(*file_space, H5S_SELECT_SET, start, NULL, count, NULL));
  } else {
    UnrCallHDF5(H5Sselect_none(*file_space));
    UnrCallHDF5(H5Sselect_none(*memory));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrWellSingle(UnrWell well, UnrBatch batch, float **single)
{
  const size_t room = batch ? batch->stride : 1;

  PetscFunctionBeginUser;
  if (room > well->single_room) {
    PetscCall(PetscFree(well->single));
    PetscCall(PetscMalloc1(room, &well->single));
    well->single_room = room;
  }
  *single = well->single;
  PetscFunctionReturn(PETSC_SUCCESS);
}

void UnrWellReadRefusal(UnrWell well, PetscInt trajectory, PetscInt frame, UnrGrid grid,
                        char message[UNR_WELL_MESSAGE])
{
  const UnrWellInfo *info = &well->facts.info;
  const PetscInt *n = info->points, *m = grid->points;

  if (trajectory < 0 || trajectory >= info->trajectories)
    snprintf(message, UNR_WELL_MESSAGE,
             "trajectory out of range (%" PetscInt_FMT ") in %s; allowed: 0 to %" PetscInt_FMT
             "; try: fewer samples",
             trajectory, well->path, info->trajectories - 1);
  else if (frame < 0 || frame >= info->frames)
    snprintf(message, UNR_WELL_MESSAGE,
             "frame out of range (%" PetscInt_FMT ") in %s; allowed: 0 to %" PetscInt_FMT "; try: 0", frame,
             well->path, info->frames - 1);
  else if (info->dim != grid->dim || n[0] != m[0] || n[1] != m[1] || n[2] != m[2] ||
           info->components != grid->components)
    snprintf(message, UNR_WELL_MESSAGE,
             "field '%s' in %s has another shape (%" PetscInt_FMT "x%" PetscInt_FMT "x%" PetscInt_FMT
             ", %" PetscInt_FMT " components); allowed: %" PetscInt_FMT "x%" PetscInt_FMT "x%" PetscInt_FMT
             ", %" PetscInt_FMT " components, as the case has; try: -grid_points, or another file",
             well->facts.field, well->path, n[0], n[1], n[2], info->components, m[0], m[1], m[2],
             grid->components);
}

void UnrWellDamaged(UnrWell well, char message[UNR_WELL_MESSAGE])
{
  snprintf(message, UNR_WELL_MESSAGE,
           "cannot read field '%s' in %s; allowed: an undamaged file; try: copy or make it again",
           well->facts.field, well->path);
}

void UnrWellNotFinite(UnrWell well, PetscInt trajectory, PetscInt frame, double value,
                      char message[UNR_WELL_MESSAGE])
{
  snprintf(message, UNR_WELL_MESSAGE,
           "field '%s' of trajectory %" PetscInt_FMT ", frame %" PetscInt_FMT
           " is not finite (%g) in %s; allowed: finite numbers; try: make the file again",
           well->facts.field, trajectory, frame, value, well->path);
}

/*
  UnrWellRead - one state of the file into one sample of the batch.     Collective on the world, unless
  cached. In      batch   NULL on a rank that has no more samples Out     sample  this rank's block, as
  doubles Errors  user errors: out of range, another shape than the batch's, unreadable, NaN or Inf
*/
PetscErrorCode UnrWellRead(UnrWell well, PetscInt trajectory, PetscInt frame, UnrBatch batch, PetscInt sample)
{
  const bool is_double = well->facts.info.is_double;
  char message[UNR_WELL_MESSAGE] = "";
  double *u = batch ? batch->data + (size_t)sample * batch->stride : NULL;
  float *single = NULL;
  double none;
  hid_t file_space, memory;
  herr_t status;

  PetscFunctionBeginUser;
  if (well->cache) {
    PetscCall(UnrWellReadCached(well, trajectory, frame, batch, sample));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(UnrEventBegin(UNR_EVENT_HDF5));
  if (batch) UnrWellReadRefusal(well, trajectory, frame, batch->grid, message);
  if (message[0]) batch = NULL;
  PetscCall(UnrWellSelect(well, trajectory, frame, batch, &file_space, &memory));
  /* HDF5 would convert float to double, but leaves collective access for that: so we do */
  if (!is_double) PetscCall(UnrWellSingle(well, batch, &single));
  H5E_BEGIN_TRY
  {
    status = H5Dread(well->data, is_double ? H5T_NATIVE_DOUBLE : H5T_NATIVE_FLOAT, memory, file_space,
                     well->transfer, is_double ? (batch ? (void *)u : &none) : single);
  }
  H5E_END_TRY;
  UnrCallHDF5(H5Sclose(memory));
  UnrCallHDF5(H5Sclose(file_space));
  if (status < 0 && !message[0]) UnrWellDamaged(well, message);
  for (size_t i = 0; batch && !message[0] && i < batch->stride; i++) {
    if (!is_double) u[i] = single[i];
    if (!isfinite(u[i])) UnrWellNotFinite(well, trajectory, frame, u[i], message);
  }
  PetscCall(UnrEventEnd(UNR_EVENT_HDF5));
  UnrUserCheck(!message[0], "%s", message);
  PetscFunctionReturn(PETSC_SUCCESS);
}
