/* Batches into tiles of doubles with their ghosts, and back. */
#include "field/halo.h"

#include <string.h>

static PetscErrorCode CheckTile(const UnrTileShape *shape, UnrBatch u)
{
  size_t cells = (size_t)shape->count[0] * (size_t)shape->count[1] * (size_t)shape->count[2];

  PetscFunctionBeginUser;
  PetscCheck(shape->precision == UNR_DOUBLE && shape->samples == u->samples &&
                 shape->channels == u->grid->components && cells == (size_t)u->grid->local,
             PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ,
             "a tile of %" PetscInt_FMT " samples, %zu cells, %" PetscInt_FMT
             " channels for a batch of %" PetscInt_FMT ", %" PetscInt_FMT ", %" PetscInt_FMT,
             shape->samples, cells, shape->channels, u->samples, u->grid->local, u->grid->components);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Row r of a sample, r counting through the first two axes: where it starts in the tile. */
static size_t RowAt(const UnrTileShape *shape, PetscInt s, PetscInt r)
{
  return shape->origin + (size_t)s * shape->sample_stride + (size_t)(r / shape->count[1]) * shape->stride[0] +
         (size_t)(r % shape->count[1]) * shape->stride[1];
}

/*
  UnrHaloLoad - tile = u with ghosts.     Collective on the grid.
  In      shape   doubles, as many channels as u has components
  Out     tile    [sample][x][y][z][component], exchanged ghosts filled
*/
PetscErrorCode UnrHaloLoad(UnrHalo halo, const UnrTileShape *shape, UnrBatch u, double *tile)
{
  PetscInt rows = shape->count[0] * shape->count[1];
  size_t row = (size_t)shape->count[2] * (size_t)shape->channels;
  const double *from = u->data;

  PetscFunctionBeginUser;
  PetscCall(CheckTile(shape, u));
  for (PetscInt s = 0; s < shape->samples; s++)
    for (PetscInt r = 0; r < rows; r++, from += row)
      PetscCall(PetscArraycpy(tile + RowAt(shape, s, r), from, row));
  PetscCall(UnrHaloExchange(halo, shape, tile));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  UnrHaloLoadTranspose - u += transpose of UnrHaloLoad.     Collective on the grid.
  In/out  tile    cotangent of the tile; destroyed
*/
PetscErrorCode UnrHaloLoadTranspose(UnrHalo halo, const UnrTileShape *shape, double *tile, UnrBatch u)
{
  PetscInt rows = shape->count[0] * shape->count[1];
  size_t row = (size_t)shape->count[2] * (size_t)shape->channels;
  double *to = u->data;

  PetscFunctionBeginUser;
  PetscCall(CheckTile(shape, u));
  PetscCall(UnrHaloReduce(halo, shape, tile));
  for (PetscInt s = 0; s < shape->samples; s++)
    for (PetscInt r = 0; r < rows; r++, to += row) {
      const double *from = tile + RowAt(shape, s, r);

      for (size_t i = 0; i < row; i++) to[i] += from[i];
    }
  PetscFunctionReturn(PETSC_SUCCESS);
}
