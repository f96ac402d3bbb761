/* Networks: gradients proved by dot products, Taylor remainders and differences, on every layout. */
#include "net_answer.h"

static const char *const activations[] = {"leaky_relu", "relu", "tanh", "gelu"};

Test(net, dot_product)
{
  for (int k = 0; k < NET_CONFIGS; k++)
    for (int a = 0; a < 4; a++)
      for (int parts = a ? 7 : 1; parts < 8; parts++) {
        NetCase c;
        double error;
        bool has_constants = false;

        for (int o = 0; o < NET_OPTIONS && net_configs[k].option[o][0]; o++)
          has_constants |= !strcmp(net_configs[k].option[o][0], "-net_constants") ||
                           !strcmp(net_configs[k].option[o][0], "-net_diagnostics");
        if (parts == 2 && !has_constants) continue; /* a zero map */
        NetCaseCreate(&c, &net_configs[k], "double", activations[a], false);
        error = DotError(&c, parts);
        /* a few thousand rounding errors of either sign */
        cr_expect(error <= 1e-13, "%s, %s, parts %d: %g", net_configs[k].title, activations[a], parts, error);
        NetCaseDestroy(&c);
      }
}

Test(net, dot_product_single)
{
  for (int k = 0; k < NET_CONFIGS; k++) {
    NetCase c;
    double error;

    NetCaseCreate(&c, &net_configs[k], "single", "leaky_relu", false);
    error = DotError(&c, 7);
    cr_expect(error <= 1e-5, "%s: %g", net_configs[k].title, error); /* some 100 roundings of 6e-8 */
    NetCaseDestroy(&c);
  }
}

/* A scalar of the net: J(h) = <w, N(u + h v)>. */
typedef struct {
  NetCase *c;
  UnrBatch u, w, out, shifted;
  NetVector v;
  void *theta;
} Line;

static void LineCreate(NetCase *c, Line *line)
{
  void *theta;

  line->c = c;
  line->u = NetCaseBatch(c, "u");
  line->w = NetCaseBatch(c, "w");
  line->out = NetCaseBatch(c, NULL);
  line->shifted = NetCaseBatch(c, NULL);
  NetVectorCreate(c, "v", &line->v);
  line->theta = NetTheta(c);
  TEST_CALL(UnrNetTheta(c->net, &theta));
  for (size_t j = 0; j < c->parameters; j++) NetPut(c, line->theta, j, NetGet(c, theta, j));
}

static void LineDestroy(Line *line)
{
  TEST_CALL(UnrBatchDestroy(&line->u));
  TEST_CALL(UnrBatchDestroy(&line->w));
  TEST_CALL(UnrBatchDestroy(&line->out));
  TEST_CALL(UnrBatchDestroy(&line->shifted));
  NetVectorDestroy(&line->v);
  TEST_CALL(PetscFree(line->theta));
}

static double LineValue(Line *line, double h)
{
  NetCase *c = line->c;
  double par[NET_SAMPLES * NET_PAR];
  void *theta;

  TEST_CALL(UnrNetTheta(c->net, &theta));
  for (size_t j = 0; j < c->parameters; j++)
    NetPut(c, theta, j, NetGet(c, line->theta, j) + h * NetGet(c, line->v.theta, j));
  TEST_CALL(UnrNetThetaChanged(c->net));
  for (int j = 0; j < NET_SAMPLES * NET_PAR; j++) par[j] = c->par[j] + h * line->v.par[j];
  TEST_CALL(UnrBatchCopy(line->u, line->shifted));
  TEST_CALL(UnrBatchAXPY(line->shifted, h, line->v.u));
  TEST_CALL(UnrNetApply(c->net, par, line->shifted, line->out, NULL));
  return TestSum(NetLocalDot(line->out, line->w));
}

/* The gradient at h = 0. */
static void LineGradient(Line *line, NetVector *bar)
{
  NetCase *c = line->c;
  UnrTape tape;

  LineValue(line, 0);
  NetVectorCreate(c, NULL, bar);
  TEST_CALL(UnrTapeCreate(&tape));
  TEST_CALL(UnrNetApply(c->net, c->par, line->u, line->out, tape));
  TEST_CALL(UnrNetVjp(c->net, c->par, tape, line->w, bar->u, bar->par, bar->theta));
  TEST_CALL(UnrTapeDestroy(&tape));
}

Test(net, taylor_order)
{
  for (int k = 0; k < NET_CONFIGS; k++)
    for (int a = 0; a < 4; a += 3) {
      NetCase c;
      Line line;
      NetVector bar;
      double slope, value, rest[2], order;

      NetCaseCreate(&c, &net_configs[k], "double", activations[a], false);
      TEST_CALL(UnrNetSmooth(c.net, true));
      LineCreate(&c, &line);
      LineGradient(&line, &bar);
      slope = NetVectorDot(&c, &line.v, &bar);
      value = LineValue(&line, 0);
      for (int i = 0; i < 2; i++) {
        const double h = i ? 1e-4 : 2e-4;
        rest[i] = fabs(LineValue(&line, h) - value - h * slope);
      }
      order = log2(rest[0] / rest[1]);
      cr_expect(order >= 1.95 && order <= 2.05, "%s, %s: order %g", net_configs[k].title, activations[a],
                order);
      NetVectorDestroy(&bar);
      LineDestroy(&line);
      NetCaseDestroy(&c);
    }
}

/* The gradient of a weight against fourth-order central differences: three of each view. */
Test(net, weights_against_differences)
{
  for (int k = 0; k < NET_CONFIGS; k++) {
    NetCase c;
    Line line;
    NetVector bar;
    double largest = 0, worst = 0;
    const double h = 1e-4;

    NetCaseCreate(&c, &net_configs[k], "double", "leaky_relu", false);
    TEST_CALL(UnrNetSmooth(c.net, true));
    LineCreate(&c, &line);
    LineGradient(&line, &bar);
    TEST_CALL(UnrBatchZero(line.v.u));
    memset(line.v.par, 0, sizeof(line.v.par));
    for (size_t j = 0; j < c.parameters; j++) NetPut(&c, line.v.theta, j, 0);
    for (PetscInt i = 0;; i++) {
      const char *name;
      PetscInt rank, shape[5];
      size_t first, numbers = 1;

      TEST_CALL(UnrNetView(c.net, i, &name, &rank, shape, &first));
      if (!name) break;
      for (PetscInt r = 0; r < rank; r++) numbers *= (size_t)shape[r];
      for (size_t pick = 0; pick < 3; pick++) {
        const size_t j = first + pick * (numbers - 1) / 2;
        const double gradient = TestSum(NetGet(&c, bar.theta, j));
        double difference;

        NetPut(&c, line.v.theta, j, 1);
        difference = (8 * (LineValue(&line, h) - LineValue(&line, -h)) -
                      (LineValue(&line, 2 * h) - LineValue(&line, -2 * h))) /
                     (12 * h);
        NetPut(&c, line.v.theta, j, 0);
        largest = TestMost(largest, fabs(gradient));
        worst = TestMost(worst, fabs(gradient - difference));
      }
    }
    /* h^4 = 1e-16 times a fifth derivative of up to 1e6 (the deepest net), and rounding 1e-15 |J| / h */
    cr_expect(worst <= 1e-9 * largest, "%s: %g of %g", net_configs[k].title, worst, largest);
    NetVectorDestroy(&bar);
    LineDestroy(&line);
    NetCaseDestroy(&c);
  }
}

/* All ranks on one domain against every rank alone: weights, outputs, gradients. */
Test(net, rank_invariance)
{
  static const char *const precisions[] = {"double", "single"};

  for (int k = 0; k < NET_CONFIGS; k++)
    for (int p = 0; p < 2; p++) {
      const double bound = p ? 1e-5 : 1e-12; /* orders of summation differ */
      NetCase blocks, alone;
      Answer part, whole;
      void *theta[2];
      double error;

      NetCaseCreate(&blocks, &net_configs[k], precisions[p], "leaky_relu", false);
      NetCaseCreate(&alone, &net_configs[k], precisions[p], "leaky_relu", true);
      TEST_CALL(UnrNetTheta(blocks.net, &theta[0]));
      TEST_CALL(UnrNetTheta(alone.net, &theta[1]));
      cr_expect(
          !memcmp(theta[0], theta[1], blocks.parameters * UnrPrecisionBytes(UnrNetPrecision(blocks.net))));
      AnswerCreate(&blocks, &part);
      AnswerCreate(&alone, &whole);
      error = BatchError(part.out, whole.out);
      cr_expect(error <= bound, "%s %s, output: %g", net_configs[k].title, precisions[p], error);
      error = BatchError(part.bar.u, whole.bar.u);
      cr_expect(error <= bound, "%s %s, u_bar: %g", net_configs[k].title, precisions[p], error);
      error = GradientError(&blocks, &part.bar, &whole.bar);
      cr_expect(error <= bound, "%s %s, gradients: %g", net_configs[k].title, precisions[p], error);
      AnswerDestroy(&part);
      AnswerDestroy(&whole);
      NetCaseDestroy(&blocks);
      NetCaseDestroy(&alone);
    }
}

/* One grid communicator of one rank each: engines differ in the order of sums only. */
Test(net, engines_agree)
{
  static const char *const precisions[] = {"double", "single"};

  for (int k = 0; k < NET_CONFIGS; k++)
    for (int p = 0; p < 2; p++) {
      const double bound = p ? 1e-5 : 1e-13;
      NetCase ref, simd;
      Answer a, b;
      double error, largest = 0, worst = 0;

      TEST_CALL(PetscOptionsSetValue(NULL, "-layer_engine", "ref"));
      NetCaseCreate(&ref, &net_configs[k], precisions[p], "leaky_relu", true);
      TEST_CALL(PetscOptionsSetValue(NULL, "-layer_engine", "simd"));
      NetCaseCreate(&simd, &net_configs[k], precisions[p], "leaky_relu", true);
      TEST_CALL(PetscOptionsClearValue(NULL, "-layer_engine"));
      AnswerCreate(&ref, &a);
      AnswerCreate(&simd, &b);
      error = TestMost(BatchError(b.out, a.out), BatchError(b.bar.u, a.bar.u));
      cr_expect(error <= bound, "%s %s: %g", net_configs[k].title, precisions[p], error);
      for (size_t j = 0; j < ref.parameters; j++) {
        largest = TestMost(largest, fabs(NetGet(&ref, a.bar.theta, j)));
        worst = TestMost(worst, fabs(NetGet(&ref, a.bar.theta, j) - NetGet(&simd, b.bar.theta, j)));
      }
      cr_expect(worst <= bound * largest, "%s %s, weights: %g of %g", net_configs[k].title, precisions[p],
                worst, largest);
      AnswerDestroy(&a);
      AnswerDestroy(&b);
      NetCaseDestroy(&ref);
      NetCaseDestroy(&simd);
    }
}
