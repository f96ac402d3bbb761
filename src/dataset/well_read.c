/* Reading states: one hyperslab a rank and field, all ranks together. */
#include "dataset/well_impl.h"

#include <math.h>
#include <stdio.h>
#include "core/call.h"
#include "core/error.h"
#include "core/event.h"

size_t UnrWellBlockNumbers(const UnrWellBlock *block, UnrGrid grid)
{
  if (!block->trajectories) return 0; /* and there may be no grid */
  return (size_t)block->trajectories * (size_t)block->frames * (size_t)grid->local * (size_t)grid->components;
}

PetscErrorCode UnrWellSingle(UnrWell well, size_t numbers, float **single)
{
  PetscFunctionBeginUser;
  if (numbers >= well->single_room) { /* never NULL, not even for none */
    PetscCall(PetscFree(well->single));
    PetscCall(PetscMalloc1(numbers + 1, &well->single));
    well->single_room = numbers + 1;
  }
  *single = well->single;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The first number of [first, first + count) that is not in [0, end), or PETSC_MAX_INT. */
static PetscInt OutOfRange(PetscInt first, PetscInt count, PetscInt end)
{
  return first < 0 || first >= end ? first : first + count > end ? end : PETSC_MAX_INT;
}

void UnrWellReadRefusal(UnrWell well, const UnrWellBlock *block, UnrGrid grid, char message[UNR_WELL_MESSAGE])
{
  const UnrWellInfo *info = &well->facts.info;
  const PetscInt *n = info->points, *m;
  const PetscInt trajectory = OutOfRange(block->trajectory, block->trajectories, info->trajectories);
  const PetscInt frame = OutOfRange(block->frame, block->frames, info->frames);

  if (!block->trajectories) return; /* such a rank has perhaps no grid either */
  m = grid->points;
  if (trajectory != PETSC_MAX_INT)
    snprintf(message, UNR_WELL_MESSAGE,
             "trajectory out of range (%" PetscInt_FMT ") in %s; allowed: 0 to %" PetscInt_FMT
             "; try: fewer samples",
             trajectory, well->path, info->trajectories - 1);
  else if (frame != PETSC_MAX_INT)
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
  UnrWellReadBlock - many states of the file.     Collective on the world, unless cached.
  In      block   of this rank; no trajectories where there is nothing to read
          grid    of the states; borrowed
  Out     u       [trajectory][frame][this rank's part], as doubles
  Errors  user errors: out of range, another shape than the grid's, unreadable, NaN or Inf
*/
PetscErrorCode UnrWellReadBlock(UnrWell well, const UnrWellBlock *block, UnrGrid grid, double u[])
{
  static const UnrWellBlock nothing = {0};
  const bool is_double = well->facts.info.is_double;
  char message[UNR_WELL_MESSAGE] = "";
  float *single = NULL;
  double none;
  size_t numbers;
  bool good;

  PetscFunctionBeginUser;
  if (well->cache) {
    PetscCall(UnrWellReadCached(well, block, grid, u));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(UnrEventBegin(UNR_EVENT_HDF5));
  UnrWellReadRefusal(well, block, grid, message);
  if (message[0]) block = &nothing;
  numbers = UnrWellBlockNumbers(block, grid);
  /* HDF5 would convert float to double, but leaves collective access for that: so we do */
  if (!is_double) PetscCall(UnrWellSingle(well, numbers, &single));
  PetscCall(UnrWellMove(well, false, block, grid, is_double ? (numbers ? (void *)u : &none) : single, &good));
  if (!good && !message[0]) UnrWellDamaged(well, message);
  for (size_t i = 0; !message[0] && i < numbers; i++) {
    if (!is_double) u[i] = single[i];
    if (!isfinite(u[i])) {
      const PetscInt state = (PetscInt)(i / (size_t)(grid->local * grid->components));
      UnrWellNotFinite(well, block->trajectory + state / block->frames, block->frame + state % block->frames,
                       u[i], message);
    }
  }
  PetscCall(UnrEventEnd(UNR_EVENT_HDF5));
  UnrUserCheck(!message[0], "%s", message);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* UnrWellRead - one state of the file into one sample of the batch: as UnrWellReadBlock().  batch NULL on a
   rank that has no more samples. */
PetscErrorCode UnrWellRead(UnrWell well, PetscInt trajectory, PetscInt frame, UnrBatch batch, PetscInt sample)
{
  const UnrWellBlock block = {trajectory, batch ? 1 : 0, frame, 1};

  PetscFunctionBeginUser;
  PetscCall(UnrWellReadBlock(well, &block, batch ? batch->grid : NULL,
                             batch ? batch->data + (size_t)sample * batch->stride : NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}
