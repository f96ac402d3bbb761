/*
  Is it the right equation?  Exact solutions of the spectral physics: Burgers, Korteweg-de Vries,
  Swift-Hohenberg. A new physics adds its own here.
*/
#include "etdrk_case.h"

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
