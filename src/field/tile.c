/* The shape of a tile, and views of it. */
#include "field/tile.h"

#include <string.h>

/*
  UnrTileShapeSetAxes - strides and extents of a tile of this rank's block.     Local.
  Out     shape   grid axis a stands on engine axis a + 3 - dim; cells with ghosts are count + 2 ghost an axis
*/
void UnrTileShapeSetAxes(UnrTileShape *shape, UnrGrid grid, PetscInt samples, PetscInt channels,
                         const PetscInt ghost[UNR_MAX_DIM], UnrPrecision precision)
{
  size_t stride = (size_t)channels;

  shape->samples = samples;
  shape->channels = channels;
  shape->precision = precision;
  shape->origin = 0;
  for (int e = UNR_MAX_DIM - 1; e >= 0; e--) {
    int axis = e - (UNR_MAX_DIM - grid->dim);

    shape->count[e] = axis < 0 ? 1 : grid->count[axis];
    shape->ghost[e] = axis < 0 ? 0 : ghost[axis];
    shape->stride[e] = stride;
    shape->origin += (size_t)shape->ghost[e] * stride;
    stride *= (size_t)(shape->count[e] + 2 * shape->ghost[e]);
  }
  shape->sample_stride = stride;
  shape->numbers = (size_t)samples * stride;
}

/* UnrTileShapeSet - as many ghosts along all axes.     Local. */
void UnrTileShapeSet(UnrTileShape *shape, UnrGrid grid, PetscInt samples, PetscInt channels, PetscInt ghost,
                     UnrPrecision precision)
{
  UnrTileShapeSetAxes(shape, grid, samples, channels, (PetscInt[UNR_MAX_DIM]){ghost, ghost, ghost},
                      precision);
}

/* UnrTileShapeBox - local; the box must lie in the tile with its ghosts. */
UnrTileShape UnrTileShapeBox(const UnrTileShape *shape, const PetscInt first[UNR_MAX_DIM],
                             const PetscInt count[UNR_MAX_DIM])
{
  UnrTileShape view = *shape;

  for (int e = 0; e < UNR_MAX_DIM; e++) {
    const PetscInt low = shape->ghost[e] + first[e],
                   high = shape->count[e] + shape->ghost[e] - first[e] - count[e];

    view.count[e] = count[e];
    view.ghost[e] = PetscMin(low, high);
    view.origin = (size_t)((ptrdiff_t)view.origin + first[e] * (ptrdiff_t)shape->stride[e]);
  }
  return view;
}

UnrTileShape UnrTileShapeGrow(const UnrTileShape *shape, const PetscInt more[UNR_MAX_DIM])
{
  PetscInt first[UNR_MAX_DIM], count[UNR_MAX_DIM];

  for (int e = 0; e < UNR_MAX_DIM; e++) {
    first[e] = -more[e];
    count[e] = shape->count[e] + 2 * more[e];
  }
  return UnrTileShapeBox(shape, first, count);
}

/* UnrTileZeroAround - between the last number of a row of the view and the first of the next.     Local. */
void UnrTileZeroAround(const UnrTileShape *shape, const UnrTileShape *view, void *tile)
{
  const size_t bytes = UnrPrecisionBytes(shape->precision), row = (size_t)(view->count[2] * view->channels);
  size_t end = 0;

  for (size_t r = 0; r < UnrTileRows(view); r++) {
    const size_t at = UnrTileRow(view, r);

    memset((char *)tile + end * bytes, 0, (at - end) * bytes);
    end = at + row;
  }
  memset((char *)tile + end * bytes, 0, (shape->numbers - end) * bytes);
}
