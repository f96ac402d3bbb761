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

/* Any budget gives the bits of none, is kept to, and costs what it says; the largest rank's needs decide. */
Test(rollout_memory, budgets)
{
  const PlanName wig = {"wig", "wig", 0, 0};
  Case c;
  UnrRollout rollout;
  UnrRolloutMemory need;
  Triple keep;
  double all, most[3];

  CaseCreate(&c, "correct_sequential", STEPS + 1, false, "");
  TripleCreate(&c, &keep);
  rollout = RolloutCreate(&c, &wig, STEPS);
  all = Gradient(&c, rollout, &keep);
  cr_expect(UnrRolloutRecompute(rollout) == 1);
  TEST_CALL(UnrRolloutMeasure(rollout, &c.window, &need));
  /* the states of eight steps with their start, and two cotangents */
  cr_expect(need.states == (STEPS + 3) * (double)c.samples * (double)c.frame[0]->stride * sizeof(double));
  cr_expect(need.least == need.states + need.tape && need.all == need.states + STEPS * need.tape);
  TEST_CALL(UnrRolloutDestroy(&rollout));
  most[0] = need.tape / (double)c.samples;
  most[1] = need.states / (double)c.samples;
  most[2] = (double)c.samples;
  MPI_Allreduce(MPI_IN_PLACE, most, 3, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD);
  for (int kept = 1; kept <= STEPS; kept++) {
    char more[64];
    double recompute, value, budget = most[2] * (most[1] + (kept + 0.5) * most[0]);
    Case other;
    Triple bar;

    snprintf(more, sizeof more, "-rollout_memory %.0f", budget);
    UnrTapePeakReset();
    value = Run("correct_sequential", more, &wig, &other, &bar, &recompute);
    cr_expect(value == all && IsSameBits(&c, &keep, &bar), "%d tapes", kept);
    cr_expect(recompute == (double)(2 * STEPS - kept) / STEPS, "%d tapes: recompute factor %g", kept,
              recompute);
    cr_expect((double)UnrTapeBytesPeak() <= kept * most[0] * most[2] * (1 + 1e-12), "%d tapes: %zu bytes",
              kept, UnrTapeBytesPeak());
    TripleDestroy(&bar);
    CaseDestroy(&other);
  }
  TripleDestroy(&keep);
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
  cr_expect(UnrRolloutRecompute(rollout) == (2.0 * STEPS - 1) / STEPS, "%g", UnrRolloutRecompute(rollout));
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
    cr_expect(isfinite(recompute) && recompute <= 2, "recompute factor %g", recompute);
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
  double value, kept, most[2];
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
  most[0] = one.all;
  most[1] = all.tape;
  MPI_Allreduce(MPI_IN_PLACE, most, 2, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD);
  snprintf(more, sizeof more, "-rollout_memory %.0f", 1.3 * most[0]);
  TestOptionsSet(more);
  rollout = RolloutCreate(&c, &wig, STEPS);
  TEST_CALL(UnrRolloutGradient(rollout, &small, &value, bar.theta, NULL, NULL));
  cr_expect(UnrRolloutRecompute(rollout) == 1);
  TEST_CALL(UnrRolloutGradient(rollout, &c.window, &value, bar.theta, NULL, NULL));
  kept = STEPS * (2 - UnrRolloutRecompute(rollout));
  cr_expect(kept >= 1 && kept < STEPS, "%g tapes", kept);
  cr_expect((double)UnrTapeBytesNow() <= kept * most[1], "%zu bytes, %g tapes of %g", UnrTapeBytesNow(), kept,
            most[1]);
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
