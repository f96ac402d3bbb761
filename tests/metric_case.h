/* A batch of tests whose frames are functions of (test, frame, cell), measured on a layout; and a physics
   that has every diagnostic and integral that a metric looks at, in closed form. */
#pragma once

#include <string.h>

#include "metric/metric.h"
#include "physics/physics_impl.h"
#include "support.h"

enum { TESTS = 5, COMPONENTS = 2, CELLS = 35, NUMBERS = CELLS * COMPONENTS };
static const PetscInt test_points[UNR_MAX_DIM] = {7, 5, 1}; /* uneven blocks on two and three ranks */

/* Number i of the whole grid, [cell][component], of a test in a frame. */
typedef double (*TestFunction)(PetscInt test, PetscInt frame, PetscInt i);
typedef struct {
  TestFunction u, reference, step;                /* step NULL: u itself, so that there is no residual */
  bool (*is_live)(PetscInt test, PetscInt frame); /* NULL: all */
  PetscInt frames, window;
  PetscInt reference_frames; /* 0: as many */
} TestRun;

/* Values and series of one rank's replica, all tests of the world gathered. */
typedef struct {
  UnrLayout layout;
  UnrGrid grid;
  struct UnrPhysics_ physics;
  double par[TESTS];
  UnrMetrics metrics;
  PetscInt first, count;
} TestMeasured;

/* Normal numbers without any symmetry. */
static inline double TestNoise(PetscInt test, PetscInt frame, PetscInt i)
{
  const UnrRng rng = {3, UnrRngStream("noise", (uint64_t)test, (uint64_t)frame)};

  return UnrRngNormal(rng, (uint64_t)i);
}

/* An offset that names its test and frame. */
static inline double TestOffset(PetscInt test, PetscInt frame, PetscInt i)
{
  return TestNoise(test, frame, i) + 0.1 * (double)((test + 1) * frame);
}

static inline double TestZero(PetscInt test, PetscInt frame, PetscInt i)
{
  (void)test, (void)frame, (void)i;
  return 0;
}

static inline PetscInt TestOne(int dim)
{
  (void)dim;
  return 1;
}

/* The "vorticity" of a state: par (u_0 - 2 u_1). */
static inline PetscErrorCode TestVorticity(UnrPhysics physics, const double par[], UnrBatch u, UnrBatch out)
{
  (void)physics;
  for (PetscInt t = 0; t < u->samples; t++)
    for (size_t i = 0; i < out->stride; i++) {
      const double *x = u->data + (size_t)t * u->stride + COMPONENTS * i;
      out->data[(size_t)t * out->stride + i] = par[t] * (x[0] - 2 * x[1]);
    }
  return PETSC_SUCCESS;
}

/* Integral i is par (i + 1) sum u_0^2. */
enum { INTEGRALS = 5 };
static const char *const test_integral[INTEGRALS] = {"energy", "enstrophy", "dissipation", "injection",
                                                     "divergence"};
static inline PetscErrorCode TestIntegrals(UnrPhysics physics, const double par[], UnrBatch u, double value[])
{
  for (PetscInt t = 0; t < u->samples; t++) {
    double sum = 0;

    for (size_t i = 0; i < u->stride; i += COMPONENTS)
      sum += u->data[(size_t)t * u->stride + i] * u->data[(size_t)t * u->stride + i];
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, physics->grid->comm);
    for (int i = 0; i < INTEGRALS; i++) value[t * INTEGRALS + i] = par[t] * (i + 1) * sum;
  }
  return PETSC_SUCCESS;
}

static const UnrDiagnosticOps test_diagnostics[] = {{.name = "pressure", .components = TestOne},
                                                    {"vorticity", TestOne, TestVorticity, NULL, NULL},
                                                    {.name = NULL}};
static const UnrPhysicsOps test_physics = {.name = "everything",
                                           .diagnostics = test_diagnostics,
                                           .integrals = "energy|enstrophy|dissipation|injection|divergence",
                                           .integrate = TestIntegrals};
static const UnrPhysicsOps test_physics_plain = {.name = "plain"};

static inline void TestFillFunction(UnrBatch batch, PetscInt first, PetscInt frame, TestFunction value)
{
  const UnrGrid g = batch->grid;
  double *at = batch->data;

  for (PetscInt t = 0; t < batch->samples; t++)
    for (PetscInt x = g->start[0]; x < g->start[0] + g->count[0]; x++)
      for (PetscInt y = g->start[1]; y < g->start[1] + g->count[1]; y++)
        for (PetscInt c = 0; c < COMPONENTS; c++)
          *at++ = value(first + t, frame, (x * test_points[1] + y) * COMPONENTS + c);
}

static inline UnrMetricSpec TestSpec(const TestRun *run, TestMeasured *m)
{
  return (UnrMetricSpec){.physics = &m->physics,
                         .par = m->par,
                         .tests = m->count,
                         .frames = run->frames,
                         .reference_frames = run->reference_frames ? run->reference_frames : run->frames,
                         .window = run->window};
}

static inline void TestMeasure(const TestRun *run, bool is_alone, TestMeasured *m)
{
  UnrBatch u, previous, reference, step;
  bool live[TESTS];

  m->first = 0;
  m->count = TESTS;
  if (is_alone) {
    TEST_CALL(UnrLayoutCreateSelf(&m->layout));
  } else {
    TEST_CALL(UnrLayoutCreate(PETSC_COMM_WORLD, TESTS, 2, test_points, &UnrNeedsNone, &m->layout));
    UnrLayoutShare(&m->layout, TESTS, &m->first, &m->count);
  }
  TEST_CALL(UnrGridCreate(&m->layout, 2, test_points, COMPONENTS, 0, &m->grid));
  UnrBatch *const batch[] = {&u, &previous, &reference, &step};
  for (int i = 0; i < 4; i++) TEST_CALL(UnrBatchCreate(m->grid, m->count, batch[i]));
  m->physics = (struct UnrPhysics_){.ops = &test_physics, .grid = m->grid, .parameters = 1};
  for (PetscInt t = 0; t < m->count; t++) m->par[t] = 1 + 0.1 * (double)(m->first + t);
  const UnrMetricSpec spec = TestSpec(run, m);
  TEST_CALL(UnrMetricsCreate(&spec, &m->metrics));
  for (PetscInt k = 0; k <= run->frames; k++) {
    TEST_CALL(UnrBatchCopy(u, previous));
    TestFillFunction(u, m->first, k, run->u);
    TestFillFunction(reference, m->first, k, run->reference);
    TestFillFunction(step, m->first, k, run->step ? run->step : run->u);
    for (PetscInt t = 0; t < m->count; t++) live[t] = !run->is_live || run->is_live(m->first + t, k);
    const UnrMetricFrame frame = {.frame = k,
                                  .u = u,
                                  .reference = k <= spec.reference_frames ? reference : NULL,
                                  .previous = k ? previous : NULL,
                                  .previous_step = k ? step : NULL,
                                  .is_live = run->is_live ? live : NULL};
    TEST_CALL(UnrMetricsFrame(m->metrics, &frame));
  }
  TEST_CALL(UnrMetricsFinish(m->metrics));
  for (int i = 0; i < 4; i++) TEST_CALL(UnrBatchDestroy(batch[i]));
}

static inline void TestMeasuredDestroy(TestMeasured *m)
{
  TEST_CALL(UnrMetricsDestroy(&m->metrics));
  TEST_CALL(UnrPhysicsDiagnosticsDestroy(&m->physics));
  TEST_CALL(UnrGridDestroy(&m->grid));
  TEST_CALL(UnrLayoutDestroy(&m->layout));
}

/* The metric of that name, which must be there. */
static inline UnrMetricView TestView(const TestMeasured *m, const char *name)
{
  UnrMetricView view;

  for (PetscInt i = 0; UnrMetricsGet(m->metrics, i, &view); i++)
    if (!strcmp(view.name, name)) return view;
  cr_assert_fail("no metric %s", name);
  return view;
}
