/* Start states: the same bits on any layout, the rms that is asked for, solenoidal where the physics asks for
 * it. */
#include "support.h"

#include <complex.h>
#include <math.h>
#include <string.h>
#include "dataset/start.h"
#include "physics/physics_impl.h"

static PetscErrorCode Constrain(UnrPhysics physics, const double par[], UnrBatch u)
{
  (void)physics;
  (void)par;
  (void)u;
  return PETSC_SUCCESS;
}

/* Enough of a physics for a start state: lengths 2 pi, 4, 1; with a constraint or without. */
static const UnrPhysicsOps free_ops = {.name = "test", .field = "velocity"};
static const UnrPhysicsOps solenoidal_ops = {.name = "test", .field = "velocity", .constrain = Constrain};

static struct UnrPhysics_ Physics(UnrGrid grid, bool is_solenoidal)
{
  return (struct UnrPhysics_){
      .ops = is_solenoidal ? &solenoidal_ops : &free_ops, .grid = grid, .length = {2 * PETSC_PI, 4, 1}};
}

static const PetscInt points[4][UNR_MAX_DIM] = {{0}, {13, 1, 1}, {10, 9, 1}, {9, 8, 10}};

static void Options(const char *type)
{
  TEST_CALL(PetscOptionsSetValue(NULL, "-start_type", type));
  TEST_CALL(PetscOptionsSetValue(NULL, "-start_peak", "1"));
  TEST_CALL(PetscOptionsSetValue(NULL, "-start_modes", "9"));
  TEST_CALL(PetscOptionsSetValue(NULL, "-start_rms", "0.7"));
}

/* States `first` ... of the family; the caller destroys batch and grid. */
static UnrBatch Start(const UnrLayout *layout, int dim, PetscInt components, bool is_solenoidal,
                      uint64_t seed, PetscInt first, PetscInt count)
{
  UnrGrid grid;
  UnrBatch u;

  TEST_CALL(UnrGridCreate(layout, dim, points[dim], components, 0, &grid));
  TEST_CALL(UnrBatchCreate(grid, count, &u));
  struct UnrPhysics_ physics = Physics(grid, is_solenoidal);
  TEST_CALL(UnrStartFill(&physics, seed, first, NULL, u));
  return u;
}

static void Free(UnrBatch u)
{
  UnrGrid grid = u->grid;

  TEST_CALL(UnrBatchDestroy(&u));
  TEST_CALL(UnrGridDestroy(&grid));
}

/* Numbers of u that differ from those of the same states on one rank alone. */
static PetscInt Differences(UnrBatch u, UnrBatch alone)
{
  const UnrGrid g = u->grid;
  PetscInt wrong = 0;
  double *at = u->data;

  for (PetscInt s = 0; s < u->samples; s++)
    for (PetscInt x = g->start[0]; x < g->start[0] + g->count[0]; x++)
      for (PetscInt y = g->start[1]; y < g->start[1] + g->count[1]; y++)
        for (PetscInt z = g->start[2]; z < g->start[2] + g->count[2]; z++)
          for (PetscInt c = 0; c < g->components; c++)
            wrong += *at++ !=
                     alone->data[(size_t)s * alone->stride +
                                 (size_t)(((x * g->points[1] + y) * g->points[2] + z) * g->components + c)];
  return wrong;
}

/* Bits do not depend on the layout, nor on which sample comes first; other seeds and samples differ
 * everywhere. */
static void CheckLayouts(const char *type, int dim, PetscInt components, bool is_solenoidal)
{
  UnrLayout grid, self;

  Options(type);
  TEST_CALL(UnrLayoutCreate(PETSC_COMM_WORLD, 1, dim, points[dim], &UnrNeedsNone, &grid));
  TEST_CALL(UnrLayoutCreateSelf(&self));
  UnrBatch alone = Start(&self, dim, components, is_solenoidal, 5, 0, 3);
  UnrBatch split = Start(&grid, dim, components, is_solenoidal, 5, 0, 3);
  UnrBatch later = Start(&grid, dim, components, is_solenoidal, 5, 1, 2);
  UnrBatch other = Start(&self, dim, components, is_solenoidal, 6, 0, 3);
  cr_expect(Differences(split, alone) == 0, "%s in %d-D depends on the layout", type, dim);
  cr_expect(!memcmp(later->data, split->data + split->stride, 2 * split->stride * sizeof(double)));
  cr_expect(Differences(other, alone) > (PetscInt)(2 * alone->stride), "%s in %d-D: the seed is not used",
            type, dim);
  cr_expect(memcmp(alone->data, alone->data + alone->stride, alone->stride * sizeof(double)),
            "samples are equal");
  Free(other);
  Free(later);
  Free(split);
  Free(alone);
  TEST_CALL(UnrLayoutDestroy(&self));
  TEST_CALL(UnrLayoutDestroy(&grid));
}

Test(start, layouts)
{
  CheckLayouts("cosine", 1, 1, false);
  CheckLayouts("random_modes", 1, 1, false);
  CheckLayouts("random_modes", 2, 2, true);
  CheckLayouts("random_modes", 3, 3, true);
  CheckLayouts("random_modes", 3, 1, false);
}

/* Mean of |u|^2 over the cells is the square of -start_rms: exact for resolved waves, so to rounding. */
Test(start, rms)
{
  UnrLayout self;

  Options("random_modes");
  TEST_CALL(UnrLayoutCreateSelf(&self));
  for (int dim = 1; dim <= 3; dim++) {
    UnrBatch u = Start(&self, dim, dim, dim > 1, 3, 0, 2);
    for (PetscInt s = 0; s < 2; s++) {
      double sum = 0;
      for (size_t i = 0; i < u->stride; i++) sum += u->data[s * u->stride + i] * u->data[s * u->stride + i];
      cr_expect(TestRelative(sqrt(sum / (double)u->grid->total), 0.7) < 1e-13, "%d-D", dim);
    }
    Free(u);
  }
  TEST_CALL(UnrLayoutDestroy(&self));
}

/* Largest |k . û(k)| over largest |k||û(k)|, by a plain transform, k in the domain's own units; not of a
 * Nyquist mode. */
static double Divergence(UnrBatch u, const double length[])
{
  const PetscInt *n = u->grid->points;
  double most = 0, size = 0;

  for (PetscInt kx = -n[0] / 2 + 1; kx < (n[0] + 1) / 2; kx++)
    for (PetscInt ky = -n[1] / 2 + 1; ky < (n[1] + 1) / 2; ky++) {
      double complex hat[2] = {0};
      const double q[2] = {(double)kx / length[0], (double)ky / length[1]};
      for (PetscInt x = 0; x < n[0]; x++)
        for (PetscInt y = 0; y < n[1]; y++)
          for (int c = 0; c < 2; c++)
            hat[c] +=
                u->data[(x * n[1] + y) * 2 + c] *
                cexp(-2 * PETSC_PI * I * ((double)(kx * x) / (double)n[0] + (double)(ky * y) / (double)n[1]));
      most = TestMost(most, cabs(q[0] * hat[0] + q[1] * hat[1]));
      size = TestMost(size, hypot(q[0], q[1]) * hypot(cabs(hat[0]), cabs(hat[1])));
    }
  return most / size;
}

/* Solenoidal for a physics with a constraint, in a box that is not square; not so without. */
Test(start, solenoidal)
{
  UnrLayout self;
  const double length[] = {2 * PETSC_PI, 4};

  Options("random_modes");
  TEST_CALL(UnrLayoutCreateSelf(&self));
  UnrBatch is = Start(&self, 2, 2, true, 9, 0, 1), is_not = Start(&self, 2, 2, false, 9, 0, 1);
  cr_expect(Divergence(is, length) < 1e-13, "divergence %g", Divergence(is, length));
  cr_expect(Divergence(is_not, length) > 0.1);
  Free(is_not);
  Free(is);
  TEST_CALL(UnrLayoutDestroy(&self));
}

/* What cannot be is refused by name. */
Test(start, refusals)
{
  UnrLayout layout;
  UnrGrid grid;
  UnrBatch u;

  TEST_CALL(UnrErrorHandlerPush());
  TEST_CALL(UnrLayoutCreateSelf(&layout));
  TEST_CALL(UnrGridCreate(&layout, 2, points[2], 2, 0, &grid));
  TEST_CALL(UnrBatchCreate(grid, 1, &u));
  struct UnrPhysics_ physics = Physics(grid, false);
  Options("random_modes");
  TEST_CALL(PetscOptionsSetValue(NULL, "-start_peak", "3"));
  cr_expect(UnrStartFill(&physics, 1, 0, NULL, u) == UNR_ERR_USER &&
            strstr(UnrUserErrorMessage(), "-start_peak (3)"));
  Options("cosine");
  cr_expect(UnrStartFill(&physics, 1, 0, NULL, u) == UNR_ERR_USER &&
            strstr(UnrUserErrorMessage(), "dimension 2"));
  Options("file");
  cr_expect(UnrStartFill(&physics, 1, 0, NULL, u) == UNR_ERR_USER &&
            strstr(UnrUserErrorMessage(), "without -start_file"));
  TEST_CALL(PetscPopErrorHandler());
  TEST_CALL(UnrBatchDestroy(&u));
  TEST_CALL(UnrGridDestroy(&grid));
  TEST_CALL(UnrLayoutDestroy(&layout));
}

/* One wave u obeys u[x-1] + u[x+1] = 2 cos(2 pi k / n) u[x] everywhere, also where k x passes 2^31. */
Test(start, long_line)
{
  const PetscInt n[UNR_MAX_DIM] = {99000, 1, 1};
  UnrLayout self;
  UnrGrid grid;
  UnrBatch u;
  double worst = 0, factor;

  Options("random_modes");
  TEST_CALL(PetscOptionsSetValue(NULL, "-start_modes", "1"));
  TEST_CALL(PetscOptionsSetValue(NULL, "-start_peak", "24000"));
  TEST_CALL(UnrLayoutCreateSelf(&self));
  TEST_CALL(UnrGridCreate(&self, 1, n, 1, 0, &grid));
  TEST_CALL(UnrBatchCreate(grid, 1, &u));
  struct UnrPhysics_ physics = Physics(grid, false);
  TEST_CALL(UnrStartFill(&physics, 1, 0, NULL, u));
  factor = (u->data[0] + u->data[2]) / u->data[1];
  for (PetscInt x = 1; x + 1 < n[0]; x++)
    worst = TestMost(worst, fabs(u->data[x - 1] + u->data[x + 1] - factor * u->data[x]));
  cr_expect(worst < 1e-10, "%g", worst); /* rounding of the factor, where u[1] is small */
  Free(u);
  TEST_CALL(UnrLayoutDestroy(&self));
}
