/*
  The one loop over the segments between cuts: a segment forward and in reverse, on to the next from the
  detached state.  Maths: docs/method/rollout.md.
*/
#include "rollout/rollout_impl.h"
#include "core/error.h"

const UnrOption UnrRolloutOptions[] = {
    {"-rollout_memory", UNR_REAL, "0", 0, 1e15, "bytes per rank",
     "bound on tapes and states of a gradient, kept by running steps again; 0: keep everything (unset in "
     "solve: 1e9)",
     NULL},
    {"-rollout_chunk", UNR_INT, "0", 0, 1000000, "samples", "samples advanced together; 0: all of a replica",
     NULL},
    {NULL, UNR_INT, NULL, 0, 0, NULL, NULL, NULL},
};

PetscErrorCode UnrRolloutRegister(void)
{
  PetscFunctionBeginUser;
  PetscCall(UnrOptionsRegister("rollout: what is cut", UnrPlanOptions, NULL));
  PetscCall(UnrOptionsRegister("rollout: memory", UnrRolloutOptions, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  UnrRolloutCreate - a plan for a model and a loss.     Collective on the world.
  In      model, loss  borrowed, must outlive the rollout;  plan  copied
  Errors  user error if a segment of several steps needs an adjoint that the model's stepper lacks
*/
PetscErrorCode UnrRolloutCreate(UnrModel model, UnrLoss loss, const UnrPlan *plan, UnrRollout *rollout)
{
  UnrRollout r;
  const char *stepper = UnrModelStepper(model) ? UnrStepperName(UnrModelStepper(model)) : "none";
  const bool has_adjoint = UnrPhysicsHas(UnrModelPhysics(model), UNR_PHYSICS_ADJOINT);

  PetscFunctionBeginUser;
  UnrUserCheck(
      !UnrPlanNeedsAdjoint(plan) || UnrModelHasAdjoint(model),
      "-rollout_mode wig differentiates model %s through its solver, which has no adjoint (%s); allowed: "
      "one, nog; try: -rollout_mode nog, or %s",
      UnrModelName(model), has_adjoint ? stepper : UnrPhysicsName(UnrModelPhysics(model)),
      has_adjoint ? "-stepper_type etdrk or rk" : "another closure of the physics");
  PetscCall(PetscNew(&r));
  r->model = model;
  r->loss = loss;
  PetscCall(UnrPlanCopy(plan, &r->plan));
  PetscCall(UnrOptionReal(UnrRolloutOptions, NULL, "-rollout_memory", &r->memory));
  PetscCall(UnrOptionInt(UnrRolloutOptions, NULL, "-rollout_chunk", &r->chunk));
  r->longest = UnrPlanLongest(plan);
  r->schedule = (UnrSchedule){.steps = r->longest, .block = r->longest};
  PetscCall(PetscCalloc1(r->longest, &r->tape));
  PetscCall(PetscCalloc1(r->longest + 1, &r->state));
  PetscCall(PetscCalloc1(r->longest + 1, &r->u));
  PetscCall(PetscCalloc1(r->longest, &r->slot));
  for (PetscInt k = 0; k < r->longest; k++) PetscCall(UnrTapeCreate(&r->tape[k]));
  *rollout = r;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* UnrRolloutDestroy - collective on the grid communicator; NULL is fine. */
PetscErrorCode UnrRolloutDestroy(UnrRollout *rollout)
{
  UnrRollout r = *rollout;

  PetscFunctionBeginUser;
  if (!r) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt k = 0; k < r->longest; k++) PetscCall(UnrTapeDestroy(&r->tape[k]));
  for (PetscInt k = 0; k <= r->longest; k++) PetscCall(UnrScratchDestroy(&r->state[k]));
  for (PetscInt k = 0; k < r->longest; k++) PetscCall(UnrScratchDestroy(&r->slot[k]));
  PetscCall(UnrScratchDestroy(&r->end));
  for (int i = 0; i < 2; i++) {
    PetscCall(UnrScratchDestroy(&r->bar[i]));
    PetscCall(UnrScratchDestroy(&r->dot[i]));
  }
  PetscCall(PetscFree(r->tape));
  PetscCall(PetscFree(r->state));
  PetscCall(PetscFree(r->u));
  PetscCall(PetscFree(r->slot));
  PetscCall(UnrPlanDestroy(&r->plan));
  PetscCall(PetscFree(*rollout));
  PetscFunctionReturn(PETSC_SUCCESS);
}

double UnrRolloutRecompute(UnrRollout rollout)
{
  return rollout->steps_least ? (double)rollout->steps_run / (double)rollout->steps_least : 1;
}

/* All segments for one chunk; steps without a loss behind them have no reverse. */
static PetscErrorCode ChunkGradient(const UnrChunk *chunk, const UnrBars *to, double *value)
{
  UnrRollout r = chunk->rollout;

  PetscFunctionBeginUser;
  for (PetscInt j = 0; j <= r->schedule.block; j++) PetscCall(UnrChunkScratch(chunk, &r->state[j], &r->u[j]));
  PetscCall(UnrChunkStart(chunk, &r->state[0], &r->u[0]));
  for (PetscInt start = 0, end; start < r->plan.steps; start = end) {
    PetscInt graded;

    end = UnrPlanSegmentEnd(&r->plan, start);
    graded = UnrPlanGraded(&r->plan, start, end);
    if (graded) PetscCall(UnrSegmentGradient(chunk, start, graded, to, value));
    PetscCall(UnrSegmentAdvance(chunk, start + graded, end, value));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  UnrRolloutGradient - loss of a window and its gradients.     Collective on the grid communicator; with
  -rollout_memory on the world for the first window and for one of a larger batch. In      window     frames
  of this replica's samples, not changed Out     value      this rank's part of the loss In/out  theta_bar
  flat, the net's precision, this rank's part, ADDED; NULL: not wanted, as are u0_bar     through the first
  segment only par_bar    [sample][parameter], this rank's part, ADDED Errors  user error where
  -rollout_memory does not hold the states and one tape Cost    forward and reverse of every step; the first
  steps of a segment forward again where memory is bounded
*/
PetscErrorCode UnrRolloutGradient(UnrRollout rollout, const UnrWindow *window, double *value, void *theta_bar,
                                  UnrBatch u0_bar, double par_bar[])
{
  PetscInt parameters = UnrPhysicsParameters(UnrModelPhysics(rollout->model));

  PetscFunctionBeginUser;
  PetscCheck((!u0_bar && !par_bar) || UnrModelHasAdjoint(rollout->model), PETSC_COMM_SELF, PETSC_ERR_SUP,
             "u0_bar or par_bar of model %s: its stepper has no adjoint", UnrModelName(rollout->model));
  PetscCall(UnrRolloutBudget(rollout, window));
  *value = 0;
  rollout->steps_run = rollout->steps_least = 0;
  for (PetscInt first = 0, count; first < window->frame[0]->samples; first += count) {
    UnrChunk chunk = UnrChunkOf(rollout, window, first);
    UnrBars to = {.theta_bar = theta_bar, .par_bar = par_bar ? par_bar + first * parameters : NULL};
    struct UnrBatch_ view;

    count = chunk.samples;
    if (u0_bar) {
      view = UnrBatchView(u0_bar, first, count);
      to.u0_bar = &view;
    }
    PetscCall(ChunkGradient(&chunk, &to, value));
    rollout->steps_least += rollout->plan.steps;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
