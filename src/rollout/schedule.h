/*
  Binomial checkpointing: which states of a segment are kept and which steps are run again, so that a segment
  of any length is reversed in bounded memory with the fewest steps run (Griewank & Walther 2000, `revolve`).

  A block of `block` steps is taped at once; `slots` states are kept beside it.  block 1 and one slot is the
  least memory; block = steps keeps every tape and needs no state.  The actions depend on these numbers only,
  so all ranks of a grid run the same.  Bits do not depend on the schedule. Maths:  docs/method/rollout.md
*/
#pragma once

#include "core/base.h"

typedef struct {
  PetscInt steps; /* of the segment */
  PetscInt block; /* steps whose tapes are held at once, 1 .. steps */
  PetscInt slots; /* states held, the start state's among them; 0 only where block = steps */
} UnrSchedule;

/*
  UnrScheduleChoose - the schedule that runs the fewest steps within `memory` bytes.     Local.
  In      state, tape   bytes of one kept state, of what a step of a block holds;  memory  0: no bound
  Out     least         bytes of the least schedule, whatever memory is
          fits          false: memory is below the least; then the least schedule
*/
void UnrScheduleChoose(PetscInt steps, double state, double tape, double memory, UnrSchedule *schedule,
                       double *least, bool *fits);
/* Bytes that a schedule holds; steps run forward (with or without a tape) by a reverse of the whole segment.
 */
double UnrScheduleBytes(const UnrSchedule *schedule, double state, double tape);
PetscInt64 UnrScheduleRuns(const UnrSchedule *schedule);
/* The same blocks and slots for a segment of fewer steps. */
UnrSchedule UnrScheduleShorten(const UnrSchedule *schedule, PetscInt steps);

/*
  What a reverse is made of.  The state in hand is that of frame 0 at the beginning.
  advance   runs the steps first + 1 .. last without tapes from the state in hand (that of frame `first`)
  store     the state in hand into a slot;  load  back from it
  tape      runs the steps first + 1 .. last, at most `block`, with tapes 0 .. last - first - 1
  reverse   goes back through these tapes, from frame `last` to frame `first`; nothing is in hand then
  Every step is run for the first time in order 1 .. steps: `is_first` (a loss is added once).
*/
typedef struct {
  PetscErrorCode (*advance)(void *context, PetscInt first, PetscInt last, bool is_first);
  PetscErrorCode (*store)(void *context, PetscInt frame, PetscInt slot);
  PetscErrorCode (*load)(void *context, PetscInt frame, PetscInt slot);
  PetscErrorCode (*tape)(void *context, PetscInt first, PetscInt last, bool is_first);
  PetscErrorCode (*reverse)(void *context, PetscInt first, PetscInt last);
} UnrScheduleActions;

/* Runs a schedule, from the first step forward to reverse(0, ..).  Collective as the actions are. */
PetscErrorCode UnrScheduleRun(const UnrSchedule *schedule, const UnrScheduleActions *actions, void *context);
