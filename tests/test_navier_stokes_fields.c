/* What follows from a Navier-Stokes state: pressure, vorticity, integrals; gradients of frames; layouts. */
#include "conformance.h"
#include "navier_stokes_case.h"

/* Lengths of a box, given to the fields below. */
typedef struct {
  double length[3];
  int waves[3]; /* for ABC: so many that K is the same along all axes */
} Box;

static double K(const Box *b, int a)
{
  return 2 * PETSC_PI / b->length[a] * b->waves[a];
}

/* a sin X cos Y, -b cos X sin Y, K_x a = K_y b, on a mean flow; its pressure; its vorticity. */
static double TaylorGreen(const double X[3], PetscInt c, PetscInt sample, const void *context)
{
  const Box *box = context;
  const double p = box->waves[0] * X[0], q = box->waves[1] * X[1], a = 1 + 0.3 * (double)sample;

  return c == 0 ? 0.7 + a * sin(p) * cos(q) : -0.4 - a * K(box, 0) / K(box, 1) * cos(p) * sin(q);
}
static double TaylorGreenPressure(const double X[3], PetscInt c, PetscInt sample, const void *context)
{
  const Box *box = context;
  const double a = 1 + 0.3 * (double)sample, b = a * K(box, 0) / K(box, 1);

  (void)c;
  return (a * a * cos(2 * box->waves[0] * X[0]) + b * b * cos(2 * box->waves[1] * X[1])) / 4;
}
static double TaylorGreenVorticity(const double X[3], PetscInt c, PetscInt sample, const void *context)
{
  const Box *box = context;
  const double a = 1 + 0.3 * (double)sample, b = a * K(box, 0) / K(box, 1);

  (void)c;
  return (b * K(box, 0) + a * K(box, 1)) * sin(box->waves[0] * X[0]) * sin(box->waves[1] * X[1]);
}

/* Beltrami: curl u = K u, p = mean - |u|^2 / 2. */
static double ABC(const double X[3], PetscInt c, PetscInt sample, const void *context)
{
  const Box *box = context;
  const double amplitude[] = {1, 0.7 + 0.1 * (double)sample, 0.4};
  const int next = (int)(c + 1) % 3, last = (int)(c + 2) % 3;

  return amplitude[c] * sin(box->waves[last] * X[last]) + amplitude[last] * cos(box->waves[next] * X[next]);
}
static double ABCPressure(const double X[3], PetscInt c, PetscInt sample, const void *context)
{
  const double amplitude[] = {1, 0.7 + 0.1 * (double)sample, 0.4};
  double p = 0;

  (void)c;
  for (PetscInt a = 0; a < 3; a++) p += 0.5 * (PetscSqr(amplitude[a]) - PetscSqr(ABC(X, a, sample, context)));
  return p;
}
static double ABCVorticity(const double X[3], PetscInt c, PetscInt sample, const void *context)
{
  return K(context, 0) * ABC(X, c, sample, context);
}

static void CheckField(const char *options, const char *name, const Box *box, VectorField state,
                       VectorField field)
{
  TestCase c;
  UnrGrid grid;

  NavierStokesOpen(options, false, &c);
  TEST_CALL(UnrPhysicsDiagnostic(c.physics, name, &grid));
  UnrBatch u = NewBatch(c.grid), exact = NewBatch(grid), out = NewBatch(grid);
  SetVector(u, state, box);
  SetVector(exact, field, box);
  TEST_CALL(UnrPhysicsDiagnose(c.physics, name, ns_par, u, out));
  cr_expect(TestSize(exact) > 0.3 && TestDistance(out, exact) < 1e-14 * 20, "%s: %s off by %g of %g", options,
            name, TestDistance(out, exact), TestSize(exact));
  TEST_CALL(UnrBatchDestroy(&u));
  TEST_CALL(UnrBatchDestroy(&exact));
  TEST_CALL(UnrBatchDestroy(&out));
  TestCaseClose(&c);
}

Test(navier_stokes_fields, exact)
{
  const Box plane = {{5, 8, 1}, {1, 2, 0}}, cube = {{2, 6, 4}, {1, 3, 2}};
  const char *const of_plane[] = {"-grid_points 9,20 -grid_length 5,8", "-grid_points 14,13 -grid_length 5,8",
                                  "-grid_points 12,16 -grid_length 5,8 -physics_navier_stokes_dealias false"};
  const char *const of_cube[] = {
      "-grid_points 8,20,13 -grid_length 2,6,4",
      "-grid_points 6,16,10 -grid_length 2,6,4 -physics_navier_stokes_dealias false"};

  for (int i = 0; i < 3; i++) {
    CheckField(of_plane[i], "pressure", &plane, TaylorGreen, TaylorGreenPressure);
    CheckField(of_plane[i], "vorticity", &plane, TaylorGreen, TaylorGreenVorticity);
  }
  for (int i = 0; i < 2; i++) {
    CheckField(of_cube[i], "pressure", &cube, ABC, ABCPressure);
    CheckField(of_cube[i], "vorticity", &cube, ABC, ABCVorticity);
  }
}

/* sin X along x: its divergence has the root mean square K / sqrt(2). */
static double Compressed(const double X[3], PetscInt c, PetscInt sample, const void *context)
{
  (void)sample;
  (void)context;
  return c == 0 ? sin(X[0]) : 0;
}

Test(navier_stokes_fields, divergence)
{
  TestCase c;

  NavierStokesOpen("-grid_points 8,9,10 -grid_length 3,2,1", false, &c);
  UnrBatch u = NewBatch(c.grid);
  SetVector(u, Compressed, NULL);
  cr_expect(TestRelative(Integral(c.physics, ns_par, u, 1, "divergence"), 2 * PETSC_PI / 3 / sqrt(2)) <
            1e-14);
  TEST_CALL(UnrPhysicsConstrain(c.physics, ns_par, u));
  cr_expect(TestSize(u) < 1e-15, "P keeps %g of a gradient", TestSize(u));
  TEST_CALL(UnrBatchDestroy(&u));
  TestCaseClose(&c);
}

/* <J u_dot, w> = <u_dot, J' w>, the reverse adds; Taylor remainders of second order, or none where linear. */
static void CheckDiagnostic(const char *options, const char *name)
{
  TestCase c;
  UnrGrid grid;
  double r[3], h = 0.1;

  NavierStokesOpen(options, false, &c);
  TEST_CALL(UnrPhysicsDiagnostic(c.physics, name, &grid));
  UnrBatch u = NewBatch(c.grid), u_dot = NewBatch(c.grid), u_bar = NewBatch(c.grid), moved = NewBatch(c.grid);
  UnrBatch out = NewBatch(grid), out_dot = NewBatch(grid), out_bar = NewBatch(grid), there = NewBatch(grid);
  RandomState(c.physics, 5, u);
  TestFill(u_dot, 0, "tangent", 1);
  TestFill(u_bar, 0, "before", 1);
  TestFill(out_bar, 0, "cotangent", 1);
  const double before = TestDot(u_dot, u_bar);
  TEST_CALL(UnrPhysicsDiagnose(c.physics, name, ns_par, u, out));
  TEST_CALL(UnrPhysicsDiagnoseJvp(c.physics, name, ns_par, u, u_dot, NULL, out_dot));
  TEST_CALL(UnrPhysicsDiagnoseVjp(c.physics, name, ns_par, u, out_bar, u_bar, NULL));
  const double tangent = TestDot(out_dot, out_bar), adjoint = TestDot(u_dot, u_bar) - before;
  cr_expect(fabs(tangent - adjoint) <= 1e-12 * TestNorm(out_dot) * TestNorm(out_bar), "%s %s: %.17g, %.17g",
            options, name, tangent, adjoint);
  for (int i = 0; i < 3; i++, h /= 10) {
    TEST_CALL(UnrBatchCopy(u, moved));
    TEST_CALL(UnrBatchAXPY(moved, h, u_dot));
    TEST_CALL(UnrPhysicsDiagnose(c.physics, name, ns_par, moved, there));
    TEST_CALL(UnrBatchAXPY(there, -1, out));
    TEST_CALL(UnrBatchAXPY(there, -h, out_dot));
    r[i] = TestNorm(there);
  }
  if (strcmp(name, "vorticity"))
    cr_expect(TestOrder(3, r) > 1.95, "%s %s: remainders %g %g %g", options, name, r[0], r[1], r[2]);
  else
    cr_expect(r[0] < 1e-13 * TestNorm(out), "%s %s is not linear: %g", options, name, r[0]);
  TEST_CALL(UnrBatchZero(out_dot));
  TEST_CALL(UnrPhysicsDiagnoseJvp(c.physics, name, ns_par, u, NULL, ns_par, out_dot));
  cr_expect(TestSize(out_dot) == 0, "%s depends on a parameter", name);
  UnrBatch *const all[] = {&u, &u_dot, &u_bar, &moved, &out, &out_dot, &out_bar, &there};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) TEST_CALL(UnrBatchDestroy(all[i]));
  TestCaseClose(&c);
}

Test(navier_stokes_fields, derivatives)
{
  const char *const options[] = {"-grid_points 14,12 -grid_length 5,7 -physics_navier_stokes_tracer true",
                                 "-grid_points 9,10,12 -grid_length 5,7,3 -physics_navier_stokes_tracer true",
                                 "-grid_points 10,12 -physics_navier_stokes_dealias false",
                                 "-grid_points 9,12,10"};

  for (int i = 0; i < 4; i++) {
    CheckDiagnostic(options[i], "pressure");
    CheckDiagnostic(options[i], "vorticity");
  }
}

/* <w, frame>, with one parameter moved; w a state. */
static double Functional(Solver *s, UnrBatch u, UnrBatch w, PetscInt at, double h)
{
  double par[NS_SAMPLES * NS_PARAMETERS], value;
  UnrBatch next = NewBatch(u->grid);

  memcpy(par, ns_par, sizeof par);
  par[at] += h;
  TEST_CALL(UnrStepperApply(s->stepper, par, u, next, NULL));
  value = TestDot(w, next);
  TEST_CALL(UnrBatchDestroy(&next));
  return value;
}

/* Gradients through six steps (0 of the amplitude without a force, of the closure's constant without one)
 * against fourth-order differences: truncation and rounding below 1e-9. */
static void CheckGradient(const char *options, bool forced)
{
  char physics[512];
  double par_bar[NS_SAMPLES * NS_PARAMETERS] = {0};
  UnrTape tape;
  Solver s;

  snprintf(physics, sizeof physics, "navier_stokes_spectral -physics_navier_stokes_tracer true %s", options);
  SolverOpen(physics, 4, 0.05, 6, &s);
  TEST_CALL(UnrTapeCreate(&tape));
  UnrBatch u = NewBatch(s.box.grid), w = NewBatch(s.box.grid), next = NewBatch(s.box.grid);
  RandomState(s.box.physics, 5, u);
  RandomState(s.box.physics, 6, w);
  TEST_CALL(UnrBatchAXPY(w, 0.5, u)); /* so that no gradient is small by chance */
  TEST_CALL(UnrStepperApply(s.stepper, ns_par, u, next, tape));
  TEST_CALL(UnrStepperVjp(s.stepper, ns_par, tape, w, NULL, par_bar));
  for (PetscInt i = 0; i < NS_SAMPLES * NS_PARAMETERS; i++) {
    const double exact = TestSum(par_bar[i]), h = 1e-3;
    const double near = Functional(&s, u, w, i, h) - Functional(&s, u, w, i, -h);
    const double far = Functional(&s, u, w, i, 2 * h) - Functional(&s, u, w, i, -2 * h);
    const double difference = (8 * near - far) / (12 * h);

    cr_expect((i % NS_PARAMETERS == 1 && !forced) || i % NS_PARAMETERS == 4
                  ? exact == 0 && difference == 0
                  : fabs(exact) > 0.01 && TestRelative(exact, difference) < 1e-8,
              "%s: parameter %d: %.15g, differences %.15g", options, (int)i, exact, difference);
  }
  TEST_CALL(UnrTapeDestroy(&tape));
  TEST_CALL(UnrBatchDestroy(&u));
  TEST_CALL(UnrBatchDestroy(&w));
  TEST_CALL(UnrBatchDestroy(&next));
  SolverClose(&s);
}

Test(navier_stokes_fields, parameter_gradients)
{
  CheckGradient("-grid_points 15,12 -grid_length 5,7", false);
  CheckGradient("-grid_points 15,12 -grid_length 5,7 -physics_navier_stokes_forcing kolmogorov "
                "-physics_navier_stokes_forcing_wavenumber 2",
                true);
  CheckGradient("-grid_points 9,10,12 -physics_navier_stokes_forcing linear", true);
  CheckGradient("-grid_points 9,10,12 -grid_length 5,7,6 -physics_navier_stokes_forcing low_wavenumber",
                true);
  CheckGradient("-grid_points 15,12 -physics_navier_stokes_forcing low_wavenumber", true);
}

/* Fields and integrals on several ranks and on one: rounding. */
static void CheckLayout(const char *options)
{
  static const char *const names[] = {"pressure", "vorticity"};
  TestCase split, alone;

  NavierStokesOpen(options, false, &split);
  NavierStokesOpen(options, true, &alone);
  UnrBatch u = NewBatch(split.grid), v = NewBatch(alone.grid);
  RandomState(split.physics, 5, u);
  RandomState(alone.physics, 5, v);
  for (int i = 0; i < 2; i++) {
    UnrGrid grid;

    TEST_CALL(UnrPhysicsDiagnostic(split.physics, names[i], &grid));
    UnrBatch a = NewBatch(grid);
    TEST_CALL(UnrPhysicsDiagnostic(alone.physics, names[i], &grid));
    UnrBatch b = NewBatch(grid);
    TEST_CALL(UnrPhysicsDiagnose(split.physics, names[i], ns_par, u, a));
    TEST_CALL(UnrPhysicsDiagnose(alone.physics, names[i], ns_par, v, b));
    cr_expect(TestBlockDifference(a, b) < 1e-13 * TestSize(b), "%s: %s depends on the layout", options,
              names[i]);
    TEST_CALL(UnrBatchDestroy(&a));
    TEST_CALL(UnrBatchDestroy(&b));
  }
  for (PetscInt s = 0; s < NS_SAMPLES; s++)
    for (const char *name = UnrPhysicsIntegralNames(split.physics); name;) {
      const double a = Integral(split.physics, ns_par, u, s, name),
                   b = Integral(alone.physics, ns_par, v, s, name);

      cr_expect(fabs(a - b) < 1e-13 * TestMost(fabs(b), 1), "%s: %s: %.17g, %.17g", options, name, a, b);
      name = strchr(name, '|');
      if (name) name++;
    }
  TEST_CALL(UnrBatchDestroy(&u));
  TEST_CALL(UnrBatchDestroy(&v));
  TestCaseClose(&split);
  TestCaseClose(&alone);
}

Test(navier_stokes_fields, layouts)
{
  CheckLayout("-grid_points 13,12 -grid_length 5,7 -physics_navier_stokes_tracer true "
              "-physics_navier_stokes_forcing low_wavenumber");
  CheckLayout("-grid_points 9,10,12 -grid_length 5,7,3 -physics_navier_stokes_forcing linear");
}

/* A wave that the scheme does not have is refused by name, a dimension too. */
Test(navier_stokes_fields, refusals)
{
  UnrNeeds needs;
  PetscInt components;
  TestCase c;

  NavierStokesOpen("-grid_points 16,16", false, &c);
  TEST_REFUSES(UnrPhysicsDescribe(1, &needs, &components), "dimension 1; allowed: 2");
  TestOptionsSet("-physics_navier_stokes_forcing kolmogorov");
  UnrPhysics other;
  TEST_REFUSES(UnrPhysicsCreate(c.grid, &other),
               "-physics_navier_stokes_forcing_wavenumber (6) for 16 points");
  TestCaseClose(&c);
}
