/* The fields of a file that make a state together, and the one place that moves numbers to and from the file.
 */
#include "dataset/well_impl.h"

#include <stdio.h>
#include <string.h>
#include "core/call.h"

bool UnrWellPartsName(const char *field, UnrWellFacts *facts)
{
  size_t length;

  if (snprintf(facts->field, UNR_WELL_NAME, "%s", field) >= UNR_WELL_NAME) return false;
  for (facts->parts = 0; facts->parts < UNR_WELL_PARTS; field += length + 1) {
    length = strcspn(field, "|");
    if (!length) return false;
    snprintf(facts->part[facts->parts++].name, UNR_WELL_NAME, "%.*s", (int)length, field);
    if (!field[length]) return true;
  }
  return false;
}

void UnrWellPartsPlace(PetscInt components, UnrWellFacts *facts)
{
  PetscInt first = 0;

  for (int p = 0; p < facts->parts; p++) {
    UnrWellPart *part = &facts->part[p];

    part->first = first;
    part->components = p ? 1 : components - (facts->parts - 1);
    part->is_vector = part->components > 1 || !strcmp(part->name, "velocity");
    first += part->components;
  }
}

void UnrWellPartPath(const UnrWellPart *part, char path[2 * UNR_WELL_NAME])
{
  snprintf(path, (size_t)(2 * UNR_WELL_NAME), "%s/%s", part->is_vector ? "t1_fields" : "t0_fields",
           part->name);
}

/* Selects a part of the block in the file and in memory, or nothing; *file_space and *memory are the
 * caller's. */
static PetscErrorCode Select(UnrWell well, int p, const UnrWellBlock *block, UnrGrid grid, hid_t *file_space,
                             hid_t *memory)
{
  const int dim = well->facts.info.dim;
  hsize_t start[UNR_MAX_DIM + 3] = {(hsize_t)block->trajectory, (hsize_t)block->frame};
  hsize_t count[UNR_MAX_DIM + 3] = {(hsize_t)block->trajectories, (hsize_t)block->frames};
  hsize_t numbers = (hsize_t)(block->trajectories * block->frames * well->facts.part[p].components);
  const bool is_empty = !UnrWellBlockNumbers(block, grid);

  PetscFunctionBeginUser;
  if (is_empty)
    numbers = 1;
  else
    numbers *= (hsize_t)grid->local;
  UnrCallHDF5(*file_space = H5Dget_space(well->data[p]));
  UnrCallHDF5(*memory = H5Screate_simple(1, &numbers, NULL));
  if (!is_empty) {
    for (int a = 0; a < dim; a++) {
      start[2 + a] = (hsize_t)grid->start[a];
      count[2 + a] = (hsize_t)grid->count[a];
    }
    start[2 + dim] = 0;
    count[2 + dim] = (hsize_t)well->facts.part[p].components;
    UnrCallHDF5(H5Sselect_hyperslab(*file_space, H5S_SELECT_SET, start, NULL, count, NULL));
  } else {
    UnrCallHDF5(H5Sselect_none(*file_space));
    UnrCallHDF5(H5Sselect_none(*memory));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Between a part's own [cell][component] and its place in [cell][component of the state]. */
static void Copy(const UnrWellPart *part, PetscInt components, size_t bytes, size_t cells, bool is_out,
                 char *all, char *own)
{
  const size_t size = (size_t)part->components * bytes;

  all += (size_t)part->first * bytes;
  for (size_t i = 0; i < cells; i++, all += (size_t)components * bytes, own += size)
    memcpy(is_out ? own : all, is_out ? all : own, size);
}

PetscErrorCode UnrWellMove(UnrWell well, bool is_write, const UnrWellBlock *block, UnrGrid grid, void *values,
                           bool *good)
{
  const UnrWellFacts *facts = &well->facts;
  const PetscInt components = facts->info.components;
  const hid_t type = facts->info.is_double ? H5T_NATIVE_DOUBLE : H5T_NATIVE_FLOAT;
  const size_t bytes = facts->info.is_double ? sizeof(double) : sizeof(float);
  const size_t cells = UnrWellBlockNumbers(block, grid) / (size_t)components;

  PetscFunctionBeginUser;
  *good = true;
  for (int p = 0; p < facts->parts; p++) {
    const UnrWellPart *part = &facts->part[p];
    void *own = values;
    hid_t space, memory;
    herr_t status;

    if (facts->parts > 1) {
      PetscCall(UnrBlockReserve(&well->part_room, (cells * (size_t)part->components + 1) * bytes));
      own = well->part_room.data;
      if (is_write) Copy(part, components, bytes, cells, true, values, own);
    }
    PetscCall(Select(well, p, block, grid, &space, &memory));
    H5E_BEGIN_TRY
    {
      status = is_write ? H5Dwrite(well->data[p], type, memory, space, well->transfer, own)
                        : H5Dread(well->data[p], type, memory, space, well->transfer, own);
    }
    H5E_END_TRY;
    UnrCallHDF5(H5Sclose(memory));
    UnrCallHDF5(H5Sclose(space));
    *good = *good && status >= 0;
    if (facts->parts > 1 && !is_write) Copy(part, components, bytes, cells, false, values, own);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
