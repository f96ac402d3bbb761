/* Start states: the same bits on any layout, the rms that is asked for, solenoidal where the physics asks for
 * it. */
#include "conformance.h"

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

/* A state of a physics with transforms, its options given. */
static UnrBatch Spectrum(TestCase *c, bool alone, const char *options, PetscInt first, PetscInt samples)
{
  char text[512];
  UnrBatch u;

  snprintf(text, sizeof text, "-layout_replicas 1 -start_type spectrum -start_rms 0.7 %s", options);
  TestCaseOpen(c, alone, text);
  TEST_CALL(UnrBatchCreate(c->grid, samples, &u));
  TEST_CALL(UnrStartFill(c->physics, 5, first, NULL, u));
  return u;
}

static void SpectrumFree(TestCase *c, UnrBatch u)
{
  TEST_CALL(UnrBatchDestroy(&u));
  TestCaseClose(c);
}

/* Square of the transform of component c at wavenumber k, over the points, by a plain sum; of a whole grid.
 */
static double Square(UnrBatch u, const PetscInt k[3], PetscInt c)
{
  const PetscInt *n = u->grid->points;
  double complex sum = 0;
  const double *at = u->data + c;

  for (PetscInt x = 0; x < n[0]; x++)
    for (PetscInt y = 0; y < n[1]; y++)
      for (PetscInt z = 0; z < n[2]; z++, at += u->grid->components)
        sum += *at * cexp(-2 * PETSC_PI * I *
                          ((double)(k[0] * x) / (double)n[0] + (double)(k[1] * y) / (double)n[1] +
                           (double)(k[2] * z) / (double)n[2]));
  return creal(conj(sum) * sum) / PetscSqr((double)u->grid->total);
}

/* The same waves on grids of which one has twice the points of the other, on any ranks, in any batch; others
 * for other samples. */
static void CheckSpectrum(const char *physics, const char *coarse, const char *fine)
{
  TestCase a, b;
  char options[256];

  snprintf(options, sizeof options, "-physics_type %s -start_peak 1 -grid_points %s", physics, coarse);
  UnrBatch u = Spectrum(&a, true, options, 3, 2);
  UnrBatch split = Spectrum(&b, false, options, 3, 2);
  cr_expect(TestBlockDifference(split, u) < 1e-14, "%s depends on the layout", options);
  SpectrumFree(&b, split);
  UnrBatch other = Spectrum(&b, true, options, 4, 1);
  cr_expect(!memcmp(other->data, u->data + u->stride, u->stride * sizeof(double)), "%s depends on the batch",
            options);
  cr_expect(memcmp(other->data, u->data, u->stride * sizeof(double)), "samples are equal");
  SpectrumFree(&b, other);
  snprintf(options, sizeof options, "-physics_type %s -start_peak 1 -grid_points %s", physics, fine);
  UnrBatch v = Spectrum(&b, true, options, 3, 2);
  const PetscInt *n = a.grid->points, *m = b.grid->points, C = a.grid->components;
  double most = 0, sum = 0;
  for (PetscInt x = 0; x < n[0]; x++)
    for (PetscInt y = 0; y < n[1]; y++)
      for (PetscInt z = 0; z < n[2]; z++)
        for (PetscInt c = 0; c < C; c++) {
          const double here = u->data[((x * n[1] + y) * n[2] + z) * C + c];
          const PetscInt node = (x * (m[0] / n[0]) * m[1] + y * (m[1] / n[1])) * m[2] + z * (m[2] / n[2]);

          most = TestMost(most, fabs(here - v->data[node * C + c]));
          sum += c < a.grid->dim ? here * here : 0;
        }
  cr_expect(most < 1e-14, "%s: off by %g", options, most);
  cr_expect(TestRelative(sqrt(sum / (double)a.grid->total), 0.7) < 1e-14, "%s: rms %.17g", options,
            sqrt(sum / (double)a.grid->total));
  SpectrumFree(&b, v);
  SpectrumFree(&a, u);
}

/* Up to wavenumber 5 there is energy: grids have all of it. */
Test(start, spectrum)
{
  CheckSpectrum("kdv_spectral", "17", "51");
  CheckSpectrum("navier_stokes_spectral -physics_navier_stokes_tracer true -grid_length 5,7", "16,18",
                "32,18");
  CheckSpectrum("navier_stokes_spectral -grid_length 3,2,1", "18,16,17", "18,32,17");
}

/* E(k) ~ k^4 exp(-2 (k/k0)^2), or the ring, in the units of the longest side: mean squares of single modes.
 */
Test(start, spectrum_shape)
{
  const PetscInt k[][3] = {{1, 2, 0}, {-2, 1, 0}, {3, 0, 0}}; /* sides 4, 2: of length sqrt(17), sqrt(8), 3 */
  const double length[] = {sqrt(17), sqrt(8), 3};

  for (int ring = 0; ring < 2; ring++) {
    TestCase c;
    double first = 0;
    UnrBatch u = Spectrum(&c, true,
                          ring ? "-physics_type navier_stokes_spectral -grid_points 16,18 -grid_length 4,2 "
                                 "-start_peak 3 -start_spectrum ring -start_width 1.5"
                               : "-physics_type navier_stokes_spectral -grid_points 16,18 -grid_length 4,2 "
                                 "-start_peak 3",
                          0, 1);
    for (int i = 0; i < 3; i++) {
      const double kk = length[i], measured = Square(u, k[i], 0) + Square(u, k[i], 1);
      const double E = ring ? exp(-PetscSqr(kk - 3) / 4.5) : pow(kk, 4) * exp(-2 * kk * kk / 9);

      if (i == 0) first = measured / (E / kk);
      cr_expect(first > 0 && TestRelative(measured / (E / kk), first) < 1e-12, "k %g: %g, %g", kk,
                measured / (E / kk), first);
    }
    SpectrumFree(&c, u);
  }
}

/* In a box that is not square the vortex has no divergence, and the mean flow is what was asked for. */
static void CheckTaylorGreen(const char *options, int dim, double energy)
{
  static const double mean[] = {0.5, -0.25, 2};
  char text[512];
  double value[5], sum[3] = {0};
  TestCase c;
  UnrBatch u;

  snprintf(text, sizeof text,
           "-physics_type navier_stokes_spectral -layout_replicas 1 -start_type taylor_green "
           "-start_amplitude 2 %s",
           options);
  TestCaseOpen(&c, true, text);
  TEST_CALL(UnrBatchCreate(c.grid, 1, &u));
  const double par[TEST_PARAMETERS] = {0.01, 1};
  TEST_CALL(UnrStartFill(c.physics, 5, 0, par, u));
  TEST_CALL(UnrPhysicsIntegrals(c.physics, par, u, value));
  for (int a = 0; a < dim; a++) energy += 0.5 * mean[a] * mean[a];
  cr_expect(!strncmp(UnrPhysicsIntegralNames(c.physics), "energy|", 7) &&
                TestRelative(value[0], energy) < 1e-14,
            "energy %.17g, %.17g", value[0], energy);
  cr_expect(value[4] < 1e-13, "divergence %g", value[4]);
  for (size_t i = 0; i < u->stride; i++) sum[(PetscInt)i % dim] += u->data[i] / (double)c.grid->total;
  for (int a = 0; a < dim; a++)
    cr_expect(TestRelative(sum[a], mean[a]) < 1e-13, "mean %g along %d", sum[a], a);
  TEST_CALL(UnrBatchDestroy(&u));
  TestCaseClose(&c);
}

/* Energy of the vortex: a^2 + b^2 over 8, in 3-D over 16; a = 2, b = a L_y / L_x. */
Test(start, taylor_green)
{
  UnrLayout self;
  UnrGrid grid;
  UnrBatch u;

  CheckTaylorGreen("-grid_points 8,10 -grid_length 2,3 -start_mean_velocity 0.5,-0.25", 2, (4 + 9) / 8.0);
  CheckTaylorGreen("-grid_points 8,10,9 -grid_length 2,3,4 -start_mean_velocity 0.5,-0.25,2", 3,
                   (4 + 9) / 16.0);
  TEST_CALL(PetscOptionsClear(NULL));
  Options("taylor_green");
  TEST_CALL(UnrLayoutCreateSelf(&self));
  TEST_CALL(UnrGridCreate(&self, 2, points[2], 1, 0, &grid));
  TEST_CALL(UnrBatchCreate(grid, 1, &u));
  struct UnrPhysics_ physics = Physics(grid, false);
  TEST_REFUSES(UnrStartFill(&physics, 1, 0, NULL, u), "allowed: a velocity in 2-D or 3-D");
  Free(u);
  TEST_CALL(UnrLayoutDestroy(&self));
}
