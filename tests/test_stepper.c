/* Conformance of every stepper in src/stepper/list.h on every physics it takes: tangent, adjoint, parameters,
 * layouts. */
#include "conformance.h"

#include <float.h>

#include "core/count.h"
#include "field/scratch.h"
#include "stepper/stepper.h"

/* What is run of a stepper: one entry for each value of the option that chooses its scheme.  test_ts.c has
   the other implicit types: their many small messages would take most of this program's time. */
typedef struct {
  const char *stepper, *option, *value;
} Variant;

static const Variant variants[] = {
    {"etdrk", "-stepper_etdrk_order", "1"}, {"etdrk", "-stepper_etdrk_order", "2"},
    {"etdrk", "-stepper_etdrk_order", "3"}, {"etdrk", "-stepper_etdrk_order", "4"},
    {"rk", "-stepper_rk_type", "euler"},    {"rk", "-stepper_rk_type", "midpoint"},
    {"rk", "-stepper_rk_type", "heun"},     {"rk", "-stepper_rk_type", "ssp3"},
    {"rk", "-stepper_rk_type", "kutta3"},   {"rk", "-stepper_rk_type", "rk4"},
    {"ts", "-stepper_ts_type", "rk"},       {"ts", "-stepper_ts_type", "cn"},
};
enum { VARIANTS = sizeof variants / sizeof variants[0] };

typedef struct {
  Subject on; /* the physics */
  UnrStepper stepper;
  const Variant *variant;
  double dt;
} Case;

#define SIZED(text)                                                                                          \
  "%s %s on %s %d-D: " text, c->variant->stepper, c->variant->value, UnrPhysicsName(c->on.physics),          \
      c->on.grid->dim

/* Every rank alone takes the dt of `split`, where that is given: rounding must not make it another. */
static bool Open(const Variant *variant, const char *physics, int dim, const Case *split, Case *c)
{
  c->variant = variant;
  if (!SubjectOpen(physics, dim, split, &c->on)) return false;
  c->dt = split ? split->dt : TestStableDt(&c->on);
  TestOption("-stepper_type", variant->stepper);
  TestSteps(c->dt, "2");
  if (variant->option) TestOption(variant->option, variant->value);
  c->stepper = NULL;
  if (TestIsFine(UnrStepperCreate(c->on.physics, NULL, &c->stepper))) return true;
  SubjectClose(&c->on);
  return false;
}

static void Close(Case *c)
{
  TEST_CALL(UnrStepperDestroy(&c->stepper));
  SubjectClose(&c->on);
}

/* check() on one stepper and variant, for every physics and dimension it takes, on all ranks and on each
 * alone. */
static int RunVariant(const Variant *variant, void (*check)(Case *c, Case *alone))
{
  char physics[TEST_NAME];
  int runs = 0;

  for (int i = 0; TestPhysics(i, physics); i++) {
    for (int dim = 1; dim <= UNR_MAX_DIM; dim++) {
      Case split, alone;

      if (!Open(variant, physics, dim, NULL, &split)) continue;
      cr_assert(Open(variant, physics, dim, &split, &alone));
      check(&split, &alone);
      Close(&split);
      Close(&alone);
      runs++;
    }
  }
  return runs;
}

static void RunEvery(void (*check)(Case *c, Case *alone))
{
  char stepper[64];
  int all = 0;

  for (int i = 0; TestWord(UnrStepperNames, i, stepper); i++) {
    const Variant plain = {stepper, NULL, ""};
    int runs = 0, chosen = 0;

    if (!strcmp(stepper, "external")) continue; /* needs a library: its own test */
    for (int v = 0; v < VARIANTS; v++) {
      if (strcmp(stepper, variants[v].stepper)) continue;
      runs += RunVariant(&variants[v], check);
      chosen++;
    }
    if (!chosen) runs = RunVariant(&plain, check);
    cr_expect(runs > 0 || getenv("UNR_TEST_PHYSICS"), "%s takes no physics", stepper);
    all += runs;
  }
  cr_expect(all > 0, "no stepper takes this physics");
}

/* States and directions of a frame, its results, its tape. */
typedef struct {
  UnrBatch u, u_dot, w, next, next_dot, u_bar;
  double par_dot[TEST_SAMPLES * TEST_PARAMETERS], par_bar[TEST_SAMPLES * TEST_PARAMETERS];
  UnrTape tape;
} Frame;

static void FrameOpen(Case *c, PetscInt first, PetscInt samples, Frame *f)
{
  Subject *t = &c->on;

  f->u = TestBatch(t, samples);
  f->u_dot = TestBatch(t, samples);
  f->w = TestBatch(t, samples);
  f->next = TestBatch(t, samples);
  f->next_dot = TestBatch(t, samples);
  f->u_bar = TestBatch(t, samples);
  TestState(t, first, t->par + first * t->parameters, f->u);
  TestFill(f->u_dot, first, "tangent", 1);
  TestFill(f->w, first, "cotangent", 1);
  TestParDirection(t, 4, f->par_dot);
  memset(f->par_bar, 0, sizeof f->par_bar);
  TEST_CALL(UnrTapeCreate(&f->tape));
}

static void FrameClose(Frame *f)
{
  TEST_CALL(UnrBatchDestroy(&f->u));
  TEST_CALL(UnrBatchDestroy(&f->u_dot));
  TEST_CALL(UnrBatchDestroy(&f->w));
  TEST_CALL(UnrBatchDestroy(&f->next));
  TEST_CALL(UnrBatchDestroy(&f->next_dot));
  TEST_CALL(UnrBatchDestroy(&f->u_bar));
  TEST_CALL(UnrTapeDestroy(&f->tape));
}

/* The bound is what the stepper promises, relative to |S' v| |w|. */
static void CheckDot(Case *c, Case *alone)
{
  const double exactness = UnrStepperExactness(c->stepper);
  Subject *t = &c->on;
  double start, tangent, adjoint, scale, par_bar[TEST_SAMPLES * TEST_PARAMETERS];
  UnrBatch u_bar;
  Frame f;

  (void)alone;
  FrameOpen(c, 0, TEST_SAMPLES, &f);
  if (!UnrStepperHasAdjoint(c->stepper)) {
    FrameClose(&f);
    return;
  }
  /* The reverse adds, and leaves next_bar alone. */
  TestFill(f.u_bar, 0, "before", 1);
  start = TestDot(f.u_dot, f.u_bar);
  scale = TestDot(f.w, f.w);
  TEST_CALL(UnrStepperJvp(c->stepper, t->par, f.u, f.u_dot, f.par_dot, NULL, f.next_dot));
  TEST_CALL(UnrStepperApply(c->stepper, t->par, f.u, f.next, f.tape));
  TEST_CALL(UnrStepperVjp(c->stepper, t->par, f.tape, f.w, f.u_bar, f.par_bar));
  cr_expect(TestDot(f.w, f.w) == scale, SIZED("vjp changes next_bar"));
  tangent = TestDot(f.next_dot, f.w);
  adjoint = TestDot(f.u_dot, f.u_bar) - start + TestParDot(t, f.par_dot, f.par_bar);
  scale = TestNorm(f.next_dot) * TestNorm(f.w);
  cr_expect(fabs(tangent - adjoint) <= exactness * scale, SIZED("dot product %.17g, %.17g, scale %g"),
            tangent, adjoint, scale);
  /* A cotangent that is not wanted changes nothing of the other; the tape can be read again. */
  u_bar = TestBatch(t, TEST_SAMPLES);
  TestFill(u_bar, 0, "before", 1);
  memset(par_bar, 0, sizeof par_bar);
  TEST_CALL(UnrStepperVjp(c->stepper, t->par, f.tape, f.w, u_bar, NULL));
  TEST_CALL(UnrStepperVjp(c->stepper, t->par, f.tape, f.w, NULL, par_bar));
  cr_expect(TestDistance(u_bar, f.u_bar) <= exactness * TestNorm(f.u_bar),
            SIZED("u_bar depends on par_bar's presence"));
  for (PetscInt i = 0; i < TEST_SAMPLES * t->parameters; i++)
    cr_expect(TestSum(fabs(par_bar[i] - f.par_bar[i])) <= exactness * scale,
              SIZED("par_bar depends on u_bar's presence"));
  TEST_CALL(UnrBatchDestroy(&u_bar));
  FrameClose(&f);
}

Test(stepper, dot_products)
{
  RunEvery(CheckDot);
}

/* |S(u + h u_dot, par + h par_dot) - S - h S_dot| falls as h^2, from h = 1e-1 to 1e-5. */
static void CheckTaylor(Case *c, Case *alone)
{
  enum { STEPS = 5 };
  Subject *t = &c->on;
  Frame f;
  UnrBatch moved, v;
  double par[TEST_SAMPLES * TEST_PARAMETERS], r[STEPS], h = 1e-1;
  int steps = STEPS;

  (void)alone;
  /* Of a tangent by differences only the decades above its error can be seen. */
  if (UnrStepperExactness(c->stepper) > 1e-12) steps = 3;
  FrameOpen(c, 0, TEST_SAMPLES, &f);
  TestState(t, 20, t->par, f.u_dot);
  moved = TestBatch(t, TEST_SAMPLES);
  v = TestBatch(t, TEST_SAMPLES);
  TEST_CALL(UnrStepperJvp(c->stepper, t->par, f.u, f.u_dot, f.par_dot, f.next, f.next_dot));
  for (int i = 0; i < steps; i++, h /= 10) {
    for (PetscInt p = 0; p < TEST_SAMPLES * t->parameters; p++) par[p] = t->par[p] + h * f.par_dot[p];
    TEST_CALL(UnrBatchCopy(f.u, v));
    TEST_CALL(UnrBatchAXPY(v, h, f.u_dot));
    TEST_CALL(UnrStepperApply(c->stepper, par, v, moved, NULL));
    TEST_CALL(UnrBatchAXPY(moved, -1, f.next));
    TEST_CALL(UnrBatchAXPY(moved, -h, f.next_dot));
    r[i] = TestNorm(moved);
  }
  cr_expect(TestOrder(steps, r) >= 1.95, SIZED("Taylor remainders %g %g %g ..., the last %g"), r[0], r[1],
            r[2], r[steps - 1]);
  TEST_CALL(UnrBatchDestroy(&moved));
  TEST_CALL(UnrBatchDestroy(&v));
  FrameClose(&f);
}

Test(stepper, taylor)
{
  RunEvery(CheckTaylor);
}

/* <w, S(u, par)> with parameter `at` moved by h. */
static double Functional(Case *c, Frame *f, PetscInt at, double h)
{
  double par[TEST_SAMPLES * TEST_PARAMETERS];

  memcpy(par, c->on.par, sizeof par);
  par[at] += h;
  TEST_CALL(UnrStepperApply(c->stepper, par, f->u, f->next, NULL));
  return TestDot(f->next, f->w);
}

/* Fourth-order central differences, h = 2e-3 of the parameter: truncation is some 1e-9 of the gradient, and
 * rounding that of the functional over h, which matters where dt had to be small. */
static void CheckParameterDifferences(Case *c, Case *alone)
{
  const double bound = UnrStepperExactness(c->stepper) > 1e-12 ? 1e-6 : 1e-8;
  Subject *t = &c->on;
  Frame f;

  (void)alone;
  FrameOpen(c, 0, TEST_SAMPLES, &f);
  TestState(t, 40, t->par, f.w);
  if (UnrStepperHasAdjoint(c->stepper)) {
    TEST_CALL(UnrStepperApply(c->stepper, t->par, f.u, f.next, f.tape));
    TEST_CALL(UnrStepperVjp(c->stepper, t->par, f.tape, f.w, NULL, f.par_bar));
    for (PetscInt i = 0; i < TEST_SAMPLES * t->parameters; i++) {
      const double h = 2e-3 * t->par[i], exact = TestSum(f.par_bar[i]);
      const double near = Functional(c, &f, i, h) - Functional(c, &f, i, -h);
      const double far = Functional(c, &f, i, 2 * h) - Functional(c, &f, i, -2 * h);
      const double difference = (8 * near - far) / (12 * h);
      const double rounding = DBL_EPSILON * TestNorm(f.next) * TestNorm(f.w) / h;

      cr_expect(fabs(difference - exact) <= bound * fabs(exact) + rounding,
                SIZED("parameter %d: %.15g, differences %.15g"), (int)i, exact, difference);
    }
  }
  FrameClose(&f);
}

Test(stepper, parameter_differences)
{
  RunEvery(CheckParameterDifferences);
}

static void Compute(Case *c, PetscInt first, PetscInt samples, Frame *f)
{
  const double *par = c->on.par + first * c->on.parameters;

  FrameOpen(c, first, samples, f);
  TEST_CALL(UnrStepperJvp(c->stepper, par, f->u, f->u_dot, f->par_dot + first * c->on.parameters, NULL,
                          f->next_dot));
  TEST_CALL(UnrStepperApply(c->stepper, par, f->u, f->next, f->tape));
  if (UnrStepperHasAdjoint(c->stepper))
    TEST_CALL(UnrStepperVjp(c->stepper, par, f->tape, f->w, f->u_bar, f->par_bar + first * c->on.parameters));
  MPI_Allreduce(MPI_IN_PLACE, f->par_bar, TEST_SAMPLES * TEST_PARAMETERS, MPI_DOUBLE, MPI_SUM,
                c->on.grid->comm);
}

/* Other blocks change the order of sums and of transforms: rounding, or what the stepper promises. */
static void CheckRanks(Case *c, Case *alone)
{
  const double bound = 0.1 * UnrStepperExactness(c->stepper);
  Frame a, b;

  Compute(c, 0, TEST_SAMPLES, &a);
  Compute(alone, 0, TEST_SAMPLES, &b);
  cr_expect(TestBlockDifference(a.next, b.next) <= bound * TestNorm(b.next),
            SIZED("S depends on the layout"));
  cr_expect(TestBlockDifference(a.next_dot, b.next_dot) <= bound * TestNorm(b.next_dot),
            SIZED("jvp depends on the layout"));
  cr_expect(TestBlockDifference(a.u_bar, b.u_bar) <= bound * TestNorm(b.u_bar),
            SIZED("vjp depends on the layout"));
  for (PetscInt i = 0; i < TEST_SAMPLES * c->on.parameters; i++)
    cr_expect(TestRelative(a.par_bar[i], b.par_bar[i]) <= 100 * bound,
              SIZED("par_bar[%d] %.15g, alone %.15g"), (int)i, a.par_bar[i], b.par_bar[i]);
  FrameClose(&a);
  FrameClose(&b);
}

Test(stepper, ranks)
{
  RunEvery(CheckRanks);
}

/* A batch of samples with their own parameters gives what the samples give one by one. */
static void CheckMixedBatch(Case *c, Case *alone)
{
  const double bound = 0.1 * UnrStepperExactness(c->stepper);
  Frame all, one;

  (void)alone;
  Compute(c, 0, TEST_SAMPLES, &all);
  for (PetscInt s = 0; s < TEST_SAMPLES; s++) {
    struct UnrBatch_ next = UnrBatchView(all.next, s, 1), next_dot = UnrBatchView(all.next_dot, s, 1);
    struct UnrBatch_ u_bar = UnrBatchView(all.u_bar, s, 1);

    Compute(c, s, 1, &one);
    cr_expect(TestDistance(one.next, &next) <= bound * TestNorm(one.next), SIZED("S depends on the batch"));
    cr_expect(TestDistance(one.next_dot, &next_dot) <= bound * TestNorm(one.next_dot),
              SIZED("jvp depends on the batch"));
    cr_expect(TestDistance(one.u_bar, &u_bar) <= bound * TestNorm(one.u_bar),
              SIZED("vjp depends on the batch"));
    for (PetscInt i = s * c->on.parameters; i < (s + 1) * c->on.parameters; i++)
      cr_expect(TestRelative(all.par_bar[i], one.par_bar[i]) <= 100 * bound,
                SIZED("par_bar depends on the batch"));
    FrameClose(&one);
  }
  FrameClose(&all);
}

Test(stepper, mixed_batch)
{
  RunEvery(CheckMixedBatch);
}

/* No hidden state: the same bits again, after other calls, and without a tape; jvp's own S is S; calls are
 * counted. */
static void CheckSameBits(Case *c, Case *alone)
{
  const PetscInt64 applies = UnrCountGet(UNR_COUNT_SOLVER_APPLY), vjps = UnrCountGet(UNR_COUNT_SOLVER_VJP);
  Subject *t = &c->on;
  Frame f;
  UnrBatch other, again;
  double par[TEST_SAMPLES * TEST_PARAMETERS];

  (void)alone;
  FrameOpen(c, 0, TEST_SAMPLES, &f);
  other = TestBatch(t, TEST_SAMPLES);
  again = TestBatch(t, TEST_SAMPLES);
  for (PetscInt p = 0; p < TEST_SAMPLES * t->parameters; p++) par[p] = 1.01 * t->par[p];
  TEST_CALL(UnrStepperApply(c->stepper, t->par, f.u, f.next, f.tape));
  TEST_CALL(UnrStepperApply(c->stepper, par, f.next, other, NULL));
  if (UnrStepperHasAdjoint(c->stepper))
    TEST_CALL(UnrStepperVjp(c->stepper, t->par, f.tape, f.w, f.u_bar, f.par_bar));
  TEST_CALL(UnrStepperApply(c->stepper, t->par, f.u, again, NULL));
  cr_expect(TestDistance(f.next, again) == 0, SIZED("S has other bits the second time, without a tape"));
  cr_expect(UnrCountGet(UNR_COUNT_SOLVER_APPLY) - applies == 3 * TEST_SAMPLES, SIZED("frames counted"));
  cr_expect(UnrCountGet(UNR_COUNT_SOLVER_VJP) - vjps == (UnrStepperHasAdjoint(c->stepper) ? TEST_SAMPLES : 0),
            SIZED("reverses counted"));
  TEST_CALL(UnrStepperJvp(c->stepper, t->par, f.u, f.u_dot, NULL, again, f.next_dot));
  cr_expect(TestDistance(f.next, again) <= UnrStepperExactness(c->stepper) * TestNorm(f.next),
            SIZED("jvp has another S"));
  TEST_CALL(UnrBatchDestroy(&other));
  TEST_CALL(UnrBatchDestroy(&again));
  FrameClose(&f);
}

Test(stepper, no_hidden_state)
{
  RunEvery(CheckSameBits);
}

/* A frame is two sub-steps of dt: the same as two frames of half a frame, dt scaled and halved. */
static void CheckSubsteps(Case *c, Case *alone)
{
  Subject *t = &c->on;
  UnrStepper half;
  Frame f;
  UnrBatch middle, end;

  (void)alone;
  TestSteps(2 * c->dt, "1");
  TEST_CALL(UnrStepperCreate(t->physics, NULL, &half));
  TEST_CALL(UnrStepperScaleDt(half, 0.5));
  cr_expect(fabs(UnrStepperDt(half) - UnrStepperDt(c->stepper)) < 1e-16 && UnrStepperSubsteps(half) == 1);
  FrameOpen(c, 0, TEST_SAMPLES, &f);
  middle = TestBatch(t, TEST_SAMPLES);
  end = TestBatch(t, TEST_SAMPLES);
  TEST_CALL(UnrStepperApply(c->stepper, t->par, f.u, f.next, NULL));
  TEST_CALL(UnrStepperApply(half, t->par, f.u, middle, NULL));
  TEST_CALL(UnrStepperApply(half, t->par, middle, end, NULL));
  cr_expect(TestDistance(f.next, end) <= 10 * UnrStepperExactness(c->stepper) * TestSize(end),
            SIZED("sub-steps"));
  cr_expect(TestDistance(f.u, end) > 0.05 * c->dt * TestSize(end), SIZED("a frame changes nothing"));
  TEST_CALL(UnrBatchDestroy(&middle));
  TEST_CALL(UnrBatchDestroy(&end));
  TEST_CALL(UnrStepperDestroy(&half));
  FrameClose(&f);
}

Test(stepper, substeps)
{
  RunEvery(CheckSubsteps);
}

/*
  S(u) = S(P u) for a u that P changes, and what S' gives P' leaves alone, wherever P is applied: on modes by
  the stepper, or on cells around it.
*/
static void CheckConstraint(Case *c, Case *alone)
{
  Subject *t = &c->on;
  UnrBatch u = TestDirection(t, TEST_SAMPLES, "state"), Pu = TestCopy(t, u), next[2], bar[2];
  UnrTape tape;

  (void)alone;
  for (size_t i = 0; i < (size_t)u->samples * u->stride; i++) Pu->data[i] = u->data[i] *= 0.1; /* stable */
  TEST_CALL(UnrPhysicsConstrain(t->physics, t->par, Pu));
  TEST_CALL(UnrTapeCreate(&tape));
  for (int i = 0; i < 2; i++) next[i] = TestBatch(t, TEST_SAMPLES);
  TEST_CALL(UnrStepperApply(c->stepper, t->par, Pu, next[0], NULL));
  TEST_CALL(UnrStepperApply(c->stepper, t->par, u, next[1], tape));
  cr_expect(TestDistance(next[0], next[1]) <= 1e-12 * TestSize(next[0]), SIZED("S(u) is not S(P u)"));
  if (UnrStepperHasAdjoint(c->stepper)) {
    bar[0] = TestBatch(t, TEST_SAMPLES);
    TEST_CALL(UnrStepperVjp(c->stepper, t->par, tape, u, bar[0], NULL));
    bar[1] = TestCopy(t, bar[0]);
    TEST_CALL(UnrPhysicsConstrainTranspose(t->physics, t->par, bar[1]));
    cr_expect(TestDistance(bar[0], bar[1]) <= 1e-12 * TestSize(bar[0]), SIZED("P' changes S' w"));
    for (int i = 0; i < 2; i++) TEST_CALL(UnrBatchDestroy(&bar[i]));
  }
  for (int i = 0; i < 2; i++) TEST_CALL(UnrBatchDestroy(&next[i]));
  TEST_CALL(UnrTapeDestroy(&tape));
  TEST_CALL(UnrBatchDestroy(&u));
  TEST_CALL(UnrBatchDestroy(&Pu));
}

Test(stepper, constraint)
{
  RunEvery(CheckConstraint);
}
