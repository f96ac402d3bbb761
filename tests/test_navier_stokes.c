/* Is it the Navier-Stokes equation?  Exact solutions, orders in time, conservation and budgets. */
#include "navier_stokes_case.h"

#include "field/scratch.h"

/* A flow on a mean flow U in a box, at a time. */
typedef struct {
  int dim;
  double length[3], mean[3], viscosity[NS_SAMPLES], time;
  int waves[3];
} Flow;

/* Phase of axis a, in the frame of the mean flow. */
static double Phase(const Flow *f, const double X[3], int a)
{
  return f->waves[a] * (X[a] - 2 * PETSC_PI / f->length[a] * f->mean[a] * f->time);
}

static double Decay(const Flow *f, PetscInt sample)
{
  double K2 = 0;

  for (int a = 0; a < f->dim; a++)
    if (a < 2 || f->waves[a]) K2 += PetscSqr(2 * PETSC_PI / f->length[a] * f->waves[a]);
  return exp(-f->viscosity[sample] * (f->dim == 2 ? K2 : K2 / 3) * f->time);
}

/* u = a sin X cos Y, v = -b cos X sin Y with K_x a = K_y b. */
static double TaylorGreen(const double X[3], PetscInt c, PetscInt sample, const void *context)
{
  const Flow *f = context;
  const double p = Phase(f, X, 0), q = Phase(f, X, 1), scale = Decay(f, sample) * (1 + 0.3 * (double)sample);
  const double ratio = f->waves[0] * f->length[1] / (f->waves[1] * f->length[0]);

  return f->mean[c] + scale * (c == 0 ? sin(p) * cos(q) : -ratio * cos(p) * sin(q));
}

/* Arnold-Beltrami-Childress: curl u = K u, K the same along all axes. */
static double ABC(const double X[3], PetscInt c, PetscInt sample, const void *context)
{
  const Flow *f = context;
  const double amplitude[] = {1, 0.7 + 0.1 * (double)sample, 0.4}, scale = Decay(f, sample);
  const int next = (int)(c + 1) % 3, last = (int)(c + 2) % 3;

  /* component c: sin along the axis before it, cos along the one after */
  return f->mean[c] +
         scale * (amplitude[c] * sin(Phase(f, X, last)) + amplitude[last] * cos(Phase(f, X, next)));
}

/* Errors after time 0.4, in steps of dt and, as the second run, of half of it, over the speed. */
static void Errors(const char *options, int order, double dt, VectorField field, const Flow *start,
                   const double par[], int runs, double error[])
{
  char physics[512];
  Flow end = *start;
  Solver s;

  snprintf(physics, sizeof physics, "navier_stokes_spectral %s", options);
  SolverOpen(physics, order, dt, 1, &s);
  UnrBatch u = NewBatch(s.box.grid), exact = NewBatch(s.box.grid), next = NewBatch(s.box.grid);
  end.time = 0.4;
  SetVector(u, field, start);
  SetVector(exact, field, &end);
  cr_expect(TestDistance(u, exact) > 0.01, "the exact solution does not move");
  for (int i = 0; i < runs; i++) {
    SolverAdvance(physics, order, dt / (1 + i), (int)((0.4 + 1e-9) / dt) * (1 + i), par, u, next);
    error[i] = TestDistance(next, exact) / TestSize(exact);
  }
  TEST_CALL(UnrBatchDestroy(&u));
  TEST_CALL(UnrBatchDestroy(&exact));
  TEST_CALL(UnrBatchDestroy(&next));
  SolverClose(&s);
}

/*
  At rest convection is a gradient, which P takes: any step is exact.  On a mean flow the orders show, and
  smaller steps leave rounding only.
*/
static void CheckExact(const char *options, VectorField field, Flow flow)
{
  const double par[] = {flow.viscosity[0], 0, 0, 0, 0, flow.viscosity[1], 0, 0, 0, 0};
  double rest[1], second[2], fourth[2], fine[1];
  Flow still = flow;

  memset(still.mean, 0, sizeof still.mean);
  Errors(options, 2, 0.1, field, &still, par, 1, rest);
  Errors(options, 2, 0.02, field, &flow, par, 2, second);
  Errors(options, 4, 0.02, field, &flow, par, 2, fourth);
  Errors(options, 4, 0.4 / 512, field, &flow, par, 1, fine);
  PetscPrintf(PETSC_COMM_WORLD,
              "%s: at rest %.1e; moving: order 2 %.2e (%.2f), order 4 %.2e (%.2f), fine %.1e\n", options,
              rest[0], second[1], log2(second[0] / second[1]), fourth[1], log2(fourth[0] / fourth[1]),
              fine[0]);
  cr_expect(rest[0] < 1e-14, "%s: at rest off by %g", options, rest[0]); /* rounding of 4 steps */
  cr_expect(fabs(log2(second[0] / second[1]) - 2) < 0.1, "%s: errors %g, %g", options, second[0], second[1]);
  cr_expect(fabs(log2(fourth[0] / fourth[1]) - 4) < 0.1, "%s: errors %g, %g", options, fourth[0], fourth[1]);
  cr_expect(fine[0] < 1e-12, "%s: fine steps off by %g", options, fine[0]);
}

Test(navier_stokes, taylor_green)
{
  const double pi2 = 2 * PETSC_PI;
  Flow flow = {2, {pi2, pi2, pi2}, {1, 0.5, 0}, {0.05, 0.1}, 0, {1, 1, 0}};

  CheckExact("-grid_points 16,16", TaylorGreen, flow);
  flow.waves[1] = 2;
  CheckExact("-grid_points 10,21", TaylorGreen, flow);
  flow = (Flow){2, {5, 8, pi2}, {1, -0.5, 0}, {0.05, 0.1}, 0, {1, 2, 0}};
  CheckExact("-grid_points 9,20 -grid_length 5,8", TaylorGreen, flow);
  flow.waves[0] = 2;
  CheckExact("-grid_points 32,14 -grid_length 5,8 -physics_navier_stokes_dealias false", TaylorGreen, flow);
}

/* K = 1 along all axes of boxes of 1, 2 and 3 waves, every axis the longest in turn. */
Test(navier_stokes, abc)
{
  const double pi2 = 2 * PETSC_PI;

  CheckExact("-grid_points 10,14,20 -grid_length 6.283185307179586,12.566370614359172,18.849555921538759",
             ABC, (Flow){3, {pi2, 2 * pi2, 3 * pi2}, {1, 0.5, -0.7}, {0.05, 0.1}, 0, {1, 2, 3}});
  CheckExact("-grid_points 14,20,9 -grid_length 12.566370614359172,18.849555921538759,6.283185307179586", ABC,
             (Flow){3, {2 * pi2, 3 * pi2, pi2}, {-1, 0.5, 0.7}, {0.05, 0.1}, 0, {2, 3, 1}});
  CheckExact("-grid_points 20,8,15 -grid_length 18.849555921538759,6.283185307179586,12.566370614359172", ABC,
             (Flow){3, {3 * pi2, pi2, 2 * pi2}, {0.4, -0.6, 1}, {0.05, 0.1}, 0, {3, 1, 2}});
}

/* From U along x: u = U exp(-alpha t) + A sin(k y) (1 - exp(-r t)) / r, r = nu K^2 + alpha. */
static double Laminar(const double X[3], PetscInt c, PetscInt sample, const void *context)
{
  const double time = *(const double *)context, *par = ns_par + sample * NS_PARAMETERS;
  const double K = 2 * PETSC_PI / 5 * 3, rate = par[0] * K * K + par[2];

  if (c > 0) return 0;
  return 0.6 * exp(-par[2] * time) + par[1] * sin(3 * X[1]) * (1 - exp(-rate * time)) / rate;
}

/* A constant force is integrated exactly; what is left does not convect itself. */
static void CheckLaminar(const char *options)
{
  const double start = 0, later = 2, end = 600;
  char physics[512];
  Solver s;

  snprintf(physics, sizeof physics,
           "navier_stokes_spectral %s -physics_navier_stokes_forcing kolmogorov "
           "-physics_navier_stokes_forcing_wavenumber 3",
           options);
  SolverOpen(physics, 2, 0.1, 1, &s);
  UnrBatch u = NewBatch(s.box.grid), exact = NewBatch(s.box.grid), next = NewBatch(s.box.grid);
  SetVector(u, Laminar, &start);
  SetVector(exact, Laminar, &later);
  SolverAdvance(physics, 2, 0.1, 20, ns_par, u, next);
  cr_expect(TestSize(exact) > 0.8 && TestDistance(next, exact) < 1e-14 * 20, "%s: spin-up off by %g", options,
            TestDistance(next, exact));
  SetVector(u, Laminar, &end);
  TEST_CALL(UnrPhysicsRhs(s.box.physics, ns_par, u, next));
  cr_expect(TestSize(next) < 1e-13, "%s: the steady profile moves by %g", options, TestSize(next));
  TEST_CALL(UnrBatchDestroy(&u));
  TEST_CALL(UnrBatchDestroy(&exact));
  TEST_CALL(UnrBatchDestroy(&next));
  SolverClose(&s);
}

Test(navier_stokes, laminar_kolmogorov)
{
  CheckLaminar("-grid_points 6,14 -grid_length 3,5");
  CheckLaminar("-grid_points 8,13,6 -grid_length 4,5,3");
}
