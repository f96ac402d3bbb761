/*
  Gradients of rollouts: the transpose of the tangent in every mode, differences where nothing is cut,
  compositions of single steps where something is, and what a mode must not call.
*/
#include "rollout_case.h"

enum { STEPS = 8 };

/* <gradient, tangent> for state, parameters and weights together and alone. */
static void CheckDot(Case *c, const PlanName *name)
{
  UnrRollout rollout = RolloutCreate(c, name, STEPS);
  Triple bar, dot;
  double part[3], forward, reverse, scale;

  TripleCreate(c, &bar);
  TripleCreate(c, &dot);
  TripleFill(c, &dot, 3);
  Gradient(c, rollout, &bar);
  TripleDot(c, &bar, &dot, part);
  for (int which = 0; which < 4; which++) {
    TEST_CALL(UnrRolloutJvp(rollout, &c->window, which == 0 || which == 3 ? dot.u : NULL,
                            which == 1 || which == 3 ? dot.par : NULL,
                            which == 2 || which == 3 ? dot.theta : NULL, &forward));
    forward = TestSum(forward);
    reverse = which < 3 ? part[which] : part[0] + part[1] + part[2];
    /* relative to the terms whose sum this is: rounding of some ten thousand operations */
    scale = PetscAbsReal(part[0]) + PetscAbsReal(part[1]) + PetscAbsReal(part[2]);
    cr_expect(PetscAbsReal(forward - reverse) <= 1e-12 * scale,
              "%s, %s, tangent %d: %.17g forward, %.17g reverse", UnrModelName(c->model), name->name, which,
              forward, reverse);
  }
  cr_expect(scale > 0);
  TripleDestroy(&bar);
  TripleDestroy(&dot);
  TEST_CALL(UnrRolloutDestroy(&rollout));
}

Test(rollout, dot_products)
{
  for (int i = 0; case_models[i]; i++) {
    Case c;

    CaseCreate(&c, case_models[i], STEPS + 1, false, "");
    for (int p = 0; p < PLANS; p++) CheckDot(&c, &plan_names[p]);
    CaseDestroy(&c);
  }
}

static double Value(Case *c, UnrRollout rollout)
{
  double value;

  TEST_CALL(UnrRolloutValue(rollout, &c->window, &value, NULL));
  return TestSum(value);
}

static double ValueAt(Case *c, UnrRollout rollout, double h, const Triple *direction)
{
  double value;

  CaseMove(c, h, direction);
  value = Value(c, rollout);
  CaseMove(c, -h, direction);
  return value;
}

/* Keeps one of start, parameters, weights of a direction. */
static void KeepOnly(Case *c, int which, Triple *direction)
{
  if (which != 0) TEST_CALL(UnrBatchZero(direction->u));
  if (which != 1) TEST_CALL(PetscArrayzero(direction->par, c->samples * c->parameters));
  if (which != 2) TEST_CALL(PetscArrayzero((double *)direction->theta, c->weights));
}

static void Align(size_t n, const double *gradient, double norm, double *direction)
{
  for (size_t i = 0; i < n; i++)
    direction[i] = PetscAbsReal(direction[i]) * (gradient[i] < 0 ? -1 : 1) / norm;
}

/* A random direction with the signs of the gradient, so that no entry of it can hide behind another, of norm
   1 in state and weights (theirs is the same on all ranks, the parameters' about so). */
static void DirectionAlong(Case *c, const Triple *gradient, uint64_t number, Triple *direction)
{
  Triple whole;
  double theta;

  TripleCreate(c, &whole);
  TEST_CALL(PetscArraycpy(whole.par, gradient->par, c->samples * c->parameters));
  TEST_CALL(PetscArraycpy((double *)whole.theta, (double *)gradient->theta, c->weights));
  TripleReduce(c, &whole);
  TripleFill(c, direction, number);
  theta = PetscSqrtReal(LocalDot(c->weights, direction->theta, direction->theta));
  Align((size_t)direction->u->samples * direction->u->stride, gradient->u->data,
        PetscSqrtReal(BatchDot(direction->u, direction->u)), direction->u->data);
  Align((size_t)(c->samples * c->parameters), whole.par, 2, direction->par);
  Align(c->weights, whole.theta, theta, direction->theta);
  TripleDestroy(&whole);
}

/* Tangent and gradient take the same chunks of start, parameters and references. */
Test(rollout, dot_products_in_chunks)
{
  Case c;

  CaseCreate(&c, "correct_sequential", STEPS + 1, false, "-rollout_chunk 1");
  for (int p = 0; p < PLANS; p++) CheckDot(&c, &plan_names[p]);
  CaseDestroy(&c);
}

/* Fourth-order central differences of the wig loss: their own error is h^4 and rounding / h, so that weights,
   to which eight chaotic steps are most sensitive, take the smaller h. */
Test(rollout, wig_against_differences)
{
  const double bound[3] = {1e-9, 1e-8, 1e-9}, step[3] = {1e-3, 1e-3, 1e-4};

  for (int i = 0; case_models[i]; i++) {
    Case c;
    UnrRollout rollout;
    Triple bar, dot;
    double part[3];

    CaseCreate(&c, case_models[i], STEPS + 1, false, "");
    if (c.net) TEST_CALL(UnrNetSmooth(c.net, true));
    rollout = RolloutCreate(&c, &plan_names[2], STEPS);
    TripleCreate(&c, &bar);
    TripleCreate(&c, &dot);
    Gradient(&c, rollout, &bar);
    for (int which = 0; which < (c.net ? 3 : 2); which++) {
      double difference, h = step[which];

      DirectionAlong(&c, &bar, 4, &dot);
      KeepOnly(&c, which, &dot);
      TripleDot(&c, &bar, &dot, part);
      difference = (8 * (ValueAt(&c, rollout, h, &dot) - ValueAt(&c, rollout, -h, &dot)) -
                    (ValueAt(&c, rollout, 2 * h, &dot) - ValueAt(&c, rollout, -2 * h, &dot))) /
                   (12 * h);
      cr_expect(part[which] > 0 && TestRelative(part[which], difference) <= bound[which],
                "%s %d: %.15g, differences %.15g (%.2g)", case_models[i], which, part[which], difference,
                TestRelative(part[which], difference));
    }
    TripleDestroy(&bar);
    TripleDestroy(&dot);
    TEST_CALL(UnrRolloutDestroy(&rollout));
    CaseDestroy(&c);
  }
}

/* The remainder of the linear model falls with h^2 over four decades, along all three at once. */
Test(rollout, wig_taylor)
{
  for (int i = 0; case_models[i]; i++) {
    Case c;
    UnrRollout rollout;
    Triple bar, dot;
    double part[3], value, before = 0, h = 1e-2;

    CaseCreate(&c, case_models[i], STEPS + 1, false, "");
    if (c.net) TEST_CALL(UnrNetSmooth(c.net, true));
    rollout = RolloutCreate(&c, &plan_names[2], STEPS);
    TripleCreate(&c, &bar);
    TripleCreate(&c, &dot);
    value = TestSum(Gradient(&c, rollout, &bar));
    DirectionAlong(&c, &bar, 5, &dot);
    TripleDot(&c, &bar, &dot, part);
    for (int level = 0; level < 5; level++, h /= 10) {
      double remainder =
          PetscAbsReal(ValueAt(&c, rollout, h, &dot) - value - h * (part[0] + part[1] + part[2]));

      if (level) {
        double order = PetscLog10Real(before / remainder);

        cr_expect(order >= 1.95, "%s: order %.3f at h = %g (%.3g of %g)", case_models[i], order, h, remainder,
                  value);
      }
      before = remainder;
    }
    TripleDestroy(&bar);
    TripleDestroy(&dot);
    TEST_CALL(UnrRolloutDestroy(&rollout));
    CaseDestroy(&c);
  }
}

/* one and nog never ask the solver's adjoint or the net's input gradient; wig asks m - 1 times. */
Test(rollout, calls)
{
  for (int i = 0; case_models[i]; i++) {
    Case c;
    Triple bar;

    CaseCreate(&c, case_models[i], STEPS + 1, false, "");
    TripleCreate(&c, &bar);
    for (int p = 0; p < PLANS; p++) {
      UnrRollout rollout = RolloutCreate(&c, &plan_names[p], STEPS);
      /* steps without cut before them, among those with a loss after them; steps with a loss after them */
      const PetscInt inner[PLANS] = {0, 0, 7, 4, 5, 4, 0}, graded[PLANS] = {1, 8, 8, 5, 8, 6, 6};
      double value;

      UnrCountReset();
      TEST_CALL(UnrRolloutGradient(rollout, &c.window, &value, bar.theta, NULL, NULL));
      cr_expect(UnrCountGet(UNR_COUNT_SOLVER_VJP) == (c.stepper ? inner[p] * c.samples : 0), "%s, %s: %d",
                case_models[i], plan_names[p].name, (int)UnrCountGet(UNR_COUNT_SOLVER_VJP));
      cr_expect(UnrCountGet(UNR_COUNT_NET_INPUT_VJP) == (c.net ? inner[p] * c.samples : 0), "%s, %s: %d",
                case_models[i], plan_names[p].name, (int)UnrCountGet(UNR_COUNT_NET_INPUT_VJP));
      cr_expect(UnrCountGet(UNR_COUNT_NET_VJP) == (c.net ? graded[p] * c.samples : 0), "%s, %s",
                case_models[i], plan_names[p].name);
      cr_expect(UnrCountGet(UNR_COUNT_SOLVER_APPLY) == (c.stepper ? (p ? STEPS : 1) * c.samples : 0),
                "%s, %s", case_models[i], plan_names[p].name);
      TEST_CALL(UnrRolloutDestroy(&rollout));
    }
    TripleDestroy(&bar);
    CaseDestroy(&c);
  }
}

/* The frames of a window from frame k on, starting from a state of its own. */
static void WindowFrom(Case *c, PetscInt k, UnrBatch start, UnrBatch frame[], UnrWindow *window)
{
  for (PetscInt j = k; j < c->frames; j++) frame[j - k] = c->frame[j];
  frame[0] = start;
  *window = c->window;
  window->frame = frame;
}

/*
  A segmented plan against a composition that knows nothing of cuts: rollouts of single segments, each started
  from the state that plain steps reach.  mse divides by the number of weighted frames, so the parts are put
  together by it.
*/
static void CheckComposition(Case *c, const PlanName *name, PetscInt count, const PetscInt start[],
                             const PetscInt length[])
{
  UnrRollout rollout = RolloutCreate(c, name, STEPS);
  Triple whole, part, sum;
  UnrBatch frame[STEPS + 1], u, next;
  double value, total = 0;
  PetscInt at = 0, frames = 0;

  TripleCreate(c, &whole);
  TripleCreate(c, &part);
  TripleCreate(c, &sum);
  TEST_CALL(UnrBatchCreate(c->grid, c->samples, &u));
  TEST_CALL(UnrBatchCreate(c->grid, c->samples, &next));
  TEST_CALL(UnrBatchCopy(c->frame[0], u));
  for (PetscInt i = 0; i < count; i++) frames += length[i];
  value = Gradient(c, rollout, &whole);
  for (PetscInt i = 0; i < count; i++) {
    const PlanName wig = {"wig", "wig", 0, 0};
    UnrRollout segment = RolloutCreate(c, &wig, length[i]);
    UnrWindow window;
    double loss, share = (double)length[i] / (double)frames;

    for (; at < start[i]; at++) {
      UnrBatch swap = u;

      TEST_CALL(UnrModelApply(c->model, c->par, u, next, NULL));
      u = next;
      next = swap;
    }
    WindowFrom(c, at, u, frame, &window);
    TripleZero(c, &part);
    TEST_CALL(UnrRolloutGradient(segment, &window, &loss, part.theta, i == 0 && start[0] == 0 ? part.u : NULL,
                                 part.par));
    total += share * loss;
    TEST_CALL(UnrBatchAXPY(sum.u, share, part.u));
    for (PetscInt j = 0; j < c->samples * c->parameters; j++) sum.par[j] += share * part.par[j];
    for (size_t j = 0; j < c->weights; j++) ((double *)sum.theta)[j] += share * ((double *)part.theta)[j];
    TEST_CALL(UnrRolloutDestroy(&segment));
  }
  /* the same terms, scaled and summed in another order */
  cr_expect(TestRelative(total, value) <= 1e-13, "%s, %s: loss %.17g, parts %.17g", UnrModelName(c->model),
            name->name, value, total);
  cr_expect(TripleDistance(c, &whole, &sum) <= 1e-12, "%s, %s: gradients differ by %.3g",
            UnrModelName(c->model), name->name, TripleDistance(c, &whole, &sum));
  TEST_CALL(UnrBatchDestroy(&u));
  TEST_CALL(UnrBatchDestroy(&next));
  TripleDestroy(&whole);
  TripleDestroy(&part);
  TripleDestroy(&sum);
  TEST_CALL(UnrRolloutDestroy(&rollout));
}

Test(rollout, segments_are_independent)
{
  const PetscInt nog_start[] = {0, 1, 2, 3, 4, 5, 6, 7}, ones[] = {1, 1, 1, 1, 1, 1, 1, 1};
  const PetscInt warm_start[] = {3}, warm_length[] = {5};
  const PetscInt cut_start[] = {0, 3, 6}, cut_length[] = {3, 3, 2};

  for (int i = 0; case_models[i]; i++) {
    Case c;

    CaseCreate(&c, case_models[i], STEPS + 1, false, "");
    CheckComposition(&c, &plan_names[1], 8, nog_start, ones);
    CheckComposition(&c, &plan_names[3], 1, warm_start, warm_length);
    CheckComposition(&c, &plan_names[4], 3, cut_start, cut_length);
    CaseDestroy(&c);
  }
}

/* Truncation to 1 is nog, to m is wig; a warm-up of 0 is none: bit for bit. */
Test(rollout, limits_of_the_modes)
{
  static const PlanName pairs[][2] = {
      {{"truncated 1", "wig", 0, 1}, {"nog", "nog", 0, 0}},
      {{"truncated m", "wig", 0, STEPS}, {"wig", "wig", 0, 0}},
      {{"warm-up 7", "wig", 7, 0}, {"warm-up 7", "nog", 7, 0}},
  };
  Case c;
  Triple a, b;

  CaseCreate(&c, "correct_parallel", STEPS + 1, false, "");
  TripleCreate(&c, &a);
  TripleCreate(&c, &b);
  for (int i = 0; i < 3; i++) {
    UnrRollout first = RolloutCreate(&c, &pairs[i][0], STEPS),
               second = RolloutCreate(&c, &pairs[i][1], STEPS);
    double one = Gradient(&c, first, &a), two = Gradient(&c, second, &b), alone;

    cr_expect(one == two && IsSameBits(&c, &a, &b), "%s", pairs[i][0].name);
    TEST_CALL(UnrRolloutValue(first, &c.window, &alone, NULL));
    cr_expect(alone == one, "%s: value alone %.17g, with the gradient %.17g", pairs[i][0].name, alone, one);
    TEST_CALL(UnrRolloutDestroy(&first));
    TEST_CALL(UnrRolloutDestroy(&second));
  }
  TripleDestroy(&a);
  TripleDestroy(&b);
  CaseDestroy(&c);
}

/* The last state is that of plain steps, and the caller's start is not touched. */
Test(rollout, last_state)
{
  Case c;
  UnrRollout rollout;
  UnrBatch last, start, u[2];
  size_t bytes;
  double value;

  CaseCreate(&c, "correct_sequential", STEPS + 1, false, "-rollout_chunk 2");
  rollout = RolloutCreate(&c, &plan_names[2], STEPS);
  TEST_CALL(UnrBatchCreate(c.grid, c.samples, &last));
  TEST_CALL(UnrBatchCreate(c.grid, c.samples, &start));
  for (int i = 0; i < 2; i++) TEST_CALL(UnrBatchCreate(c.grid, c.samples, &u[i]));
  bytes = (size_t)last->samples * last->stride * sizeof(double);
  TEST_CALL(UnrBatchCopy(c.frame[0], start));
  TEST_CALL(UnrBatchCopy(c.frame[0], u[0]));
  TEST_CALL(UnrRolloutValue(rollout, &c.window, &value, last));
  for (int k = 0; k < STEPS; k++) TEST_CALL(UnrModelApply(c.model, c.par, u[k % 2], u[(k + 1) % 2], NULL));
  cr_expect(!memcmp(c.frame[0]->data, start->data, bytes));
  /* another number of samples may pair other lines in a transform: rounding */
  cr_expect(ArrayDistance(bytes / sizeof(double), u[0]->data, last->data) <= 1e-12);
  for (int i = 0; i < 2; i++) TEST_CALL(UnrBatchDestroy(&u[i]));
  TEST_CALL(UnrBatchDestroy(&last));
  TEST_CALL(UnrBatchDestroy(&start));
  TEST_CALL(UnrRolloutDestroy(&rollout));
  CaseDestroy(&c);
}

/* A stepper without an adjoint: wig is refused by name, nog and one train around it. */
#include "stepper/stepper_impl.h"
Test(rollout, wig_without_adjoint_is_refused)
{
  Case c;
  Triple bar;

  TEST_CALL(UnrErrorHandlerPush());
  CaseCreate(&c, "correct_parallel", STEPS + 1, false, "");
  TripleCreate(&c, &bar);
  c.stepper->has_adjoint = false;
  for (int p = 0; p < PLANS; p++) {
    UnrRollout rollout = NULL;
    UnrPlan plan;
    double value;
    PetscErrorCode code;
    bool is_cut_everywhere = p == 0 || p == 1 || p == 6;

    TEST_CALL(UnrPlanFill(plan_names[p].mode, STEPS, plan_names[p].warmup, plan_names[p].truncate, &plan));
    code = UnrRolloutCreate(c.model, c.loss, &plan, &rollout);
    cr_expect(code == (is_cut_everywhere ? PETSC_SUCCESS : UNR_ERR_USER), "%s", plan_names[p].name);
    if (is_cut_everywhere) {
      TEST_CALL(UnrRolloutGradient(rollout, &c.window, &value, bar.theta, NULL, NULL));
    } else {
      cr_expect(strstr(UnrUserErrorMessage(), "no adjoint (etdrk); allowed: one, nog"), "%s",
                UnrUserErrorMessage());
    }
    UnrUserErrorClear();
    TEST_CALL(UnrRolloutDestroy(&rollout));
    TEST_CALL(UnrPlanDestroy(&plan));
  }
  TripleDestroy(&bar);
  CaseDestroy(&c);
  TEST_CALL(PetscPopErrorHandler());
}
