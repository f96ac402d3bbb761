/* For test_net*.c: networks on a physics that has only a grid and two parameters, on all ranks or alone. */
#pragma once

#include <math.h>

#include "support.h"

#include "core/count.h"
#include "net/net_impl.h"
#include "physics/physics_impl.h"

enum { NET_SAMPLES = 3, NET_PAR = 2, NET_OPTIONS = 6 };

/* What a network is asked to be: options as name, value pairs, or a program of our own. */
typedef struct {
  const char *title;
  int dim;
  PetscInt points[UNR_MAX_DIM], components;
  const char *option[NET_OPTIONS][2];
  const UnrNetOps *ops; /* NULL: of -net_type */
} NetConfig;

/* What the plan of memory must get right and no plugin of the list does: a tile whose first reader is a skip,
   one that is its own skip, with projection and without, a tile without activation, an activated output,
   kernels of several widths, and the input itself as a skip where it has the output's channels. */
static inline PetscErrorCode NetBuildOdd(UnrNet net)
{
  enum { NONE = UNR_NET_NO_TILE };
  const PetscInt input = net->in == net->out ? 0 : NONE;
  const UnrNetConv program[] = {
      {.name = "one", .x = 0, .features = 4, .kernel = 3, .skip = NONE, .is_activated = true},
      {.name = "two", .x = 0, .features = 4, .kernel = 2, .skip = 1, .is_activated = true},
      {.name = "three", .x = 2, .features = 4, .kernel = 1, .skip = 2},
      {.name = "four",
       .x = 3,
       .features = 3,
       .kernel = 5,
       .skip = 1,
       .projection = "four.skip",
       .is_activated = true},
      {.name = "five",
       .x = 4,
       .features = 3,
       .kernel = 3,
       .skip = 4,
       .projection = "five.skip",
       .is_activated = true},
      {.name = "six", .x = 0, .features = 3, .kernel = 4, .skip = NONE, .is_activated = true},
      {.name = "seven", .x = 5, .features = 3, .kernel = 3, .skip = 6, .is_activated = true},
      {.name = "eight", .x = 7, .features = net->out, .kernel = 3, .skip = input, .is_activated = true},
  };

  PetscFunctionBeginUser;
  for (size_t i = 0; i < sizeof(program) / sizeof(program[0]); i++) {
    PetscInt y;
    PetscCall(UnrNetAddConv(net, &program[i], &y));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
static const UnrNetOps net_odd = {.name = "odd", .summary = "Odd", .build = NetBuildOdd};

/* Uneven blocks on two to four ranks, blocks of one cell, kernels wider than a block and than the grid, even
   kernels, skips with and without projection, no constants and two. */
static const NetConfig net_configs[] = {
    {"ks",
     1,
     {13, 1, 1},
     1,
     {{"-net_resnet_features", "5"},
      {"-net_resnet_depth", "2"},
      {"-net_constants", "alpha"},
      {"-net_constant_scale", "8"}}},
    {"ks depth 0", 1, {7, 1, 1}, 1, {{"-net_resnet_features", "6"}, {"-net_resnet_depth", "0"}}},
    {"one cell a rank, kernel 7",
     1,
     {4, 1, 1},
     2,
     {{"-net_resnet_features", "3"},
      {"-net_resnet_depth", "1"},
      {"-net_kernel", "7"},
      {"-net_constants", "beta"}}},
    {"kolm",
     2,
     {7, 6, 1},
     2,
     {{"-net_resnet_features", "4,6,6,3"}, {"-net_constants", "beta,alpha"}, {"-net_constant_scale", "2,8"}}},
    {"even kernel",
     2,
     {5, 3, 1},
     1,
     {{"-net_resnet_features", "3"},
      {"-net_resnet_depth", "1"},
      {"-net_kernel", "4"},
      {"-net_constants", "alpha"}}},
    {"cnn kernel 5",
     2,
     {6, 4, 1},
     2,
     {{"-net_type", "cnn"}, {"-net_cnn_features", "3,5"}, {"-net_kernel", "5"}, {"-net_constants", "alpha"}}},
    {"pointwise",
     2,
     {4, 3, 1},
     2,
     {{"-net_type", "cnn"}, {"-net_cnn_features", "4"}, {"-net_kernel", "1"}, {"-net_constants", "alpha"}}},
    {"cnn 3-D",
     3,
     {5, 3, 2},
     3,
     {{"-net_type", "cnn"}, {"-net_cnn_features", "3,4"}, {"-net_constants", "alpha,beta"}}},
    {"resnet 3-D", 3, {3, 4, 2}, 1, {{"-net_resnet_features", "4,3"}, {"-net_kernel", "2"}}},
    {"odd", 2, {5, 4, 1}, 2, {{"-net_constants", "alpha"}, {"-net_constant_scale", "8"}}, &net_odd},
    {"diagnostics, reciprocals",
     2,
     {5, 4, 1},
     2,
     {{"-net_resnet_features", "4,3"},
      {"-net_constants", "1/alpha,beta,1/beta"},
      {"-net_constant_scale", "0.1,1,2"},
      {"-net_diagnostics", "wave"}}},
    {"diagnostics alone", 1, {7, 1, 1}, 1, {{"-net_resnet_depth", "1"}, {"-net_diagnostics", "wave,wave"}}},
    {"odd with a skip of the input", 1, {11, 1, 1}, 2, {{NULL}}, &net_odd},
/* Every network of the build as its options default: a new one enters by its list line. */
#define UNR_NET(name, Name)                                                                                  \
  {#name " by default", 1, {9, 1, 1}, 1, {{"-net_type", #name}, {"-net_constants", "alpha"}}},
#include "net/list.h"
#undef UNR_NET
};
enum { NET_CONFIGS = sizeof(net_configs) / sizeof(net_configs[0]) };

static const char *const net_test_parameters[] = {"-physics_test_alpha", "-physics_test_beta", NULL};

/* A diagnostic of two components that is nonlinear in the state and in a parameter, d = (beta u0^2, sin u0),
   cell by cell; with cotangents or tangents of both. */
static inline PetscInt NetDiagnosticComponents(int dim)
{
  (void)dim;
  return 2;
}

static inline PetscErrorCode NetDiagnose(UnrPhysics physics, const double par[], UnrBatch u, UnrBatch out)
{
  const size_t cells = (size_t)physics->grid->local, components = (size_t)physics->grid->components;

  PetscFunctionBeginUser;
  for (size_t i = 0; i < (size_t)u->samples * cells; i++) {
    const double u0 = u->data[i * components];

    out->data[2 * i] = par[i / cells * NET_PAR + 1] * u0 * u0;
    out->data[2 * i + 1] = sin(u0);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode NetDiagnoseJvp(UnrPhysics physics, const double par[], UnrBatch u,
                                            UnrBatch u_dot, const double par_dot[], UnrBatch out_dot)
{
  const size_t cells = (size_t)physics->grid->local, components = (size_t)physics->grid->components;

  PetscFunctionBeginUser;
  for (size_t i = 0; i < (size_t)u->samples * cells; i++) {
    const double u0 = u->data[i * components], dot = u_dot ? u_dot->data[i * components] : 0;
    const double beta_dot = par_dot ? par_dot[i / cells * NET_PAR + 1] : 0;

    out_dot->data[2 * i] = 2 * par[i / cells * NET_PAR + 1] * u0 * dot + beta_dot * u0 * u0;
    out_dot->data[2 * i + 1] = cos(u0) * dot;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode NetDiagnoseVjp(UnrPhysics physics, const double par[], UnrBatch u,
                                            UnrBatch out_bar, UnrBatch u_bar, double par_bar[])
{
  const size_t cells = (size_t)physics->grid->local, components = (size_t)physics->grid->components;

  PetscFunctionBeginUser;
  for (size_t i = 0; i < (size_t)u->samples * cells; i++) {
    const double u0 = u->data[i * components], *bar = &out_bar->data[2 * i];

    if (u_bar)
      u_bar->data[i * components] += 2 * par[i / cells * NET_PAR + 1] * u0 * bar[0] + cos(u0) * bar[1];
    if (par_bar) par_bar[i / cells * NET_PAR + 1] += u0 * u0 * bar[0];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const UnrDiagnosticOps net_test_diagnostics[] = {
    {"wave", NetDiagnosticComponents, NetDiagnose, NetDiagnoseJvp, NetDiagnoseVjp}, {.name = NULL}};
static const UnrPhysicsOps net_test_physics = {
    .name = "test_grid", .parameters = net_test_parameters, .diagnostics = net_test_diagnostics};

typedef struct {
  UnrLayout layout;
  UnrGrid grid;
  struct UnrPhysics_ physics;
  UnrNet net;
  size_t parameters;
  double par[NET_SAMPLES * NET_PAR]; /* mixed in the batch */
} NetCase;

static inline void NetOptionsSet(const NetConfig *config, const char *precision, const char *activation)
{
  for (int o = 0; o < NET_OPTIONS && config->option[o][0]; o++)
    TEST_CALL(PetscOptionsSetValue(NULL, config->option[o][0], config->option[o][1]));
  TEST_CALL(PetscOptionsSetValue(NULL, "-net_precision", precision));
  TEST_CALL(PetscOptionsSetValue(NULL, "-net_activation", activation));
  TEST_CALL(PetscOptionsSetValue(NULL, "-layout_replicas", "1"));
}

static inline void NetOptionsClear(const NetConfig *config)
{
  for (int o = 0; o < NET_OPTIONS && config->option[o][0]; o++)
    TEST_CALL(PetscOptionsClearValue(NULL, config->option[o][0]));
  TEST_CALL(PetscOptionsClearValue(NULL, "-net_precision"));
  TEST_CALL(PetscOptionsClearValue(NULL, "-net_activation"));
  TEST_CALL(PetscOptionsClearValue(NULL, "-layout_replicas"));
}

/* Boundaries of the grids to come: 0 periodic; pair number `net_kinds` of the other kinds on the first axis,
   and other ones on the next. */
static int net_kinds;
enum { NET_WALLS = UNR_BOUNDARY_KINDS - 1, NET_KINDS = NET_WALLS * NET_WALLS + 1 };

static inline void NetBoundarySet(UnrGrid grid)
{
  for (int a = 0; net_kinds && a < grid->dim; a++) {
    const int pair = (net_kinds + 6 * a) % NET_KINDS;

    if (pair)
      TEST_CALL(UnrGridSetBoundary(grid, a, (UnrBoundary)(1 + (pair - 1) / NET_WALLS),
                                   (UnrBoundary)(1 + (pair - 1) % NET_WALLS)));
  }
}

static inline void NetCaseGrid(NetCase *c, const NetConfig *config, bool is_alone)
{
  UnrNeeds needs;

  TEST_CALL(UnrNetDescribe(config->dim, &needs));
  if (is_alone)
    TEST_CALL(UnrLayoutCreateSelf(&c->layout));
  else
    TEST_CALL(
        UnrLayoutCreate(PETSC_COMM_WORLD, NET_SAMPLES, config->dim, config->points, &needs, &c->layout));
  TEST_CALL(
      UnrGridCreate(&c->layout, config->dim, config->points, config->components, needs.stencil, &c->grid));
  NetBoundarySet(c->grid);
  memset(&c->physics, 0, sizeof(c->physics));
  c->physics.ops = &net_test_physics;
  c->physics.grid = c->grid;
  c->physics.parameters = NET_PAR;
}

/* With constants of normalisation that differ from 0 and 1 and from one another. */
static inline void NetCaseCreate(NetCase *c, const NetConfig *config, const char *precision,
                                 const char *activation, bool is_alone)
{
  const double mean[] = {0.25, -0.5, 0.75, 0.1, -0.2}, std[] = {1.5, 0.75, 1.25, 0.9, 1.7};
  const double scale[] = {0.8, 1.3, -0.6};

  NetOptionsSet(config, precision, activation);
  NetCaseGrid(c, config, is_alone);
  if (config->ops)
    TEST_CALL(UnrNetCreateOps(&c->physics, config->ops, &c->net));
  else
    TEST_CALL(UnrNetCreate(&c->physics, &c->net));
  TEST_CALL(UnrNetNormalisationSet(c->net, mean, std, scale));
  c->parameters = UnrNetParameters(c->net);
  for (int s = 0; s < NET_SAMPLES; s++) {
    c->par[s * NET_PAR] = 6.4 + 2.4 * s;
    c->par[s * NET_PAR + 1] = 0.5 + 0.25 * s;
  }
  NetOptionsClear(config);
}

static inline void NetCaseDestroy(NetCase *c)
{
  TEST_CALL(UnrNetDestroy(&c->net));
  TEST_CALL(UnrPhysicsDiagnosticsDestroy(&c->physics));
  TEST_CALL(UnrGridDestroy(&c->grid));
  TEST_CALL(UnrLayoutDestroy(&c->layout));
}

static inline UnrBatch NetCaseBatch(NetCase *c, const char *purpose)
{
  UnrBatch batch;

  TEST_CALL(UnrBatchCreate(c->grid, NET_SAMPLES, &batch));
  if (purpose) TestFill(batch, 0, purpose, 0);
  return batch;
}

/* Number j of an array in the net's precision. */
static inline double NetGet(NetCase *c, const void *theta, size_t j)
{
  return UnrNetPrecision(c->net) == UNR_SINGLE ? (double)((const float *)theta)[j]
                                               : ((const double *)theta)[j];
}

static inline void NetPut(NetCase *c, void *theta, size_t j, double value)
{
  if (UnrNetPrecision(c->net) == UNR_SINGLE)
    ((float *)theta)[j] = (float)value;
  else
    ((double *)theta)[j] = value;
}

/* Zeroed numbers shaped like theta. */
static inline void *NetTheta(NetCase *c)
{
  void *theta;

  TEST_CALL(PetscCalloc(c->parameters * UnrPrecisionBytes(UnrNetPrecision(c->net)), &theta));
  return theta;
}

static inline double NetRandom(const char *purpose, size_t j)
{
  return UnrRngNormal((UnrRng){77, UnrRngStream(purpose, 0, 0)}, j);
}

/* A direction in all three: the state's is a batch. */
typedef struct {
  UnrBatch u;
  double par[NET_SAMPLES * NET_PAR];
  void *theta;
} NetVector;

static inline void NetVectorCreate(NetCase *c, const char *purpose, NetVector *v)
{
  v->u = NetCaseBatch(c, purpose);
  v->theta = NetTheta(c);
  for (size_t j = 0; j < NET_SAMPLES * NET_PAR; j++)
    v->par[j] = purpose ? NetRandom(purpose, 1000000 + j) : 0;
  for (size_t j = 0; j < c->parameters; j++)
    NetPut(c, v->theta, j, purpose ? 0.2 * NetRandom(purpose, j) : 0);
}

static inline void NetVectorDestroy(NetVector *v)
{
  TEST_CALL(UnrBatchDestroy(&v->u));
  TEST_CALL(PetscFree(v->theta));
}

static inline double NetLocalDot(UnrBatch x, UnrBatch y)
{
  double dot = 0;

  for (size_t j = 0; j < (size_t)x->samples * x->stride; j++) dot += x->data[j] * y->data[j];
  return dot;
}

/* Sums over the world of this rank's parts of the three products. */
static inline double NetVectorDot(NetCase *c, const NetVector *v, const NetVector *bar)
{
  double dot = NetLocalDot(v->u, bar->u);

  for (int j = 0; j < NET_SAMPLES * NET_PAR; j++) dot += v->par[j] * bar->par[j];
  for (size_t j = 0; j < c->parameters; j++) dot += NetGet(c, v->theta, j) * NetGet(c, bar->theta, j);
  return TestSum(dot);
}
