/* Losses: divisors in closed form, gradients against differences, the same sum on every layout. */
#include "support.h"

#include "loss/loss.h"

static const PetscInt points[UNR_MAX_DIM] = {7, 5, 1}; /* uneven blocks on two and three ranks */
enum { SAMPLES = 5, COMPONENTS = 2, CELLS = 35 };

/* Every loss of the build: a new one enters by its list line. */
#define UNR_LOSS(name, Name) #name,
static const char *const names[] = {
#include "loss/list.h"
};
#undef UNR_LOSS
enum { LOSSES = sizeof(names) / sizeof(names[0]) };

/* A loss on a layout: this replica's share of five samples. */
typedef struct {
  UnrLayout layout;
  UnrGrid grid;
  UnrLoss loss;
  UnrBatch u, reference, direction, bar;
  PetscInt first;
} Case;

static void Create(Case *c, const char *name, bool is_alone)
{
  PetscInt count = SAMPLES;

  TEST_CALL(PetscOptionsSetValue(NULL, "-loss_type", name));
  TEST_CALL(UnrLossCreate(&c->loss));
  c->first = 0;
  if (is_alone) {
    TEST_CALL(UnrLayoutCreateSelf(&c->layout));
  } else {
    TEST_CALL(UnrLayoutCreate(PETSC_COMM_WORLD, SAMPLES, 2, points, &UnrNeedsNone, &c->layout));
    UnrLayoutShare(&c->layout, SAMPLES, &c->first, &count);
  }
  TEST_CALL(UnrGridCreate(&c->layout, 2, points, COMPONENTS, 0, &c->grid));
  TEST_CALL(UnrBatchCreate(c->grid, count, &c->u));
  TEST_CALL(UnrBatchCreate(c->grid, count, &c->reference));
  TEST_CALL(UnrBatchCreate(c->grid, count, &c->direction));
  TEST_CALL(UnrBatchCreate(c->grid, count, &c->bar));
  TestFill(c->u, c->first, "u", 0);
  TestFill(c->reference, c->first, "reference", 0);
  TestFill(c->direction, c->first, "direction", 0);
}

static void Destroy(Case *c)
{
  TEST_CALL(UnrBatchDestroy(&c->u));
  TEST_CALL(UnrBatchDestroy(&c->reference));
  TEST_CALL(UnrBatchDestroy(&c->direction));
  TEST_CALL(UnrBatchDestroy(&c->bar));
  TEST_CALL(UnrGridDestroy(&c->grid));
  TEST_CALL(UnrLayoutDestroy(&c->layout));
  TEST_CALL(UnrLossDestroy(&c->loss));
  TEST_CALL(PetscOptionsClearValue(NULL, "-loss_type"));
}

static double LocalDot(UnrBatch x, UnrBatch y)
{
  double dot = 0;

  for (size_t i = 0; i < (size_t)x->samples * x->stride; i++) dot += x->data[i] * y->data[i];
  return dot;
}

/* u = reference + 3 everywhere: what each divisor must make of it, for weights 0.25 of 2. */
Test(loss, divisor_is_global)
{
  static const char *const known[] = {"mse", "half_sum"};
  const double expect[] = {9 * 0.25 / 2, 0.5 * 9 * CELLS * COMPONENTS * 0.25};

  for (int i = 0; i < 2; i++) {
    Case c;
    double value = 0;

    Create(&c, known[i], false);
    for (size_t j = 0; j < (size_t)c.u->samples * c.u->stride; j++) c.u->data[j] = c.reference->data[j] + 3;
    TEST_CALL(UnrLossFrame(c.loss, c.u, c.reference, SAMPLES, 0.25, 2, &value, NULL));
    value = TestSum(value);
    /* 350 terms: a few rounding errors */
    cr_expect(TestRelative(value, expect[i]) <= 1e-14, "%s: %.17g, expected %.17g", known[i], value,
              expect[i]);
    Destroy(&c);
  }
}

/* A quadratic: the central difference is its derivative but for rounding. */
Test(loss, gradient)
{
  for (int i = 0; i < LOSSES; i++) {
    Case c;
    double value[2] = {0, 0}, dot, difference;

    Create(&c, names[i], false);
    TEST_CALL(UnrLossFrame(c.loss, c.u, c.reference, SAMPLES, 0.7, 3, NULL, c.bar));
    dot = TestSum(LocalDot(c.bar, c.direction));
    TEST_CALL(UnrBatchAXPY(c.u, 0.5, c.direction));
    TEST_CALL(UnrLossFrame(c.loss, c.u, c.reference, SAMPLES, 0.7, 3, &value[0], NULL));
    TEST_CALL(UnrBatchAXPY(c.u, -1, c.direction));
    TEST_CALL(UnrLossFrame(c.loss, c.u, c.reference, SAMPLES, 0.7, 3, &value[1], NULL));
    difference = TestSum(value[0] - value[1]);
    cr_expect(PetscAbsReal(dot - difference) <= 1e-13 * TestSum(value[0] + value[1]),
              "%s: %.17g, difference %.17g", names[i], dot, difference);
    Destroy(&c);
  }
}

/* Value and gradient are added, and the same whether they are asked for together or alone. */
Test(loss, adds)
{
  for (int i = 0; i < LOSSES; i++) {
    Case c;
    double once = 0, twice = 0, alone = 0;
    size_t n;

    Create(&c, names[i], false);
    n = (size_t)c.u->samples * c.u->stride;
    TEST_CALL(UnrLossFrame(c.loss, c.u, c.reference, SAMPLES, 1, 1, &once, c.bar));
    TEST_CALL(UnrBatchCopy(c.bar, c.direction));
    TEST_CALL(UnrLossFrame(c.loss, c.u, c.reference, SAMPLES, 1, 1, &twice, c.bar));
    TEST_CALL(UnrLossFrame(c.loss, c.u, c.reference, SAMPLES, 1, 1, &twice, NULL));
    TEST_CALL(UnrLossFrame(c.loss, c.u, c.reference, SAMPLES, 1, 1, &alone, NULL));
    cr_expect(alone == once);
    cr_expect(TestRelative(twice, 2 * once) <= 1e-15);
    for (size_t j = 0; j < n; j++) {
      cr_expect(c.bar->data[j] == 2 * c.direction->data[j], "%s: cell %zu", names[i], j);
    }
    Destroy(&c);
  }
}

/* u = 1.5 r: a relative error of 0.25 whatever the reference's size, in a sample a thousand times larger too.
 */
Test(loss, relative_to_each_sample)
{
  Case c;
  double value = 0;
  size_t n;

  Create(&c, "relative", false);
  n = c.u->stride;
  for (PetscInt s = 0; s < c.u->samples; s++)
    for (size_t j = (size_t)s * n; j < (size_t)(s + 1) * n; j++) {
      if (c.first + s == 1) c.reference->data[j] *= 1000;
      c.u->data[j] = 1.5 * c.reference->data[j];
    }
  TEST_CALL(UnrLossFrame(c.loss, c.u, c.reference, SAMPLES, 0.5, 2, &value, NULL));
  value = TestSum(value);
  cr_expect(TestRelative(value, 0.25 * 0.5 / 2) <= 1e-14, "%.17g", value);
  Destroy(&c);
}

Test(loss, every_layout_gives_the_sum_of_one_rank)
{
  for (int i = 0; i < LOSSES; i++) {
    Case c, alone;
    double value = 0, expect = 0;

    Create(&c, names[i], false);
    Create(&alone, names[i], true);
    TEST_CALL(UnrLossFrame(c.loss, c.u, c.reference, SAMPLES, 1, 4, &value, NULL));
    TEST_CALL(UnrLossFrame(alone.loss, alone.u, alone.reference, SAMPLES, 1, 4, &expect, NULL));
    value = TestSum(value);
    /* 350 positive terms in another order */
    cr_expect(TestRelative(value, expect) <= 1e-14, "%s: %.17g, one rank %.17g", names[i], value, expect);
    Destroy(&alone);
    Destroy(&c);
  }
}

static PetscErrorCode Count(const char *name, const char *summary, void *context)
{
  cr_expect(name[0] && summary[0]);
  ++*(int *)context;
  return PETSC_SUCCESS;
}

Test(loss, list)
{
  int count = 0;

  TEST_CALL(UnrLossList(Count, &count));
  cr_expect(count == LOSSES);
}

Test(loss, unknown_name_is_refused)
{
  UnrLoss loss = NULL;
  PetscErrorCode code;

  TEST_CALL(UnrErrorHandlerPush());
  TEST_CALL(PetscOptionsSetValue(NULL, "-loss_type", "msee"));
  code = UnrLossCreate(&loss);
  cr_expect(code == UNR_ERR_USER);
  cr_expect(strstr(UnrUserErrorMessage(), "msee") && strstr(UnrUserErrorMessage(), "mse|half_sum"), "%s",
            UnrUserErrorMessage());
  UnrUserErrorClear();
  TEST_CALL(PetscOptionsClearValue(NULL, "-loss_type"));
  TEST_CALL(PetscPopErrorHandler());
}
