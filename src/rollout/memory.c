/*
  Memory of the longest segment: all of its states, and as many tapes as -rollout_memory allows.  The steps
  whose tapes are not kept are run twice.
*/
#include "rollout/rollout_impl.h"
#include "core/error.h"

#include <math.h>

/*
  UnrRolloutMeasure - what the rollout holds at most, by running one step.     Collective on the grid
  communicator. In      window  any start states of this replica's samples; only frame 0 is read Out memory
  bytes of this rank for the largest chunk
*/
PetscErrorCode UnrRolloutMeasure(UnrRollout rollout, const UnrWindow *window, UnrRolloutMemory *memory)
{
  UnrChunk chunk = UnrChunkOf(rollout, window, 0);
  UnrBatch u, next;

  PetscFunctionBeginUser;
  PetscCall(UnrChunkStart(&chunk, &rollout->state[0], &u));
  PetscCall(UnrChunkScratch(&chunk, &rollout->state[1], &next));
  PetscCall(UnrModelApply(rollout->model, chunk.par, u, next, rollout->tape[0]));
  memory->tape = (double)UnrTapeBytes(rollout->tape[0]);
  memory->state = (double)u->samples * (double)u->stride * sizeof(double);
  memory->states = (double)(rollout->longest + 3) * memory->state; /* of the segment, and two cotangents */
  memory->least = memory->states + memory->tape;
  memory->all = memory->states + (double)rollout->longest * memory->tape;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Samples of the largest chunk of any replica, from numbers that all ranks share. */
static PetscErrorCode LargestChunk(UnrRollout rollout, const UnrWindow *window, PetscInt *samples)
{
  PetscMPIInt world;
  PetscInt replicas;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &world));
  replicas = world / window->frame[0]->grid->size;
  *samples = PetscMax((window->batch_samples + replicas - 1) / replicas, window->frame[0]->samples);
  if (rollout->chunk) *samples = PetscMin(*samples, rollout->chunk);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  UnrRolloutBudget - how many tapes to keep.     Collective on the world when it measures: at the first window
  and at one of a larger batch. The choice is the largest need of all ranks: a step that is run again is
  collective, so all must run it. Errors  user error that names the least budget
*/
PetscErrorCode UnrRolloutBudget(UnrRollout rollout, const UnrWindow *window)
{
  const PetscInt mine = UnrChunkOf(rollout, window, 0).samples;
  PetscInt samples = 0;
  double need[2] = {0, 0}; /* of states, of one tape */

  PetscFunctionBeginUser;
  if (rollout->memory == 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(LargestChunk(rollout, window, &samples));
  if (samples <= rollout->samples) PetscFunctionReturn(PETSC_SUCCESS);
  if (mine > 0) { /* a replica that a short batch leaves without samples needs nothing */
    UnrRolloutMemory memory;

    PetscCall(UnrRolloutMeasure(rollout, window, &memory));
    need[0] = memory.states * (double)samples / (double)mine;
    need[1] = memory.tape * (double)samples / (double)mine;
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, need, 2, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
  UnrUserCheck(rollout->memory >= need[0] + need[1],
               "-rollout_memory is too small for the states of %" PetscInt_FMT
               " steps and one tape (%.0f bytes per "
               "rank); allowed: 0 (no bound) or %.0f and more; try: -rollout_memory %.0f",
               rollout->longest, rollout->memory, ceil(need[0] + need[1]), ceil(need[0] + need[1]));
  rollout->kept = (PetscInt)PetscMin((double)rollout->longest, floor((rollout->memory - need[0]) / need[1]));
  rollout->samples = samples;
  /* What smaller batches have filled beyond these would stand on top of the bound. */
  for (PetscInt k = rollout->kept; k < rollout->longest; k++) PetscCall(UnrTapeFree(rollout->tape[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}
