/*
  Memory of the longest segment: -rollout_memory chooses how many steps are taped at once, and how many states
  are kept beside them.  A step in a block holds its tape and its result; besides there are the state in hand,
  two cotangents, and where another segment follows the last state of this one.
*/
#include "rollout/rollout_impl.h"
#include "core/error.h"

#include <math.h>

/* States that are held whatever the schedule. */
static double StatesAlways(UnrRollout r)
{
  return r->longest > 1 && r->longest < r->plan.steps ? 4 : 3;
}

/* Bytes of this rank, from one step that is run: of a tape, of a state. */
static PetscErrorCode Need(UnrRollout r, const UnrWindow *window, double need[2])
{
  UnrChunk chunk = UnrChunkOf(r, window, 0);
  UnrBatch u, next;

  PetscFunctionBeginUser;
  PetscCall(UnrChunkStart(&chunk, &r->state[0], &u));
  PetscCall(UnrChunkScratch(&chunk, &r->state[1], &next));
  PetscCall(UnrModelApply(r->model, chunk.par, u, next, r->tape[0]));
  need[0] = (double)UnrTapeBytes(r->tape[0]);
  need[1] = (double)u->samples * (double)u->stride * sizeof(double);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Samples of the largest chunk of any replica, from numbers that all ranks share. */
static PetscErrorCode LargestChunk(UnrRollout r, const UnrWindow *window, PetscInt *samples)
{
  PetscMPIInt world;
  PetscInt replicas;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &world));
  replicas = world / window->frame[0]->grid->size;
  *samples = PetscMax((window->batch_samples + replicas - 1) / replicas, window->frame[0]->samples);
  if (r->chunk) *samples = PetscMin(*samples, r->chunk);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Steps that a window's gradient runs forward, over the window's. */
static double Recompute(UnrRollout r)
{
  PetscInt64 runs = 0;

  for (PetscInt start = 0, end; start < r->plan.steps; start = end) {
    UnrSchedule schedule;

    end = UnrPlanSegmentEnd(&r->plan, start);
    schedule = UnrScheduleShorten(&r->schedule, UnrPlanGraded(&r->plan, start, end));
    runs += end - start - schedule.steps;
    if (schedule.steps) runs += UnrScheduleRuns(&schedule);
  }
  return (double)runs / (double)r->plan.steps;
}

/*
  UnrRolloutMeasure - what a rollout will hold, by running one step; chooses the schedule.     Collective on
  the world. The choice is the largest need of all ranks: a step that is run again is collective, so all must
  run it.
  In      window  any start states of this replica's samples, none on a replica that a short batch leaves
                  without; only frame 0 is read
  Errors  user error that names the least -rollout_memory
*/
PetscErrorCode UnrRolloutMeasure(UnrRollout r, const UnrWindow *window, UnrRolloutMemory *memory)
{
  const double always = StatesAlways(r);
  const PetscInt mine = UnrChunkOf(r, window, 0).samples;
  PetscInt samples = 0;
  double need[2] = {0, 0}, least, step;
  bool fits;

  PetscFunctionBeginUser;
  PetscCall(LargestChunk(r, window, &samples));
  if (mine > 0) PetscCall(Need(r, window, need));
  for (int i = 0; i < 2; i++) need[i] *= (double)samples / (double)PetscMax(mine, 1);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, need, 2, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
  *memory = (UnrRolloutMemory){.tape = need[0], .state = need[1]};
  step = memory->tape + memory->state;
  memory->all = always * memory->state + (double)r->longest * step;
  UnrScheduleChoose(r->longest, memory->state, step,
                    r->memory == 0 ? 0 : PetscMax(r->memory - always * memory->state, 1), &r->schedule,
                    &least, &fits);
  memory->least = ceil(always * memory->state + least);
  UnrUserCheck(fits,
               "-rollout_memory is too small for a segment of %" PetscInt_FMT
               " steps (%.0f bytes per rank); allowed: 0 (no bound) or %.0f and more; try: -rollout_memory "
               "%.0f",
               r->longest, r->memory, memory->least, memory->least);
  memory->held = always * memory->state + UnrScheduleBytes(&r->schedule, memory->state, step);
  memory->recompute = Recompute(r);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrRolloutBudget(UnrRollout r, const UnrWindow *window)
{
  PetscInt samples = 0;
  UnrRolloutMemory memory;

  PetscFunctionBeginUser;
  if (r->memory == 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(LargestChunk(r, window, &samples));
  if (samples <= r->samples) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(UnrRolloutMeasure(r, window, &memory));
  r->samples = samples;
  /* What smaller batches have filled beyond these would stand on top of the bound. */
  for (PetscInt k = r->schedule.block; k < r->longest; k++) {
    PetscCall(UnrTapeFree(r->tape[k]));
    PetscCall(UnrScratchDestroy(&r->state[k + 1]));
  }
  for (PetscInt k = r->schedule.slots; k < r->longest; k++) PetscCall(UnrScratchDestroy(&r->slot[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}
