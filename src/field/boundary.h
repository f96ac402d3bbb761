/*
  What a ghost cell beyond the domain holds.  Every kind is linear and looks along one axis at a time: ghost
  number `index` of an axis of n cells is `sign` times the cell `source` of the same axis; sign 0: it is zero.
  Signs of several axes multiply, so that corners follow from the axes.  Maths: docs/method/halo.md
*/
#pragma once

#include "core/base.h"

typedef enum {
  UNR_BOUNDARY_PERIODIC,       /* wrapped round */
  UNR_BOUNDARY_WALL_ZERO,      /* nothing: 0 */
  UNR_BOUNDARY_WALL_REFLECTED, /* minus the mirror image in the face: the mean on the face is 0 (no slip) */
  UNR_BOUNDARY_OUTFLOW,        /* the cell at the boundary, again and again (zero gradient) */
  UNR_BOUNDARY_SYMMETRIC,      /* the mirror image in the face */
  UNR_BOUNDARY_KINDS
} UnrBoundary;

/*
  The source of cell `index`, any distance from [0, n), on an axis with kinds kind[low, high]; source in [0,
  n) and sign 1 inside.  A mirror image beyond the other face is mirrored there again, by that face's kind.
  Local.
*/
PetscErrorCode UnrBoundaryMap(const UnrBoundary kind[2], PetscInt index, PetscInt n, PetscInt *source,
                              int *sign);
