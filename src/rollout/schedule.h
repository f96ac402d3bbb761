/*
  Binomial checkpointing: which states of a segment are kept and which steps are run again, so that a segment
  of any length is reversed in bounded memory with the fewest steps run (Griewank & Walther 2000, `revolve`).

  A block of `block` steps is taped at once; `slots` states are kept beside the block's.  block * slots = 1
  runs in the least memory; block = steps keeps every tape.  The actions do not depend on the ranks' clocks,
  only on these numbers, so all ranks of a grid run the same.  Bits do not depend on the schedule. Maths:
  docs/method/rollout.md
*/
#pragma once

#include "core/base.h"

typedef struct {
  PetscInt steps; /* of the segment */
  PetscInt block; /* steps whose tapes are held at once, 1 .. steps */
  PetscInt slots; /* states held, the start state's among them; >= 1 */
} UnrSchedule;

/*
  UnrScheduleChoose - the schedule that runs the fewest steps within `memory` bytes.     Local.
  In      state, tape   bytes of one state, of one step's tape;  memory  0: no bound
  Out     least         bytes of the least schedule, whatever memory is
          fits          false: memory is below the least; then the least schedule
*/
void UnrScheduleChoose(PetscInt steps, double state, double tape, double memory, UnrSchedule *schedule,
                       double *least, bool *fits);
/* Bytes that a schedule holds; steps run forward (with or without a tape) by a reverse of the whole segment.
 */
double UnrScheduleBytes(const UnrSchedule *schedule, double state, double tape);
PetscInt64 UnrScheduleRuns(const UnrSchedule *schedule);

/*
  What a reverse is made of.  States are numbered by slot, tapes by place in the block.
  advance   runs the steps first + 1 .. last without tapes from the state in hand (that of frame `first`)
  store     the state in hand into a slot;  load  back from it
  tape      runs the steps first + 1 .. last with tapes 0 .. last - first - 1
  reverse   goes back through these tapes, from frame `last` to frame `first`
  Every step is run for the first time in order 1 .. steps: `is_first` (a loss is added once).
*/
typedef struct {
  PetscErrorCode (*advance)(void *context, PetscInt first, PetscInt last, bool is_first);
  PetscErrorCode (*store)(void *context, PetscInt frame, PetscInt slot);
  PetscErrorCode (*load)(void *context, PetscInt frame, PetscInt slot);
  PetscErrorCode (*tape)(void *context, PetscInt first, PetscInt last, bool is_first);
  PetscErrorCode (*reverse)(void *context, PetscInt first, PetscInt last);
} UnrScheduleActions;

/* Runs a schedule: first store(0, slot 0), last reverse(.., 0). */
PetscErrorCode UnrScheduleRun(const UnrSchedule *schedule, const UnrScheduleActions *actions, void *context);
