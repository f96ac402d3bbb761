/* Models: the transpose and the tangent of every augmented step, what each one computes, and what it does not
 * call. */
#include "model_case.h"

#include <string.h>

#include "physics/physics_impl.h"

/* One step of a case's model with its tangent and its reverse. */
typedef struct {
  UnrBatch next, next_dot, next_bar;
  UnrTape tape;
} Step;

static void StepCreate(Case *c, Step *s)
{
  TEST_CALL(UnrBatchCreate(c->grid, c->samples, &s->next));
  TEST_CALL(UnrBatchCreate(c->grid, c->samples, &s->next_dot));
  TEST_CALL(UnrBatchCreate(c->grid, c->samples, &s->next_bar));
  TEST_CALL(UnrTapeCreate(&s->tape));
  TestFill(s->next_bar, c->first, "next_bar", 0);
}

static void StepDestroy(Step *s)
{
  TEST_CALL(UnrBatchDestroy(&s->next));
  TEST_CALL(UnrBatchDestroy(&s->next_dot));
  TEST_CALL(UnrBatchDestroy(&s->next_bar));
  TEST_CALL(UnrTapeDestroy(&s->tape));
}

/*
  <next_bar, J (u_dot, par_dot, theta_dot)> = <J^T next_bar, (...)>, for each tangent alone and for all.
  Bound: rounding of some thousand operations, relative to the norms that bound the two products.
*/
static void CheckDot(const char *model, const char *more, void (*change)(Case *))
{
  Case c;
  Step s;
  Triple dot, bar;
  double part[3], all = 0;

  CaseCreate(&c, model, 1, false, more);
  if (change) (*change)(&c);
  StepCreate(&c, &s);
  TripleCreate(&c, &dot);
  TripleCreate(&c, &bar);
  TripleFill(&c, &dot, 1);
  TEST_CALL(UnrModelApply(c.model, c.par, c.frame[0], s.next, s.tape));
  TEST_CALL(UnrModelVjp(c.model, c.par, s.tape, s.next_bar, bar.u, bar.par, bar.theta));
  TripleDot(&c, &bar, &dot, part);
  for (int which = 0; which < 4; which++) {
    double forward, reverse, scale;

    TEST_CALL(UnrModelJvp(c.model, c.par, c.frame[0], which == 0 || which == 3 ? dot.u : NULL,
                          which == 1 || which == 3 ? dot.par : NULL,
                          which == 2 || which == 3 ? dot.theta : NULL, s.next, s.next_dot));
    forward = BatchDot(s.next_bar, s.next_dot);
    reverse = which < 3 ? part[which] : part[0] + part[1] + part[2];
    scale = PetscSqrtReal(BatchDot(s.next_bar, s.next_bar) * BatchDot(s.next_dot, s.next_dot));
    cr_expect(PetscAbsReal(forward - reverse) <= 1e-12 * scale,
              "%s %s tangent %d: %.17g forward, %.17g reverse, %.3g", model, more, which, forward, reverse,
              scale);
    all += PetscAbsReal(forward);
  }
  cr_expect(all > 0);
  TripleDestroy(&bar);
  TripleDestroy(&dot);
  StepDestroy(&s);
  CaseDestroy(&c);
}

Test(model, dot_products)
{
  for (int i = 0; case_models[i]; i++) CheckDot(case_models[i], "", NULL);
}

/* A constraint that is not its own transpose, so that a missing transpose shows. */
static PetscErrorCode Constrain(UnrPhysics physics, const double par[], UnrBatch u)
{
  size_t n = (size_t)u->samples * u->stride;

  (void)physics;
  (void)par;
  for (size_t i = 0; i + 1 < n; i += 2) u->data[i] += 0.5 * u->data[i + 1];
  return PETSC_SUCCESS;
}

static PetscErrorCode ConstrainTranspose(UnrPhysics physics, const double par[], UnrBatch u_bar)
{
  size_t n = (size_t)u_bar->samples * u_bar->stride;

  (void)physics;
  (void)par;
  for (size_t i = 0; i + 1 < n; i += 2) u_bar->data[i + 1] += 0.5 * u_bar->data[i];
  return PETSC_SUCCESS;
}

static void AddConstraint(Case *c)
{
  static UnrPhysicsOps constrained;

  constrained = *c->physics->ops;
  constrained.constrain = Constrain;
  constrained.constrain_transpose = ConstrainTranspose;
  c->physics->ops = &constrained;
}

Test(model, projected_dot_products)
{
  for (int i = 0; case_models[i]; i++) CheckDot(case_models[i], "-model_project true", AddConstraint);
}

/* u' is P of what it is without -model_project. */
Test(model, projects_the_result)
{
  for (int i = 0; case_models[i]; i++) {
    UnrBatch next[2];
    Case c[2];

    for (int j = 0; j < 2; j++) {
      CaseCreate(&c[j], case_models[i], 1, false, j ? "-model_project true" : "");
      AddConstraint(&c[j]);
      TEST_CALL(UnrBatchCreate(c[j].grid, c[j].samples, &next[j]));
      TEST_CALL(UnrModelApply(c[j].model, c[j].par, c[j].frame[0], next[j], NULL));
    }
    TEST_CALL(Constrain(c[0].physics, c[0].par, next[0]));
    cr_expect(ArrayDistance((size_t)next[0]->samples * next[0]->stride, next[0]->data, next[1]->data) == 0,
              "%s", case_models[i]);
    for (int j = 0; j < 2; j++) {
      TEST_CALL(UnrBatchDestroy(&next[j]));
      CaseDestroy(&c[j]);
    }
  }
}

/* |F(x + h d) - F(x) - h F'(x) d| falls with h^2; order 1.95 leaves room for the third derivative. */
Test(model, taylor)
{
  for (int i = 0; case_models[i]; i++) {
    Case c;
    Step s;
    Triple dot;
    double before = 0, h = 1e-1;

    CaseCreate(&c, case_models[i], 1, false, "");
    StepCreate(&c, &s);
    TripleCreate(&c, &dot);
    TripleFill(&c, &dot, 2);
    if (c.net) TEST_CALL(UnrNetSmooth(c.net, true));
    TEST_CALL(UnrModelJvp(c.model, c.par, c.frame[0], dot.u, dot.par, dot.theta, s.next_bar, s.next_dot));
    for (int level = 0; level < 5; level++, h /= 10) {
      double remainder, order;

      CaseMove(&c, h, &dot);
      TEST_CALL(UnrModelApply(c.model, c.par, c.frame[0], s.next, NULL));
      CaseMove(&c, -h, &dot);
      TEST_CALL(UnrBatchAXPY(s.next, -1, s.next_bar));
      TEST_CALL(UnrBatchAXPY(s.next, -h, s.next_dot));
      remainder = PetscSqrtReal(BatchDot(s.next, s.next));
      order = level ? PetscLog10Real(before / remainder) : 2;
      /* the first decade is outside the quadratic range */
      cr_expect(level < 2 || order >= 1.95, "%s: order %.3f at h = %g (%.3g)", case_models[i], order, h,
                remainder);
      before = remainder;
    }
    TripleDestroy(&dot);
    StepDestroy(&s);
    CaseDestroy(&c);
  }
}

/* The table of architecture.md: what is known of these beforehand. */
static const char *const table[] = {
    "predict", "predict_residual", "correct_parallel", "correct_sequential", "transition", "solver", NULL};

/* u' rebuilt from stepper and net by that table. */
static void Expected(Case *c, UnrBatch u, UnrBatch next)
{
  const char *name = UnrModelName(c->model);
  UnrBatch v, n;

  TEST_CALL(UnrBatchCreate(c->grid, c->samples, &v));
  TEST_CALL(UnrBatchCreate(c->grid, c->samples, &n));
  TEST_CALL(UnrBatchZero(next));
  if (c->stepper) TEST_CALL(UnrStepperApply(c->stepper, c->par, u, v, NULL));
  if (c->net) {
    bool is_sequential = !strcmp(name, "correct_sequential") || !strcmp(name, "transition");

    TEST_CALL(UnrNetApply(c->net, c->par, is_sequential ? v : u, n, NULL));
  }
  if (!strcmp(name, "predict_residual")) TEST_CALL(UnrBatchAXPY(next, 1, u));
  if (c->stepper) TEST_CALL(UnrBatchAXPY(next, 1, v));
  if (c->net) {
    double scale = !strcmp(name, "correct_parallel") ? 0.5 : !strcmp(name, "transition") ? 0.75 : 1;

    TEST_CALL(UnrBatchAXPY(next, scale, n));
  }
  TEST_CALL(UnrBatchDestroy(&v));
  TEST_CALL(UnrBatchDestroy(&n));
}

static const char transition_options[] = "-model_transition_fraction 0.25 -reference_stepper_dt 1 "
                                         "-reference_stepper_substeps 1 -reference_stepper_etdrk_order 4";

Test(model, equations)
{
  for (int i = 0; table[i]; i++) {
    Case c;
    UnrBatch next, expected;

    CaseCreate(&c, table[i], 1, false, transition_options);
    TEST_CALL(UnrBatchCreate(c.grid, c.samples, &next));
    TEST_CALL(UnrBatchCreate(c.grid, c.samples, &expected));
    TEST_CALL(UnrModelApply(c.model, c.par, c.frame[0], next, NULL));
    Expected(&c, c.frame[0], expected);
    cr_expect(ArrayDistance((size_t)next->samples * next->stride, expected->data, next->data) <= 1e-15, "%s",
              table[i]);
    if (!strcmp(table[i], "transition")) cr_expect(UnrStepperDt(c.stepper) == 0.25);
    TEST_CALL(UnrBatchDestroy(&next));
    TEST_CALL(UnrBatchDestroy(&expected));
    CaseDestroy(&c);
  }
}

/* -model_scale: u'(2 s) - u'(0) = 2 (u'(s) - u'(0)), and it is not the default of any model. */
Test(model, scale)
{
  static const char *const corrections[] = {"correct_parallel", "correct_sequential", "transition"};

  for (int i = 0; i < 3; i++) {
    UnrBatch next[3];
    Case c[3];
    double difference = 0, largest = 0;

    for (int j = 0; j < 3; j++) {
      char more[64];

      snprintf(more, sizeof more, "-model_scale %g", 0.3 * j);
      CaseCreate(&c[j], corrections[i], 1, false, more);
      TEST_CALL(UnrBatchCreate(c[j].grid, c[j].samples, &next[j]));
      TEST_CALL(UnrModelApply(c[j].model, c[j].par, c[j].frame[0], next[j], NULL));
    }
    for (size_t k = 0; k < (size_t)next[0]->samples * next[0]->stride; k++) {
      double one = next[1]->data[k] - next[0]->data[k], two = next[2]->data[k] - next[0]->data[k];

      difference = TestMost(difference, PetscAbsReal(two - 2 * one));
      largest = TestMost(largest, PetscAbsReal(one));
    }
    cr_expect(difference <= 1e-13 && largest > 1e-3, "%s: %g of %g", corrections[i], difference, largest);
    for (int j = 0; j < 3; j++) {
      TEST_CALL(UnrBatchDestroy(&next[j]));
      CaseDestroy(&c[j]);
    }
  }
}

/* What a reverse calls, by what is wanted: nothing of the solver and no input gradient for theta_bar alone.
 */
Test(model, calls)
{
  for (int i = 0; case_models[i]; i++) {
    Case c;
    Step s;
    Triple bar;

    CaseCreate(&c, case_models[i], 1, false, "");
    StepCreate(&c, &s);
    TripleCreate(&c, &bar);
    TEST_CALL(UnrModelApply(c.model, c.par, c.frame[0], s.next, s.tape));
    UnrCountReset();
    TEST_CALL(UnrModelVjp(c.model, c.par, s.tape, s.next_bar, NULL, NULL, bar.theta));
    cr_expect(UnrCountGet(UNR_COUNT_SOLVER_VJP) == 0, "%s", case_models[i]);
    cr_expect(UnrCountGet(UNR_COUNT_NET_INPUT_VJP) == 0, "%s", case_models[i]);
    cr_expect(UnrCountGet(UNR_COUNT_NET_VJP) == (c.net ? c.samples : 0), "%s", case_models[i]);
    TEST_CALL(UnrModelVjp(c.model, c.par, s.tape, s.next_bar, bar.u, NULL, bar.theta));
    cr_expect(UnrCountGet(UNR_COUNT_SOLVER_VJP) == (c.stepper ? c.samples : 0), "%s", case_models[i]);
    cr_expect(UnrCountGet(UNR_COUNT_NET_INPUT_VJP) == (c.net ? c.samples : 0), "%s", case_models[i]);
    UnrCountReset();
    TEST_CALL(UnrModelVjp(c.model, c.par, s.tape, s.next_bar, NULL, NULL, NULL));
    for (int count = 0; count < UNR_COUNTS; count++) cr_expect(UnrCountGet(count) == 0, "%s", case_models[i]);
    TripleDestroy(&bar);
    StepDestroy(&s);
    CaseDestroy(&c);
  }
}

/* The parameters' gradient is the same whether or not the state's is wanted; the reverse adds; the tape is
 * only read. */
Test(model, reverse_adds)
{
  for (int i = 0; case_models[i]; i++) {
    Case c;
    Step s;
    Triple once, twice;
    size_t n;

    CaseCreate(&c, case_models[i], 1, false, "");
    StepCreate(&c, &s);
    TripleCreate(&c, &once);
    TripleCreate(&c, &twice);
    n = (size_t)once.u->samples * once.u->stride;
    TEST_CALL(UnrModelApply(c.model, c.par, c.frame[0], s.next, s.tape));
    TEST_CALL(UnrModelVjp(c.model, c.par, s.tape, s.next_bar, once.u, once.par, once.theta));
    TEST_CALL(UnrModelVjp(c.model, c.par, s.tape, s.next_bar, NULL, twice.par, twice.theta));
    TEST_CALL(UnrModelVjp(c.model, c.par, s.tape, s.next_bar, twice.u, twice.par, twice.theta));
    TEST_CALL(UnrModelVjp(c.model, c.par, s.tape, s.next_bar, twice.u, NULL, NULL));
    for (size_t k = 0; k < n; k++) once.u->data[k] *= 2;
    for (PetscInt k = 0; k < c.samples * c.parameters; k++) once.par[k] *= 2;
    for (size_t k = 0; k < c.weights; k++) ((double *)once.theta)[k] *= 2;
    /* sums in the order of the calls: a few roundings */
    cr_expect(ArrayDistance(n, once.u->data, twice.u->data) <= 1e-13, "%s", case_models[i]);
    cr_expect(ArrayDistance((size_t)(c.samples * c.parameters), once.par, twice.par) <= 1e-13, "%s",
              case_models[i]);
    cr_expect(ArrayDistance(c.weights, once.theta, twice.theta) <= 1e-13, "%s", case_models[i]);
    TripleDestroy(&twice);
    TripleDestroy(&once);
    StepDestroy(&s);
    CaseDestroy(&c);
  }
}

/* `transition` asks for the reference scheme, `predict` for no stepper at all. */
Test(model, wants)
{
  for (int i = 0; table[i]; i++) {
    UnrModelNeeds wants;
    bool is_predict = !strncmp(table[i], "predict", 7);
    UnrModelStepperKind expect = is_predict ? UNR_STEPPER_NONE : UNR_STEPPER_SOLVER;

    if (!strcmp(table[i], "transition")) expect = UNR_STEPPER_REFERENCE;
    TEST_CALL(PetscOptionsSetValue(NULL, "-model_type", table[i]));
    TEST_CALL(UnrModelWants(&wants));
    cr_expect(wants.stepper == expect && wants.net == (strcmp(table[i], "solver") != 0), "%s", table[i]);
    TestOptionsUnset("-model_type");
  }
}
