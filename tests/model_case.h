/*
  A case for the tests of models and rollouts: the Kuramoto-Sivashinsky solver on 20 points, a small network,
  five samples of different domain sizes.  Every layout sees the same numbers.
*/
#pragma once

#include "support.h"

#include "core/count.h"
#include "core/event.h"
#include "field/scratch.h"
#include "rollout/rollout.h"

enum { CASE_SAMPLES = 5 };

/* Every model of the build: a new one enters by its list line. */
#define UNR_MODEL(name, Name) #name,
static const char *const case_models[] = {
#include "model/list.h"
    NULL};
#undef UNR_MODEL

static const char case_options[] = "-physics_type ks_spectral -physics_ks_domain_size 4 -grid_points 20 "
                                   "-stepper_type etdrk -stepper_etdrk_order 2 "
                                   "-stepper_dt 0.5 -stepper_substeps 2 -net_type resnet -net_precision "
                                   "double -net_resnet_features 6 -net_resnet_depth 2 -net_kernel 3 "
                                   "-net_constants domain_size -loss_type mse ";

typedef struct {
  UnrLayout layout;
  UnrGrid grid;
  UnrPhysics physics;
  UnrStepper stepper;
  UnrNet net;
  UnrModel model;
  UnrLoss loss;
  PetscInt first, samples, parameters, frames; /* this replica's samples of CASE_SAMPLES */
  size_t weights;
  double *par;     /* [sample][parameter] */
  UnrBatch *frame; /* [frames] */
  UnrWindow window;
  char more[256]; /* options of this case only */
} Case;

/* Start, parameters and weights: a tangent or a gradient, all double whatever the net's precision. */
typedef struct {
  UnrBatch u;
  double *par;
  void *theta;
} Triple;

/* The layout of `more` (-layout_replicas, -layout_grid); or every rank alone with all samples. */
static inline void CaseLayout(Case *c, bool is_alone)
{
  PetscInt points[UNR_MAX_DIM], components;
  int dim;
  UnrNeeds needs = UnrNeedsNone, more = UnrNeedsNone;

  TEST_CALL(UnrGridPointsGet(&dim, points));
  TEST_CALL(UnrPhysicsDescribe(dim, &needs, &components));
  TEST_CALL(UnrNetDescribe(dim, &more));
  UnrNeedsMerge(&needs, &more);
  c->first = 0;
  c->samples = CASE_SAMPLES;
  if (is_alone) {
    TEST_CALL(UnrLayoutCreateSelf(&c->layout));
  } else {
    TEST_CALL(UnrLayoutCreate(PETSC_COMM_WORLD, CASE_SAMPLES, dim, points, &needs, &c->layout));
    UnrLayoutShare(&c->layout, CASE_SAMPLES, &c->first, &c->samples);
  }
  TEST_CALL(UnrGridCreate(&c->layout, dim, points, components, needs.stencil, &c->grid));
}

static inline void CaseStates(Case *c, PetscInt frames)
{
  c->parameters = UnrPhysicsParameters(c->physics);
  c->frames = frames;
  TEST_CALL(PetscMalloc1(c->samples * c->parameters, &c->par));
  for (PetscInt s = 0; s < c->samples; s++)
    for (PetscInt p = 0; p < c->parameters; p++)
      c->par[s * c->parameters + p] =
          UnrPhysicsParameterDefault(c->physics, p) * (1 + 0.07 * (double)(c->first + s));
  TEST_CALL(PetscMalloc1(frames, &c->frame));
  for (PetscInt k = 0; k < frames; k++) {
    TEST_CALL(UnrBatchCreate(c->grid, c->samples, &c->frame[k]));
    TestFill(c->frame[k], c->first, "frame", (uint64_t)k);
  }
  c->window = (UnrWindow){.batch_samples = CASE_SAMPLES, .par = c->par, .frame = c->frame};
}

/* `more` comes after case_options and wins. */
static inline void CaseCreate(Case *c, const char *model, PetscInt frames, bool is_alone, const char *more)
{
  UnrModelNeeds wants;

  *c = (Case){0};
  snprintf(c->more, sizeof c->more, "-model_type %s %s", model, more);
  cr_assert(strlen(c->more) + 1 < sizeof c->more);
  TestOptionsSet(case_options);
  TestOptionsSet(c->more);
  CaseLayout(c, is_alone);
  TEST_CALL(UnrPhysicsCreate(c->grid, &c->physics));
  TEST_CALL(UnrModelWants(&wants));
  if (wants.stepper != UNR_STEPPER_NONE) {
    TEST_CALL(UnrStepperCreate(c->physics, wants.stepper == UNR_STEPPER_REFERENCE ? "reference_" : NULL,
                               &c->stepper));
  }
  if (wants.net) {
    TEST_CALL(UnrNetCreate(c->physics, &c->net));
    c->weights = UnrNetParameters(c->net);
  }
  TEST_CALL(UnrModelCreate(c->physics, c->stepper, c->net, &c->model));
  TEST_CALL(UnrLossCreate(&c->loss));
  CaseStates(c, frames);
}

static inline void CaseDestroy(Case *c)
{
  for (PetscInt k = 0; k < c->frames; k++) TEST_CALL(UnrBatchDestroy(&c->frame[k]));
  TEST_CALL(PetscFree(c->frame));
  TEST_CALL(PetscFree(c->par));
  TEST_CALL(UnrLossDestroy(&c->loss));
  TEST_CALL(UnrModelDestroy(&c->model));
  TEST_CALL(UnrNetDestroy(&c->net));
  TEST_CALL(UnrStepperDestroy(&c->stepper));
  TEST_CALL(UnrPhysicsDestroy(&c->physics));
  TEST_CALL(UnrGridDestroy(&c->grid));
  TEST_CALL(UnrLayoutDestroy(&c->layout));
  TestOptionsUnset(case_options);
  TestOptionsUnset(c->more);
}

static inline void *CaseTheta(Case *c)
{
  void *theta = NULL;

  if (c->net) TEST_CALL(UnrNetTheta(c->net, &theta));
  return theta;
}

/* Zero. */
static inline void TripleCreate(Case *c, Triple *t)
{
  TEST_CALL(UnrBatchCreate(c->grid, c->samples, &t->u));
  TEST_CALL(PetscCalloc1(c->samples * c->parameters, &t->par));
  TEST_CALL(PetscCalloc1(sizeof(double) * (c->weights + 1), (char **)&t->theta));
}

static inline void TripleDestroy(Triple *t)
{
  TEST_CALL(UnrBatchDestroy(&t->u));
  TEST_CALL(PetscFree(t->par));
  TEST_CALL(PetscFree(t->theta));
}

static inline void TripleZero(Case *c, Triple *t)
{
  TEST_CALL(UnrBatchZero(t->u));
  TEST_CALL(PetscArrayzero(t->par, c->samples * c->parameters));
  TEST_CALL(PetscArrayzero((char *)t->theta, sizeof(double) * (c->weights + 1)));
}

/* A direction, the same on every layout; theta of double. */
static inline void TripleFill(Case *c, Triple *t, uint64_t number)
{
  TestFill(t->u, c->first, "tangent", number);
  for (PetscInt s = 0; s < c->samples; s++) {
    UnrRng rng = {11, UnrRngStream("par", number, (uint64_t)(c->first + s))};

    for (PetscInt p = 0; p < c->parameters; p++)
      t->par[s * c->parameters + p] = UnrRngNormal(rng, (uint64_t)p);
  }
  for (size_t i = 0; i < c->weights; i++)
    ((double *)t->theta)[i] = UnrRngNormal((UnrRng){12, UnrRngStream("theta", number, 0)}, i);
}

/* A net of single precision fills the first half of theta: widen it. */
static inline void TripleWiden(Case *c, Triple *t)
{
  if (!c->net || UnrNetPrecision(c->net) == UNR_DOUBLE) return;
  for (size_t i = c->weights; i-- > 0;) ((double *)t->theta)[i] = ((float *)t->theta)[i];
}

static inline double LocalDot(size_t n, const double *x, const double *y)
{
  double dot = 0;

  for (size_t i = 0; i < n; i++) dot += x[i] * y[i];
  return dot;
}

static inline double BatchDot(UnrBatch x, UnrBatch y)
{
  return TestSum(LocalDot((size_t)x->samples * x->stride, x->data, y->data));
}

/* <gradient, tangent> over the world: parts of state, parameters, weights.  A gradient is each rank's part;
   so a tangent that all ranks hold counts once. */
static inline void TripleDot(Case *c, const Triple *gradient, const Triple *tangent, double part[3])
{
  part[0] = BatchDot(gradient->u, tangent->u);
  part[1] = TestSum(LocalDot((size_t)(c->samples * c->parameters), gradient->par, tangent->par));
  part[2] = TestSum(LocalDot(c->weights, gradient->theta, tangent->theta));
}

/* Sums a gradient's parts: par over the grid communicator, theta (of double) over the world. */
static inline void TripleReduce(Case *c, Triple *t)
{
  MPI_Allreduce(MPI_IN_PLACE, t->par, (int)(c->samples * c->parameters), MPI_DOUBLE, MPI_SUM, c->layout.grid);
  if (c->layout.size > 1) {
    MPI_Allreduce(MPI_IN_PLACE, t->theta, (int)c->weights, MPI_DOUBLE, MPI_SUM, PETSC_COMM_WORLD);
  }
}

/* Moves start, parameters and weights of the case by h times a direction. */
static inline void CaseMove(Case *c, double h, const Triple *direction)
{
  double *theta = CaseTheta(c);

  TEST_CALL(UnrBatchAXPY(c->frame[0], h, direction->u));
  for (PetscInt i = 0; i < c->samples * c->parameters; i++) c->par[i] += h * direction->par[i];
  for (size_t i = 0; i < c->weights; i++) theta[i] += h * ((double *)direction->theta)[i];
  if (c->net) TEST_CALL(UnrNetThetaChanged(c->net));
}

/* Largest difference of two arrays over the largest entry of the first, this rank's. */
static inline double ArrayDistance(size_t n, const double *x, const double *y)
{
  double distance = 0, largest = 0;

  for (size_t i = 0; i < n; i++) {
    distance = TestMost(distance, fabs(x[i] - y[i]));
    largest = TestMost(largest, fabs(x[i]));
  }
  return largest > 0 && isfinite(largest) ? distance / largest : distance;
}
