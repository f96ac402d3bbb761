/* A batch of tests whose frames are functions of (test, frame, cell), measured on a layout. */
#pragma once

#include "metric/metric.h"
#include "support.h"

enum { TESTS = 5, COMPONENTS = 2, CELLS = 35, NUMBERS = CELLS * COMPONENTS };
static const PetscInt test_points[UNR_MAX_DIM] = {7, 5, 1}; /* uneven blocks on two and three ranks */

/* Number i of the whole grid, [cell][component], of a test in a frame. */
typedef double (*TestFunction)(PetscInt test, PetscInt frame, PetscInt i);
typedef struct {
  TestFunction u, reference, step;                /* step NULL: u itself, so that there is no residual */
  bool (*is_live)(PetscInt test, PetscInt frame); /* NULL: all */
  PetscInt frames, window;
} TestRun;

/* Values and series of one rank's replica, all tests of the world gathered. */
typedef struct {
  UnrLayout layout;
  UnrGrid grid;
  UnrMetrics metrics;
  PetscInt first, count;
} TestMeasured;

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
  TEST_CALL(UnrMetricsCreate(m->grid, m->count, run->frames, run->window, &m->metrics));
  for (PetscInt k = 0; k <= run->frames; k++) {
    TEST_CALL(UnrBatchCopy(u, previous));
    TestFillFunction(u, m->first, k, run->u);
    TestFillFunction(reference, m->first, k, run->reference);
    TestFillFunction(step, m->first, k, run->step ? run->step : run->u);
    for (PetscInt t = 0; t < m->count; t++) live[t] = !run->is_live || run->is_live(m->first + t, k);
    const UnrMetricFrame frame = {.frame = k,
                                  .u = u,
                                  .reference = reference,
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
