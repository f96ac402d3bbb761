/* Steppers rk and ts: orders in time, one against the other, adjoints, parameter gradients, refusals,
 * failures. */
#include "solver_case.h"

#include <stdio.h>
#include <string.h>

#include "stepper/stepper.h"

typedef struct {
  TestCase c;
  UnrStepper stepper;
} Case;

static void Open(Case *k, bool alone, const char *physics, const char *stepper)
{
  char options[512];

  snprintf(options, sizeof options, "%s %s", physics, stepper);
  TestCaseOpen(&k->c, alone, options);
  TEST_CALL(UnrStepperCreate(k->c.physics, NULL, &k->stepper));
}

static void Close(Case *k)
{
  TEST_CALL(UnrStepperDestroy(&k->stepper));
  TestCaseClose(&k->c);
}

static UnrBatch NewBatch(Case *k, PetscInt samples)
{
  UnrBatch batch;

  TEST_CALL(UnrBatchCreate(k->c.grid, samples, &batch));
  return batch;
}

static void Free(int count, UnrBatch batch[])
{
  for (int i = 0; i < count; i++) TEST_CALL(UnrBatchDestroy(&batch[i]));
}

/* A smooth state without symmetry. */
static double Waves(double x, double y, PetscInt sample, const void *context)
{
  const double a = 2 * PETSC_PI * x, b = 2 * PETSC_PI * y;

  (void)context;
  return 0.4 + sin(a + 0.3 + (double)sample) * cos(b - 0.2) + 0.5 * cos(2 * a - 1.1 + b);
}

static const char *const ks = "-physics_type ks_fd -grid_points 24 -physics_ks_domain_size 3.1";
static const char *const plane =
    "-physics_type burgers_fv -grid_points 9,13 -grid_length 2.1,3.9 -physics_burgers_viscosity 0.2";
static const char *const line =
    "-physics_type burgers_fv -grid_points 16 -grid_length 6.28 -physics_burgers_viscosity 0.2";

/* Waves after time 0.4 in 2^halvings frames' steps; every rank alone. */
static UnrBatch After(Case *k, const char *stepper, int steps)
{
  char options[256];
  double par;
  UnrBatch u, next;

  snprintf(options, sizeof options, "%s -stepper_substeps %d -stepper_dt %.17g", stepper, steps, 0.4 / steps);
  Open(k, true, line, options);
  u = NewBatch(k, 1);
  next = NewBatch(k, 1);
  par = UnrPhysicsParameterDefault(k->c.physics, 0);
  TestSetField(u, Waves, NULL);
  TEST_CALL(UnrStepperApply(k->stepper, &par, u, next, NULL));
  Free(1, &u);
  return next;
}

Test(ts, orders_in_time)
{
  static const struct {
    const char *stepper;
    int order, steps;
  } scheme[] = {
      {"-stepper_type rk -stepper_rk_type euler", 1, 32},
      {"-stepper_type rk -stepper_rk_type midpoint", 2, 8},
      {"-stepper_type rk -stepper_rk_type heun", 2, 8},
      {"-stepper_type rk -stepper_rk_type ssp3", 3, 8},
      {"-stepper_type rk -stepper_rk_type kutta3", 3, 8},
      {"-stepper_type rk -stepper_rk_type rk4", 4, 8},
      {"-stepper_type ts", 4, 8},
      {"-stepper_type ts -frame_ts_rk_type 3bs", 3, 8},
      {"-stepper_type ts -frame_ts_rk_type 5dp", 5, 8},
      {"-stepper_type ts -stepper_ts_type theta", 2, 8},
      {"-stepper_type ts -stepper_ts_type cn", 2, 8},
      {"-stepper_type ts -stepper_ts_type beuler", 1, 32},
      {"-stepper_type ts -stepper_ts_type ssp", 2, 8},
  };
  Case fine, k;
  UnrBatch exact = After(&fine, "-stepper_type rk -stepper_rk_type rk4", 512), u;

  for (size_t i = 0; i < sizeof scheme / sizeof scheme[0]; i++) {
    double error[3];

    for (int h = 0; h < 3; h++) {
      u = After(&k, scheme[i].stepper, scheme[i].steps << h);
      error[h] = TestDistance(u, exact);
      Free(1, &u);
      Close(&k);
    }
    for (int h = 0; h < 2; h++) {
      const double order = log2(error[h] / error[h + 1]);

      cr_expect(PetscAbsReal(order - scheme[i].order) < 0.15, "%s: order %.3f (errors %.2e, %.2e)",
                scheme[i].stepper, order, error[h], error[h + 1]);
    }
  }
  Free(1, &exact);
  Close(&fine);
}

enum { SAMPLES = 2 };

/* Domain sizes, viscosities: both are of this size. */
static void Parameters(Case *k, double par[SAMPLES])
{
  par[0] = UnrPhysicsParameterDefault(k->c.physics, 0);
  par[1] = 1.3 * par[0];
}

/* u' and the gradient of <u', w> with respect to u and par. */
static void Gradient(Case *k, const double par[], UnrBatch next, UnrBatch u_bar, double par_bar[SAMPLES])
{
  UnrBatch u = NewBatch(k, SAMPLES), w = NewBatch(k, SAMPLES);
  UnrTape tape;
  double part[SAMPLES] = {0};

  TEST_CALL(UnrTapeCreate(&tape));
  TestSetField(u, Waves, NULL);
  TestFill(w, 0, "w", 0);
  TEST_CALL(UnrStepperApply(k->stepper, par, u, next, tape));
  TEST_CALL(UnrBatchZero(u_bar));
  TEST_CALL(UnrStepperVjp(k->stepper, par, tape, w, u_bar, part));
  for (int s = 0; s < SAMPLES; s++) par_bar[s] = TestSum(part[s]);
  TEST_CALL(UnrTapeDestroy(&tape));
  Free(2, (UnrBatch[]){u, w});
}

/* The same method in PETSc and by hand: sums in another order only. */
Test(ts, rk4_of_petsc_is_ours)
{
  static const char *const steppers[] = {"-stepper_type rk -stepper_dt 0.01 -stepper_substeps 3",
                                         "-stepper_type ts -stepper_dt 0.01 -stepper_substeps 3"};
  const char *const physics[] = {ks, plane};

  for (int p = 0; p < 2; p++) {
    Case k[2];
    UnrBatch next[2], u_bar[2];
    double par[SAMPLES], par_bar[2][SAMPLES];

    for (int i = 0; i < 2; i++) {
      Open(&k[i], false, physics[p], steppers[i]);
      Parameters(&k[i], par);
      next[i] = NewBatch(&k[i], SAMPLES);
      u_bar[i] = NewBatch(&k[i], SAMPLES);
      Gradient(&k[i], par, next[i], u_bar[i], par_bar[i]);
    }
    cr_expect(TestDistance(next[0], next[1]) < 1e-13 * TestSize(next[0]), "%s: values %g", physics[p],
              TestDistance(next[0], next[1]));
    cr_expect(TestDistance(u_bar[0], u_bar[1]) < 1e-11 * TestSize(u_bar[0]), "%s: gradients %g", physics[p],
              TestDistance(u_bar[0], u_bar[1]));
    for (int s = 0; s < SAMPLES; s++)
      cr_expect(TestRelative(par_bar[0][s], par_bar[1][s]) < 1e-11, "%s: parameter %g %g", physics[p],
                par_bar[0][s], par_bar[1][s]);
    Free(2, next);
    Free(2, u_bar);
    Close(&k[0]);
    Close(&k[1]);
  }
}

/* One of each kind, with PETSc's own options; test_stepper.c runs every tableau of ours. */
static const struct {
  const char *options;
  bool is_implicit;
} every[] = {
    {"-stepper_type rk -stepper_rk_type ssp3", false},
    {"-stepper_type ts -stepper_ts_type rk -frame_ts_rk_type 3bs",
     false}, /* its last stage is the next step's first */
    {"-stepper_type ts -stepper_ts_type theta -frame_ts_theta_theta 0.7", true},
    {"-stepper_type ts -stepper_ts_type cn", true},
    {"-stepper_type ts -stepper_ts_type beuler", true},
};
enum { EVERY = sizeof every / sizeof every[0] };

/* Stepper i on physics p, in steps that its stability allows (ks_fd: explicit below 0.03). */
static void OpenEvery(Case *k, int i, int p, bool alone)
{
  char options[256];

  snprintf(options, sizeof options, "%s -stepper_substeps 3 -stepper_dt %g", every[i].options,
           every[i].is_implicit ? 0.1 : 0.01);
  Open(k, alone, p ? plane : ks, options);
}

/*
  <S_u u_dot + S_p p_dot, w> = <u_dot, u_bar> + p_dot p_bar.  Explicit: sums of some hundred numbers, 1e-13 of
  their size.  Implicit: direct solves of condition up to 100 on both sides, 1e-12.
*/
Test(ts, vjp_is_the_transpose_of_jvp)
{
  for (int i = 0; i < EVERY; i++)
    for (int p = 0; p < 2; p++) {
      Case k;
      UnrBatch next, u_bar, u, u_dot, next_dot, w, again;
      double par[SAMPLES], par_bar[SAMPLES], left, right, scale;
      const double par_dot[SAMPLES] = {0.3, -0.8};

      OpenEvery(&k, i, p, false);
      Parameters(&k, par);
      next = NewBatch(&k, SAMPLES);
      u_bar = NewBatch(&k, SAMPLES);
      u = NewBatch(&k, SAMPLES);
      u_dot = NewBatch(&k, SAMPLES);
      next_dot = NewBatch(&k, SAMPLES);
      w = NewBatch(&k, SAMPLES);
      again = NewBatch(&k, SAMPLES);
      TestSetField(u, Waves, NULL);
      TestFill(u_dot, 0, "u_dot", 0);
      TestFill(w, 0, "w", 0);
      Gradient(&k, par, next, u_bar, par_bar);
      TEST_CALL(UnrStepperJvp(k.stepper, par, u, u_dot, par_dot, again, next_dot));
      left = TestDot(next_dot, w);
      right = TestDot(u_dot, u_bar) + par_dot[0] * par_bar[0] + par_dot[1] * par_bar[1];
      scale = sqrt(TestDot(next_dot, next_dot) * TestDot(w, w));
      cr_expect(PetscAbsReal(left - right) < (every[i].is_implicit ? 1e-12 : 1e-13) * scale,
                "%s, physics %d: %.17g %.17g", every[i].options, p, left, right);
      cr_expect(PetscAbsReal(left) > 1e-4 * scale, "%s, physics %d: the products vanish", every[i].options,
                p);
      cr_expect(TestDistance(next, again) <= 1e-13 * TestSize(next),
                "%s, physics %d: jvp has another value, by %g", every[i].options, p,
                TestDistance(next, again));
      Free(7, (UnrBatch[]){next, u_bar, u, u_dot, next_dot, w, again});
      Close(&k);
    }
}

/* <S(u + e u_dot; p + e p_dot), w>. */
static double ObjectiveAt(Case *k, const double par[], const double par_dot[], UnrBatch u_dot, double e)
{
  UnrBatch u = NewBatch(k, SAMPLES), next = NewBatch(k, SAMPLES), w = NewBatch(k, SAMPLES);
  double moved[SAMPLES], value;

  for (int s = 0; s < SAMPLES; s++) moved[s] = par[s] + e * par_dot[s];
  TestSetField(u, Waves, NULL);
  TestFill(w, 0, "w", 0);
  TEST_CALL(UnrBatchAXPY(u, e, u_dot));
  TEST_CALL(UnrStepperApply(k->stepper, moved, u, next, NULL));
  value = TestDot(next, w);
  Free(3, (UnrBatch[]){u, next, w});
  return value;
}

/* Central differences of fourth order with step 1e-3: 1e-12 of truncation and of rounding, both times some
 * hundred. */
Test(ts, gradients_agree_with_central_differences)
{
  const double e = 1e-3;

  for (int i = 0; i < EVERY; i++)
    for (int p = 0; p < 2; p++)
      for (int which = 0; which < 2; which++) { /* state, parameters */
        Case k;
        UnrBatch next, u_bar, u_dot;
        double par[SAMPLES], par_bar[SAMPLES], slope, exact;
        const double par_dot[SAMPLES] = {which ? 0.6 : 0, which ? -0.4 : 0};

        OpenEvery(&k, i, p, false);
        Parameters(&k, par);
        next = NewBatch(&k, SAMPLES);
        u_bar = NewBatch(&k, SAMPLES);
        u_dot = NewBatch(&k, SAMPLES);
        if (!which) TestFill(u_dot, 0, "u_dot", 0);
        Gradient(&k, par, next, u_bar, par_bar);
        exact = TestDot(u_dot, u_bar) + par_dot[0] * par_bar[0] + par_dot[1] * par_bar[1];
        slope =
            (8 * (ObjectiveAt(&k, par, par_dot, u_dot, e) - ObjectiveAt(&k, par, par_dot, u_dot, -e)) -
             (ObjectiveAt(&k, par, par_dot, u_dot, 2 * e) - ObjectiveAt(&k, par, par_dot, u_dot, -2 * e))) /
            (12 * e);
        cr_expect(TestRelative(exact, slope) < 1e-8, "%s, physics %d, %s: %.12g %.12g", every[i].options, p,
                  which ? "parameters" : "state", exact, slope);
        Free(3, (UnrBatch[]){next, u_bar, u_dot});
        Close(&k);
      }
}

/* The same call after others gives the same bits, and a sample the same alone as in a batch. */
Test(ts, nothing_is_kept_between_calls)
{
  for (int i = 0; i < EVERY; i++) {
    Case k;
    UnrBatch next[2], u_bar[2], other, moved, alone, first;
    double par[SAMPLES], par_bar[2][SAMPLES];

    OpenEvery(&k, i, 0, false);
    Parameters(&k, par);
    for (int again = 0; again < 2; again++) {
      next[again] = NewBatch(&k, SAMPLES);
      u_bar[again] = NewBatch(&k, SAMPLES);
      Gradient(&k, par, next[again], u_bar[again], par_bar[again]);
      other = NewBatch(&k, 3);
      moved = NewBatch(&k, 3);
      TestFill(other, 0, "other", 0);
      TEST_CALL(UnrStepperApply(k.stepper, (double[]){2, 3, 4}, other, moved, NULL));
      Free(2, (UnrBatch[]){other, moved});
    }
    cr_expect(TestDistance(next[0], next[1]) == 0 && TestDistance(u_bar[0], u_bar[1]) == 0, "%s",
              every[i].options);
    cr_expect(par_bar[0][0] == par_bar[1][0] && par_bar[0][1] == par_bar[1][1], "%s", every[i].options);
    alone = NewBatch(&k, 1);
    first = NewBatch(&k, 1);
    TestSetField(alone, Waves, NULL);
    TEST_CALL(UnrStepperApply(k.stepper, par, alone, first, NULL));
    memcpy(alone->data, next[0]->data, alone->stride * sizeof(double));
    cr_expect(TestDistance(alone, first) == 0, "%s: a sample depends on its batch", every[i].options);
    Free(2, next);
    Free(2, u_bar);
    Free(2, (UnrBatch[]){alone, first});
    Close(&k);
  }
}

/* A state that is not finite: an explicit method carries it on, a Newton iteration gives up; both say so by
 * NaN. */
Test(ts, a_failed_solve_is_nan)
{
  for (int i = 0; i < EVERY; i++) {
    Case k;
    UnrBatch u, next, w, u_bar;
    UnrTape tape;
    double par[SAMPLES], par_bar[SAMPLES] = {0};

    OpenEvery(&k, i, 0, false);
    Parameters(&k, par);
    u = NewBatch(&k, SAMPLES);
    next = NewBatch(&k, SAMPLES);
    w = NewBatch(&k, SAMPLES);
    u_bar = NewBatch(&k, SAMPLES);
    TEST_CALL(UnrTapeCreate(&tape));
    TestSetField(u, Waves, NULL);
    for (size_t c = 0; c < u->stride; c++) u->data[c] = NAN; /* sample 0 only */
    TestFill(w, 0, "w", 0);
    TEST_CALL(UnrStepperApply(k.stepper, par, u, next, tape));
    TEST_CALL(UnrStepperVjp(k.stepper, par, tape, w, u_bar, par_bar));
    for (size_t c = 0; c < u->stride; c++) {
      cr_expect(isnan(next->data[c]) && isnan(u_bar->data[c]), "%s", every[i].options);
      cr_expect(isfinite(next->data[u->stride + c]) && isfinite(u_bar->data[u->stride + c]),
                "%s: the other sample", every[i].options);
    }
    cr_expect(isnan(TestSum(par_bar[0])) && isfinite(TestSum(par_bar[1])), "%s", every[i].options);
    TEST_CALL(UnrTapeDestroy(&tape));
    Free(4, (UnrBatch[]){u, next, w, u_bar});
    Close(&k);
  }
}

static void ExpectRefused(const char *options, const char *message)
{
  TestCase c;
  UnrStepper stepper;
  PetscErrorCode code;

  TestCaseOpen(&c, false, options);
  UnrUserErrorClear();
  code = UnrStepperCreate(c.physics, NULL, &stepper);
  cr_expect(code == UNR_ERR_USER, "%s: error %d", options, (int)code);
  cr_expect(strstr(UnrUserErrorMessage(), message), "%s: '%s' lacks '%s'", options, UnrUserErrorMessage(),
            message);
  UnrUserErrorClear();
  TestCaseClose(&c);
}

/* PETSc's own options are known under our prefix, and reach PETSc: orders_in_time() sees them at work. */
Test(ts, petsc_options_are_known_under_the_prefix)
{
  TEST_CALL(UnrErrorHandlerPush());
  TEST_CALL(UnrStepperRegister());
  TEST_CALL(PetscOptionsInsertString(NULL, "-frame_ts_rk_type 3bs -reference_frame_snes_rtol 1e-9"));
  TEST_CALL(UnrOptionsCheckUnknown());
  TEST_CALL(PetscOptionsInsertString(NULL, "-flame_ts_rk_type 3bs"));
  cr_expect(UnrOptionsCheckUnknown() == UNR_ERR_USER && strstr(UnrUserErrorMessage(), "-flame_ts_rk_type"),
            "%s", UnrUserErrorMessage());
  UnrUserErrorClear();
  TEST_CALL(PetscOptionsClearValue(NULL, "-flame_ts_rk_type"));
  TEST_CALL(PetscOptionsClearValue(NULL, "-frame_ts_rk_type"));
  TEST_CALL(PetscOptionsClearValue(NULL, "-reference_frame_snes_rtol"));
}

Test(ts, refusals_are_by_name)
{
  TEST_CALL(UnrErrorHandlerPush());
  ExpectRefused(
      "-physics_type ks_spectral -grid_points 16 -stepper_type ts -stepper_ts_type beuler -stepper_dt 0.1",
      "-stepper_ts_type beuler needs the assembled Jacobian that physics ks_spectral lacks");
  ExpectRefused("-physics_type ks_fd -grid_points 16 -stepper_type ts -frame_ts_type euler -stepper_dt 0.1",
                "-frame_ts_type euler");
  ExpectRefused(
      "-physics_type burgers_spectral -grid_points 16 -stepper_type ts -stepper_ts_type cn -stepper_dt 0.1",
      "-stepper_ts_type cn with the constraint of physics burgers_spectral");
}
