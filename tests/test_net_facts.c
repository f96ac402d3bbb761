/* Networks: parameter counts, first weights, outputs against numpy, bits, calls, mistakes. */
#include "net_case.h"
#include "reference/resnet_numpy.h"

/* The paper's sizes, (features, depth) or a list; one component and one constant in 1-D, two
   components and one or two constants in 2-D. */
static const struct {
  int dim;
  const char *features, *depth, *constants;
  size_t parameters;
} sizes[] = {
    {1, "8", "0", "alpha", 81},
    {1, "10", "1", "alpha", 721},
    {1, "16", "10", "alpha", 15841},
    {1, "26", "8", "alpha", 33125},
    {1, "52", "12", "alpha", 196457},
    {1, "64", "10", "alpha", 247681},
    {2, "8,20,30,20,8", NULL, "alpha,beta", 32376},
    {2, "8,16,32,64,32,16,8", NULL, "alpha,beta", 115810},
    {2, "16,32,64,128,64,32,16", NULL, "alpha,beta", 461250},
    {2, "16,32,64,128,128,128,64,32,16", NULL, "alpha,beta", 1084610},
    {2, "8,20,30,20,8", NULL, "alpha", 32296},
    {2, "8,16,32,64,32,16,8", NULL, "alpha", 115730},
    {2, "16,32,64,128,64,32,16", NULL, "alpha", 461090},
    {2, "16,32,64,128,128,128,64,32,16", NULL, "alpha", 1084450},
};

Test(net, parameter_counts)
{
  for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++) {
    NetConfig config = {"size",
                        sizes[k].dim,
                        {8, sizes[k].dim > 1 ? 8 : 1, 1},
                        sizes[k].dim,
                        {{"-net_constants", sizes[k].constants},
                         {"-net_resnet_features", sizes[k].features},
                         {sizes[k].depth ? "-net_resnet_depth" : NULL, sizes[k].depth}}};
    NetCase c;

    NetCaseCreate(&c, &config, "single", "leaky_relu", false);
    cr_expect_eq(c.parameters, sizes[k].parameters, "%s x %s: %zu", sizes[k].features, sizes[k].depth,
                 c.parameters);
    NetCaseDestroy(&c);
  }
}

/* Counted by hand for the two shapes of resnet, with one constant channel. */
Test(net, flops)
{
  static const double first[] = {2 * 3 * 2 * 10., 2 * (9 * 3 * 4 + 3 * 4.)};
  static const double all[] = {
      2 * (3 * 2 * 10 + 2 * 3 * 10 * 10 + 3 * 10 * 1.),
      2 * (9 * 3 * 4 + 9 * 4 * 4 + 3 * 4 + 9 * 4 * 5 + 9 * 5 * 5 + 4 * 5 + 9 * 5 * 2.)};
  static const NetConfig configs[] = {
      {"one",
       1,
       {12, 1, 1},
       1,
       {{"-net_resnet_features", "10"}, {"-net_resnet_depth", "1"}, {"-net_constants", "alpha"}}},
      {"list", 2, {6, 5, 1}, 2, {{"-net_resnet_features", "4,5"}, {"-net_constants", "alpha"}}},
  };

  for (int k = 0; k < 2; k++) {
    double forward, of_input, cells;
    NetCase c;

    NetCaseCreate(&c, &configs[k], "single", "leaky_relu", false);
    UnrNetFlops(c.net, &forward, &of_input);
    cells = (double)c.grid->total;
    cr_expect_eq(forward, cells * all[k], "%s: %g forward, by hand %g", configs[k].title, forward,
                 cells * all[k]);
    cr_expect_eq(of_input, cells * first[k], "%s: %g of the input, by hand %g", configs[k].title, of_input,
                 cells * first[k]);
    NetCaseDestroy(&c);
  }
}

/* Views tile theta without gaps; values fill +-1/sqrt(fan_in); singles are rounded doubles; a seed counts. */
Test(net, first_weights)
{
  const NetConfig *config = &net_configs[3];
  NetCase c, rounded, other;
  size_t next = 0;
  void *theta[3];
  double bound = 0;

  NetCaseCreate(&c, config, "double", "leaky_relu", false);
  NetCaseCreate(&rounded, config, "single", "leaky_relu", false);
  TEST_CALL(PetscOptionsSetValue(NULL, "-seed_weights", "4711"));
  NetCaseCreate(&other, config, "double", "leaky_relu", false);
  TEST_CALL(PetscOptionsClearValue(NULL, "-seed_weights"));
  TEST_CALL(UnrNetTheta(c.net, &theta[0]));
  TEST_CALL(UnrNetTheta(rounded.net, &theta[1]));
  TEST_CALL(UnrNetTheta(other.net, &theta[2]));
  for (PetscInt i = 0;; i++) {
    const char *name;
    PetscInt rank, shape[5], fan_in = 1;
    size_t offset, numbers = 1;
    double largest = 0, mean = 0;

    TEST_CALL(UnrNetView(c.net, i, &name, &rank, shape, &offset));
    if (!name) break;
    for (PetscInt r = 0; r < rank; r++) numbers *= (size_t)shape[r];
    for (PetscInt r = 0; r < rank - 1; r++) fan_in *= shape[r];
    if (rank > 1) bound = 1 / sqrt((double)fan_in); /* a bias follows its weight */
    cr_expect_eq(offset, next, "%s begins at %zu", name, offset);
    next = offset + numbers;
    for (size_t j = offset; j < next; j++) {
      const double value = ((double *)theta[0])[j];

      largest = TestMost(largest, fabs(value));
      mean += value / (double)numbers;
      cr_expect_eq(((float *)theta[1])[j], (float)value);
      cr_expect_neq(((double *)theta[2])[j], value);
    }
    cr_expect(largest <= bound, "%s reaches %g, bound %g", name, largest, bound);
    if (numbers >=
        100) { /* five standard deviations of the mean; the largest of 100 is above 0.9 but for 3e-5 */
      cr_expect(largest > 0.9 * bound, "%s reaches only %g of %g", name, largest, bound);
      cr_expect(fabs(mean) <= 5 * bound / sqrt(3 * (double)numbers), "%s has mean %g", name, mean);
    }
  }
  cr_expect_eq(next, c.parameters);
  NetCaseDestroy(&c);
  NetCaseDestroy(&rounded);
  NetCaseDestroy(&other);
}

Test(net, views_are_named)
{
  static const char *const names[] = {"block0.conv0.weight", "block0.conv0.bias",  "block0.conv1.weight",
                                      "block0.conv1.bias",   "block0.skip.weight", "block0.skip.bias"};
  static const PetscInt shapes[][4] = {{3, 3, 4, 4}, {4}, {3, 3, 4, 4}, {4}, {1, 1, 4, 4}, {4}};
  NetCase c;

  NetCaseCreate(&c, &net_configs[3], "double", "leaky_relu", false);
  for (PetscInt i = 0; i < 6; i++) {
    const char *name;
    PetscInt rank, shape[5];
    size_t offset;

    TEST_CALL(UnrNetView(c.net, i, &name, &rank, shape, &offset));
    cr_expect_str_eq(name, names[i]);
    cr_expect_eq(rank, i % 2 ? 1 : 4);
    for (PetscInt r = 0; r < rank; r++) cr_expect_eq(shape[r], shapes[i][r], "%s axis %d", name, (int)r);
  }
  NetCaseDestroy(&c);
}

/* The formulas of tests/reference/resnet_numpy.py. */
static const struct {
  NetConfig config;
  const double *output;
} numpy[] = {
    {{"one",
      1,
      {11, 1, 1},
      1,
      {{"-net_resnet_features", "5"},
       {"-net_resnet_depth", "2"},
       {"-net_constants", "alpha"},
       {"-net_constant_scale", "8"}}},
     numpy_one},
    {{"even",
      1,
      {11, 1, 1},
      1,
      {{"-net_resnet_features", "5"},
       {"-net_resnet_depth", "2"},
       {"-net_constants", "alpha"},
       {"-net_constant_scale", "8"},
       {"-net_kernel", "4"}}},
     numpy_even},
    {{"shallow",
      1,
      {11, 1, 1},
      1,
      {{"-net_resnet_features", "5"},
       {"-net_resnet_depth", "0"},
       {"-net_constants", "alpha"},
       {"-net_constant_scale", "8"}}},
     numpy_shallow},
    {{"two",
      2,
      {5, 4, 1},
      2,
      {{"-net_resnet_features", "4,6,4"}, {"-net_constants", "alpha,beta"}, {"-net_constant_scale", "8,2"}}},
     numpy_two},
    {{"three", 3, {3, 4, 2}, 1, {{"-net_resnet_features", "3"}, {"-net_resnet_depth", "1"}}}, numpy_three},
};

static void FillByFormula(NetCase *c, UnrBatch u)
{
  const UnrGrid g = c->grid;
  double *at = u->data;
  void *theta;

  for (PetscInt s = 0; s < u->samples; s++)
    for (PetscInt p = 0; p < g->local; p++)
      for (PetscInt k = 0; k < g->components; k++) {
        const PetscInt z = p % g->count[2], y = p / g->count[2] % g->count[1],
                       x = p / g->count[2] / g->count[1];
        const PetscInt cell =
            ((g->start[0] + x) * g->points[1] + g->start[1] + y) * g->points[2] + g->start[2] + z;
        const double j = (double)((s * g->total + cell) * g->components + k);
        *at++ = sin(0.9 * j + 0.2) + 0.3 * cos(2.3 * j);
      }
  TEST_CALL(UnrNetTheta(c->net, &theta));
  for (size_t i = 0; i < c->parameters; i++) {
    const double j = (double)i;
    NetPut(c, theta, i, 0.3 * sin(1.7 * j + 0.3) + 0.1 * cos(0.37 * j * j));
  }
  TEST_CALL(UnrNetThetaChanged(c->net));
}

Test(net, agrees_with_numpy)
{
  static const char *const precisions[] = {"double", "single"};

  for (size_t k = 0; k < sizeof(numpy) / sizeof(numpy[0]); k++)
    for (int p = 0; p < 2; p++) {
      const double scale[] = {0.8, 1.3};
      NetCase c;
      UnrBatch u, out;
      double worst = 0;

      NetCaseCreate(&c, &numpy[k].config, precisions[p], "leaky_relu", false);
      u = NetCaseBatch(&c, NULL);
      out = NetCaseBatch(&c, NULL);
      FillByFormula(&c, u);
      TEST_CALL(UnrNetApply(c.net, c.par, u, out, NULL));
      for (PetscInt s = 0; s < out->samples; s++)
        for (PetscInt j = 0; j < (PetscInt)out->stride; j++) {
          const UnrGrid g = c.grid;
          const PetscInt i = j % g->components, q = j / g->components;
          const PetscInt z = q % g->count[2], y = q / g->count[2] % g->count[1],
                         x = q / g->count[2] / g->count[1];
          const PetscInt cell =
              ((g->start[0] + x) * g->points[1] + g->start[1] + y) * g->points[2] + g->start[2] + z;
          const double there = scale[i] * numpy[k].output[(s * g->total + cell) * g->components + i];
          worst = TestMost(worst, fabs(out->data[(size_t)s * out->stride + (size_t)j] - there));
        }
      /* outputs of order 1 after sums of a few dozen terms */
      cr_expect(worst <= (p ? 5e-6 : 1e-13), "%s %s: %g", numpy[k].config.title, precisions[p], worst);
      TEST_CALL(UnrBatchDestroy(&u));
      TEST_CALL(UnrBatchDestroy(&out));
      NetCaseDestroy(&c);
    }
}

/* The input tile, channel by channel: state, diagnostics, constants, each by its formula. */
Test(net, input_channels)
{
  const NetConfig config = {"channels",
                            2,
                            {5, 4, 1},
                            1,
                            {{"-net_resnet_features", "4,3"},
                             {"-net_constants", "1/alpha,beta,1/beta"},
                             {"-net_constant_scale", "0.1,4,2"},
                             {"-net_diagnostics", "wave"}}};
  NetCase c;
  UnrBatch u;
  double *x, worst = 0;

  NetCaseCreate(&c, &config, "double", "leaky_relu", false);
  u = NetCaseBatch(&c, "u");
  TEST_CALL(UnrNetShape(c.net, NET_SAMPLES));
  TEST_CALL(PetscMalloc1(c.net->tile[0].shape.numbers, &x));
  TEST_CALL(UnrNetLoad(c.net, c.par, u, x));
  cr_expect_eq(UnrNetFields(c.net), 3);
  cr_expect_eq(c.net->in, 6);
  for (size_t i = 0; i < NET_SAMPLES * u->stride; i++) {
    const size_t row = (size_t)c.grid->count[1], s = i / u->stride;
    const double *at = x + UnrTileRow(&c.net->tile[0].shape, i / row) + i % row * 6, u0 = u->data[i];
    const double alpha = c.par[s * NET_PAR], beta = c.par[s * NET_PAR + 1];
    const double expected[] = {(u0 - 0.25) / 1.5,
                               (beta * u0 * u0 + 0.5) / 0.75,
                               (sin(u0) - 0.75) / 1.25,
                               1 / (0.1 * alpha),
                               beta / 4,
                               1 / (2 * beta)};

    for (int k = 0; k < 6; k++) worst = TestMost(worst, fabs(at[k] - expected[k]));
  }
  cr_expect(worst <= 1e-14, "%g", worst); /* numbers of order 1, a few roundings */
  TEST_CALL(PetscFree(x));
  TEST_CALL(UnrBatchDestroy(&u));
  NetCaseDestroy(&c);
}

/* The same call gives the same bits: after other calls of another size, with a tape and without. */
Test(net, same_bits)
{
  for (int k = 0; k < NET_CONFIGS; k++) {
    NetCase c;
    UnrBatch u, w, out, again, one, one_out;
    NetVector first, second;
    UnrTape tape;

    NetCaseCreate(&c, &net_configs[k], "single", "gelu", false);
    u = NetCaseBatch(&c, "u");
    w = NetCaseBatch(&c, "w");
    out = NetCaseBatch(&c, NULL);
    again = NetCaseBatch(&c, NULL);
    NetVectorCreate(&c, NULL, &first);
    NetVectorCreate(&c, NULL, &second);
    TEST_CALL(UnrBatchCreate(c.grid, 1, &one));
    TEST_CALL(UnrBatchCreate(c.grid, 1, &one_out));
    TEST_CALL(UnrTapeCreate(&tape));
    TEST_CALL(UnrNetApply(c.net, c.par, u, out, tape));
    TEST_CALL(UnrNetVjp(c.net, c.par, tape, w, first.u, first.par, first.theta));
    TEST_CALL(UnrNetApply(c.net, c.par, one, one_out, NULL));
    TEST_CALL(UnrNetSmooth(c.net, true));
    TEST_CALL(UnrNetSmooth(c.net, false));
    UnrCountReset();
    TEST_CALL(UnrNetVjp(c.net, c.par, tape, w, NULL, NULL, second.theta));
    cr_expect_eq(UnrCountGet(UNR_COUNT_NET_INPUT_VJP), 0);
    cr_expect_eq(UnrCountGet(UNR_COUNT_NET_VJP), NET_SAMPLES);
    TEST_CALL(UnrNetVjp(c.net, c.par, tape, w, second.u, second.par, NULL));
    cr_expect_eq(UnrCountGet(UNR_COUNT_NET_INPUT_VJP), NET_SAMPLES);
    TEST_CALL(UnrNetApply(c.net, c.par, u, again, NULL));
    cr_expect_eq(UnrCountGet(UNR_COUNT_NET_APPLY), NET_SAMPLES);
    cr_expect(!memcmp(out->data, again->data, NET_SAMPLES * out->stride * sizeof(double)), "%s, output",
              net_configs[k].title);
    cr_expect(!memcmp(first.u->data, second.u->data, NET_SAMPLES * out->stride * sizeof(double)), "%s, u_bar",
              net_configs[k].title);
    cr_expect(!memcmp(first.par, second.par, sizeof(first.par)), "%s, par_bar", net_configs[k].title);
    cr_expect(!memcmp(first.theta, second.theta, c.parameters * sizeof(float)), "%s, theta_bar",
              net_configs[k].title);
    TEST_CALL(UnrTapeDestroy(&tape));
    TEST_CALL(UnrBatchDestroy(&u));
    TEST_CALL(UnrBatchDestroy(&w));
    TEST_CALL(UnrBatchDestroy(&out));
    TEST_CALL(UnrBatchDestroy(&again));
    TEST_CALL(UnrBatchDestroy(&one));
    TEST_CALL(UnrBatchDestroy(&one_out));
    NetVectorDestroy(&first);
    NetVectorDestroy(&second);
    NetCaseDestroy(&c);
  }
}

/* A tape that does not fit the call is refused, not read. */
Test(net, refuses_foreign_tape)
{
  NetCase c;
  UnrBatch u, one;
  UnrTape tape;
  PetscErrorCode code;

  NetCaseCreate(&c, &net_configs[0], "double", "leaky_relu", false);
  u = NetCaseBatch(&c, "u");
  TEST_CALL(UnrBatchCreate(c.grid, 1, &one));
  TEST_CALL(UnrTapeCreate(&tape));
  TEST_CALL(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  code = UnrNetVjp(c.net, c.par, tape, u, NULL, NULL, NULL);
  cr_expect_eq(code, PETSC_ERR_ARG_WRONGSTATE, "unfilled: %d", (int)code);
  TEST_CALL(UnrNetApply(c.net, c.par, one, one, tape));
  code = UnrNetVjp(c.net, c.par, tape, u, NULL, NULL, NULL);
  cr_expect_eq(code, PETSC_ERR_ARG_WRONGSTATE, "of one sample: %d", (int)code);
  TEST_CALL(UnrNetApply(c.net, c.par, u, u, tape));
  TEST_CALL(UnrNetSmooth(c.net, true));
  code = UnrNetVjp(c.net, c.par, tape, u, NULL, NULL, NULL);
  cr_expect_eq(code, PETSC_ERR_ARG_WRONGSTATE, "of another activation: %d", (int)code);
  TEST_CALL(PetscPopErrorHandler());
  TEST_CALL(UnrTapeDestroy(&tape));
  TEST_CALL(UnrBatchDestroy(&u));
  TEST_CALL(UnrBatchDestroy(&one));
  NetCaseDestroy(&c);
}

static const struct {
  const char *option[2][2], *message;
} mistakes[] = {
    {{{"-net_constants", "reynolds"}},
     "-net_constants (reynolds) is no parameter of physics test_grid; allowed: alpha|beta, or 1/ one of "
     "these"},
    {{{"-net_constants", "1/reynolds"}}, "-net_constants (1/reynolds) is no parameter of physics test_grid"},
    {{{"-net_diagnostics", "pressure"}},
     "-net_diagnostics (pressure) is no field that physics test_grid gives; allowed: wave"},
    {{{"-net_constants", "alpha"}, {"-net_constant_scale", "1,2"}},
     "-net_constant_scale has (2) numbers for 1 names"},
    {{{"-net_constants", "alpha"}, {"-net_constant_scale", "0"}}, "-net_constant_scale of alpha (0)"},
    {{{"-net_resnet_features", "4,4"}, {"-net_resnet_depth", "3"}},
     "-net_resnet_depth (3) goes with one count"},
    {{{"-net_activation", "swish"}}, "leaky_relu|relu|tanh|gelu|identity"},
    {{{"-net_type", "transformer"}}, "resnet|cnn"},
};

Test(net, users_mistakes)
{
  TEST_CALL(UnrErrorHandlerPush());
  for (size_t k = 0; k < sizeof(mistakes) / sizeof(mistakes[0]); k++) {
    NetConfig config = {"mistake", 1, {8, 1, 1}, 1, {{NULL}}};
    NetCase c;
    UnrNet net = NULL;
    PetscErrorCode code;

    NetCaseGrid(&c, &config, false);
    for (int o = 0; o < 2 && mistakes[k].option[o][0]; o++)
      TEST_CALL(PetscOptionsSetValue(NULL, mistakes[k].option[o][0], mistakes[k].option[o][1]));
    code = UnrNetCreate(&c.physics, &net);
    cr_expect_eq(code, UNR_ERR_USER);
    cr_expect(strstr(UnrUserErrorMessage(), mistakes[k].message), "%s", UnrUserErrorMessage());
    UnrUserErrorClear();
    for (int o = 0; o < 2 && mistakes[k].option[o][0]; o++)
      TEST_CALL(PetscOptionsClearValue(NULL, mistakes[k].option[o][0]));
    TEST_CALL(UnrGridDestroy(&c.grid));
    TEST_CALL(UnrLayoutDestroy(&c.layout));
  }
  TEST_CALL(PetscPopErrorHandler());
}
