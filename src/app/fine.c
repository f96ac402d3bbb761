#include "app/fine.h"

#include "app/common.h"
#include "core/error.h"
#include "core/seed.h"
#include "dataset/start.h"

const UnrOption UnrFineOptions[] = {
    {"-generate_points", UNR_INTS, NULL, 1, 1 << 30, "points",
     "points along x[,y[,z]] of the grid on which the reference scheme runs, coarsened to -grid_points by "
     "-generate_filter; unset: -grid_points",
     NULL},
    {NULL, UNR_BOOL, NULL, 0, 0, NULL, NULL, NULL},
};

static PetscErrorCode CreateOwn(const UnrCase *c, const PetscInt points[UNR_MAX_DIM], UnrFine *fine)
{
  PetscFunctionBeginUser;
  PetscCall(UnrCommonMemory(&c->layout, points, c->grid->components, c->samples, 4));
  PetscCall(
      UnrGridCreate(&c->layout, c->grid->dim, points, c->grid->components, c->grid->stencil, &fine->grid));
  PetscCall(UnrPhysicsCreate(fine->grid, &fine->physics));
  PetscCall(UnrStepperCreate(fine->physics, "reference_", &fine->stepper));
  PetscCall(UnrFilterCreate(fine->physics, c->physics, &fine->filter));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrFineCreate(const UnrCase *c, UnrFine *fine)
{
  PetscInt points[UNR_MAX_DIM];
  int dim;

  PetscFunctionBeginUser;
  *fine = (UnrFine){.c = c, .grid = c->grid, .physics = c->physics, .stepper = c->reference};
  PetscCall(UnrGridPointsOf(UnrFineOptions, "-generate_points", &dim, points));
  if (!dim) PetscFunctionReturn(PETSC_SUCCESS);
  UnrUserCheck(dim == c->grid->dim,
               "-generate_points has %d numbers (-grid_points: %d); allowed: one an axis; try: as many as "
               "-grid_points",
               dim, c->grid->dim);
  PetscCall(CreateOwn(c, points, fine));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrFineDestroy(UnrFine *fine)
{
  PetscFunctionBeginUser;
  if (fine->filter) {
    PetscCall(UnrFilterDestroy(&fine->filter));
    PetscCall(UnrStepperDestroy(&fine->stepper));
    PetscCall(UnrPhysicsDestroy(&fine->physics));
    PetscCall(UnrGridDestroy(&fine->grid));
  }
  *fine = (UnrFine){NULL};
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrFineStart(const UnrFine *fine, UnrBatch u)
{
  uint64_t seed;

  PetscFunctionBeginUser;
  PetscCall(UnrSeedGet(fine->c->seed, &seed));
  PetscCall(UnrStartFill(fine->physics, seed, fine->c->first, fine->c->par, u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrFineCoarsen(const UnrFine *fine, UnrBatch u, UnrBatch coarse, UnrBatch *seen)
{
  PetscFunctionBeginUser;
  *seen = fine->filter ? coarse : u;
  if (fine->filter) PetscCall(UnrFilterApply(fine->filter, u, coarse));
  PetscFunctionReturn(PETSC_SUCCESS);
}
