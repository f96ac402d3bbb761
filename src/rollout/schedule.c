/*
  Binomial checkpointing in blocks.  With s states kept, steps of which none is run more than 1 + r times can
  be as many as block * C(s + r, s): the first C(s + r - 1, s) blocks of them r times at most, since they are
  run once to reach the rest.  docs/method/rollout.md, eq. (6)-(8).
*/
#include "rollout/schedule.h"

/* C(slots + repeats, slots): blocks that `slots` states reverse with `repeats` extra runs of a step at most;
   what passes LIMIT is LIMIT. */
static PetscInt64 Reach(PetscInt64 slots, PetscInt64 repeats)
{
  const PetscInt64 LIMIT = (PetscInt64)1 << 62;
  const PetscInt64 few = PetscMin(slots, repeats), many = PetscMax(slots, repeats);
  PetscInt64 reach = 1;

  if (repeats < 0) return 0;
  for (PetscInt64 i = 1; i <= few; i++) {
    if (reach > LIMIT / (many + i)) return LIMIT;
    reach = reach * (many + i) / i; /* C(many + i, i) */
  }
  return reach;
}

/* Extra runs of the step that is run most often. */
static PetscInt64 Repeats(PetscInt64 steps, PetscInt64 block, PetscInt64 slots)
{
  const PetscInt64 blocks = (steps + block - 1) / block;
  PetscInt64 low = -1, high = blocks - 1; /* one slot's */

  while (high - low > 1) {
    const PetscInt64 middle = (low + high) / 2;
    if (Reach(slots, middle) >= blocks)
      high = middle;
    else
      low = middle;
  }
  return high;
}

PetscInt64 UnrScheduleRuns(const UnrSchedule *schedule)
{
  const PetscInt64 steps = schedule->steps, repeats = Repeats(steps, schedule->block, schedule->slots);

  return (1 + repeats) * steps - schedule->block * Reach(schedule->slots + 1, repeats - 1);
}

double UnrScheduleBytes(const UnrSchedule *schedule, double state, double tape)
{
  return (double)schedule->slots * state + (double)schedule->block * tape;
}

UnrSchedule UnrScheduleShorten(const UnrSchedule *schedule, PetscInt steps)
{
  const PetscInt block = PetscMin(schedule->block, steps), blocks = steps ? (steps + block - 1) / block : 1;

  return (UnrSchedule){.steps = steps, .block = block, .slots = PetscMin(schedule->slots, blocks - 1)};
}

/* As many slots as memory allows and the blocks can use; false: not even the start state's. */
static bool Slots(double state, double tape, double memory, UnrSchedule *schedule)
{
  const PetscInt use = (schedule->steps + schedule->block - 1) / schedule->block - 1;
  const double left = memory - (double)schedule->block * tape;

  schedule->slots = left >= (double)use * state ? use : left < 0 ? 0 : (PetscInt)(left / state);
  return left >= 0 && (schedule->slots > 0 || use == 0);
}

void UnrScheduleChoose(PetscInt steps, double state, double tape, double memory, UnrSchedule *schedule,
                       double *least, bool *fits)
{
  const UnrSchedule all = {.steps = steps, .block = steps};
  PetscInt64 best = (PetscInt64)1 << 62;

  *schedule = (UnrSchedule){.steps = steps, .block = 1, .slots = PetscMin(steps - 1, 1)};
  if (UnrScheduleBytes(&all, state, tape) <= UnrScheduleBytes(schedule, state, tape)) *schedule = all;
  *least = UnrScheduleBytes(schedule, state, tape);
  *fits = memory == 0 || memory >= *least;
  if (memory == 0 || memory >= UnrScheduleBytes(&all, state, tape)) {
    *schedule = all;
    return;
  }
  for (PetscInt block = 1; *fits && block < steps && (double)block * tape <= memory; block++) {
    UnrSchedule next = {.steps = steps, .block = block};
    PetscInt64 runs;

    if (!Slots(state, tape, memory, &next)) continue;
    runs = UnrScheduleRuns(&next);
    if (best < runs) continue;
    if (best == runs && UnrScheduleBytes(&next, state, tape) >= UnrScheduleBytes(schedule, state, tape))
      continue;
    best = runs;
    *schedule = next;
  }
}

/*
  Where the steps behind a kept state are divided: the first part is reversed last, from the same state.
  Maths   docs/method/rollout.md, eq. (8): the blocks that a step more or less of repetition leaves open go
          to the first part
*/
static PetscInt Divide(PetscInt steps, PetscInt block, PetscInt slots)
{
  const PetscInt64 repeats = Repeats(steps, block, slots);
  const PetscInt64 full = Reach(slots, repeats - 2), more = Reach(slots, repeats - 1);

  return (PetscInt)(block * full + PetscMin(steps - block * more, block * (more - full)));
}

typedef struct {
  const UnrScheduleActions *actions;
  void *context;
  PetscInt block;
} Runner;

/* Reverses the steps first + 1 .. first + steps; the state of frame `first` is in hand, and if slots > 0 it
   may be kept in `slot`, `slots` of them from that one on are free. */
static PetscErrorCode Part(const Runner *run, PetscInt first, PetscInt steps, PetscInt slot, PetscInt slots,
                           bool is_first)
{
  PetscFunctionBeginUser;
  if (steps > run->block) PetscCall(run->actions->store(run->context, first, slot));
  while (steps > run->block) {
    const PetscInt left = Divide(steps, run->block, slots);

    PetscCall(run->actions->advance(run->context, first, first + left, is_first));
    PetscCall(Part(run, first + left, steps - left, slot + 1, slots - 1, is_first));
    PetscCall(run->actions->load(run->context, first, slot));
    steps = left;
    is_first = false;
  }
  PetscCall(run->actions->tape(run->context, first, first + steps, is_first));
  PetscCall(run->actions->reverse(run->context, first, first + steps));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrScheduleRun(const UnrSchedule *schedule, const UnrScheduleActions *actions, void *context)
{
  const Runner run = {.actions = actions, .context = context, .block = schedule->block};

  PetscFunctionBeginUser;
  PetscCheck(schedule->block >= 1 && (schedule->slots >= 1 || schedule->block >= schedule->steps),
             PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "a schedule of %" PetscInt_FMT " steps with blocks of %" PetscInt_FMT " and %" PetscInt_FMT
             " states",
             schedule->steps, schedule->block, schedule->slots);
  if (schedule->steps) PetscCall(Part(&run, 0, schedule->steps, 0, schedule->slots, true));
  PetscFunctionReturn(PETSC_SUCCESS);
}
