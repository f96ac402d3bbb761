/* A rollout forward only: its loss, and the tangent of the map whose gradient rollout.c takes. */
#include "rollout/rollout_impl.h"
#include "core/event.h"

static void Swap(UnrBatch *a, UnrBatch *b)
{
  UnrBatch keep = *a;

  *a = *b;
  *b = keep;
}

/*
  UnrRolloutValue - loss only, no tapes.     Collective on the grid communicator.
  Out     value  this rank's part
          last   u^m of all samples; NULL: not wanted
*/
PetscErrorCode UnrRolloutValue(UnrRollout rollout, const UnrWindow *window, double *value, UnrBatch last)
{
  PetscFunctionBeginUser;
  PetscCall(UnrStagePush(UNR_STAGE_FORWARD));
  *value = 0;
  for (PetscInt first = 0, count; first < window->frame[0]->samples; first += count) {
    UnrChunk chunk = UnrChunkOf(rollout, window, first);
    UnrBatch u, next;

    count = chunk.samples;
    PetscCall(UnrChunkStart(&chunk, &rollout->state[0], &u));
    PetscCall(UnrChunkScratch(&chunk, &rollout->state[1], &next));
    for (PetscInt k = 1; k <= rollout->plan.steps; k++) {
      PetscCall(UnrModelApply(rollout->model, chunk.par, u, next, NULL));
      PetscCall(UnrChunkLoss(&chunk, k, next, value, NULL));
      Swap(&u, &next);
    }
    if (last) {
      struct UnrBatch_ view = UnrBatchView(last, first, count);

      PetscCall(UnrBatchCopy(u, &view));
    }
  }
  PetscCall(UnrStagePop());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* value_dot += <dl/du(u), u_dot> of frame k, this rank's cells. */
static PetscErrorCode LossDot(const UnrChunk *chunk, PetscInt k, UnrBatch u, UnrBatch u_dot,
                              double *value_dot)
{
  UnrBatch bar;
  size_t n = (size_t)u->samples * u->stride;

  PetscFunctionBeginUser;
  PetscCall(UnrChunkScratch(chunk, &chunk->rollout->bar[0], &bar));
  PetscCall(UnrBatchZero(bar));
  PetscCall(UnrChunkLoss(chunk, k, u, NULL, bar));
  for (size_t i = 0; i < n; i++) *value_dot += bar->data[i] * u_dot->data[i];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All steps of one chunk; a state's tangent is forgotten at a cut, par_dot and theta_dot act in every step.
 */
static PetscErrorCode ChunkJvp(const UnrChunk *chunk, UnrBatch u0_dot, const double par_dot[],
                               const void *theta_dot, double *value_dot)
{
  UnrRollout r = chunk->rollout;
  UnrBatch u, next, u_dot, next_dot, start_dot = u0_dot;

  PetscFunctionBeginUser;
  PetscCall(UnrChunkStart(chunk, &r->state[0], &u));
  PetscCall(UnrChunkScratch(chunk, &r->state[1], &next));
  PetscCall(UnrChunkScratch(chunk, &r->dot[0], &u_dot));
  PetscCall(UnrChunkScratch(chunk, &r->dot[1], &next_dot));
  for (PetscInt k = 1; k <= r->plan.steps; k++) {
    if (k > 1) start_dot = r->plan.cut[k - 1] ? NULL : u_dot;
    PetscCall(UnrModelJvp(r->model, chunk->par, u, start_dot, par_dot, theta_dot, next, next_dot));
    PetscCall(LossDot(chunk, k, next, next_dot, value_dot));
    Swap(&u, &next);
    Swap(&u_dot, &next_dot);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  UnrRolloutJvp - tangent of the rollout with its cuts.     Collective on the grid communicator.
  In      u0_dot, par_dot [sample][parameter], theta_dot (flat, the net's precision)  NULL: zero
  Out     value_dot  this rank's part of <gradient, tangent>
*/
PetscErrorCode UnrRolloutJvp(UnrRollout rollout, const UnrWindow *window, UnrBatch u0_dot,
                             const double par_dot[], const void *theta_dot, double *value_dot)
{
  PetscInt parameters = UnrPhysicsParameters(UnrModelPhysics(rollout->model));

  PetscFunctionBeginUser;
  *value_dot = 0;
  for (PetscInt first = 0, count; first < window->frame[0]->samples; first += count) {
    UnrChunk chunk = UnrChunkOf(rollout, window, first);
    struct UnrBatch_ view;

    count = chunk.samples;
    if (u0_dot) view = UnrBatchView(u0_dot, first, count);
    PetscCall(ChunkJvp(&chunk, u0_dot ? &view : NULL, par_dot ? par_dot + first * parameters : NULL,
                       theta_dot, value_dot));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
