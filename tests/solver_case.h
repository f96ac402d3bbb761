/* What the tests of physics and steppers share: a grid and a physics from options given as text. */
#pragma once

#include <math.h>

#include "physics/physics.h"
#include "support.h"

typedef struct {
  UnrLayout layout;
  UnrGrid grid;
  UnrPhysics physics;
} TestCase;

/* alone: every rank its own whole grid, to compare with one rank.  Earlier options are forgotten. */
static inline void TestCaseOpen(TestCase *c, bool alone, const char *options)
{
  PetscInt points[UNR_MAX_DIM], components;
  int dim;
  UnrNeeds needs;

  TEST_CALL(PetscOptionsClear(NULL));
  TEST_CALL(PetscOptionsInsertString(NULL, options));
  TEST_CALL(UnrGridPointsGet(&dim, points));
  TEST_CALL(UnrPhysicsDescribe(dim, &needs, &components));
  if (alone)
    TEST_CALL(UnrLayoutCreateSelf(&c->layout));
  else
    TEST_CALL(UnrLayoutCreate(PETSC_COMM_WORLD, 1, dim, points, &needs, &c->layout));
  TEST_CALL(UnrGridCreate(&c->layout, dim, points, components, needs.stencil, &c->grid));
  TEST_CALL(UnrPhysicsCreate(c->grid, &c->physics));
}

static inline void TestCaseClose(TestCase *c)
{
  TEST_CALL(UnrPhysicsDestroy(&c->physics));
  TEST_CALL(UnrGridDestroy(&c->grid));
  TEST_CALL(UnrLayoutDestroy(&c->layout));
}

/* u(x, y) at every cell of every sample, x and y in units of the box, in [0, 1). */
typedef double (*TestField)(double x, double y, PetscInt sample, const void *context);

static inline void TestSetField(UnrBatch u, TestField field, const void *context)
{
  const UnrGrid g = u->grid;
  double *at = u->data;

  for (PetscInt s = 0; s < u->samples; s++)
    for (PetscInt i = g->start[0]; i < g->start[0] + g->count[0]; i++)
      for (PetscInt j = g->start[1]; j < g->start[1] + g->count[1]; j++)
        *at++ = field((double)i / (double)g->points[0], (double)j / (double)g->points[1], s, context);
}

/* Largest |a - b| on the grid, over its ranks. */
static inline double TestDistance(UnrBatch a, UnrBatch b)
{
  double most = 0, all = 0;

  for (size_t i = 0; i < (size_t)a->samples * a->stride; i++)
    most = TestMost(most, fabs(a->data[i] - b->data[i]));
  MPI_Allreduce(&most, &all, 1, MPI_DOUBLE, MPI_MAX, a->grid->comm);
  return all;
}

static inline double TestSize(UnrBatch a)
{
  double most = 0, all = 0;

  for (size_t i = 0; i < (size_t)a->samples * a->stride; i++) most = TestMost(most, fabs(a->data[i]));
  MPI_Allreduce(&most, &all, 1, MPI_DOUBLE, MPI_MAX, a->grid->comm);
  return all;
}

static inline double TestDot(UnrBatch a, UnrBatch b)
{
  double dot = 0;

  TEST_CALL(UnrBatchDot(a, b, &dot));
  return dot;
}
