/* For files in this folder only: states with ghost cells, for physics on stencils. */
#pragma once

#include "physics/physics_impl.h"

typedef struct {
  UnrHalo halo;
  PetscInt width; /* ghost cells on every side */
} UnrStencil;

PetscErrorCode UnrStencilCreate(UnrGrid grid, PetscInt width, UnrStencil **stencil);
PetscErrorCode UnrStencilDestroy(UnrStencil **stencil);
/*
  A batch with its ghost cells filled, in scratch slot `slot` of the physics.     Collective on the grid.
  Out     shape   of the tile, doubles
          first   the first interior cell of sample 0; sample s is shape->sample_stride * s further on
*/
PetscErrorCode UnrStencilLoad(UnrPhysics physics, UnrStencil *stencil, int slot, UnrBatch u,
                              UnrTileShape *shape, const double **first);
PetscErrorCode UnrStencilLoadVec(UnrPhysics physics, UnrStencil *stencil, int slot, Vec u,
                                 UnrTileShape *shape, const double **first);
