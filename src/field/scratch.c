/* A scratch batch that grows to the largest number of samples and hands out views of that many. */
#include "field/scratch.h"

/*
  UnrScratchGet - a batch of `samples` on `grid`.     Collective on the grid where it grows.
  In/out  scratch  used with one grid for its whole life
  Out     batch    borrowed from scratch
  Cost    an allocation only when `samples` passes every earlier number
*/
PetscErrorCode UnrScratchGet(UnrScratch *scratch, UnrGrid grid, PetscInt samples, UnrBatch *batch)
{
  PetscFunctionBeginUser;
  if (!scratch->block || scratch->block->samples < samples) {
    PetscCall(UnrBatchDestroy(&scratch->block));
    PetscCall(UnrBatchCreate(grid, samples, &scratch->block));
  }
  PetscCheck(scratch->block->grid == grid, PETSC_COMM_SELF, PETSC_ERR_ARG_INCOMP, "scratch of another grid");
  scratch->view = UnrBatchView(scratch->block, 0, samples);
  *batch = &scratch->view;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrScratchDestroy(UnrScratch *scratch)
{
  PetscFunctionBeginUser;
  PetscCall(UnrBatchDestroy(&scratch->block));
  PetscFunctionReturn(PETSC_SUCCESS);
}
