/*
  The vjp of N frames in bounded memory: forward once, keeping a state every `segment` frames; then, from the
  last segment to the first, forward again from its state with a tape for every frame, and back through the
  tapes. The last segment keeps its tapes the first time; with one segment nothing runs twice.
*/
#include "app/solve.h"

#include "core/progress.h"
#include "core/event.h"

typedef struct {
  UnrSolve *solve;
  PetscInt segment, segments;
  UnrBatch *state; /* [segment] state it starts from */
  UnrTape *tape;   /* [frame of a segment] */
  UnrBatch u, next;
  PetscInt applied;
} Reverse;

PetscInt UnrSolveSegment(PetscInt steps, double state_bytes, double tape_bytes, double memory)
{
  double least = PETSC_MAX_REAL;
  PetscInt best = steps;

  if (memory <= 0) return steps;
  for (PetscInt segment = steps; segment >= 1; segment--) {
    const PetscInt segments = (steps + segment - 1) / segment;
    const double bytes = (double)segments * state_bytes + (double)segment * tape_bytes;
    if (bytes <= memory) return segment;
    if (bytes < least) {
      least = bytes;
      best = segment;
    }
  }
  return best;
}

/* Bytes of one frame's tape on the rank that has most: one frame, run and thrown away. */
static PetscErrorCode TapeBytes(UnrSolve *solve, UnrBatch next, double *bytes)
{
  UnrTape tape;
  double mine;

  PetscFunctionBeginUser;
  PetscCall(UnrTapeCreate(&tape));
  PetscCall(UnrStepperApply(solve->stepper, solve->par, solve->u0, next, tape));
  mine = (double)UnrTapeBytes(tape);
  PetscCall(UnrTapeDestroy(&tape));
  PetscCallMPI(MPI_Allreduce(&mine, bytes, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
  UnrTapePeakReset();
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ReverseCreate(UnrSolve *solve, Reverse *r)
{
  double state_bytes = (double)solve->u0->stride * sizeof(double), tape_bytes;

  PetscFunctionBeginUser;
  *r = (Reverse){.solve = solve};
  PetscCall(UnrBatchCreate(solve->grid, 1, &r->u));
  PetscCall(UnrBatchCreate(solve->grid, 1, &r->next));
  PetscCall(TapeBytes(solve, r->next, &tape_bytes));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &state_bytes, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
  r->segment = UnrSolveSegment(solve->steps, state_bytes, tape_bytes, solve->memory);
  r->segments = (solve->steps + r->segment - 1) / r->segment;
  PetscCall(PetscCalloc1(r->segments, &r->state));
  PetscCall(PetscCalloc1(r->segment, &r->tape));
  for (PetscInt j = 0; j < r->segments; j++) PetscCall(UnrBatchCreate(solve->grid, 1, &r->state[j]));
  for (PetscInt k = 0; k < r->segment; k++) PetscCall(UnrTapeCreate(&r->tape[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ReverseDestroy(Reverse *r)
{
  PetscFunctionBeginUser;
  for (PetscInt k = 0; k < r->segment; k++) PetscCall(UnrTapeDestroy(&r->tape[k]));
  for (PetscInt j = 0; j < r->segments; j++) PetscCall(UnrBatchDestroy(&r->state[j]));
  PetscCall(PetscFree(r->tape));
  PetscCall(PetscFree(r->state));
  PetscCall(UnrBatchDestroy(&r->next));
  PetscCall(UnrBatchDestroy(&r->u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void Swap(UnrBatch *a, UnrBatch *b)
{
  UnrBatch t = *a;

  *a = *b;
  *b = t;
}

static PetscInt SegmentSteps(const Reverse *r, PetscInt j)
{
  return PetscMin(r->segment, r->solve->steps - j * r->segment);
}

/* r->u goes from the start of segment j to its end. */
static PetscErrorCode SegmentForward(Reverse *r, PetscInt j, bool is_taped)
{
  PetscFunctionBeginUser;
  for (PetscInt k = 0; k < SegmentSteps(r, j); k++) {
    PetscCall(UnrStepperApply(r->solve->stepper, r->solve->par, r->u, r->next, is_taped ? r->tape[k] : NULL));
    Swap(&r->u, &r->next);
    r->applied++;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* u_bar goes from the end of segment j to its start; scratch: r->next. */
static PetscErrorCode SegmentReverse(Reverse *r, PetscInt j, UnrBatch u_bar, double par_bar[])
{
  PetscFunctionBeginUser;
  for (PetscInt k = SegmentSteps(r, j) - 1; k >= 0; k--) {
    PetscCall(UnrBatchZero(r->next));
    PetscCall(UnrStepperVjp(r->solve->stepper, r->solve->par, r->tape[k], u_bar, r->next, par_bar));
    PetscCall(UnrBatchCopy(r->next, u_bar));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrSolveVjp(UnrSolve *solve, UnrBatch u_bar, double par_bar[], double *seconds,
                           double *recompute)
{
  const PetscInt parameters = UnrPhysicsParameters(solve->physics);
  UnrProgress progress;
  Reverse r;
  double begun;

  PetscFunctionBeginUser;
  PetscCall(ReverseCreate(solve, &r));
  PetscCall(PetscArrayzero(par_bar, parameters));
  UnrProgressBegin(&progress, "vjp", 2 * r.segments);
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  begun = MPI_Wtime();
  PetscCall(UnrStagePush(UNR_STAGE_FORWARD));
  PetscCall(UnrBatchCopy(solve->u0, r.u));
  for (PetscInt j = 0; j < r.segments; j++) {
    PetscCall(UnrBatchCopy(r.u, r.state[j]));
    PetscCall(SegmentForward(&r, j, j == r.segments - 1));
    UnrProgressStep(&progress, j + 1, NULL);
  }
  PetscCall(UnrStagePop());
  PetscCall(UnrStagePush(UNR_STAGE_REVERSE));
  for (PetscInt j = r.segments - 1; j >= 0; j--) {
    if (j < r.segments - 1) {
      PetscCall(UnrBatchCopy(r.state[j], r.u));
      PetscCall(SegmentForward(&r, j, true));
    }
    PetscCall(SegmentReverse(&r, j, u_bar, par_bar));
    UnrProgressStep(&progress, 2 * r.segments - j, NULL);
  }
  if (parameters)
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, par_bar, (PetscMPIInt)parameters, MPI_DOUBLE, MPI_SUM,
                               solve->grid->comm));
  PetscCall(UnrStagePop());
  *seconds = MPI_Wtime() - begun;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, seconds, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
  *recompute = (double)r.applied / (double)solve->steps;
  PetscCall(ReverseDestroy(&r));
  PetscFunctionReturn(PETSC_SUCCESS);
}
