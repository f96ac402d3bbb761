/* Convolution on tiles and activations: against brute force on the whole field, of every width. */
#include <math.h>

#include "support.h"

#include "field/halo.h"
#include "layer/layer.h"

enum { SAMPLES = 2, IN = 3, OUT = 5 };

/* A convolution on blocks of the world, and the whole fields on every rank. */
typedef struct {
  UnrLayout layout, alone;
  UnrGrid grid_x, grid_y, all_x, all_y;
  UnrHalo halo;
  UnrConv conv;
  UnrTileShape x_shape, y_shape;
  UnrBatch x, y, whole_x, whole_y;
  double *x_tile, *y_tile, *w, *b;
} Case;

static double Weight(size_t j)
{
  return sin(1.3 * (double)j + 0.4);
}

static void Create(Case *c, int dim, const PetscInt points[], PetscInt kernel)
{
  const UnrConvKernels *kernels;

  TEST_CALL(PetscOptionsSetValue(NULL, "-layout_replicas", "1"));
  TEST_CALL(UnrLayoutCreate(PETSC_COMM_WORLD, SAMPLES, dim, points, &UnrNeedsNone, &c->layout));
  TEST_CALL(UnrLayoutCreateSelf(&c->alone));
  TEST_CALL(UnrGridCreate(&c->layout, dim, points, IN, 0, &c->grid_x));
  TEST_CALL(UnrGridCreate(&c->layout, dim, points, OUT, 0, &c->grid_y));
  TEST_CALL(UnrGridCreate(&c->alone, dim, points, IN, 0, &c->all_x));
  TEST_CALL(UnrGridCreate(&c->alone, dim, points, OUT, 0, &c->all_y));
  TEST_CALL(UnrBatchCreate(c->grid_x, SAMPLES, &c->x));
  TEST_CALL(UnrBatchCreate(c->grid_y, SAMPLES, &c->y));
  TEST_CALL(UnrBatchCreate(c->all_x, SAMPLES, &c->whole_x));
  TEST_CALL(UnrBatchCreate(c->all_y, SAMPLES, &c->whole_y));
  TestFill(c->x, 0, "x", 0);
  TestFill(c->y, 0, "y", 0);
  TestFill(c->whole_x, 0, "x", 0);
  TestFill(c->whole_y, 0, "y", 0);
  TEST_CALL(UnrLayerKernels(UNR_DOUBLE, &kernels));
  TEST_CALL(UnrConvCreate(kernels, UNR_DOUBLE, dim, kernel, IN, OUT, &c->conv));
  /* one ghost more than needed: strides are not the window's width */
  TEST_CALL(UnrHaloCreate(c->grid_x, c->conv->width + 1, c->conv->width + 1, &c->halo));
  UnrTileShapeSet(&c->x_shape, c->grid_x, SAMPLES, IN, c->conv->width + 1, UNR_DOUBLE);
  UnrTileShapeSet(&c->y_shape, c->grid_y, SAMPLES, OUT, c->conv->width + 1, UNR_DOUBLE);
  TEST_CALL(PetscCalloc4(c->x_shape.numbers + UNR_TILE_SLACK, &c->x_tile, c->y_shape.numbers + UNR_TILE_SLACK,
                         &c->y_tile, c->conv->weights + UNR_TILE_SLACK, &c->w, OUT, &c->b));
  for (size_t j = 0; j < c->conv->weights; j++) c->w[j] = Weight(j);
  for (size_t j = 0; j < OUT; j++) c->b[j] = 0.1 * (double)j - 0.2;
  TEST_CALL(UnrConvPack(c->conv, c->w));
  TEST_CALL(UnrConvPackReverse(c->conv, c->w));
  TEST_CALL(UnrHaloLoad(c->halo, &c->x_shape, c->x, c->x_tile));
  TEST_CALL(UnrHaloLoad(c->halo, &c->y_shape, c->y, c->y_tile));
}

static void Destroy(Case *c)
{
  TEST_CALL(PetscFree4(c->x_tile, c->y_tile, c->w, c->b));
  TEST_CALL(UnrConvDestroy(&c->conv));
  TEST_CALL(UnrHaloDestroy(&c->halo));
  TEST_CALL(UnrBatchDestroy(&c->x));
  TEST_CALL(UnrBatchDestroy(&c->y));
  TEST_CALL(UnrBatchDestroy(&c->whole_x));
  TEST_CALL(UnrBatchDestroy(&c->whole_y));
  TEST_CALL(UnrGridDestroy(&c->grid_x));
  TEST_CALL(UnrGridDestroy(&c->grid_y));
  TEST_CALL(UnrGridDestroy(&c->all_x));
  TEST_CALL(UnrGridDestroy(&c->all_y));
  TEST_CALL(UnrLayoutDestroy(&c->layout));
  TEST_CALL(UnrLayoutDestroy(&c->alone));
}

/* The three offsets of tap t, engine axes. */
static void Offsets(const UnrConv conv, PetscInt t, PetscInt offset[3])
{
  for (int e = 2; e >= 0; e--) {
    offset[e] = t % conv->kernel[e] - (conv->kernel[e] - 1) / 2;
    t /= conv->kernel[e];
  }
}

/* Cell number of cell + sign offset, wrapped round; cells as the grid counts them. */
static size_t Shifted(UnrGrid all, PetscInt cell, const PetscInt offset[3], PetscInt sign)
{
  PetscInt at[3], extent[3];

  for (int e = 2; e >= 0; e--) {
    const int a = e - (3 - all->dim);
    extent[e] = a < 0 ? 1 : all->points[a];
    at[e] = cell % extent[e];
    cell /= extent[e];
    at[e] = ((at[e] + sign * offset[e]) % extent[e] + 8 * extent[e]) % extent[e];
  }
  return (size_t)((at[0] * extent[1] + at[1]) * extent[2] + at[2]);
}

/* forward: y[s][p][o] = sum w[t][i][o] x[s][p + t][i];
   reverse: x_bar[s][q][i] = sum w[t][i][o] y_bar[s][q - t][o]. */
static double Brute(const Case *c, PetscInt s, PetscInt cell, PetscInt channel, bool is_reverse)
{
  const UnrBatch from = is_reverse ? c->whole_y : c->whole_x;
  const PetscInt taps = c->conv->kernel[0] * c->conv->kernel[1] * c->conv->kernel[2];
  double sum = 0;

  for (PetscInt t = 0; t < taps; t++) {
    PetscInt offset[3];
    const double *row;

    Offsets(c->conv, t, offset);
    row = from->data + (size_t)s * from->stride +
          Shifted(c->all_x, cell, offset, is_reverse ? -1 : 1) * (size_t)from->grid->components;
    for (PetscInt k = 0; k < from->grid->components; k++) {
      const PetscInt i = is_reverse ? channel : k, o = is_reverse ? k : channel;
      sum += c->w[(t * IN + i) * OUT + o] * row[k];
    }
  }
  return sum;
}

/* Global cell of a local one. */
static PetscInt GlobalCell(UnrGrid g, PetscInt local)
{
  PetscInt at[3];

  for (int a = 2; a >= 0; a--) {
    at[a] = g->start[a] + local % g->count[a];
    local /= g->count[a];
  }
  return (at[0] * g->points[1] + at[1]) * g->points[2] + at[2];
}

static double TileValue(const UnrTileShape *shape, const double *tile, PetscInt s, PetscInt local,
                        PetscInt channel)
{
  const PetscInt row = local / shape->count[2] + s * shape->count[0] * shape->count[1];

  return tile[UnrTileRow(shape, (size_t)row) + (size_t)(local % shape->count[2] * shape->channels + channel)];
}

/* y = f(conv(x) + b + add) with slope 0.2, add = the field y; the largest error. */
static double ForwardError(Case *c)
{
  double *y, worst = 0;
  UnrConvEpilogue e = {.bias = c->b, .add = c->y_tile, .slope = 0.2};

  TEST_CALL(PetscCalloc1(c->y_shape.numbers + UNR_TILE_SLACK, &y));
  TEST_CALL(UnrConvForward(c->conv, &c->x_shape, c->x_tile, &e, &c->y_shape, y));
  for (PetscInt s = 0; s < SAMPLES; s++)
    for (PetscInt p = 0; p < c->grid_y->local; p++)
      for (PetscInt o = 0; o < OUT; o++) {
        const double z = Brute(c, s, GlobalCell(c->grid_y, p), o, false) + c->b[o] +
                         TileValue(&c->y_shape, c->y_tile, s, p, o);
        worst = TestMost(worst, fabs(TileValue(&c->y_shape, y, s, p, o) - (z > 0 ? z : 0.2 * z)));
      }
  TEST_CALL(PetscFree(y));
  return worst;
}

/* x_bar = conv^T(y) masked by the sign of the field x, added to what is there. */
static double ReverseDataError(Case *c)
{
  double *x_bar, worst = 0;
  UnrConvEpilogue e = {.mask = c->x_tile, .slope = 0.3};

  TEST_CALL(PetscCalloc1(c->x_shape.numbers + UNR_TILE_SLACK, &x_bar));
  for (size_t j = 0; j < c->x_shape.numbers; j++) x_bar[j] = 0.5;
  e.add = x_bar;
  TEST_CALL(UnrConvReverseData(c->conv, &c->y_shape, c->y_tile, &e, &c->x_shape, x_bar));
  for (PetscInt s = 0; s < SAMPLES; s++)
    for (PetscInt p = 0; p < c->grid_x->local; p++)
      for (PetscInt i = 0; i < IN; i++) {
        const double sum = Brute(c, s, GlobalCell(c->grid_x, p), i, true) + 0.5;
        const double expect = sum * (TileValue(&c->x_shape, c->x_tile, s, p, i) > 0 ? 1 : 0.3);
        worst = TestMost(worst, fabs(TileValue(&c->x_shape, x_bar, s, p, i) - expect));
      }
  TEST_CALL(PetscFree(x_bar));
  return worst;
}

/* w_bar[t][i][o] = sum over samples and cells of x[p + t][i] y[p][o], added to 2; summed over the ranks. */
static double ReverseWeightsError(Case *c)
{
  double *w_bar, b_bar[OUT], worst = 0;
  const PetscInt cells = c->all_x->local;

  TEST_CALL(PetscMalloc1(c->conv->weights + UNR_TILE_SLACK, &w_bar));
  for (size_t j = 0; j < c->conv->weights; j++) w_bar[j] = 2;
  for (int o = 0; o < OUT; o++) b_bar[o] = 3;
  TEST_CALL(UnrConvReverseWeights(c->conv, &c->x_shape, c->x_tile, &c->y_shape, c->y_tile, w_bar, b_bar));
  for (size_t j = 0; j < c->conv->weights; j++) {
    const PetscInt o = (PetscInt)j % OUT, i = (PetscInt)j / OUT % IN, t = (PetscInt)j / OUT / IN;
    PetscInt offset[3];
    double sum = 2 * TestRanks(), b_sum = 3 * TestRanks();

    Offsets(c->conv, t, offset);
    for (PetscInt s = 0; s < SAMPLES; s++)
      for (PetscInt p = 0; p < cells; p++) {
        const double y = c->whole_y->data[(s * cells + p) * OUT + o];
        sum += y * c->whole_x->data[(s * cells + (PetscInt)Shifted(c->all_x, p, offset, 1)) * IN + i];
        b_sum += y;
      }
    worst = TestMost(worst, fabs(TestSum(w_bar[j]) - sum));
    if (j < OUT) worst = TestMost(worst, fabs(TestSum(b_bar[j]) - b_sum));
  }
  TEST_CALL(PetscFree(w_bar));
  return worst;
}

/* Four ranks make blocks of 2 or 3 cells along x; kernels to 7 reach 3 cells, in 3-D round the whole axis. */
static const struct {
  int dim;
  PetscInt points[3], kernels;
} grids[] = {{1, {9, 1, 1}, 7}, {1, {4, 1, 1}, 7}, {2, {5, 4, 1}, 5}, {3, {4, 3, 2}, 4}};

Test(conv, agrees_with_brute_force)
{
  static const char *const engines[] = {"ref", "simd"};

  for (size_t g = 0; g < sizeof(grids) / sizeof(grids[0]); g++)
    for (PetscInt kernel = 1; kernel <= grids[g].kernels; kernel++)
      for (int engine = 0; engine < 2; engine++) {
        Case c;
        double error;

        TEST_CALL(PetscOptionsSetValue(NULL, "-layer_engine", engines[engine]));
        Create(&c, grids[g].dim, grids[g].points, kernel);
        /* sums of up to 64 x 5 terms of order 1 */
        error = ForwardError(&c);
        cr_expect(error <= 1e-13, "%s %d-D kernel %d forward: %g", engines[engine], grids[g].dim, (int)kernel,
                  error);
        error = ReverseDataError(&c);
        cr_expect(error <= 1e-13, "%s %d-D kernel %d data: %g", engines[engine], grids[g].dim, (int)kernel,
                  error);
        error = ReverseWeightsError(&c);
        cr_expect(error <= 1e-13, "%s %d-D kernel %d weights: %g", engines[engine], grids[g].dim, (int)kernel,
                  error);
        Destroy(&c);
        TEST_CALL(PetscOptionsClearValue(NULL, "-layer_engine"));
      }
}

/* A flat tile of one row of doubles. */
static void RowShape(UnrTileShape *shape, PetscInt cells)
{
  *shape = (UnrTileShape){.samples = 1,
                          .channels = 1,
                          .count = {1, 1, cells},
                          .stride = {(size_t)cells, (size_t)cells, 1},
                          .sample_stride = (size_t)cells,
                          .numbers = (size_t)cells,
                          .precision = UNR_DOUBLE};
}

/* Values by their definitions, written again with other functions than the program's. */
static double Definition(const char *name, double z)
{
  if (!strcmp(name, "leaky_relu")) return fmax(z, 0) + 0.05 * fmin(z, 0);
  if (!strcmp(name, "relu")) return fmax(z, 0);
  if (!strcmp(name, "tanh")) return (exp(z) - exp(-z)) / (exp(z) + exp(-z));
  if (!strcmp(name, "gelu")) return z / (1 + exp(-2 * sqrt(2 / acos(-1.0)) * (z + 0.044715 * pow(z, 3))));
  return z;
}

Test(activation, value_and_derivative)
{
  static const char *const names[] = {"leaky_relu", "relu", "tanh", "gelu", "identity"};
  enum { N = 40 };
  UnrTileShape shape;

  RowShape(&shape, N);
  for (size_t a = 0; a < sizeof(names) / sizeof(names[0]); a++) {
    UnrActivation f;
    double z[N], y[N], y_bar[N], add[N];

    TEST_CALL(UnrActivationFind(names[a], 0.05, &f));
    for (int j = 0; j < N; j++) {
      z[j] = 0.2 * (j - N / 2) + 0.03; /* no point on a kink, nor the step of the difference across one */
      y_bar[j] = 1 + 0.1 * j;
      add[j] = -0.3 * j;
    }
    TEST_CALL(UnrActivationForward(f, &shape, z, y));
    TEST_CALL(UnrActivationReverse(f, &shape, f.ops->needs_input ? z : y, add, y_bar));
    for (int j = 0; j < N; j++) {
      const double h = 1e-3;
      const double slope = (8 * (Definition(names[a], z[j] + h) - Definition(names[a], z[j] - h)) -
                            (Definition(names[a], z[j] + 2 * h) - Definition(names[a], z[j] - 2 * h))) /
                           (12 * h);
      const double expect = (1 + 0.1 * j - 0.3 * j) * slope;

      cr_expect(fabs(y[j] - Definition(names[a], z[j])) <= 1e-14, "%s(%g) = %g", names[a], z[j], y[j]);
      /* fourth-order differences: h^4 f'''''/30 and 1e-16 / h, times a cotangent below 8 */
      cr_expect(fabs(y_bar[j] - expect) <= 2e-11, "%s'(%g): %g, expected %g", names[a], z[j], y_bar[j],
                expect);
    }
  }
}

/* Single precision: the same table, rounded. */
Test(activation, single_agrees_with_double)
{
  static const char *const names[] = {"leaky_relu", "relu", "tanh", "gelu", "identity"};
  enum { N = 9 };
  UnrTileShape shape, rounded;

  RowShape(&shape, N);
  rounded = shape;
  rounded.precision = UNR_SINGLE;
  for (size_t a = 0; a < sizeof(names) / sizeof(names[0]); a++) {
    UnrActivation f;
    double z[N], y[N], y_bar[N];
    float zf[N], yf[N], yf_bar[N];

    TEST_CALL(UnrActivationFind(names[a], 0.05, &f));
    for (int j = 0; j < N; j++) {
      zf[j] = 0.25f * (float)(j - N / 2) + 0.125f;
      z[j] = (double)zf[j];
      y_bar[j] = yf_bar[j] = 1;
    }
    TEST_CALL(UnrActivationForward(f, &shape, z, y));
    TEST_CALL(UnrActivationForward(f, &rounded, zf, yf));
    TEST_CALL(UnrActivationReverse(f, &shape, f.ops->needs_input ? z : y, NULL, y_bar));
    TEST_CALL(UnrActivationReverse(f, &rounded, f.ops->needs_input ? zf : yf, NULL, yf_bar));
    for (int j = 0; j < N; j++) {
      cr_expect(fabs(y[j] - (double)yf[j]) <= 2e-7, "%s(%g)", names[a], z[j]);
      cr_expect(fabs(y_bar[j] - (double)yf_bar[j]) <= 4e-7, "%s'(%g)", names[a], z[j]);
    }
  }
}

Test(activation, smooth_replaces_kinks_only)
{
  UnrActivation f;

  TEST_CALL(UnrActivationFind("relu", 0.05, &f));
  cr_expect_str_eq(UnrActivationSmooth(f).ops->name, "tanh");
  TEST_CALL(UnrActivationFind("leaky_relu", 0.05, &f));
  cr_expect_str_eq(UnrActivationSmooth(f).ops->name, "tanh");
  TEST_CALL(UnrActivationFind("gelu", 0.05, &f));
  cr_expect_str_eq(UnrActivationSmooth(f).ops->name, "gelu");
}

/* A missing instruction set is named, with those that exist. */
Test(layer, names_missing_kernels)
{
  const UnrConvKernels *kernels;
  PetscErrorCode code;

  TEST_CALL(UnrErrorHandlerPush());
  TEST_CALL(PetscOptionsSetValue(NULL, "-layer_engine", "ref"));
  TEST_CALL(PetscOptionsSetValue(NULL, "-layer_isa", "avx512"));
  code = UnrLayerKernels(UNR_SINGLE, &kernels);
  cr_expect_eq(code, UNR_ERR_USER);
  cr_expect(strstr(UnrUserErrorMessage(), "-layer_isa (avx512); allowed: auto|generic;"), "%s",
            UnrUserErrorMessage());
  UnrUserErrorClear();
  TEST_CALL(PetscOptionsSetValue(NULL, "-layer_engine", "fast"));
  code = UnrLayerKernels(UNR_SINGLE, &kernels);
  cr_expect_eq(code, UNR_ERR_USER);
  cr_expect(strstr(UnrUserErrorMessage(), "ref|simd"), "%s", UnrUserErrorMessage());
  UnrUserErrorClear();
  TEST_CALL(PetscOptionsClearValue(NULL, "-layer_engine"));
  TEST_CALL(PetscOptionsClearValue(NULL, "-layer_isa"));
  TEST_CALL(PetscPopErrorHandler());
}
