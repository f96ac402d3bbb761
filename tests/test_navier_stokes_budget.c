/* What Navier-Stokes conserves and what it does not: budgets, orders in time of a flow that is not simple. */
#include "navier_stokes_case.h"

static const char *const forcings[] = {"none", "kolmogorov -physics_navier_stokes_forcing_wavenumber 2",
                                       "linear",
                                       "low_wavenumber -physics_navier_stokes_forcing_wavenumber 2"};
static const char *const boxes[] = {"-grid_points 20,17 -grid_length 5,7",
                                    "-grid_points 15,24 -grid_length 3,2",
                                    "-grid_points 12,16,13 -grid_length 5,7,6"};
enum { FORCINGS = 4, BOXES = 3 };

static void Open(int forcing, int box, TestCase *c)
{
  char options[256];

  snprintf(options, sizeof options, "%s -physics_navier_stokes_tracer true -physics_navier_stokes_forcing %s",
           boxes[box], forcings[forcing]);
  NavierStokesOpen(options, false, c);
}

/* sin(k 2 pi y / L_y) along x, as the force is, of amplitude 1; or its curl's z, -k 2 pi / L_y cos(...). */
static double Wave(const double X[3], PetscInt c, PetscInt sample, const void *context)
{
  (void)sample;
  (void)context;
  return c == 0 ? sin(2 * X[1]) : 0;
}

static double CurlOfWave(const double X[3], PetscInt c, PetscInt sample, const void *context)
{
  (void)c;
  (void)sample;
  return -2 * *(const double *)context * cos(2 * X[1]);
}

/* <f . u>, not by the physics' own integral: in cells. */
static double Injection(int forcing, UnrPhysics physics, UnrBatch u, PetscInt s)
{
  const double A = ns_par[s * NS_PARAMETERS + 1];
  const PetscInt dim = u->grid->dim;
  UnrBatch other = NewBatch(u->grid);
  double result = 0;

  if (forcing == 1) {
    SetVector(other, Wave, NULL);
    result = A * Mean(u, other, s, 0, dim);
  } else if (forcing == 2) {
    for (size_t i = 0; i < 2 * u->stride; i++) other->data[i] = 1;
    result = A * Mean(u, u, s, 0, dim);
    for (PetscInt c = 0; c < dim; c++) result -= A * PetscSqr(Mean(u, other, s, c, c + 1));
  } else if (forcing == 3) {
    result = A;
  }
  (void)physics;
  TEST_CALL(UnrBatchDestroy(&other));
  return result;
}

/* d energy/dt = injection - dissipation, and without viscosity and drag injection alone: to rounding. */
static void CheckEnergy(int forcing, int box)
{
  TestCase c;

  Open(forcing, box, &c);
  UnrBatch u = NewBatch(c.grid), rhs = NewBatch(c.grid);
  RandomState(c.physics, 5, u);
  for (PetscInt s = 0; s < NS_SAMPLES; s++) {
    const double in = Injection(forcing, c.physics, u, s), energy = Mean(u, u, s, 0, c.grid->dim) / 2;
    double rate;

    TEST_CALL(UnrPhysicsRhs(c.physics, ns_par, u, rhs));
    rate = Mean(u, rhs, s, 0, c.grid->dim);
    const double out = Integral(c.physics, ns_par, u, s, "dissipation");
    cr_expect(TestRelative(Integral(c.physics, ns_par, u, s, "energy"), energy) < 1e-13, "energy of %s",
              boxes[box]);
    cr_expect(fabs(Integral(c.physics, ns_par, u, s, "injection") - in) < 1e-13, "%s: injection %.15g, %.15g",
              forcings[forcing], Integral(c.physics, ns_par, u, s, "injection"), in);
    cr_expect(out > 0.01 && fabs(rate - in + out) < 1e-13, "%s, %s: rate %.15g, %.15g - %.15g", boxes[box],
              forcings[forcing], rate, in, out);
    TEST_CALL(UnrPhysicsRhs(c.physics, ns_inviscid, u, rhs));
    rate = Mean(u, rhs, s, 0, c.grid->dim);
    cr_expect(fabs(rate - in) < 1e-13, "%s, %s: rate without viscosity %.15g, %.15g", boxes[box],
              forcings[forcing], rate, in);
    cr_expect(Integral(c.physics, ns_par, u, s, "divergence") < 1e-13);
  }
  TEST_CALL(UnrBatchDestroy(&u));
  TEST_CALL(UnrBatchDestroy(&rhs));
  TestCaseClose(&c);
}

Test(navier_stokes_budget, energy)
{
  for (int forcing = 0; forcing < FORCINGS; forcing++)
    for (int box = 0; box < BOXES; box++) CheckEnergy(forcing, box);
}

/* 2-D: d enstrophy/dt = <omega curl f> - 2 drag enstrophy without viscosity: convection keeps it. */
Test(navier_stokes_budget, enstrophy)
{
  for (int forcing = 0; forcing < 3; forcing++)
    for (int box = 0; box < 2; box++) {
      TestCase c;
      double length[UNR_MAX_DIM];
      UnrGrid grid;

      Open(forcing, box, &c);
      TEST_CALL(UnrPhysicsDiagnostic(c.physics, "vorticity", &grid));
      TEST_CALL(UnrPhysicsLength(c.physics, ns_drag, length));
      UnrBatch u = NewBatch(c.grid), rhs = NewBatch(c.grid), omega = NewBatch(grid), rate = NewBatch(grid),
               wave = NewBatch(grid);
      const double K = 2 * PETSC_PI / length[1];
      SetVector(wave, CurlOfWave, &K);
      RandomState(c.physics, 5, u);
      TEST_CALL(UnrPhysicsRhs(c.physics, ns_drag, u, rhs));
      TEST_CALL(UnrPhysicsDiagnose(c.physics, "vorticity", ns_drag, u, omega));
      TEST_CALL(UnrPhysicsDiagnose(c.physics, "vorticity", ns_drag, rhs, rate));
      for (PetscInt s = 0; s < NS_SAMPLES; s++) {
        const double A = ns_drag[s * NS_PARAMETERS + 1], Z = Mean(omega, omega, s, 0, 1) / 2;
        const double in = forcing == 1 ? A * Mean(omega, wave, s, 0, 1) : forcing == 2 ? 2 * A * Z : 0;
        const double out = 2 * ns_drag[s * NS_PARAMETERS + 2] * Z;

        cr_expect(TestRelative(Integral(c.physics, ns_drag, u, s, "enstrophy"), Z) < 1e-13);
        cr_expect(Z > 0.5 && fabs(Mean(omega, rate, s, 0, 1) - in + out) < 1e-13 * Z * 10,
                  "%s, %s: %.15g, %.15g - %.15g", boxes[box], forcings[forcing], Mean(omega, rate, s, 0, 1),
                  in, out);
      }
      TEST_CALL(UnrBatchDestroy(&u));
      TEST_CALL(UnrBatchDestroy(&rhs));
      TEST_CALL(UnrBatchDestroy(&omega));
      TEST_CALL(UnrBatchDestroy(&rate));
      TEST_CALL(UnrBatchDestroy(&wave));
      TestCaseClose(&c);
    }
}

/* The last component a wave along y, the others as they are. */
static void SetTracerWave(UnrBatch u)
{
  UnrBatch wave = NewBatch(u->grid);
  const PetscInt C = u->grid->components;

  SetVector(wave, Wave, NULL);
  for (size_t i = 0; i < (size_t)u->samples * u->stride; i += (size_t)C)
    u->data[i + (size_t)C - 1] = wave->data[i];
  TEST_CALL(UnrBatchDestroy(&wave));
}

/* d <s^2>/dt / 2 = -kappa <|grad s|^2>: convection keeps the variance. */
Test(navier_stokes_budget, tracer_variance)
{
  for (int box = 0; box < BOXES; box++) {
    TestCase c;
    double length[UNR_MAX_DIM];

    Open(3, box, &c);
    const PetscInt tracer = c.grid->dim;
    UnrBatch u = NewBatch(c.grid), rhs = NewBatch(c.grid);
    RandomState(c.physics, 5, u);
    TEST_CALL(UnrPhysicsRhs(c.physics, ns_inviscid, u, rhs));
    for (PetscInt s = 0; s < NS_SAMPLES; s++)
      cr_expect(fabs(Mean(u, rhs, s, tracer, tracer + 1)) < 1e-13 &&
                    Mean(rhs, rhs, s, tracer, tracer + 1) > 0.1,
                "%s: %g", boxes[box], Mean(u, rhs, s, tracer, tracer + 1));
    SetTracerWave(u);
    TEST_CALL(UnrPhysicsLength(c.physics, ns_par, length));
    TEST_CALL(UnrPhysicsRhs(c.physics, ns_par, u, rhs));
    for (PetscInt s = 0; s < NS_SAMPLES; s++) {
      const double out = ns_par[s * NS_PARAMETERS + 3] * PetscSqr(4 * PETSC_PI / length[1]) / 2;

      cr_expect(fabs(Mean(u, rhs, s, tracer, tracer + 1) + out) < 1e-13, "%s: %.15g, %.15g", boxes[box],
                Mean(u, rhs, s, tracer, tracer + 1), -out);
    }
    TEST_CALL(UnrBatchDestroy(&u));
    TEST_CALL(UnrBatchDestroy(&rhs));
    TestCaseClose(&c);
  }
}

/* A tracer that starts as the vorticity, as diffusive as viscous, stays it in any 2-D flow: rounding, which
   the flow amplifies a little. */
Test(navier_stokes_budget, tracer_is_vorticity)
{
  const char *const physics =
      "navier_stokes_spectral -grid_points 30,36 -grid_length 5,7 -physics_navier_stokes_tracer true";
  const double par[] = {0.01, 0, 0, 0.01, 0, 0.02, 0, 0, 0.02, 0};
  UnrGrid grid;
  Solver s;

  SolverOpen(physics, 4, 0.02, 1, &s);
  TEST_CALL(UnrPhysicsDiagnostic(s.box.physics, "vorticity", &grid));
  UnrBatch u = NewBatch(s.box.grid), start = NewBatch(grid), omega = NewBatch(grid);
  RandomState(s.box.physics, 5, u);
  TEST_CALL(UnrPhysicsDiagnose(s.box.physics, "vorticity", par, u, start));
  for (size_t i = 0; i < 2 * start->stride; i++) u->data[3 * i + 2] = start->data[i];
  SolverAdvance(physics, 4, 0.02, 100, par, u, u);
  TEST_CALL(UnrPhysicsDiagnose(s.box.physics, "vorticity", par, u, omega));
  cr_expect(TestDistance(omega, start) > 0.5 * TestSize(start), "the vorticity does not change");
  for (size_t i = 0; i < 2 * start->stride; i++) start->data[i] = u->data[3 * i + 2];
  cr_expect(TestDistance(start, omega) < 1e-12 * TestSize(omega), "tracer and vorticity differ by %g of %g",
            TestDistance(start, omega), TestSize(omega));
  TEST_CALL(UnrBatchDestroy(&u));
  TEST_CALL(UnrBatchDestroy(&start));
  TEST_CALL(UnrBatchDestroy(&omega));
  SolverClose(&s);
}

/* Errors at time 0.4 of dt and half of it against fine steps, and of the energy where nothing changes it. */
static void CheckOrder(const char *physics, int order, double dt, bool is_conserved)
{
  const double *par = is_conserved ? ns_inviscid : ns_par;
  double error[2], energy[2];
  Solver s;

  SolverOpen(physics, order, dt, 1, &s);
  UnrBatch u = NewBatch(s.box.grid), exact = NewBatch(s.box.grid), next = NewBatch(s.box.grid);
  RandomState(s.box.physics, 5, u);
  if (!is_conserved) SolverAdvance(physics, 4, dt / 16, (int)(0.4 / dt + 0.5) * 16, par, u, exact);
  for (int i = 0; i < 2; i++) {
    SolverAdvance(physics, order, dt / (1 + i), (int)(0.4 / dt + 0.5) * (1 + i), par, u, next);
    error[i] = TestDistance(next, exact);
    energy[i] = 0;
    for (PetscInt n = 0; n < NS_SAMPLES; n++)
      energy[i] += fabs(Mean(next, next, n, 0, s.box.grid->dim) - Mean(u, u, n, 0, s.box.grid->dim));
  }
  const double *of = is_conserved ? energy : error, measured = log2(of[0] / of[1]);
  PetscPrintf(PETSC_COMM_WORLD, "%s, order %d: %s off by %.2e, %.2f\n", physics, order,
              is_conserved ? "energy" : "state", of[1], measured);
  cr_expect(measured > order - 0.1 && (is_conserved || measured < order + 0.2), "order %d: %g, %g", order,
            of[0], of[1]);
  TEST_CALL(UnrBatchDestroy(&u));
  TEST_CALL(UnrBatchDestroy(&exact));
  TEST_CALL(UnrBatchDestroy(&next));
  SolverClose(&s);
}

Test(navier_stokes_budget, orders)
{
  for (int order = 2; order <= 4; order += 2) {
    for (int forcing = 1; forcing < FORCINGS; forcing++) {
      char physics[512];

      snprintf(physics, sizeof physics,
               "navier_stokes_spectral -grid_points 20,18 -physics_navier_stokes_tracer true "
               "-physics_navier_stokes_forcing %s",
               forcings[forcing]);
      CheckOrder(physics, order, 0.02, false);
    }
    CheckOrder("navier_stokes_spectral -grid_points 12,14,13", order, 0.02, false);
    CheckOrder("navier_stokes_spectral -grid_points 20,18 -grid_length 5,7", order, 0.05, true);
    CheckOrder("navier_stokes_spectral -grid_points 12,14,13 -grid_length 5,6,7", order, 0.05, true);
  }
}
