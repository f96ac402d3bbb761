/* Metrics against closed forms, on every layout; tests that leave their bounds; an example of every label. */
#include "metric_case.h"

enum { FRAMES = 12, WINDOW = 4 };

/* Every metric of the build: a new one enters by its list line. */
#define UNR_METRIC(name, Name) #name,
static const char *const names[] = {
#include "metric/list.h"
};
#undef UNR_METRIC
enum { METRICS = sizeof names / sizeof names[0] };

static double Other(PetscInt test, PetscInt frame, PetscInt i)
{
  return 0.9 * TestNoise(test, frame, i) + 0.3 * TestNoise(test + 100, frame, i);
}

/* Test 1 leaves its bounds in frame 3, test 3 in frame 6 (behind the window), test 4 in frame 0. */
static PetscInt Leaves(PetscInt test)
{
  static const PetscInt frame[TESTS] = {FRAMES + 1, 3, FRAMES + 1, 6, 0};

  return frame[test];
}

static bool IsLive(PetscInt test, PetscInt frame)
{
  return frame < Leaves(test);
}

/* What a frozen test is given must not matter, be it a number or none. */
static double Broken(PetscInt test, PetscInt frame, PetscInt i)
{
  return IsLive(test, frame) ? Other(test, frame, i) : test == 3 ? 1000. : (double)NAN;
}

static const TestRun plain = {Other, TestNoise, TestOffset, NULL, FRAMES, WINDOW, 0};
static const TestRun broken = {Broken, TestNoise, TestOffset, IsLive, FRAMES, WINDOW, 0};

static PetscErrorCode Count(const char *name, const char *summary, void *context)
{
  cr_expect(name[0] && summary[0]);
  ++*(int *)context;
  return PETSC_SUCCESS;
}

Test(metric, list)
{
  TestMeasured m;
  UnrMetricView view;
  int count = 0;

  TEST_CALL(UnrMetricList(Count, &count));
  cr_expect(count == METRICS);
  TestMeasure(&plain, false, &m);
  count = 0;
  for (int i = 0; i < METRICS; i++) {
    if (!strcmp(names[i], "spectrum")) continue; /* the physics of these tests has no transforms */
    cr_expect(UnrMetricsGet(m.metrics, count++, &view));
    cr_expect(!strcmp(view.name, names[i]) && view.value_name[0] && view.value);
    cr_expect(!view.words || !view.is_time);
  }
  cr_expect(!UnrMetricsGet(m.metrics, count, &view));
  TestMeasuredDestroy(&m);
}

/* In the list's order, each once. */
Test(metric, types)
{
  TestMeasured m;
  UnrMetricView view;
  UnrMetrics none = NULL;

  TestOptionsSet("-metric_types mse,rel,mse");
  TestMeasure(&plain, false, &m);
  cr_expect(UnrMetricsGet(m.metrics, 0, &view) && !strcmp(view.name, "rel"));
  cr_expect(UnrMetricsGet(m.metrics, 1, &view) && !strcmp(view.name, "mse"));
  cr_expect(!UnrMetricsGet(m.metrics, 2, &view));
  TestOptionsSet("-metric_types mse,rell");
  UnrMetricSpec spec = TestSpec(&plain, &m);
  TEST_REFUSES(UnrMetricsCreate(&spec, &none), "rell");
  TestOptionsUnset("-metric_types");
  TestMeasuredDestroy(&m);
}

/* What looks at something that the physics does not have is left out, or refused where it is asked for. */
Test(metric, physics_that_has_little)
{
  TestMeasured m;
  UnrMetricView view;
  UnrMetrics metrics = NULL;
  PetscInt count = 0;

  TestMeasure(&plain, false, &m);
  UnrMetricSpec spec = TestSpec(&plain, &m);
  m.physics.ops = &test_physics_plain;
  TEST_CALL(UnrMetricsCreate(&spec, &metrics));
  for (; UnrMetricsGet(metrics, count, &view); count++) {
    cr_expect(strcmp(view.name, "vorticity_correlation"));
    for (int i = 0; i < INTEGRALS; i++) cr_expect(strcmp(view.name, test_integral[i]));
  }
  cr_expect(count == METRICS - INTEGRALS - 2); /* no vorticity, no transforms */
  TEST_CALL(UnrMetricsDestroy(&metrics));
  TestOptionsSet("-metric_types mse,energy");
  TEST_REFUSES(UnrMetricsCreate(&spec, &metrics), "physics plain has no energy");
  TestOptionsSet("-metric_types spectrum");
  TEST_REFUSES(UnrMetricsCreate(&spec, &metrics), "no transforms");
  TestOptionsSet("-metric_types vorticity_correlation");
  TEST_REFUSES(UnrMetricsCreate(&spec, &metrics), "no vorticity");
  TestOptionsUnset("-metric_types");
  m.physics.ops = &test_physics;
  TestMeasuredDestroy(&m);
}

/* Rounding of 70 terms in another order, amplified by differences of like numbers. */
static bool IsClose(double a, double b)
{
  return (isnan(a) && isnan(b)) || TestRelative(a, b) <= 1e-12;
}

/* This replica's tests against one rank's, number for number. */
static void ExpectSame(const TestMeasured *m, const TestMeasured *alone)
{
  UnrMetricView a, b;

  for (PetscInt i = 0; UnrMetricsGet(m->metrics, i, &a); i++) {
    UnrMetricsGet(alone->metrics, i, &b);
    for (PetscInt t = 0; t < m->count; t++) {
      cr_expect(IsClose(a.value[t], b.value[m->first + t]), "%s of test %d: %.17g, one rank %.17g", a.name,
                (int)(m->first + t), a.value[t], b.value[m->first + t]);
      for (PetscInt k = 0; k < a.columns * (FRAMES + 1); k++) {
        const PetscInt length = a.columns * (FRAMES + 1);
        const double x = a.series[t * length + k], y = b.series[(m->first + t) * length + k];
        cr_expect(IsClose(x, y), "%s of test %d, number %d: %.17g, one rank %.17g", a.name,
                  (int)(m->first + t), (int)k, x, y);
      }
    }
  }
}

Test(metric, every_layout_gives_the_numbers_of_one_rank)
{
  const TestRun *const run[] = {&plain, &broken};

  for (int r = 0; r < 2; r++)
    for (int replicas = 1; replicas <= PetscMin(TestRanks(), TESTS); replicas++) {
      TestMeasured m, alone;
      char option[64];

      if (TestRanks() % replicas) continue;
      snprintf(option, sizeof option, "-layout_replicas %d", replicas);
      TestOptionsSet(option);
      TestMeasure(run[r], false, &m);
      TestMeasure(run[r], true, &alone);
      ExpectSame(&m, &alone);
      TestMeasuredDestroy(&alone);
      TestMeasuredDestroy(&m);
      TestOptionsUnset("-layout_replicas");
    }
}

/* A frozen test changes no other test, has the same numbers before and none after. */
Test(metric, out_of_bounds)
{
  TestMeasured m, whole;
  UnrMetricView a, b;

  TestMeasure(&broken, false, &m);
  TestMeasure(&plain, false, &whole);
  for (PetscInt i = 0; UnrMetricsGet(m.metrics, i, &a); i++) {
    UnrMetricsGet(whole.metrics, i, &b);
    for (PetscInt t = 0; t < m.count; t++) {
      const PetscInt leaves = Leaves(m.first + t);

      cr_expect(UnrMetricsBounded(m.metrics, t) == PetscMax(leaves - 1, 0));
      if (leaves > FRAMES) cr_expect(a.value[t] == b.value[t], "%s of test %d", a.name, (int)(m.first + t));
      for (PetscInt k = 0; a.columns && k <= FRAMES; k++) {
        const double x = a.series[t * a.columns * (FRAMES + 1) + k];
        const double y = b.series[t * a.columns * (FRAMES + 1) + k];

        if (k >= leaves)
          cr_expect(isnan(x), "%s of test %d, frame %d: %g", a.name, (int)(m.first + t), (int)k, x);
        else if (leaves > WINDOW || strcmp(a.name, "rel")) /* whose scale is that of the whole window */
          cr_expect(x == y || (isnan(x) && isnan(y)), "%s of test %d, frame %d", a.name, (int)(m.first + t),
                    (int)k);
      }
    }
  }
  TestMeasuredDestroy(&whole);
  TestMeasuredDestroy(&m);
}

/* Which values a test has after it left: errors of a window that it did not live through are none; times are.
 */
Test(metric, values_out_of_bounds)
{
  TestMeasured m;

  TestMeasure(&broken, false, &m);
  const UnrMetricView rel = TestView(&m, "rel"), mse = TestView(&m, "mse"), one = TestView(&m, "one_frame");
  const UnrMetricView correlation = TestView(&m, "correlation"), residual = TestView(&m, "residual");
  const UnrMetricView divergence = TestView(&m, "divergence_time"), label = TestView(&m, "label");
  for (PetscInt t = 0; t < m.count; t++) {
    const PetscInt leaves = Leaves(m.first + t);

    cr_expect(isnan(rel.value[t]) == (leaves <= WINDOW));
    cr_expect(isnan(mse.value[t]) == (leaves <= WINDOW));
    cr_expect(isnan(one.value[t]) == (leaves <= 1));
    cr_expect(isnan(residual.value[t]) == (leaves <= FRAMES));
    if (leaves > FRAMES) continue;
    cr_expect(correlation.value[t] == (double)leaves, "correlation_time %g", correlation.value[t]);
    cr_expect(divergence.value[t] == (double)PetscMax(leaves, 1), "divergence_time %g", divergence.value[t]);
    cr_expect(label.value[t] == 0, "a frozen test is unstable");
  }
  TestMeasuredDestroy(&m);
}

/* u = r + 0.1 (t + 1) k: sums of squares in closed form; the scale by a search over the whole grid. */
Test(metric, errors_of_an_offset)
{
  const TestRun run = {TestOffset, TestNoise, NULL, NULL, FRAMES, WINDOW, 0};
  TestMeasured m;

  TestMeasure(&run, false, &m);
  const UnrMetricView rel = TestView(&m, "rel"), mse = TestView(&m, "mse"), one = TestView(&m, "one_frame");
  for (PetscInt t = 0; t < m.count; t++) {
    const PetscInt test = m.first + t;
    const double offset = 0.1 * (double)(test + 1);
    const double mean = offset * offset * (WINDOW + 1) * (2 * WINDOW + 1) / 6; /* sum k^2 / WINDOW */
    double scale = 0, square = 0;

    for (PetscInt k = 0; k <= WINDOW; k++)
      for (PetscInt i = 0; i < NUMBERS; i++) scale = fmax(scale, fabs(TestNoise(test, k, i)));
    for (PetscInt i = 0; i < NUMBERS; i++) square += TestNoise(test, 1, i) * TestNoise(test, 1, i);
    for (PetscInt k = 0; k <= FRAMES; k++) {
      const double expect = offset * offset * (double)(k * k);

      /* u - r is rounded by 1e-16 of some 3, and is 0.1 at least */
      cr_expect(TestRelative(mse.series[t * (FRAMES + 1) + k], expect) <= 1e-13);
      cr_expect(TestRelative(rel.series[t * (FRAMES + 1) + k], expect / (scale * scale)) <= 1e-13);
    }
    cr_expect(TestRelative(mse.value[t], mean) <= 1e-13, "mse %.17g, expected %.17g", mse.value[t], mean);
    cr_expect(TestRelative(rel.value[t], mean / (scale * scale)) <= 1e-13);
    cr_expect(TestRelative(one.value[t], offset / sqrt(square / NUMBERS)) <= 1e-13);
  }
  TestMeasuredDestroy(&m);
}

/* Angle of a test in a frame whose cosine is its correlation: test t crosses 0.2 for good in frame 2 t; frame
   1 is below it for four frames only where t = 4. */
static double Angle(PetscInt test, PetscInt frame)
{
  const double below = acos(0.19), above = acos(0.21);

  if (test == 4) return frame >= 1 && frame <= 4 ? below : frame >= FRAMES - 3 ? PETSC_PI : above;
  return frame < 2 * test ? above : below + 0.01 * (double)(test + 1);
}

static const double frequency = 2 * PETSC_PI * 3 / NUMBERS;
static double Sine(PetscInt test, PetscInt frame, PetscInt i)
{
  return (1 + (double)(test + frame)) * sin(frequency * (double)i);
}

static double Shifted(PetscInt test, PetscInt frame, PetscInt i)
{
  return 0.3 * sin(frequency * (double)i + Angle(test, frame));
}

/* Two sines of the same wavenumber correlate by the cosine of their phases' difference, whatever their size.
 */
Test(metric, correlation_of_sines)
{
  const TestRun run = {Shifted, Sine, NULL, NULL, FRAMES, WINDOW, 0};
  TestMeasured m;

  TestMeasure(&run, false, &m);
  const UnrMetricView c = TestView(&m, "correlation");
  cr_expect(!strcmp(c.value_name, "correlation_time") && c.is_time);
  for (PetscInt t = 0; t < m.count; t++) {
    const PetscInt test = m.first + t;
    /* Test 4 comes back after four frames, and is below again for the last four: not five, so never. */
    const double expect = test == 4 ? FRAMES : (double)(2 * test);

    for (PetscInt k = 0; k <= FRAMES; k++)
      cr_expect(fabs(c.series[t * (FRAMES + 1) + k] - cos(Angle(test, k))) <= 1e-14);
    cr_expect(c.value[t] == expect, "test %d: %g, expected %g", (int)test, c.value[t], expect);
  }
  TestMeasuredDestroy(&m);
}

Test(metric, correlation_with_nothing)
{
  const TestRun run = {TestZero, Sine, NULL, NULL, FRAMES, WINDOW, 0};
  TestMeasured m;

  TestMeasure(&run, false, &m);
  const UnrMetricView c = TestView(&m, "correlation");
  for (PetscInt t = 0; t < m.count; t++) cr_expect(c.value[t] == 0 && c.series[t * (FRAMES + 1) + 3] == 0);
  TestMeasuredDestroy(&m);
}

/* The reference scheme's step differs by a known number everywhere: test t passes a sum of 500 in frame t +
   2; in test 0 the sum is 499.9 at most. */
static double Difference(PetscInt test, PetscInt frame)
{
  const double limit = sqrt(500. / NUMBERS);

  if (test == 0) return frame == 2 ? 0.9999 * limit : 0.25;
  return frame >= test + 2 ? 1.0001 * limit : 0.25;
}

static double Step(PetscInt test, PetscInt frame, PetscInt i)
{
  return TestNoise(test, frame, i) + (i % 2 ? 1 : -1) * Difference(test, frame);
}

Test(metric, one_step_residual)
{
  const TestRun run = {TestNoise, TestZero, Step, NULL, FRAMES, WINDOW, 0};
  TestMeasured m;

  TestMeasure(&run, false, &m);
  const UnrMetricView r = TestView(&m, "residual"), d = TestView(&m, "divergence_time");
  const UnrMetricView label = TestView(&m, "label");
  for (PetscInt t = 0; t < m.count; t++) {
    const PetscInt test = m.first + t;
    double mean = 0;

    cr_expect(isnan(r.series[t * (FRAMES + 1)]), "frame 0 has no residual");
    for (PetscInt k = 1; k <= FRAMES; k++) {
      const double expect = Difference(test, k) * Difference(test, k);

      cr_expect(TestRelative(r.series[t * (FRAMES + 1) + k], expect) <= 1e-13);
      mean += expect / FRAMES;
    }
    cr_expect(TestRelative(r.value[t], mean) <= 1e-13);
    cr_expect(d.value[t] == (test ? (double)(test + 2) : FRAMES), "test %d: %g", (int)test, d.value[t]);
    cr_expect((label.value[t] == 0) == (test > 0), "test %d: label %g", (int)test, label.value[t]);
  }
  TestMeasuredDestroy(&m);
}
