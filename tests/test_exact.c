/*
  Is it the right equation?  Exact solutions of the spectral physics: Burgers, Korteweg-de Vries,
  Swift-Hohenberg. A new physics adds its own here.
*/
#include "etdrk_case.h"
#include "field/scratch.h"

/* Cole-Hopf: f_t + speed f f_z = viscosity f_zz, 2 pi periodic in z, f = mean + wave moving with the mean. */
typedef struct {
  double speed, viscosity, mean, time;
  int waves[2]; /* z = 2 pi (waves . (x, y)) with x, y in units of the box */
} ColeHopf;

static double ColeHopfField(double x, double y, PetscInt sample, const void *context)
{
  const ColeHopf *c = context;
  const double z = 2 * PETSC_PI * (c->waves[0] * x + c->waves[1] * y) - c->speed * c->mean * c->time;
  double p = 1.2, p_z = 0; /* of the heat equation, positive */

  for (int k = 1; k <= 2; k++) {
    const double a = 0.5 / k * exp(-c->viscosity * k * k * c->time),
                 phase = k * z + 0.4 * k * k + (double)sample;

    p += a * cos(phase);
    p_z -= a * k * sin(phase);
  }
  return c->mean - 2 * c->viscosity * p_z / (p * c->speed);
}

/* Error at time 1 against the exact solution. */
static double ColeHopfError(const char *physics, const ColeHopf *start, double viscosity)
{
  const double par[] = {viscosity, viscosity};
  ColeHopf end = *start;
  Solver s;
  UnrBatch u, exact;
  double error;

  SolverOpen(physics, 4, 1.0 / 256, 1, &s);
  TEST_CALL(UnrBatchCreate(s.box.grid, 2, &u));
  TEST_CALL(UnrBatchCreate(s.box.grid, 2, &exact));
  end.time = 1;
  TestSetField(u, ColeHopfField, start);
  TestSetField(exact, ColeHopfField, &end);
  cr_expect(TestDistance(u, exact) > 0.05, "the exact solution does not move");
  SolverAdvance(physics, 4, 1.0 / 256, 256, par, u, u);
  error = TestDistance(u, exact);
  TEST_CALL(UnrBatchDestroy(&u));
  TEST_CALL(UnrBatchDestroy(&exact));
  SolverClose(&s);
  return error;
}

/* Spectral accuracy: twice the points square the error, down to that of the time step. */
Test(exact, cole_hopf)
{
  const ColeHopf start = {.speed = 1, .viscosity = 0.1, .mean = 0.7, .waves = {1, 0}};
  const double error[] = {
      ColeHopfError("burgers_spectral -grid_points 24", &start, 0.1),
      ColeHopfError("burgers_spectral -grid_points 48", &start, 0.1),
      ColeHopfError("burgers_spectral -grid_points 96", &start, 0.1),
      ColeHopfError("burgers_spectral -physics_burgers_dealias false -grid_points 96", &start, 0.1)};

  PetscPrintf(PETSC_COMM_WORLD, "Cole-Hopf 1-D: 24 points %.2e, 48 %.2e, 96 %.2e, not dealiased %.2e\n",
              error[0], error[1], error[2], error[3]);
  cr_expect(error[0] < 1e-3, "24 points: %g", error[0]);
  cr_expect(error[1] < 1e-3 * error[0], "48 points: %g", error[1]);
  cr_expect(error[2] < 1e-9, "96 points: %g", error[2]);
  cr_expect(error[3] < 1e-9, "96 points, not dealiased: %g", error[3]);
}

/* f(kx x + ky y) moves with speed kx + ky and viscosity nu (kx^2 + ky^2): another way through x, y and the
 * box. */
Test(exact, cole_hopf_plane_wave)
{
  const double kx = 1, ky = -2 * 2 * PETSC_PI / 5, viscosity = 0.05;
  const ColeHopf start = {
      .speed = kx + ky, .viscosity = viscosity * (kx * kx + ky * ky), .mean = 0.7, .waves = {1, -2}};
  const double error[] = {
      ColeHopfError("burgers_spectral -grid_points 20,40 -grid_length 6.283185307179586,5", &start,
                    viscosity),
      ColeHopfError("burgers_spectral -grid_points 72,150 -grid_length 6.283185307179586,5", &start,
                    viscosity)};

  PetscPrintf(PETSC_COMM_WORLD, "Cole-Hopf 2-D: 20x40 points %.2e, 72x150 %.2e\n", error[0], error[1]);
  cr_expect(error[0] < 1e-3 && error[1] < 1e-9, "errors %g, %g", error[0], error[1]);
}

/* u = 3 c / cosh^2((x - x0 - c t) sqrt(c / delta) / 2) on a box so long that its tails, 1e-11, do not meet.
 */
typedef struct {
  double speed, length, time;
} Soliton;

static double SolitonField(double x, double y, PetscInt sample, const void *context)
{
  const Soliton *c = context;
  const double delta = 1 + 0.2 * (double)sample, distance = c->length * (x - 0.4) - c->speed * c->time;
  const double root = cosh(0.5 * sqrt(c->speed / delta) * distance);

  (void)y;
  return 3 * c->speed / (root * root);
}

/* A complex symbol: dispersion must carry a soliton along without change, one delta a sample. */
Test(exact, soliton)
{
  const char *const physics = "kdv_spectral -grid_points 192 -grid_length 40";
  const double par[] = {1, 1.2};
  const Soliton start = {.speed = 2, .length = 40}, end = {.speed = 2, .length = 40, .time = 2};
  double error[2];
  Solver s;
  UnrBatch u, next, exact;

  SolverOpen(physics, 4, 0.01, 1, &s);
  TEST_CALL(UnrBatchCreate(s.box.grid, 2, &u));
  TEST_CALL(UnrBatchCreate(s.box.grid, 2, &next));
  TEST_CALL(UnrBatchCreate(s.box.grid, 2, &exact));
  TestSetField(u, SolitonField, &start);
  TestSetField(exact, SolitonField, &end);
  for (int i = 0; i < 2; i++) {
    SolverAdvance(physics, 4, 0.01 / (1 + i), 200 * (1 + i), par, u, next);
    error[i] = TestDistance(next, exact);
  }
  PetscPrintf(PETSC_COMM_WORLD, "soliton: dt 0.01 %.2e, 0.005 %.2e\n", error[0], error[1]);
  cr_expect(error[1] < 1e-6 && fabs(log2(error[0] / error[1]) - 4) < 0.3, "errors %g, %g", error[0],
            error[1]);
  TEST_CALL(UnrBatchDestroy(&u));
  TEST_CALL(UnrBatchDestroy(&next));
  TEST_CALL(UnrBatchDestroy(&exact));
  SolverClose(&s);
}

/* Swift-Hohenberg, [sample][r, g]: one unstable wave through a non-square box, one damped. */
static const double swift_hohenberg[] = {0.35, 0.8, 0.9, 1.5};
static const double swift_hohenberg_length[] = {14, 9};
static const int swift_hohenberg_waves[][2] = {{2, -1}, {1, 2}};

/* A wave so small that only its linear growth is left of the equation, at a time. */
static double WaveField(double x, double y, PetscInt sample, const void *context)
{
  const double time = *(const double *)context;
  const int *const waves = swift_hohenberg_waves[sample];
  const double kx = 2 * PETSC_PI / swift_hohenberg_length[0] * waves[0],
               ky = 2 * PETSC_PI / swift_hohenberg_length[1] * waves[1];
  const double growth = swift_hohenberg[2 * sample] - PetscSqr(1 - kx * kx - ky * ky);

  return 1e-8 * exp(growth * time) * cos(2 * PETSC_PI * (waves[0] * x + waves[1] * y) + 0.4);
}

/* The bound is g u^2 beside u, times the time. */
Test(exact, swift_hohenberg_growth)
{
  const char *const physics = "swift_hohenberg_spectral -grid_points 20,18 -grid_length 14,9";
  const double start = 0, end = 2;
  Solver s;
  UnrBatch u, next, exact;

  SolverOpen(physics, 4, 0.1, 1, &s);
  TEST_CALL(UnrBatchCreate(s.box.grid, 2, &u));
  TEST_CALL(UnrBatchCreate(s.box.grid, 2, &next));
  TEST_CALL(UnrBatchCreate(s.box.grid, 2, &exact));
  TestSetField(u, WaveField, &start);
  TestSetField(exact, WaveField, &end);
  SolverAdvance(physics, 4, 0.1, 20, swift_hohenberg, u, next);
  for (PetscInt i = 0; i < 2; i++) {
    struct UnrBatch_ from = UnrBatchView(u, i, 1), is = UnrBatchView(next, i, 1),
                     should = UnrBatchView(exact, i, 1);
    const double growth = TestSize(&is) / TestSize(&from),
                 error = TestDistance(&is, &should) / TestSize(&should);

    PetscPrintf(PETSC_COMM_WORLD, "Swift-Hohenberg, wave %d: times %.3f, off by %.1e\n", (int)i, growth,
                error);
    cr_expect(error < 1e-7 && (i == 0 ? growth > 1.2 : growth < 0.8), "wave %d: times %g, off by %g", (int)i,
              growth, error);
  }
  TEST_CALL(UnrBatchDestroy(&u));
  TEST_CALL(UnrBatchDestroy(&next));
  TEST_CALL(UnrBatchDestroy(&exact));
  SolverClose(&s);
}

static double SwiftHohenbergRate(const double par[], double u)
{
  return (par[0] - 1) * u + par[1] * u * u - u * u * u;
}

/* u' = (r - 1) u + g u^2 - u^3 from 0.9 to this time, by fine RK4 steps: off by some 1e-12. */
static double UniformField(double x, double y, PetscInt sample, const void *context)
{
  enum { STEPS = 2000 };
  const double *par = swift_hohenberg + 2 * sample, h = *(const double *)context / STEPS;
  double u = 0.9;

  (void)x;
  (void)y;
  for (int i = 0; i < STEPS; i++) {
    const double k1 = SwiftHohenbergRate(par, u), k2 = SwiftHohenbergRate(par, u + h / 2 * k1);
    const double k3 = SwiftHohenbergRate(par, u + h / 2 * k2), k4 = SwiftHohenbergRate(par, u + h * k3);

    u += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
  return u;
}

/* A uniform state obeys a scalar equation, its square and cube in full; on the physics' own length. */
Test(exact, swift_hohenberg_uniform)
{
  const char *const physics = "swift_hohenberg_spectral -grid_points 8,6";
  const double start = 0, end = 2;
  double error[2], length[UNR_MAX_DIM];
  Solver s;
  UnrBatch u, next, exact;

  SolverOpen(physics, 4, 0.1, 1, &s);
  TEST_CALL(UnrPhysicsLength(s.box.physics, swift_hohenberg, length));
  cr_expect(length[0] == 16 * PETSC_PI && length[1] == length[0], "length %g, %g", length[0], length[1]);
  TEST_CALL(UnrBatchCreate(s.box.grid, 2, &u));
  TEST_CALL(UnrBatchCreate(s.box.grid, 2, &next));
  TEST_CALL(UnrBatchCreate(s.box.grid, 2, &exact));
  TestSetField(u, UniformField, &start);
  TestSetField(exact, UniformField, &end);
  cr_expect(TestDistance(u, exact) > 0.3, "the exact solution does not move");
  for (int i = 0; i < 2; i++) {
    SolverAdvance(physics, 4, 0.1 / (1 + i), 20 * (1 + i), swift_hohenberg, u, next);
    error[i] = TestDistance(next, exact);
  }
  PetscPrintf(PETSC_COMM_WORLD, "Swift-Hohenberg, uniform: dt 0.1 %.2e, 0.05 %.2e\n", error[0], error[1]);
  cr_expect(error[1] < 1e-6 && fabs(log2(error[0] / error[1]) - 4) < 0.3, "errors %g, %g", error[0],
            error[1]);
  TEST_CALL(UnrBatchDestroy(&u));
  TEST_CALL(UnrBatchDestroy(&next));
  TEST_CALL(UnrBatchDestroy(&exact));
  SolverClose(&s);
}
