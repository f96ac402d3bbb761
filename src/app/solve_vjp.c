/*
  The vjp of N frames in bounded memory: the actions of a schedule (rollout/schedule.h) on the states and
  tapes of the one sample.  With room for every tape nothing runs twice.
*/
#include "app/solve.h"

#include <math.h>

#include "core/error.h"
#include "core/event.h"
#include "core/progress.h"

typedef struct {
  UnrSolve *solve;
  UnrBatch u, next; /* the state in hand, room for another; in the reverse for a cotangent */
  UnrBatch *state;  /* [slot]: kept states; slot 0 is the start, which solve has */
  UnrTape *tape;    /* [frame of a block] */
  UnrBatch u_bar;   /* of the frame that the reverse has come to */
  double *par_bar;
  UnrProgress progress;
  PetscInt64 done;
} Reverse;

/* Bytes of the fullest rank: of one frame's tape, of a state.  One frame is run and thrown away. */
static PetscErrorCode Need(UnrSolve *solve, double need[2])
{
  UnrBatch next;
  UnrTape tape;

  PetscFunctionBeginUser;
  PetscCall(UnrBatchCreate(solve->grid, 1, &next));
  PetscCall(UnrTapeCreate(&tape));
  PetscCall(UnrStepperApply(solve->stepper, solve->par, solve->u0, next, tape));
  need[0] = (double)UnrTapeBytes(tape);
  need[1] = (double)solve->u0->stride * sizeof(double);
  PetscCall(UnrTapeDestroy(&tape));
  PetscCall(UnrBatchDestroy(&next));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, need, 2, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
  UnrTapePeakReset();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrSolvePlan(UnrSolve *solve)
{
  const double room = 1e9; /* where the user says nothing */
  double need[2], always, least;
  bool fits;

  PetscFunctionBeginUser;
  PetscCall(Need(solve, need));
  always = 3 * need[1]; /* in hand, room for another, cotangent */
  if (!solve->is_given) solve->memory = room;
  UnrScheduleChoose(solve->steps, need[1], need[0],
                    solve->memory == 0 ? 0 : PetscMax(solve->memory - always, 1), &solve->schedule, &least,
                    &fits);
  least = ceil(least + always);
  UnrUserCheck(fits || !solve->is_given,
               "-rollout_memory is too small for the vjp of %" PetscInt_FMT
               " frames (%.0f bytes per rank); allowed: 0 (no bound) or %.0f and more; try: -rollout_memory "
               "%.0f",
               solve->steps, solve->memory, least, least);
  solve->held = always + UnrScheduleBytes(&solve->schedule, need[1], need[0]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ReverseCreate(UnrSolve *solve, Reverse *r)
{
  PetscFunctionBeginUser;
  PetscCall(UnrBatchCreate(solve->grid, 1, &r->u));
  PetscCall(UnrBatchCreate(solve->grid, 1, &r->next));
  PetscCall(PetscCalloc1(solve->schedule.slots + 1, &r->state));
  PetscCall(PetscCalloc1(solve->schedule.block, &r->tape));
  r->state[0] = solve->u0;
  for (PetscInt j = 1; j < solve->schedule.slots; j++)
    PetscCall(UnrBatchCreate(solve->grid, 1, &r->state[j]));
  for (PetscInt k = 0; k < solve->schedule.block; k++) PetscCall(UnrTapeCreate(&r->tape[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ReverseDestroy(Reverse *r)
{
  PetscFunctionBeginUser;
  for (PetscInt k = 0; k < r->solve->schedule.block; k++) PetscCall(UnrTapeDestroy(&r->tape[k]));
  for (PetscInt j = 1; j < r->solve->schedule.slots; j++) PetscCall(UnrBatchDestroy(&r->state[j]));
  PetscCall(PetscFree(r->tape));
  PetscCall(PetscFree(r->state));
  PetscCall(UnrBatchDestroy(&r->next));
  PetscCall(UnrBatchDestroy(&r->u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void Exchange(UnrBatch *a, UnrBatch *b)
{
  UnrBatch keep = *a;

  *a = *b;
  *b = keep;
}

/* The state in hand goes from frame `first` to frame `last`; tape NULL: without tapes. */
static PetscErrorCode Run(Reverse *r, PetscInt first, PetscInt last, const UnrTape tape[])
{
  PetscFunctionBeginUser;
  PetscCall(UnrStagePush(UNR_STAGE_FORWARD));
  for (PetscInt k = 0; k < last - first; k++) {
    PetscCall(UnrStepperApply(r->solve->stepper, r->solve->par, r->u, r->next, tape ? tape[k] : NULL));
    Exchange(&r->u, &r->next);
    UnrProgressStep(&r->progress, ++r->done, NULL);
  }
  PetscCall(UnrStagePop());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Advance(void *context, PetscInt first, PetscInt last, bool is_first)
{
  PetscFunctionBeginUser;
  (void)is_first;
  PetscCall(Run(context, first, last, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Tape(void *context, PetscInt first, PetscInt last, bool is_first)
{
  Reverse *r = context;

  PetscFunctionBeginUser;
  (void)is_first;
  PetscCall(Run(r, first, last, r->tape));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Store(void *context, PetscInt frame, PetscInt slot)
{
  const Reverse *r = context;

  PetscFunctionBeginUser;
  if (frame > 0) PetscCall(UnrBatchCopy(r->u, r->state[slot]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Load(void *context, PetscInt frame, PetscInt slot)
{
  const Reverse *r = context;

  PetscFunctionBeginUser;
  (void)frame;
  PetscCall(UnrBatchCopy(r->state[slot], r->u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Back(void *context, PetscInt first, PetscInt last)
{
  Reverse *r = context;

  PetscFunctionBeginUser;
  PetscCall(UnrStagePush(UNR_STAGE_REVERSE));
  for (PetscInt k = last - first - 1; k >= 0; k--) {
    PetscCall(UnrBatchZero(r->next));
    PetscCall(UnrStepperVjp(r->solve->stepper, r->solve->par, r->tape[k], r->u_bar, r->next, r->par_bar));
    Exchange(&r->u_bar, &r->next);
    UnrProgressStep(&r->progress, ++r->done, NULL);
  }
  PetscCall(UnrStagePop());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrSolveVjp(UnrSolve *solve, UnrBatch u_bar, double par_bar[], double *seconds)
{
  static const UnrScheduleActions actions = {
      .advance = Advance, .store = Store, .load = Load, .tape = Tape, .reverse = Back};
  const PetscInt parameters = UnrPhysicsParameters(solve->physics);
  Reverse r = {.solve = solve, .u_bar = u_bar, .par_bar = par_bar};

  PetscFunctionBeginUser;
  PetscCall(ReverseCreate(solve, &r));
  PetscCall(PetscArrayzero(par_bar, parameters));
  UnrProgressBegin(&r.progress, "vjp", UnrScheduleRuns(&solve->schedule) + solve->steps);
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  *seconds = -MPI_Wtime();
  PetscCall(UnrBatchCopy(solve->u0, r.u));
  PetscCall(UnrScheduleRun(&solve->schedule, &actions, &r));
  if (r.u_bar != u_bar) { /* the three have changed places: the caller's goes back to the caller */
    PetscCall(UnrBatchCopy(r.u_bar, u_bar));
    Exchange(&r.u_bar, r.u == u_bar ? &r.u : &r.next);
  }
  if (parameters)
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, par_bar, (PetscMPIInt)parameters, MPI_DOUBLE, MPI_SUM,
                               solve->grid->comm));
  *seconds += MPI_Wtime();
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, seconds, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
  PetscCall(ReverseDestroy(&r));
  PetscFunctionReturn(PETSC_SUCCESS);
}
