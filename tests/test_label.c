/* The label of a roll-out: synthetic trajectories of each kind, several a word. */
#include "metric_case.h"

enum { FRAMES = 240 };
enum { UNSTABLE, STATIC, RECURRING, REGULAR };
static const char *const words[] = {"unstable", "static", "recurring", "regular"};

/* A profile without symmetry, as a function of the position in [0, 1). */
static double Profile(double x)
{
  x *= 2 * PETSC_PI;
  return sin(x) + 0.5 * cos(2 * x + 0.3) + 0.2 * sin(3 * x);
}

static double Place(PetscInt i)
{
  return (double)i / NUMBERS;
}

/* Settles, from far away, on a profile. */
static double Settles(PetscInt test, PetscInt k, PetscInt i)
{
  return (double)(test + 1) * Profile(Place(i)) * (1 + 3 * exp(-0.1 * (double)k));
}

static double Dies(PetscInt test, PetscInt k, PetscInt i)
{
  return k < 50 ? Profile(Place(i)) * exp(-(double)(test + 1) * (double)k) : 0;
}

/* Changes by 5e-4 of itself a frame for ever: static by definition, though it never rests. */
static double Creeps(PetscInt test, PetscInt k, PetscInt i)
{
  (void)test;
  return Profile(Place(i)) * exp(5e-4 * (double)k);
}

/* Twice that and more: not static, and it never comes back. */
static double Grows(PetscInt test, PetscInt k, PetscInt i)
{
  return Profile(Place(i)) * exp(2e-3 * (double)(test + 1) * (double)k);
}

/* A standing wave of a period that is no whole number of frames, different in every test. */
static double Swings(PetscInt test, PetscInt k, PetscInt i)
{
  const double period = 7.3 + 3.1 * (double)test;

  return Profile(Place(i)) + 0.6 * sin(2 * PETSC_PI * (double)k / period) * sin(4 * PETSC_PI * Place(i));
}

/* A wave that travels by a fraction of a cell a frame. */
static double Travels(PetscInt test, PetscInt k, PetscInt i)
{
  return Profile(Place(i) - 0.0137 * (double)(test + 1) * (double)k);
}

/* One that swings while it travels: it is never in the same place twice. */
static double TravelsAndSwings(PetscInt test, PetscInt k, PetscInt i)
{
  const double period = 9.7 + 2.3 * (double)test;

  return (1 + 0.3 * sin(2 * PETSC_PI * (double)k / period)) * Travels(test, k, i);
}

/* Every other frame is the same. */
static double Flips(PetscInt test, PetscInt k, PetscInt i)
{
  return Profile(Place(i)) * (k % 2 ? 1.2 + 0.1 * (double)test : 1);
}

/* Swings from the middle on, after something else: the second half is what counts. */
static double SwingsLater(PetscInt test, PetscInt k, PetscInt i)
{
  return k < FRAMES / 2 ? Grows(test, k, i) : Swings(test, k, i);
}

/* Coefficients of three waves, a point of the Lorenz attractor in frame k: chaotic. */
static void Lorenz(PetscInt test, PetscInt k, double x[3])
{
  enum { STEPS = 20 };
  const double dt = 0.05 / STEPS;

  x[0] = 1 + 0.3 * (double)test, x[1] = -2, x[2] = 20;
  for (PetscInt n = 0; n < STEPS * k; n++) {
    const double f[] = {10 * (x[1] - x[0]), x[0] * (28 - x[2]) - x[1], x[0] * x[1] - 8. / 3 * x[2]};
    for (int c = 0; c < 3; c++) x[c] += dt * f[c];
  }
}

static double Chaotic(PetscInt test, PetscInt k, PetscInt i)
{
  static double x[3];
  static PetscInt of[2] = {-1, -1};

  if (of[0] != test || of[1] != k) Lorenz(of[0] = test, of[1] = k, x);
  return 0.1 * (x[0] * sin(2 * PETSC_PI * Place(i)) + x[1] * cos(4 * PETSC_PI * Place(i)) +
                (x[2] - 25) * sin(6 * PETSC_PI * Place(i) + 1));
}

static double Noise(PetscInt test, PetscInt k, PetscInt i)
{
  const UnrRng rng = {5, UnrRngStream("noise", (uint64_t)test, (uint64_t)k)};

  return UnrRngNormal(rng, (uint64_t)i);
}

/* The reference scheme disagrees with the last frame by far. */
static double StepFails(PetscInt test, PetscInt k, PetscInt i)
{
  return Swings(test, k, i) + (k == FRAMES - 1 ? 100 : 0);
}

static bool IsLost(PetscInt test, PetscInt k)
{
  (void)test;
  return k < FRAMES;
}

#define EXAMPLE(function, step, is_live, label)                                                              \
  {                                                                                                          \
#function, {function, Noise, step, is_live, FRAMES, 12 }, label                                          \
  }
static const struct {
  const char *name;
  TestRun run;
  int label;
} examples[] = {
    EXAMPLE(Settles, NULL, NULL, STATIC),
    EXAMPLE(Dies, NULL, NULL, STATIC),
    EXAMPLE(Creeps, NULL, NULL, STATIC),
    EXAMPLE(Grows, NULL, NULL, REGULAR),
    EXAMPLE(Swings, NULL, NULL, RECURRING),
    EXAMPLE(Travels, NULL, NULL, RECURRING),
    EXAMPLE(TravelsAndSwings, NULL, NULL, RECURRING),
    EXAMPLE(Flips, NULL, NULL, RECURRING),
    EXAMPLE(SwingsLater, NULL, NULL, RECURRING),
    EXAMPLE(Chaotic, NULL, NULL, REGULAR),
    EXAMPLE(Noise, NULL, NULL, REGULAR),
    EXAMPLE(Swings, StepFails, NULL, UNSTABLE),
    EXAMPLE(Settles, NULL, IsLost, UNSTABLE),
};

Test(label, examples)
{
  TestOptionsSet("-metric_types label");
  for (size_t e = 0; e < sizeof examples / sizeof examples[0]; e++) {
    TestMeasured m;

    TestMeasure(&examples[e].run, false, &m);
    const UnrMetricView label = TestView(&m, "label");
    for (PetscInt t = 0; t < m.count; t++)
      cr_expect(label.value[t] == examples[e].label, "%s, test %d: %s instead of %s", examples[e].name,
                (int)(m.first + t), words[(int)label.value[t]], words[examples[e].label]);
    TestMeasuredDestroy(&m);
  }
  TestOptionsUnset("-metric_types");
}

/* The words are the metric's. */
Test(label, words)
{
  TestMeasured m;
  char joined[128] = "";

  TestMeasure(&examples[0].run, false, &m);
  for (int w = 0; w < 4; w++)
    snprintf(joined + strlen(joined), sizeof joined - strlen(joined), "%s%s", w ? "|" : "", words[w]);
  cr_expect(!strcmp(TestView(&m, "label").words, joined), "%s", TestView(&m, "label").words);
  TestMeasuredDestroy(&m);
}
