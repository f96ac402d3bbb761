/* Schedules of checkpoints: every step reversed once and in order from the right states, within the slots,
   with the fewest runs that a search over everything possible finds. */
#include "support.h"

#include "rollout/schedule.h"

enum { SMALL = 9, NONE = -1 };

/* What the actions meet. */
typedef struct {
  PetscInt hand, taped_from, taped_to; /* frames; NONE: nothing in hand, no tapes */
  PetscInt left, begun;                /* frame that the reverse has come to; steps run for the first time */
  PetscInt slots, block, faults;
  PetscInt64 runs;
  PetscInt slot[64];
} Model;

static void Claim(Model *m, bool is_so)
{
  m->faults += !is_so;
}

static void Count(Model *m, PetscInt first, PetscInt last, bool is_first)
{
  Claim(m, m->hand == first && last > first && last <= m->left && m->taped_to == NONE);
  Claim(m, is_first ? m->begun == first : last <= m->begun);
  if (is_first) m->begun = last;
  m->runs += last - first;
}

static PetscErrorCode Advance(void *context, PetscInt first, PetscInt last, bool is_first)
{
  Model *m = context;

  Count(m, first, last, is_first);
  m->hand = last;
  return PETSC_SUCCESS;
}

static PetscErrorCode Store(void *context, PetscInt frame, PetscInt slot)
{
  Model *m = context;

  Claim(m, m->hand == frame && slot >= 0 && slot < m->slots);
  if (slot < 64) m->slot[slot] = frame;
  return PETSC_SUCCESS;
}

static PetscErrorCode Load(void *context, PetscInt frame, PetscInt slot)
{
  Model *m = context;

  Claim(m, slot < m->slots && (slot >= 64 || m->slot[slot] == frame));
  m->hand = frame;
  return PETSC_SUCCESS;
}

static PetscErrorCode Tape(void *context, PetscInt first, PetscInt last, bool is_first)
{
  Model *m = context;

  Count(m, first, last, is_first);
  Claim(m, last == m->left && last - first <= m->block);
  m->taped_from = first;
  m->taped_to = last;
  m->hand = NONE;
  return PETSC_SUCCESS;
}

static PetscErrorCode Reverse(void *context, PetscInt first, PetscInt last)
{
  Model *m = context;

  Claim(m, m->taped_from == first && m->taped_to == last && last == m->left);
  m->left = first;
  m->taped_from = m->taped_to = NONE;
  return PETSC_SUCCESS;
}

/* Steps run by a schedule, whose actions are all found possible. */
static PetscInt64 Runs(const UnrSchedule *s)
{
  static const UnrScheduleActions actions = {Advance, Store, Load, Tape, Reverse};
  Model m = {.taped_from = NONE, .taped_to = NONE, .left = s->steps, .slots = s->slots, .block = s->block};

  TEST_CALL(UnrScheduleRun(s, &actions, &m));
  cr_expect(m.faults == 0 && m.left == 0 && m.begun == s->steps,
            "%d steps, block %d, %d slots: %d faults, %d steps not reversed, %d of all run first",
            (int)s->steps, (int)s->block, (int)s->slots, (int)m.faults, (int)m.left, (int)m.begun);
  return m.runs;
}

/*
  The fewest runs, by search: a place is (frames kept as a set, frame in hand, frame that the reverse has come
  to); from it one can keep the state in hand where a slot is free, forget a state, take one in hand, run a
  step, or tape up to a block that ends where the reverse stands.  Costs are relaxed until none falls.
*/
static int Search(int steps, int block, int slots)
{
  static int cost[1 << SMALL][SMALL + 1][SMALL + 1]; /* hand = steps: nothing */
  const int far = 1 << 20;
  bool is_changed = true;
  int best = far;

#define Relax(set, hand, left, value)                                                                        \
  do {                                                                                                       \
    if (cost[set][hand][left] > (value)) {                                                                   \
      cost[set][hand][left] = (value);                                                                       \
      is_changed = true;                                                                                     \
    }                                                                                                        \
  } while (0)

  for (int set = 0; set < 1 << steps; set++)
    for (int hand = 0; hand <= steps; hand++)
      for (int left = 0; left <= steps; left++) cost[set][hand][left] = far;
  cost[0][0][steps] = 0;
  while (is_changed) {
    is_changed = false;
    for (int set = 0; set < 1 << steps; set++)
      for (int hand = 0; hand <= steps; hand++)
        for (int left = 0; left <= steps; left++) {
          const int now = cost[set][hand][left];

          if (now == far) continue;
          if (hand < steps && __builtin_popcount((unsigned)set) < slots)
            Relax(set | 1 << hand, hand, left, now);
          for (int k = 0; k < steps; k++)
            if (set >> k & 1) {
              Relax(set & ~(1 << k), hand, left, now);
              Relax(set, k, left, now);
            }
          if (hand + 1 < left) Relax(set, hand + 1, left, now + 1);
          if (hand < left && left - hand <= block) Relax(set, steps, hand, now + left - hand);
        }
  }
#undef Relax
  for (int set = 0; set < 1 << steps; set++) best = PetscMin(best, cost[set][steps][0]);
  return best;
}

Test(schedule, best_of_all)
{
  for (int steps = 1; steps <= SMALL - 1; steps++)
    for (int block = 1; block <= steps; block++)
      for (int slots = block < steps; slots < steps; slots++) {
        const UnrSchedule s = {.steps = steps, .block = block, .slots = slots};
        const PetscInt64 runs = Runs(&s);
        const int best = Search(steps, block, slots);

        cr_expect(runs == best && UnrScheduleRuns(&s) == best,
                  "%d steps, block %d, %d slots: %d runs, told %d, best %d", steps, block, slots, (int)runs,
                  (int)UnrScheduleRuns(&s), best);
      }
}

/* Larger ones against the recurrence: keep a state at the best place, reverse what is behind it with a slot
   less, then what is before it. */
Test(schedule, recurrence)
{
  enum { STEPS = 90, SLOTS = 7 };
  static PetscInt64 least[SLOTS + 1][STEPS + 1];

  for (int block = 1; block <= 7; block += 2) {
    for (int slots = 0; slots <= SLOTS; slots++)
      for (int steps = 0; steps <= STEPS; steps++) {
        least[slots][steps] = steps <= block ? steps : 1 << 20;
        for (int m = 1; slots && steps > block && m < steps; m++)
          least[slots][steps] =
              PetscMin(least[slots][steps], m + least[slots - 1][steps - m] + least[slots][m]);
      }
    for (int slots = 1; slots <= SLOTS; slots++)
      for (int steps = block; steps <= STEPS; steps++) {
        const UnrSchedule s = {.steps = steps, .block = block, .slots = slots};

        cr_expect(Runs(&s) == least[slots][steps] && UnrScheduleRuns(&s) == least[slots][steps],
                  "%d steps, block %d, %d slots: %d runs, told %d, best %d", steps, block, slots,
                  (int)Runs(&s), (int)UnrScheduleRuns(&s), (int)least[slots][steps]);
      }
  }
}

/* Long ones, and the shapes that binomial coefficients make large. */
Test(schedule, long_segments)
{
  const UnrSchedule all[] = {{10240, 1, 3},     {10240, 1, 1},        {10240, 7, 3},
                             {10240, 10240, 0}, {100000, 1, 60},      {10240, 1, 10239},
                             {10240, 5119, 1},  {1000000, 1000, 999}, {1, 1, 0}};

  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    cr_expect(Runs(&all[i]) == UnrScheduleRuns(&all[i]), "number %zu", i);
  /* known: one slot runs 1 + 2 + ... + l steps, as many slots as steps 2 l - 1 */
  cr_expect(UnrScheduleRuns(&all[1]) == (PetscInt64)10240 * 10241 / 2);
  cr_expect(UnrScheduleRuns(&all[5]) == 2 * 10240 - 1);
  /* Griewank's C(3 + 2, 3) = 10 steps with 3 slots: none is run more than 3 times */
  cr_expect(UnrScheduleRuns(&(UnrSchedule){10, 1, 3}) == 3 * 10 - 5);
}

/* Never above the memory, never worse than any other block; what is told as least works, and a byte less is
 * refused. */
Test(schedule, choice)
{
  const double sizes[][2] = {{8, 8}, {8, 40}, {8, 3}, {100, 1}};

  for (int i = 0; i < 4; i++)
    for (PetscInt steps = 1; steps <= 40; steps++) {
      const double state = sizes[i][0], tape = sizes[i][1];
      UnrSchedule s;
      double least;
      bool fits;

      UnrScheduleChoose(steps, state, tape, 0, &s, &least, &fits);
      cr_expect(fits && s.block == steps && s.slots == 0);
      UnrScheduleChoose(steps, state, tape, least - 0.5, &s, &least, &fits);
      cr_expect(!fits && UnrScheduleBytes(&s, state, tape) == least);
      for (double memory = least; memory <= least + 40 * state + 20 * tape; memory += 3.7) {
        PetscInt64 best;

        UnrScheduleChoose(steps, state, tape, memory, &s, &least, &fits);
        best = Runs(&s);
        cr_expect(fits && s.steps == steps && UnrScheduleBytes(&s, state, tape) <= memory);
        for (PetscInt block = 1; block <= steps; block++)
          for (PetscInt slots = block < steps; slots < steps; slots++) {
            const UnrSchedule other = {steps, block, slots};

            cr_expect(UnrScheduleBytes(&other, state, tape) > memory || UnrScheduleRuns(&other) >= best,
                      "%d steps, %g bytes: block %d with %d slots is better", (int)steps, memory, (int)block,
                      (int)slots);
          }
      }
    }
}

/* A shorter segment runs in the memory of the longest. */
Test(schedule, shorter)
{
  for (PetscInt steps = 1; steps <= 20; steps++)
    for (PetscInt block = 1; block <= steps; block++)
      for (PetscInt slots = block < steps; slots < steps; slots++)
        for (PetscInt few = 1; few <= steps; few++) {
          const UnrSchedule s = UnrScheduleShorten(&(UnrSchedule){steps, block, slots}, few);

          cr_expect(s.block <= block && s.slots <= slots && Runs(&s) == UnrScheduleRuns(&s));
        }
}
