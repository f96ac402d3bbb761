/* Optimisers: each against its formula in long double, where moments are weighted means of all gradients so
   far; reset, moments by name, resuming, mistakes. */
#include "support.h"

#include "optim/optim.h"

enum { N = 37, UPDATES = 200 }; /* no multiple of a vector */

/* Every optimiser of the build: a new one enters by its list line, and wants its formula here. */
#define UNR_OPTIM(name, Name) #name,
static const char *const names[] = {
#include "optim/list.h"
};
#undef UNR_OPTIM
enum { OPTIMS = sizeof(names) / sizeof(names[0]) };

/* What the formulas need; NULL options end the settings of a type. */
typedef struct {
  const char *type, *options;
  double beta[2], epsilon, decay, momentum;
  bool is_nesterov;
} Setting;

static const Setting settings[] = {
    {"adam", "-optim_type adam", {0.9, 0.999}, 1e-8, 0, 0, false},
    {"adam",
     "-optim_type adam -optim_beta1 0.5 -optim_beta2 0.75 -optim_epsilon 1e-2 -optim_weight_decay 0.25",
     {0.5, 0.75},
     1e-2,
     0.25,
     0,
     false},
    {"adam", "-optim_type adam -optim_beta1 0 -optim_beta2 0.99", {0, 0.99}, 1e-8, 0, 0, false},
    {"adamw", "-optim_type adamw", {0.9, 0.999}, 1e-8, 0.01, 0, false},
    {"adamw", "-optim_type adamw -optim_weight_decay 2", {0.9, 0.999}, 1e-8, 2, 0, false},
    {"adamw", "-optim_type adamw -optim_weight_decay 0", {0.9, 0.999}, 1e-8, 0, 0, false},
    {"sgd", "-optim_type sgd", {0}, 0, 0, 0, false},
    {"sgd", "-optim_type sgd -optim_weight_decay 0.5", {0}, 0, 0.5, 0, false},
    {"sgd", "-optim_type sgd -optim_momentum 0.9 -optim_weight_decay 0.5", {0}, 0, 0.5, 0.9, false},
    {"sgd", "-optim_type sgd -optim_momentum 0.75 -optim_nesterov", {0}, 0, 0, 0.75, true},
};
enum { SETTINGS = sizeof(settings) / sizeof(settings[0]) };

/* Gradient of weight i in update t = 1 ...: changing signs, magnitudes over four decades; and the rates. */
static double GradientAt(int t, int i)
{
  return pow(10, -(double)(i % 5)) *
         UnrRngNormal((UnrRng){9, UnrRngStream("gradient", (uint64_t)t, 0)}, (uint64_t)i);
}
static double RateAt(int t)
{
  return 0.01 * (1 + 0.5 * cos(0.1 * t));
}
static double FactorAt(int t)
{
  return t % 3 ? 1 : 0.375;
}
static double StartAt(int i)
{
  return UnrRngNormal((UnrRng){9, UnrRngStream("theta", 0, 0)}, (uint64_t)i);
}

static UnrOptim Create(const char *options, UnrPrecision precision)
{
  UnrOptim optim;

  TestOptionsSet(options);
  TEST_CALL(UnrOptimCreate(precision, N, &optim));
  TestOptionsUnset(options);
  return optim;
}

/* Weights or gradients in a precision. */
static void Put(UnrPrecision precision, void *x, int i, double value)
{
  if (precision == UNR_SINGLE)
    ((float *)x)[i] = (float)value;
  else
    ((double *)x)[i] = value;
}
static double Get(UnrPrecision precision, const void *x, int i)
{
  return precision == UNR_SINGLE ? (double)((const float *)x)[i] : ((const double *)x)[i];
}

static void Start(UnrPrecision precision, void *theta)
{
  for (int i = 0; i < N; i++) Put(precision, theta, i, StartAt(i));
}

/* Updates first .. last of the sequence. */
static void Run(UnrOptim optim, UnrPrecision precision, int first, int last, void *theta)
{
  double bar[N];

  for (int t = first; t <= last; t++) {
    for (int i = 0; i < N; i++) Put(precision, bar, i, GradientAt(t, i));
    TEST_CALL(UnrOptimStep(optim, RateAt(t), FactorAt(t), bar, theta));
  }
}

/* sum_k decay^(t - k) g[k]^power over 1 .. t: no recursion, as the optimiser's is. */
static long double Sum(const long double g[], int t, double decay, int power)
{
  long double sum = 0, weight = 1;

  for (int k = t; k >= 1; k--, weight *= decay) sum += weight * (power == 1 ? g[k] : g[k] * g[k]);
  return sum;
}

/* One weight through all updates.  Adam's corrected moments are means with weights decay^(t - k). */
static double Formula(const Setting *s, UnrPrecision precision, int i)
{
  long double theta = StartAt(i), g[UPDATES + 1], one[UPDATES + 1];
  const bool is_decoupled = !strcmp(s->type, "adamw"), is_adam = is_decoupled || !strcmp(s->type, "adam");

  if (precision == UNR_SINGLE) theta = (float)theta;
  for (int t = 1; t <= UPDATES; t++) {
    const long double rate = RateAt(t), bar = GradientAt(t, i);

    one[t] = 1;
    g[t] = FactorAt(t) * (precision == UNR_SINGLE ? (long double)(float)bar : bar);
    if (is_decoupled)
      theta -= rate * s->decay * theta;
    else
      g[t] += s->decay * theta;
    if (is_adam) {
      const long double mean = Sum(g, t, s->beta[0], 1) / Sum(one, t, s->beta[0], 1);
      theta -= rate * mean / (sqrtl(Sum(g, t, s->beta[1], 2) / Sum(one, t, s->beta[1], 1)) + s->epsilon);
    } else {
      const long double momentum = Sum(g, t, s->momentum, 1);
      theta -= rate * (s->is_nesterov ? g[t] + s->momentum * momentum : momentum);
    }
  }
  return (double)theta;
}

/* Each update rounds a weight of size 1 a few times, and the updates add up: 4 roundings of each. */
static double Bound(UnrPrecision precision)
{
  return 4 * UPDATES * (precision == UNR_SINGLE ? 0x1p-24 : 0x1p-53);
}

Test(optim, formulas)
{
  bool is_tried[OPTIMS] = {false};

  for (int k = 0; k < SETTINGS; k++) {
    for (int j = 0; j < OPTIMS; j++) is_tried[j] |= !strcmp(names[j], settings[k].type);
    for (int p = 0; p < 2; p++) {
      const UnrPrecision precision = p ? UNR_DOUBLE : UNR_SINGLE;
      double theta[N], most = 0;
      UnrOptim optim = Create(settings[k].options, precision);

      Start(precision, theta);
      Run(optim, precision, 1, UPDATES, theta);
      for (int i = 0; i < N; i++)
        most = TestMost(most, fabs(Get(precision, theta, i) - Formula(&settings[k], precision, i)));
      cr_expect_lt(most, Bound(precision), "%s, %d bytes: %g", settings[k].options, p ? 8 : 4, most);
      cr_expect(*UnrOptimCount(optim) == UPDATES && !strcmp(UnrOptimName(optim), settings[k].type));
      TEST_CALL(UnrOptimDestroy(&optim));
    }
  }
  for (int j = 0; j < OPTIMS; j++) cr_expect(is_tried[j], "%s has no formula here", names[j]);
}

/* A new stage: as if the optimiser were new, bit for bit. */
Test(optim, reset)
{
  for (int k = 0; k < SETTINGS; k++) {
    double theta[N] = {0}, fresh[N] = {0};
    UnrOptim optim = Create(settings[k].options, UNR_SINGLE), other = Create(settings[k].options, UNR_SINGLE);

    Start(UNR_SINGLE, theta);
    Run(optim, UNR_SINGLE, 1, 20, theta);
    TEST_CALL(UnrOptimReset(optim));
    cr_expect(*UnrOptimCount(optim) == 0);
    Start(UNR_SINGLE, theta);
    Start(UNR_SINGLE, fresh);
    Run(optim, UNR_SINGLE, 7, 30, theta);
    Run(other, UNR_SINGLE, 7, 30, fresh);
    cr_expect(!memcmp(theta, fresh, sizeof theta), "%s", settings[k].options);
    TEST_CALL(UnrOptimDestroy(&optim));
    TEST_CALL(UnrOptimDestroy(&other));
  }
}

/* Weights, count and the named moments are the whole state: what a checkpoint holds resumes bit for bit. */
Test(optim, resumes)
{
  for (int k = 0; k < SETTINGS; k++) {
    for (int p = 0; p < 2; p++) {
      const UnrPrecision precision = p ? UNR_DOUBLE : UNR_SINGLE;
      double theta[N] = {0}, resumed[N];
      const char *name, *other_name;
      void *moment, *other_moment;
      UnrOptim optim = Create(settings[k].options, precision), other = Create(settings[k].options, precision);

      Start(precision, theta);
      Run(optim, precision, 1, 20, theta);
      memcpy(resumed, theta, sizeof theta);
      *UnrOptimCount(other) = *UnrOptimCount(optim);
      for (PetscInt i = 0; UnrOptimMoment(optim, i, &name, &moment), name; i++) {
        TEST_CALL(UnrOptimMoment(other, i, &other_name, &other_moment));
        cr_expect(!strcmp(name, other_name) && moment != other_moment);
        memcpy(other_moment, moment, N * UnrPrecisionBytes(precision));
      }
      Run(optim, precision, 21, 40, theta);
      Run(other, precision, 21, 40, resumed);
      cr_expect(!memcmp(theta, resumed, sizeof theta), "%s", settings[k].options);
      TEST_CALL(UnrOptimDestroy(&optim));
      TEST_CALL(UnrOptimDestroy(&other));
    }
  }
}

/* The moments' names in their order: checkpoints are read by them. */
Test(optim, moments)
{
  static const struct {
    const char *options, *name[3];
  } wanted[] = {
      {"-optim_type adam", {"first_moment", "second_moment", NULL}},
      {"-optim_type adamw", {"first_moment", "second_moment", NULL}},
      {"-optim_type sgd", {NULL}},
      {"-optim_type sgd -optim_momentum 0.5", {"momentum", NULL}},
  };

  for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++) {
    UnrOptim optim = Create(wanted[k].options, UNR_DOUBLE);
    const char *name;
    void *moment;

    for (PetscInt i = 0, is_more = 1; is_more; i++) {
      TEST_CALL(UnrOptimMoment(optim, i, &name, &moment));
      is_more = wanted[k].name[i] != NULL;
      cr_expect(is_more ? name && !strcmp(name, wanted[k].name[i]) && moment : !name && !moment, "%s",
                wanted[k].options);
      for (int j = 0; is_more && j < N; j++) cr_expect(((double *)moment)[j] == 0);
    }
    TEST_CALL(UnrOptimDestroy(&optim));
  }
}

/* The first gradient is the whole first momentum, and Adam's first step is the rate whatever the gradient. */
Test(optim, first_update)
{
  double theta[N], bar[N];
  UnrOptim optim = Create("-optim_type adam", UNR_DOUBLE);

  Start(UNR_DOUBLE, theta);
  for (int i = 0; i < N; i++) bar[i] = GradientAt(1, i);
  TEST_CALL(UnrOptimStep(optim, 0.01, 1, bar, theta));
  for (int i = 0; i < N; i++) /* |bar| / (|bar| + 1e-8) from 1 */
    cr_expect_float_eq(theta[i], StartAt(i) - copysign(0.01, bar[i]), 0.01 * 1e-8 / fabs(bar[i]) + 1e-15);
  TEST_CALL(UnrOptimDestroy(&optim));
}

Test(optim, mistakes)
{
  UnrOptim optim;

  TestOptionsSet("-optim_type sgd -optim_nesterov");
  TEST_REFUSES(UnrOptimCreate(UNR_SINGLE, N, &optim), "-optim_nesterov (true) without momentum");
  TestOptionsUnset("-optim_nesterov");
  TestOptionsSet("-optim_type lamb");
  TEST_REFUSES(UnrOptimCreate(UNR_SINGLE, N, &optim), "adam|adamw|sgd");
  TestOptionsSet("-optim_type adam -optim_beta2 1");
  TEST_REFUSES(UnrOptimCreate(UNR_SINGLE, N, &optim), "-optim_beta2");
  TestOptionsUnset("-optim_type -optim_beta2");
}
