/* The shape of a tile. */
#include "field/tile.h"

/*
  UnrTileShapeSet - strides and extents of a tile of this rank's block.     Local.
  Out     shape   grid axis a stands on engine axis a + 3 - dim; cells with ghosts are count + 2 ghost an axis
*/
void UnrTileShapeSet(UnrTileShape *shape, UnrGrid grid, PetscInt samples, PetscInt channels, PetscInt ghost,
                     UnrPrecision precision)
{
  size_t stride = (size_t)channels;

  shape->samples = samples;
  shape->channels = channels;
  shape->precision = precision;
  shape->origin = 0;
  for (int e = UNR_MAX_DIM - 1; e >= 0; e--) {
    int axis = e - (UNR_MAX_DIM - grid->dim);

    shape->count[e] = axis < 0 ? 1 : grid->count[axis];
    shape->ghost[e] = axis < 0 ? 0 : ghost;
    shape->stride[e] = stride;
    shape->origin += (size_t)shape->ghost[e] * stride;
    stride *= (size_t)(shape->count[e] + 2 * shape->ghost[e]);
  }
  shape->sample_stride = stride;
  shape->numbers = (size_t)samples * stride;
}
