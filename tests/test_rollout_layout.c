/* What must not change a rollout's numbers: memory, chunks, layouts, a second run; and what tapes hold. */
#include "rollout_case.h"

enum { STEPS = 8 };

/* Bytes that tapes hold at most during one gradient. */
static double TapePeak(Case *c, const PlanName *name, PetscInt steps)
{
  UnrRollout rollout = RolloutCreate(c, name, steps);
  Triple bar;
  double value;

  TripleCreate(c, &bar);
  UnrTapePeakReset();
  cr_expect(UnrTapeBytesNow() == 0, "tapes of an earlier rollout are still there");
  TEST_CALL(UnrRolloutGradient(rollout, &c->window, &value, bar.theta, NULL, NULL));
  TripleDestroy(&bar);
  TEST_CALL(UnrRolloutDestroy(&rollout));
  return (double)UnrTapeBytesPeak();
}

/* nog holds one step whatever m, wig m of them, a truncated rollout a segment. */
Test(rollout_memory, tapes)
{
  const PlanName nog = {"nog", "nog", 0, 0}, wig = {"wig", "wig", 0, 0}, cut = {"cut", "wig", 0, 4};
  Case c;
  double one;

  CaseCreate(&c, "correct_parallel", 65, false, "");
  one = TapePeak(&c, &nog, 1);
  cr_expect(one > 0);
  cr_expect(TapePeak(&c, &nog, 64) == one);
  cr_expect(TapePeak(&c, &wig, 16) == 16 * one);
  cr_expect(TapePeak(&c, &cut, 64) == 4 * one);
  CaseDestroy(&c);
}

static double Run(const char *model, const char *more, const PlanName *name, Case *c, Triple *bar,
                  double *recompute)
{
  UnrRollout rollout;
  double value;

  CaseCreate(c, model, STEPS + 1, false, more);
  TripleCreate(c, bar);
  rollout = RolloutCreate(c, name, STEPS);
  value = Gradient(c, rollout, bar);
  if (recompute) *recompute = UnrRolloutRecompute(rollout);
  TEST_CALL(UnrRolloutDestroy(&rollout));
  return value;
}

/* The tapes' mark is theirs to tell; what the states take of the bound is counted by UnrRolloutMeasure. */
static void CheckBudget(const Triple *keep, double all, const UnrRolloutMemory *need, const PlanName *name,
                        double budget)
{
  char more[64];
  double recompute, value;
  Case other;
  Triple bar;

  snprintf(more, sizeof more, "-rollout_memory %.0f", budget);
  UnrTapePeakReset();
  value = Run("correct_sequential", more, name, &other, &bar, &recompute);
  cr_expect(value == all && IsSameBits(&other, keep, &bar), "%s, %.0f bytes: other bits", name->name, budget);
  cr_expect(recompute >= 1 && (recompute > 1) == (budget < need->all), "%s, %.0f bytes: recompute factor %g",
            name->name, budget, recompute);
  cr_expect((double)UnrTapeBytesPeak() <= PetscMax(budget - 4 * need->state, need->tape) * (1 + 1e-12),
            "%s, %.0f bytes: %zu of tapes", name->name, budget, UnrTapeBytesPeak());
  TripleDestroy(&bar);
  CaseDestroy(&other);
}

/* Any budget gives the bits of none, is kept to, and costs what was told before; states are dropped too. */
Test(rollout_memory, budgets)
{
  const PlanName names[] = {{"wig", "wig", 0, 0}, {"warm-up 2, truncated 4", "wig", 2, 4}};

  for (int i = 0; i < 2; i++) {
    Case c;
    UnrRollout rollout;
    UnrRolloutMemory need;
    Triple keep;
    double all, longest = i ? 4 : STEPS, always = i ? 4 : 3;

    CaseCreate(&c, "correct_sequential", STEPS + 1, false, "");
    TripleCreate(&c, &keep);
    rollout = RolloutCreate(&c, &names[i], STEPS);
    all = Gradient(&c, rollout, &keep);
    cr_expect(UnrRolloutRecompute(rollout) == 1);
    TEST_CALL(UnrRolloutMeasure(rollout, &c.window, &need));
    TEST_CALL(UnrRolloutDestroy(&rollout));
    /* the state in hand, two cotangents, the start kept where something is run again, one step's result */
    cr_expect(need.all == always * need.state + longest * (need.tape + need.state) && need.held == need.all);
    cr_expect(need.least == (always + 2) * need.state + need.tape && need.recompute == 1);
    for (double share = 0; share < 1.1; share += 0.125)
      CheckBudget(&keep, all, &need, &names[i], ceil(need.least + share * (need.all - need.least)));
    TripleDestroy(&keep);
    CaseDestroy(&c);
  }
}

/* What is told before is what is held and run: the least memory, three states and two blocks. */
Test(rollout_memory, told)
{
  const PlanName wig = {"wig", "wig", 0, 0};
  Case c;
  Triple bar;
  UnrRollout rollout;
  UnrRolloutMemory need;
  char more[64];

  CaseCreate(&c, "correct_sequential", STEPS + 1, false, "");
  TripleCreate(&c, &bar);
  rollout = RolloutCreate(&c, &wig, STEPS);
  TEST_CALL(UnrRolloutMeasure(rollout, &c.window, &need));
  TEST_CALL(UnrRolloutDestroy(&rollout));
  for (int extra = 0; extra < 5; extra++) {
    UnrRolloutMemory told;

    snprintf(more, sizeof more, "-rollout_memory %.0f",
             need.least + extra * need.state + (extra > 2 ? extra * need.tape : 0));
    TestOptionsSet(more);
    rollout = RolloutCreate(&c, &wig, STEPS);
    TEST_CALL(UnrRolloutMeasure(rollout, &c.window, &told));
    cr_expect(told.held >= need.least && told.held <= need.least + extra * (need.state + need.tape));
    Gradient(&c, rollout, &bar);
    cr_expect(UnrRolloutRecompute(rollout) == told.recompute, "told %g, run %g", told.recompute,
              UnrRolloutRecompute(rollout));
    /* the start alone is kept: 1 + 2 + ... + 8 steps */
    if (extra == 0) cr_expect(told.recompute == (STEPS + 1) / 2.0);
    TEST_CALL(UnrRolloutDestroy(&rollout));
    TestOptionsUnset(more);
  }
  TripleDestroy(&bar);
  CaseDestroy(&c);
}

/* Too small a budget is a user's mistake; the budget that its message names works. */
Test(rollout_memory, least_budget)
{
  const PlanName wig = {"wig", "wig", 0, 0};
  Case c;
  Triple bar;
  UnrRollout rollout;
  double value;
  char more[64];
  const char *tail;

  TEST_CALL(UnrErrorHandlerPush());
  CaseCreate(&c, "predict", STEPS + 1, false, "-rollout_memory 100");
  TripleCreate(&c, &bar);
  rollout = RolloutCreate(&c, &wig, STEPS);
  cr_expect(UnrRolloutGradient(rollout, &c.window, &value, bar.theta, NULL, NULL) == UNR_ERR_USER);
  tail = strstr(UnrUserErrorMessage(), "; try: ");
  cr_assert(tail && strstr(UnrUserErrorMessage(), "-rollout_memory is too small"), "%s",
            UnrUserErrorMessage());
  snprintf(more, sizeof more, "%s", tail + 7);
  UnrUserErrorClear();
  TEST_CALL(UnrRolloutDestroy(&rollout));
  TestOptionsSet(more);
  rollout = RolloutCreate(&c, &wig, STEPS);
  TEST_CALL(UnrRolloutGradient(rollout, &c.window, &value, bar.theta, NULL, NULL));
  /* one kept state, one tape: 1 + 2 + ... + 8 steps */
  cr_expect(UnrRolloutRecompute(rollout) == (STEPS + 1) / 2.0, "%g", UnrRolloutRecompute(rollout));
  TEST_CALL(UnrRolloutDestroy(&rollout));
  TestOptionsUnset(more);
  TripleDestroy(&bar);
  CaseDestroy(&c);
  TEST_CALL(PetscPopErrorHandler());
}

/* Chunks change the order of sums over samples only; the bound is rounding carried through eight chaotic
 * steps. */
Test(rollout_layout, chunks)
{
  for (int i = 0; case_models[i]; i++) {
    Case whole, c;
    Triple expect, bar;
    double value = Run(case_models[i], "", &plan_names[2], &whole, &expect, NULL);

    for (int chunk = 1; chunk <= 3; chunk++) {
      char more[32];
      double other;

      snprintf(more, sizeof more, "-rollout_chunk %d", chunk);
      other = Run(case_models[i], more, &plan_names[2], &c, &bar, NULL);
      cr_expect(TestRelative(value, other) <= 1e-13, "%s, chunks of %d: %.17g and %.17g", case_models[i],
                chunk, other, value);
      cr_expect(TripleDistance(&whole, &expect, &bar) <= 1e-12, "%s, chunks of %d: %.3g", case_models[i],
                chunk, TripleDistance(&whole, &expect, &bar));
      TripleDestroy(&bar);
      CaseDestroy(&c);
    }
    TripleDestroy(&expect);
    CaseDestroy(&whole);
  }
}

/* The part of a one-rank gradient that this rank of a layout holds: its cells of its samples. */
static void Restrict(Case *c, const Triple *alone, Triple *mine)
{
  for (PetscInt s = 0; s < c->samples; s++) {
    const double *from =
        alone->u->data + (size_t)(c->first + s) * alone->u->stride + (size_t)c->grid->start[0];

    TEST_CALL(PetscArraycpy(mine->u->data + (size_t)s * mine->u->stride, from, mine->u->stride));
  }
  TEST_CALL(PetscArraycpy(mine->par, alone->par + c->first * c->parameters, c->samples * c->parameters));
  TEST_CALL(PetscArraycpy((double *)mine->theta, (double *)alone->theta, c->weights));
}

/* One layout against every rank alone, and against itself. */
static void CheckLayout(const char *model, const PlanName *name, const char *layout, const char *precision,
                        double bound)
{
  char more[128];
  Case c, alone;
  Triple bar, again, expect, mine;
  UnrRollout rollout, lone;
  double value, single;

  snprintf(more, sizeof more, "-net_precision %s %s", precision, layout);
  CaseCreate(&alone, model, STEPS + 1, true, more);
  TripleCreate(&alone, &expect);
  lone = RolloutCreate(&alone, name, STEPS);
  single = Gradient(&alone, lone, &expect);
  CaseCreate(&c, model, STEPS + 1, false, more);
  TripleCreate(&c, &bar);
  TripleCreate(&c, &again);
  TripleCreate(&c, &mine);
  rollout = RolloutCreate(&c, name, STEPS);
  value = Gradient(&c, rollout, &bar);
  cr_expect(Gradient(&c, rollout, &again) == value && IsSameBits(&c, &bar, &again),
            "%s %s %s: a second run differs", model, name->name, more);
  Restrict(&c, &expect, &mine);
  TripleReduce(&c, &bar);
  value = TestSum(value);
  cr_expect(TestRelative(value, single) <= bound, "%s %s %s: %.17g, one rank %.17g", model, name->name, more,
            value, single);
  cr_expect(TripleDistance(&c, &mine, &bar) <= bound, "%s %s %s: %.3g", model, name->name, more,
            TripleDistance(&c, &mine, &bar));
  TEST_CALL(UnrRolloutDestroy(&rollout));
  TEST_CALL(UnrRolloutDestroy(&lone));
  TripleDestroy(&bar);
  TripleDestroy(&again);
  TripleDestroy(&mine);
  TripleDestroy(&expect);
  CaseDestroy(&c);
  CaseDestroy(&alone);
}

/* The last batch of an epoch may leave replicas without samples: they give nothing and wait for nobody. */
Test(rollout_layout, replicas_without_samples)
{
  for (int budget = 0; budget < 2; budget++) {
    Case c;
    Triple bar;
    UnrRollout rollout;
    struct UnrBatch_ view[STEPS + 1];
    UnrBatch frame[STEPS + 1];
    char more[64];
    double value, recompute;

    snprintf(more, sizeof more, "-layout_replicas %d -rollout_memory %d", PetscMin(TestRanks(), CASE_SAMPLES),
             budget ? 200000 : 0);
    CaseCreate(&c, "correct_sequential", STEPS + 1, false, more);
    TripleCreate(&c, &bar);
    rollout = RolloutCreate(&c, &plan_names[2], STEPS);
    for (int k = 0; k <= STEPS; k++) {
      view[k] = UnrBatchView(c.frame[k], 0, c.layout.replica == 0);
      frame[k] = &view[k];
    }
    c.window.batch_samples = 1;
    c.window.frame = frame;
    TEST_CALL(UnrRolloutGradient(rollout, &c.window, &value, bar.theta, NULL, NULL));
    cr_expect((value > 0) == (c.layout.replica == 0), "%g on replica %d", value, c.layout.replica);
    recompute = UnrRolloutRecompute(rollout);
    cr_expect(isfinite(recompute) && recompute <= (STEPS + 1) / 2.0, "recompute factor %g", recompute);
    /* and the full batch after it */
    c.window.batch_samples = CASE_SAMPLES;
    c.window.frame = c.frame;
    TEST_CALL(UnrRolloutGradient(rollout, &c.window, &value, bar.theta, NULL, NULL));
    cr_expect(value > 0);
    TEST_CALL(UnrRolloutDestroy(&rollout));
    TripleDestroy(&bar);
    CaseDestroy(&c);
  }
}

/* Tapes that a smaller batch has filled do not stay beside those of a larger one: a bound that holds all
   tapes of one sample holds fewer of a whole share. */
Test(rollout_memory, larger_batch)
{
  const PlanName wig = {"wig", "wig", 0, 0};
  Case c;
  Triple bar;
  UnrRollout rollout;
  UnrRolloutMemory one, all;
  UnrWindow small;
  struct UnrBatch_ view[STEPS + 1];
  UnrBatch frame[STEPS + 1];
  double value;
  char more[64];

  CaseCreate(&c, "correct_sequential", STEPS + 1, false, "-layout_replicas 1");
  TripleCreate(&c, &bar);
  for (int k = 0; k <= STEPS; k++) {
    view[k] = UnrBatchView(c.frame[k], 0, 1);
    frame[k] = &view[k];
  }
  small = (UnrWindow){.batch_samples = 1, .par = c.par, .frame = frame};
  rollout = RolloutCreate(&c, &wig, STEPS);
  TEST_CALL(UnrRolloutMeasure(rollout, &small, &one));
  TEST_CALL(UnrRolloutMeasure(rollout, &c.window, &all));
  TEST_CALL(UnrRolloutDestroy(&rollout));
  cr_expect(1.3 * one.all >= all.least && 1.3 * one.all < all.all);
  snprintf(more, sizeof more, "-rollout_memory %.0f", 1.3 * one.all);
  TestOptionsSet(more);
  rollout = RolloutCreate(&c, &wig, STEPS);
  TEST_CALL(UnrRolloutGradient(rollout, &small, &value, bar.theta, NULL, NULL));
  cr_expect(UnrRolloutRecompute(rollout) == 1);
  TEST_CALL(UnrRolloutGradient(rollout, &c.window, &value, bar.theta, NULL, NULL));
  cr_expect(UnrRolloutRecompute(rollout) > 1);
  cr_expect((double)UnrTapeBytesNow() <= 1.3 * one.all, "%zu bytes", UnrTapeBytesNow());
  TEST_CALL(UnrRolloutDestroy(&rollout));
  TestOptionsUnset(more);
  TripleDestroy(&bar);
  CaseDestroy(&c);
}

/* Every number of replicas that divides the ranks.  The bounds are rounding carried through eight chaotic
 * steps. */
Test(rollout_layout, replicas_and_grids)
{
  int size = TestRanks();

  for (int replicas = 1; replicas <= size; replicas++) {
    char layout[32];

    if (size % replicas) continue;
    snprintf(layout, sizeof layout, "-layout_replicas %d", replicas);
    for (int i = 0; case_models[i]; i++) CheckLayout(case_models[i], &plan_names[2], layout, "double", 1e-12);
    CheckLayout("correct_parallel", &plan_names[1], layout, "double", 1e-12);
    CheckLayout("correct_sequential", &plan_names[5], layout, "double", 1e-12);
    CheckLayout("correct_parallel", &plan_names[1], layout, "single", 1e-5);
    CheckLayout("correct_sequential", &plan_names[2], layout, "single", 1e-5);
  }
}
