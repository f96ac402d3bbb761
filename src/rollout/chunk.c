/* Some samples of a window: a rollout goes step by step over a chunk. */
#include "rollout/rollout_impl.h"

UnrChunk UnrChunkOf(UnrRollout rollout, const UnrWindow *window, PetscInt first)
{
  PetscInt left = window->frame[0]->samples - first;

  return (UnrChunk){
      .rollout = rollout,
      .window = window,
      .first = first,
      .samples = rollout->chunk ? PetscMin(rollout->chunk, left) : left,
      .par = window->par + first * UnrPhysicsParameters(UnrModelPhysics(rollout->model)),
  };
}

PetscErrorCode UnrChunkScratch(const UnrChunk *chunk, UnrScratch *scratch, UnrBatch *batch)
{
  PetscFunctionBeginUser;
  PetscCall(UnrScratchGet(scratch, chunk->window->frame[0]->grid, chunk->samples, batch));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrChunkStart(const UnrChunk *chunk, UnrScratch *scratch, UnrBatch *u)
{
  struct UnrBatch_ start = UnrBatchView(chunk->window->frame[0], chunk->first, chunk->samples);

  PetscFunctionBeginUser;
  PetscCall(UnrChunkScratch(chunk, scratch, u));
  PetscCall(UnrBatchCopy(&start, *u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrChunkLoss(const UnrChunk *chunk, PetscInt k, UnrBatch u, double *value, UnrBatch u_bar)
{
  const UnrPlan *plan = &chunk->rollout->plan;
  struct UnrBatch_ reference;

  PetscFunctionBeginUser;
  if (plan->weight[k] == 0) PetscFunctionReturn(PETSC_SUCCESS);
  reference = UnrBatchView(chunk->window->frame[k], chunk->first, chunk->samples);
  PetscCall(UnrLossFrame(chunk->rollout->loss, u, &reference, chunk->window->batch_samples, plan->weight[k],
                         plan->weight_sum, value, u_bar));
  PetscFunctionReturn(PETSC_SUCCESS);
}
