/* What the tests of exponential Runge-Kutta share: a solver from options, and an advance by some steps. */
#pragma once

#include "solver_case.h"
#include "stepper/stepper.h"

typedef struct {
  TestCase box;
  UnrStepper stepper;
} Solver;

static inline void SolverOpen(const char *physics, int order, double dt, int substeps, Solver *s)
{
  char options[1024];

  snprintf(
      options, sizeof options,
      "-physics_type %s -layout_replicas 1 -stepper_type etdrk -stepper_etdrk_order %d -stepper_dt %.17g "
      "-stepper_substeps %d",
      physics, order, dt, substeps);
  TestCaseOpen(&s->box, false, options);
  TEST_CALL(UnrStepperCreate(s->box.physics, NULL, &s->stepper));
}

static inline void SolverClose(Solver *s)
{
  TEST_CALL(UnrStepperDestroy(&s->stepper));
  TestCaseClose(&s->box);
}

/* u becomes one frame of substeps of dt later.  All solvers of a test share the grid's blocks. */
static inline void SolverAdvance(const char *physics, int order, double dt, int substeps, const double par[],
                                 UnrBatch from, UnrBatch to)
{
  Solver s;
  UnrBatch u, next;

  SolverOpen(physics, order, dt, substeps, &s);
  TEST_CALL(UnrBatchCreate(s.box.grid, from->samples, &u));
  TEST_CALL(UnrBatchCreate(s.box.grid, from->samples, &next));
  TEST_CALL(UnrBatchCopy(from, u));
  TEST_CALL(UnrStepperApply(s.stepper, par, u, next, NULL));
  TEST_CALL(UnrBatchCopy(next, to));
  TEST_CALL(UnrBatchDestroy(&u));
  TEST_CALL(UnrBatchDestroy(&next));
  SolverClose(&s);
}
