/* Metrics of what the physics says of a state, and roll-outs that go on behind their reference. */
#include "metric_case.h"

enum { FRAMES = 12, WINDOW = 4 };

/* u = a(frame) reference: integrals are quadratic, so that their ratio is a^2; the parameter cancels in the
   error, and not in the series. */
static double Growth(PetscInt test, PetscInt frame)
{
  return 1 + 0.02 * (double)((test + 1) * frame);
}

static double Grown(PetscInt test, PetscInt frame, PetscInt i)
{
  return Growth(test, frame) * TestNoise(test, frame, i);
}

/* sum over the grid of the square of component 0 */
static double Square(PetscInt test, PetscInt frame)
{
  double sum = 0;

  for (PetscInt i = 0; i < NUMBERS; i += COMPONENTS)
    sum += TestNoise(test, frame, i) * TestNoise(test, frame, i);
  return sum;
}

enum { SHORT = 7 }; /* frames of a reference that ends before the roll-out does */

Test(metric_physics, integrals)
{
  const TestRun run = {Grown, TestNoise, NULL, NULL, FRAMES, WINDOW, SHORT};
  TestMeasured m;

  TestMeasure(&run, false, &m);
  for (int i = 0; i < INTEGRALS; i++) {
    const UnrMetricView view = TestView(&m, test_integral[i]);

    cr_expect(view.columns == 2 && view.frames == FRAMES);
    for (PetscInt t = 0; t < m.count; t++) {
      const double *ours = view.series + t * 2 * (FRAMES + 1), *theirs = ours + FRAMES + 1;
      const double scale = (i + 1) * (1 + 0.1 * (double)(m.first + t));
      double sum[2] = {0}, largest = 0, error;

      for (PetscInt k = 0; k <= FRAMES; k++) {
        const double growth = Growth(m.first + t, k), square = scale * Square(m.first + t, k);

        cr_expect(TestRelative(ours[k], growth * growth * square) <= 1e-13); /* rounding of 35 terms */
        cr_expect(k <= SHORT ? TestRelative(theirs[k], square) <= 1e-13 : isnan(theirs[k]));
        largest = fmax(largest, growth * growth * square);
        if (1 > k || k > SHORT) continue;
        sum[0] += growth * growth * square;
        sum[1] += square;
      }
      error = i == INTEGRALS - 1 ? largest : sum[0] / sum[1] - 1;
      cr_expect(TestRelative(view.value[t], error) <= 1e-12, "%s: %.17g, expected %.17g", view.name,
                view.value[t], error);
    }
  }
  TestMeasuredDestroy(&m);
}

/* Where the reference ends, what needs it ends; the rest goes on, with the numbers of a longer reference. */
Test(metric_physics, behind_the_reference)
{
  const TestRun whole = {TestOffset, TestNoise, Grown, NULL, FRAMES, WINDOW, 0};
  TestRun part = whole;
  TestMeasured m, longer;
  UnrMetricView a, b;

  part.reference_frames = SHORT;
  TestMeasure(&part, false, &m);
  TestMeasure(&whole, false, &longer);
  for (PetscInt i = 0; UnrMetricsGet(m.metrics, i, &a); i++) {
    UnrMetricsGet(longer.metrics, i, &b);
    cr_expect(b.frames == FRAMES && (a.frames == FRAMES || a.frames == SHORT));
    for (PetscInt t = 0; t < m.count; t++) {
      const PetscInt row = t * a.columns * (FRAMES + 1);

      for (PetscInt k = 0; a.columns && k <= FRAMES; k++) {
        const double x = a.series[row + k], y = b.series[row + k];

        cr_expect(k > a.frames ? isnan(x) : x == y || (isnan(x) && isnan(y)), "%s frame %d", a.name, (int)k);
      }
      if (a.is_time) cr_expect(a.value[t] == PetscMin(b.value[t], (double)a.frames), "%s", a.name);
    }
  }
  cr_expect(TestView(&m, "residual").frames == FRAMES && TestView(&m, "label").frames == FRAMES);
  cr_expect(TestView(&m, "mse").frames == SHORT && TestView(&m, "vorticity_correlation").frames == SHORT);
  TestMeasuredDestroy(&longer);
  TestMeasuredDestroy(&m);
}

/* Vorticities a = 3 + cos, b = -1 + cos of another phase: means do not count, the cosine of the phases does.
   Test t falls below 0.95 in frame t + 1; test 4 never. */
static double Phase(PetscInt test, PetscInt frame)
{
  return test < 4 && frame > test ? acos(0.9499) : acos(0.9501);
}

static double Wave(double mean, double phase, PetscInt i)
{
  const PetscInt cell = i / COMPONENTS;
  const double wanted = mean + cos(2 * PETSC_PI * 3 * (double)cell / CELLS + phase);

  return i % COMPONENTS ? 0.5 : wanted + 1; /* u_0 - 2 u_1 is what is wanted */
}

static double WaveOurs(PetscInt test, PetscInt frame, PetscInt i)
{
  return Wave(3, Phase(test, frame), i);
}

static double WaveReference(PetscInt test, PetscInt frame, PetscInt i)
{
  (void)test, (void)frame;
  return Wave(-1, 0, i);
}

Test(metric_physics, vorticity_correlation)
{
  const TestRun run = {WaveOurs, WaveReference, NULL, NULL, FRAMES, WINDOW, 0};
  const TestRun still = {TestZero, WaveReference, NULL, NULL, FRAMES, WINDOW, 0};
  TestMeasured m, none;

  TestMeasure(&run, false, &m);
  TestMeasure(&still, false, &none);
  const UnrMetricView c = TestView(&m, "vorticity_correlation"),
                      zero = TestView(&none, "vorticity_correlation");
  cr_expect(!strcmp(c.value_name, "vorticity_correlation_time") && c.is_time);
  for (PetscInt t = 0; t < m.count; t++) {
    const PetscInt test = m.first + t;

    for (PetscInt k = 0; k <= FRAMES; k++) /* the mean's square is 20 times the variance */
      cr_expect(fabs(c.series[t * (FRAMES + 1) + k] - cos(Phase(test, k))) <= 1e-13);
    cr_expect(c.value[t] == (test < 4 ? (double)test + 1 : FRAMES), "test %d: %g", (int)test, c.value[t]);
    cr_expect(zero.value[t] == 0 && zero.series[t * (FRAMES + 1) + 3] == 0);
  }
  TestMeasuredDestroy(&none);
  TestMeasuredDestroy(&m);
}
