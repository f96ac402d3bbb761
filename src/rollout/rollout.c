/*
  The one loop over the segments between cuts: forward through a segment adding each frame's loss, reverse
  through it, on to the next from the detached state.  Maths: docs/method/rollout.md.
*/
#include "rollout/rollout_impl.h"
#include "core/error.h"
#include "core/event.h"

static const UnrOption options[] = {
    {"-rollout_memory", UNR_REAL, "0", 0, 1e15, "bytes per rank",
     "bound on a segment's tapes and states, kept by recomputing steps; 0: keep everything", NULL},
    {"-rollout_chunk", UNR_INT, "0", 0, 1000000, "samples", "samples advanced together; 0: all of a replica",
     NULL},
    {NULL, UNR_INT, NULL, 0, 0, NULL, NULL, NULL},
};

PetscErrorCode UnrRolloutRegister(void)
{
  PetscFunctionBeginUser;
  PetscCall(UnrOptionsRegister("rollout: what is cut", UnrPlanOptions, NULL));
  PetscCall(UnrOptionsRegister("rollout: memory", options, NULL));
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

  PetscFunctionBeginUser;
  UnrUserCheck(
      !UnrPlanNeedsAdjoint(plan) || UnrModelHasAdjoint(model),
      "-rollout_mode wig differentiates model %s through its stepper, which has no adjoint (%s); allowed: "
      "one, nog; try: -rollout_mode nog, or -stepper_type etdrk or rk",
      UnrModelName(model), stepper);
  PetscCall(PetscNew(&r));
  r->model = model;
  r->loss = loss;
  PetscCall(UnrPlanCopy(plan, &r->plan));
  PetscCall(UnrOptionReal(options, NULL, "-rollout_memory", &r->memory));
  PetscCall(UnrOptionInt(options, NULL, "-rollout_chunk", &r->chunk));
  r->longest = r->kept = UnrPlanLongest(plan);
  PetscCall(PetscCalloc1(r->longest, &r->tape));
  PetscCall(PetscCalloc1(r->longest + 1, &r->state));
  PetscCall(PetscCalloc1(r->longest + 1, &r->u));
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
  for (int i = 0; i < 2; i++) {
    PetscCall(UnrScratchDestroy(&r->bar[i]));
    PetscCall(UnrScratchDestroy(&r->dot[i]));
  }
  PetscCall(PetscFree(r->tape));
  PetscCall(PetscFree(r->state));
  PetscCall(PetscFree(r->u));
  PetscCall(UnrPlanDestroy(&r->plan));
  PetscCall(PetscFree(*rollout));
  PetscFunctionReturn(PETSC_SUCCESS);
}

double UnrRolloutRecompute(UnrRollout rollout)
{
  return rollout->steps_least ? (double)rollout->steps_run / (double)rollout->steps_least : 1;
}

/* What the gradient of a chunk adds to. */
typedef struct {
  UnrBatch u0_bar;
  double *par_bar;
  void *theta_bar;
} Bars;

/* One model step inside a segment, counted. */
static PetscErrorCode Step(const UnrChunk *chunk, PetscInt j, UnrTape tape)
{
  UnrRollout r = chunk->rollout;

  PetscFunctionBeginUser;
  PetscCall(UnrModelApply(r->model, chunk->par, r->u[j], r->u[j + 1], tape));
  r->steps_run++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A step of the reverse, whose time belongs to the forward. */
static PetscErrorCode StepAgain(const UnrChunk *chunk, PetscInt j, UnrTape tape)
{
  PetscFunctionBeginUser;
  PetscCall(UnrStagePush(UNR_STAGE_FORWARD));
  PetscCall(Step(chunk, j, tape));
  PetscCall(UnrStagePop());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Forward through steps start + 1 .. end, u[0] = u^start; tapes for the last `kept` of the graded steps. */
static PetscErrorCode SegmentForward(const UnrChunk *chunk, PetscInt start, PetscInt end, double *value)
{
  UnrRollout r = chunk->rollout;
  PetscInt graded = UnrPlanGraded(&r->plan, start, end), untaped = graded - PetscMin(graded, r->kept);

  PetscFunctionBeginUser;
  PetscCall(UnrStagePush(UNR_STAGE_FORWARD));
  for (PetscInt j = 0; j < end - start; j++) {
    PetscCall(Step(chunk, j, j >= untaped && j < graded ? r->tape[j - untaped] : NULL));
    PetscCall(UnrChunkLoss(chunk, start + j + 1, r->u[j + 1], value, NULL));
  }
  PetscCall(UnrStagePop());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Reverse through the same steps.  A step without a tape is run again, into the state that it made before: the
  same bits. Maths   u_bar^k = weight[k] dl/du(u^k) + (du^{k+1}/du^k)^T u_bar^{k+1} within the segment;
          theta_bar += (du^k/dtheta)^T u_bar^k, par_bar likewise.  Nobody wants the first step's u_bar, except
  u0_bar.
*/
static PetscErrorCode SegmentReverse(const UnrChunk *chunk, PetscInt start, PetscInt end, const Bars *to)
{
  UnrRollout r = chunk->rollout;
  PetscInt graded = UnrPlanGraded(&r->plan, start, end), untaped = graded - PetscMin(graded, r->kept);
  UnrBatch next_bar, other;

  PetscFunctionBeginUser;
  PetscCall(UnrStagePush(UNR_STAGE_REVERSE));
  PetscCall(UnrChunkScratch(chunk, &r->bar[0], &next_bar));
  PetscCall(UnrChunkScratch(chunk, &r->bar[1], &other));
  PetscCall(UnrBatchZero(next_bar));
  for (PetscInt j = graded - 1; j >= 0; j--) {
    UnrTape tape = r->tape[PetscMax(j - untaped, 0)];
    UnrBatch u_bar = j > 0 ? other : start == 0 ? to->u0_bar : NULL;

    PetscCall(UnrChunkLoss(chunk, start + j + 1, r->u[j + 1], NULL, next_bar));
    if (j < untaped) PetscCall(StepAgain(chunk, j, tape));
    if (j > 0) PetscCall(UnrBatchZero(other));
    PetscCall(UnrModelVjp(r->model, chunk->par, tape, next_bar, u_bar, to->par_bar, to->theta_bar));
    other = next_bar;
    next_bar = u_bar;
  }
  PetscCall(UnrStagePop());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All segments for one chunk.  The last state of a segment is the first of the next: the two change places.
 */
static PetscErrorCode ChunkGradient(const UnrChunk *chunk, const Bars *to, double *value)
{
  UnrRollout r = chunk->rollout;

  PetscFunctionBeginUser;
  PetscCall(UnrChunkStart(chunk, &r->state[0], &r->u[0]));
  for (PetscInt j = 1; j <= r->longest; j++) PetscCall(UnrChunkScratch(chunk, &r->state[j], &r->u[j]));
  for (PetscInt start = 0, end; start < r->plan.steps; start = end) {
    UnrBatch first = r->u[0];

    end = UnrPlanSegmentEnd(&r->plan, start);
    PetscCall(SegmentForward(chunk, start, end, value));
    PetscCall(SegmentReverse(chunk, start, end, to));
    r->u[0] = r->u[end - start];
    r->u[end - start] = first;
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
    Bars to = {.theta_bar = theta_bar, .par_bar = par_bar ? par_bar + first * parameters : NULL};
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
