/* States with ghost cells, for physics on stencils. */
#include "physics/stencil.h"

/*
  UnrStencilCreate - the halo of a stencil that reaches `width` cells.     Collective on the grid.
  Errors  a grid whose DMDA reaches less: UnrPhysicsDescribe() was not asked
*/
PetscErrorCode UnrStencilCreate(UnrGrid grid, PetscInt width, UnrStencil **stencil)
{
  PetscFunctionBeginUser;
  PetscCheck(grid->stencil >= width, grid->comm, PETSC_ERR_ARG_SIZ,
             "the grid's stencil is %" PetscInt_FMT " cells wide, the physics needs %" PetscInt_FMT,
             grid->stencil, width);
  PetscCall(PetscNew(stencil));
  (*stencil)->width = width;
  PetscCall(UnrHaloCreate(grid, width, width, &(*stencil)->halo));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrStencilDestroy(UnrStencil **stencil)
{
  PetscFunctionBeginUser;
  if (!*stencil) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(UnrHaloDestroy(&(*stencil)->halo));
  PetscCall(PetscFree(*stencil));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrStencilLoad(UnrPhysics physics, UnrStencil *stencil, int slot, UnrBatch u,
                              UnrTileShape *shape, const double **first)
{
  void *tile;

  PetscFunctionBeginUser;
  UnrTileShapeSet(shape, physics->grid, u->samples, physics->grid->components, stencil->width, UNR_DOUBLE);
  PetscCall(UnrPhysicsScratch(physics, slot, shape->numbers * sizeof(double), &tile));
  PetscCall(UnrHaloLoad(stencil->halo, shape, u, tile));
  *first = (double *)tile + shape->origin;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same for one sample that is a Vec. */
PetscErrorCode UnrStencilLoadVec(UnrPhysics physics, UnrStencil *stencil, int slot, Vec u,
                                 UnrTileShape *shape, const double **first)
{
  struct UnrBatch_ batch = {.grid = physics->grid, .samples = 1, .vec = &u};
  const PetscScalar *data;
  PetscInt local;

  PetscFunctionBeginUser;
  PetscCall(VecGetLocalSize(u, &local));
  PetscCall(VecGetArrayRead(u, &data));
  batch.stride = (size_t)local;
  batch.data = (double *)data; /* only read by the load */
  PetscCall(UnrStencilLoad(physics, stencil, slot, &batch, shape, first));
  PetscCall(VecRestoreArrayRead(u, &data));
  PetscFunctionReturn(PETSC_SUCCESS);
}
