/*
  A tile: channels-last numbers with ghost cells, [sample][x][y][z][channel], floats or doubles.  The grid's
  used axes stand LAST among three (1-D: axis 2; 2-D: axes 1, 2), as the convolution engines want them.
*/
#pragma once

#include "field/grid.h"

typedef struct {
  PetscInt samples, channels;
  PetscInt count[UNR_MAX_DIM];               /* interior cells per engine axis, leading unused axes 1 */
  PetscInt ghost[UNR_MAX_DIM];               /* ghost cells on either side per engine axis, 0 on unused */
  size_t stride[UNR_MAX_DIM], sample_stride; /* in numbers; stride[2] = channels */
  size_t origin;                             /* number of the first interior cell */
  size_t numbers;                            /* allocation, UNR_TILE_SLACK not included */
  UnrPrecision precision;
} UnrTileShape;

/* The shape of a tile of this grid's block with `ghost` cells on every side of every used axis. */
void UnrTileShapeSet(UnrTileShape *shape, UnrGrid grid, PetscInt samples, PetscInt channels, PetscInt ghost,
                     UnrPrecision precision);

/* The same with another number of ghosts along every axis of the grid. */
void UnrTileShapeSetAxes(UnrTileShape *shape, UnrGrid grid, PetscInt samples, PetscInt channels,
                         const PetscInt ghost[UNR_MAX_DIM], UnrPrecision precision);
/* A view of the same memory whose interior is a box: along engine axis e, `count[e]` cells from the
   interior's cell first[e] on (negative: among the ghosts); its ghosts are the fewer of those left on either
   side. */
UnrTileShape UnrTileShapeBox(const UnrTileShape *shape, const PetscInt first[UNR_MAX_DIM],
                             const PetscInt count[UNR_MAX_DIM]);
/* The view whose interior has more[e] more cells on either side. */
UnrTileShape UnrTileShapeGrow(const UnrTileShape *shape, const PetscInt more[UNR_MAX_DIM]);
/* Zeroes what is in the tile but not in the view's interior. */
void UnrTileZeroAround(const UnrTileShape *shape, const UnrTileShape *view, void *tile);

/* The interior as rows of count[2] * channels contiguous numbers: their number, and the first number of row
 * r. */
static inline size_t UnrTileRows(const UnrTileShape *s)
{
  return (size_t)(s->samples * s->count[0] * s->count[1]);
}
static inline size_t UnrTileRow(const UnrTileShape *s, size_t r)
{
  const size_t b = r % (size_t)s->count[1], a = r / (size_t)s->count[1] % (size_t)s->count[0],
               sample = r / (size_t)(s->count[0] * s->count[1]);
  return s->origin + sample * s->sample_stride + a * s->stride[0] + b * s->stride[1];
}
