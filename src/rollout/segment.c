/*
  A segment forward and in reverse: the actions of its schedule on the states, tapes and cotangents of a
  chunk. The state in hand is u[0]; a block's steps leave theirs in u[1], u[2] ...  A step that is run again
  makes the same bits, and the order of all sums is that of the steps, whatever the schedule.
*/
#include "rollout/rollout_impl.h"
#include "core/event.h"

typedef struct {
  const UnrChunk *chunk;
  PetscInt start, steps; /* of the segment: its frame 0 is u^start */
  const UnrBars *to;
  double *value;
  UnrBatch next_bar, other; /* cotangent of a step's result; room for that of its start */
  bool goes_on;             /* a state behind the segment is wanted */
} Segment;

/* One model step, counted; its loss is added the first time. */
static PetscErrorCode Step(const UnrChunk *chunk, PetscInt frame, UnrBatch u, UnrBatch next, UnrTape tape,
                           double *value)
{
  UnrRollout r = chunk->rollout;

  PetscFunctionBeginUser;
  PetscCall(UnrModelApply(r->model, chunk->par, u, next, tape));
  r->steps_run++;
  if (value) PetscCall(UnrChunkLoss(chunk, frame, next, value, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void Exchange(UnrBatch *a, UnrBatch *b)
{
  UnrBatch keep = *a;

  *a = *b;
  *b = keep;
}

PetscErrorCode UnrSegmentAdvance(const UnrChunk *chunk, PetscInt first, PetscInt last, double *value)
{
  UnrBatch *u = chunk->rollout->u;

  PetscFunctionBeginUser;
  PetscCall(UnrStagePush(UNR_STAGE_FORWARD));
  for (PetscInt k = first; k < last; k++) {
    PetscCall(Step(chunk, k + 1, u[0], u[1], NULL, value));
    Exchange(&u[0], &u[1]);
  }
  PetscCall(UnrStagePop());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Advance(void *context, PetscInt first, PetscInt last, bool is_first)
{
  const Segment *s = context;

  PetscFunctionBeginUser;
  PetscCall(UnrSegmentAdvance(s->chunk, s->start + first, s->start + last, is_first ? s->value : NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Store(void *context, PetscInt frame, PetscInt slot)
{
  const Segment *s = context;
  UnrRollout r = s->chunk->rollout;
  UnrBatch kept;

  PetscFunctionBeginUser;
  (void)frame;
  PetscCall(UnrChunkScratch(s->chunk, &r->slot[slot], &kept));
  PetscCall(UnrBatchCopy(r->u[0], kept));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Load(void *context, PetscInt frame, PetscInt slot)
{
  const Segment *s = context;
  UnrRollout r = s->chunk->rollout;

  PetscFunctionBeginUser;
  (void)frame;
  PetscCall(UnrBatchCopy(&r->slot[slot].view, r->u[0]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Tape(void *context, PetscInt first, PetscInt last, bool is_first)
{
  const Segment *s = context;
  UnrRollout r = s->chunk->rollout;

  PetscFunctionBeginUser;
  PetscCall(UnrStagePush(UNR_STAGE_FORWARD));
  for (PetscInt j = 0; j < last - first; j++)
    PetscCall(Step(s->chunk, s->start + first + j + 1, r->u[j], r->u[j + 1], r->tape[j],
                   is_first ? s->value : NULL));
  PetscCall(UnrStagePop());
  if (s->goes_on && is_first && first > 0) { /* the blocks before this one would write over it */
    UnrBatch end;

    PetscCall(UnrChunkScratch(s->chunk, &r->end, &end));
    PetscCall(UnrBatchCopy(r->u[last - first], end));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  A block in reverse.
  Maths   u_bar^k = weight[k] dl/du(u^k) + (du^{k+1}/du^k)^T u_bar^{k+1} within the segment;
          theta_bar += (du^k/dtheta)^T u_bar^k, par_bar likewise.  Nobody wants the segment's first u_bar,
          except u0_bar.
*/
static PetscErrorCode Reverse(void *context, PetscInt first, PetscInt last)
{
  Segment *s = context;
  UnrRollout r = s->chunk->rollout;

  PetscFunctionBeginUser;
  PetscCall(UnrStagePush(UNR_STAGE_REVERSE));
  for (PetscInt k = last; k > first; k--) {
    const PetscInt j = k - first; /* the step from u[j - 1] to u[j] */
    UnrBatch u_bar = k > 1 ? s->other : s->start == 0 ? s->to->u0_bar : NULL;

    PetscCall(UnrChunkLoss(s->chunk, s->start + k, r->u[j], NULL, s->next_bar));
    if (k > 1) PetscCall(UnrBatchZero(u_bar));
    PetscCall(UnrModelVjp(r->model, s->chunk->par, r->tape[j - 1], s->next_bar, u_bar, s->to->par_bar,
                          s->to->theta_bar));
    Exchange(&s->next_bar, &s->other);
  }
  PetscCall(UnrStagePop());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrSegmentGradient(const UnrChunk *chunk, PetscInt start, PetscInt steps, const UnrBars *to,
                                  double *value)
{
  static const UnrScheduleActions actions = {
      .advance = Advance, .store = Store, .load = Load, .tape = Tape, .reverse = Reverse};
  UnrRollout r = chunk->rollout;
  UnrSchedule schedule = UnrScheduleShorten(&r->schedule, steps);
  Segment s = {.chunk = chunk,
               .start = start,
               .steps = steps,
               .to = to,
               .value = value,
               .goes_on = start + steps < r->plan.steps};

  PetscFunctionBeginUser;
  PetscCall(UnrChunkScratch(chunk, &r->bar[0], &s.next_bar));
  PetscCall(UnrChunkScratch(chunk, &r->bar[1], &s.other));
  PetscCall(UnrBatchZero(s.next_bar));
  PetscCall(UnrScheduleRun(&schedule, &actions, &s));
  if (!s.goes_on) PetscFunctionReturn(PETSC_SUCCESS);
  if (schedule.block == steps)
    Exchange(&r->u[0], &r->u[steps]);
  else
    PetscCall(UnrBatchCopy(&r->end.view, r->u[0]));
  PetscFunctionReturn(PETSC_SUCCESS);
}
