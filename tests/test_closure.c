/* Closures of the Navier-Stokes equations: the power they take, against numpy and against formulas. */
#include "navier_stokes_case.h"
#include "reference/closure_numpy.h"

/* The flow of closure_numpy.py: each component without its own coordinate, so free of divergence. */
static double Waves(const double X[3], PetscInt c, PetscInt sample, const void *context)
{
  const double scale = sample ? -1.3 : 1, x = X[0], y = X[1], z = X[2];

  (void)context;
  if (c == 0)
    return scale *
           (sin(y + 0.2) + 0.5 * cos(2 * z + 0.3) + 0.4 * sin(3 * y + z) + 0.3 * cos(y + 2 * z + 0.7));
  if (c == 1)
    return scale * (0.7 * sin(z) + 0.4 * cos(2 * x + 1) + 0.5 * cos(x - 3 * z + 0.5) + 0.3 * sin(2 * x + z));
  return scale * (0.6 * sin(x) + 0.3 * cos(2 * y) + 0.45 * sin(3 * x + y) + 0.35 * cos(x + 2 * y + 0.9));
}

static double Vortex(const double X[3], PetscInt c, PetscInt sample, const void *context)
{
  (void)context;
  return (1 + (double)sample) * (c ? -cos(X[0]) * sin(X[1]) : sin(X[0]) * cos(X[1]));
}

static double Uniform(const double X[3], PetscInt c, PetscInt sample, const void *context)
{
  (void)X;
  (void)context;
  return 1 + (double)(c + sample);
}

static const double constants[] = {0, 0, 0, 0, 0.17, 0, 0, 0, 0, 0.17};

/* power[sample] = <u . rhs(u)> without viscosity and force; *momentum: the largest mean of rhs. */
static void Power(const char *options, VectorField field, double power[NS_SAMPLES], double *momentum)
{
  TestCase c;

  NavierStokesOpen(options, false, &c);
  UnrBatch u = NewBatch(c.grid), rhs = NewBatch(c.grid), one = NewBatch(c.grid);
  const PetscInt components = c.grid->components;
  *momentum = 0;
  SetVector(u, field, NULL);
  for (size_t i = 0; i < NS_SAMPLES * one->stride; i++) one->data[i] = 1;
  TEST_CALL(UnrPhysicsRhs(c.physics, constants, u, rhs));
  for (PetscInt s = 0; s < NS_SAMPLES; s++) {
    power[s] = Mean(u, rhs, s, 0, components);
    for (PetscInt a = 0; a < components; a++) *momentum = fmax(*momentum, fabs(Mean(one, rhs, s, a, a + 1)));
  }
  TEST_CALL(UnrBatchDestroy(&u));
  TEST_CALL(UnrBatchDestroy(&rhs));
  TEST_CALL(UnrBatchDestroy(&one));
  TestCaseClose(&c);
}

#define BOX "-grid_points 16,16,16 -physics_navier_stokes_closure "

Test(closure, numpy)
{
  double power[NS_SAMPLES], momentum;

  Power(BOX "none", Waves, power, &momentum);
  cr_expect(fabs(power[0]) < 1e-14 && fabs(power[1]) < 1e-14 && momentum < 1e-14); /* rounding */
  Power(BOX "smagorinsky", Waves, power, &momentum);
  for (int s = 0; s < NS_SAMPLES; s++)
    cr_expect_lt(TestRelative(power[s], closure_smagorinsky[s]), 1e-12, "%.16g", power[s]);
  cr_expect_lt(momentum, 1e-14);
  Power(BOX "dynamic_smagorinsky", Waves, power, &momentum);
  cr_expect(fabs(power[0]) < 1e-14 && closure_dynamic[0] == 0, "not clipped: %g", power[0]);
  cr_expect_lt(TestRelative(power[1], closure_dynamic[1]), 1e-12, "%.16g", power[1]);
  cr_expect_lt(momentum, 1e-14);
}

/* Of the vortex |S| = 2 |cos x cos y|, so the power is -8 (C_s Delta)^2 <|cos x cos y|^3> = -8 (C_s Delta)^2
   (4 / 3 pi)^2, but for the kinks of |cos|^3, seen with n points: their quadrature falls as n^-4. */
Test(closure, vortex)
{
  const double delta = PETSC_PI / 31, exact = -8 * PetscSqr(0.17 * delta) * PetscSqr(4 / (3 * PETSC_PI));
  double power[NS_SAMPLES], momentum;

  Power("-grid_points 96,96 -physics_navier_stokes_closure smagorinsky", Vortex, power, &momentum);
  cr_expect_lt(TestRelative(power[0], exact), 1e-5, "%.10g, exact %.10g", power[0], exact);
  cr_expect_lt(TestRelative(power[1], 8 * exact), 1e-5, "%.10g, exact %.10g", power[1], 8 * exact);
}

/* Nothing to resolve: |S| = 0 everywhere, and <M M> too. */
Test(closure, uniform_flow)
{
  static const char *const closures[] = {"smagorinsky", "dynamic_smagorinsky"};

  for (int i = 0; i < 2; i++) {
    char options[128];
    double power[NS_SAMPLES], momentum;

    snprintf(options, sizeof options, "-grid_points 12,10,8 -physics_navier_stokes_closure %s", closures[i]);
    Power(options, Uniform, power, &momentum);
    for (int s = 0; s < NS_SAMPLES; s++)
      cr_expect(fabs(power[s]) < 1e-13 && momentum < 1e-13, "%s: %g, %g", closures[i], power[s], momentum);
  }
}

Test(closure, adjoint)
{
  TestCase c;

  NavierStokesOpen(BOX "dynamic_smagorinsky", false, &c);
  cr_expect(!UnrPhysicsHas(c.physics, UNR_PHYSICS_ADJOINT));
  TestCaseClose(&c);
  NavierStokesOpen(BOX "smagorinsky", false, &c);
  cr_expect(UnrPhysicsHas(c.physics, UNR_PHYSICS_ADJOINT));
  TestCaseClose(&c);
}
