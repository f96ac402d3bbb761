/* Exponential Runge-Kutta: orders, an independent implementation.  Exact solutions: test_exact.c. */
#include "etdrk_case.h"

/* The paper's start family, x in units of the domain: not yet a state of the attractor. */
static double Start(double x, double y, PetscInt sample, const void *context)
{
  (void)y;
  (void)context;
  return cos(2 * PETSC_PI * x) +
         (0.1 + 0.2 * (double)sample) * cos(2 * PETSC_PI * x) * (1 - 0.5 * sin(2 * PETSC_PI * x));
}

/* Errors at time 1 from a state on the attractor, at `first` and three times half of it; the order of each
 * halving. */
static void CheckOrder(int order, double first, UnrBatch state, UnrBatch exact, const double par[])
{
  double error[4];
  UnrBatch end;

  TEST_CALL(UnrBatchCreate(state->grid, state->samples, &end));
  for (int i = 0; i < 4; i++) {
    const double dt = first / (1 << i);

    SolverAdvance("ks_spectral -grid_points 48", order, dt, (int)(1 / dt + 0.5), par, state, end);
    error[i] = TestDistance(end, exact);
  }
  for (int i = 0; i < 3; i++) {
    const double measured = log2(error[i] / error[i + 1]);

    PetscPrintf(PETSC_COMM_WORLD, "order %d: dt = 1/%d: error %.3e, order %.3f\n", order,
                (int)((1 << i) / first + 0.5), error[i], measured);
    cr_expect(fabs(measured - order) < 0.15, "order %d from dt = 1/%d: %.3f", order,
              (int)((1 << i) / first + 0.5), measured);
  }
  TEST_CALL(UnrBatchDestroy(&end));
}

/* Larger steps do not yet show orders 3 and 4 (docs/method/etdrk.md). */
Test(etdrk, orders)
{
  const double par[] = {8, 7.44};
  Solver s;
  UnrBatch start, state, exact;

  SolverOpen("ks_spectral -grid_points 48", 4, 0.1, 1, &s);
  TEST_CALL(UnrBatchCreate(s.box.grid, 2, &start));
  TEST_CALL(UnrBatchCreate(s.box.grid, 2, &state));
  TEST_CALL(UnrBatchCreate(s.box.grid, 2, &exact));
  TestSetField(start, Start, NULL);
  SolverAdvance("ks_spectral -grid_points 48", 4, 0.1, 1000, par, start, state);
  SolverAdvance("ks_spectral -grid_points 48", 4, 1.0 / 4096, 4096, par, state, exact);
  cr_expect(TestSize(state) > 1.5 && TestSize(state) < 5, "not on the attractor: %g", TestSize(state));
  CheckOrder(1, 1.0 / 8, state, exact, par);
  CheckOrder(2, 1.0 / 8, state, exact, par);
  CheckOrder(3, 1.0 / 64, state, exact, par);
  CheckOrder(4, 1.0 / 64, state, exact, par);
  TEST_CALL(UnrBatchDestroy(&start));
  TEST_CALL(UnrBatchDestroy(&state));
  TEST_CALL(UnrBatchDestroy(&exact));
  SolverClose(&s);
}

enum { REFERENCE_POINTS = 48 };

/* The numbers after `name` in tests/reference/ks_numpy.txt; ks_numpy.py there makes them. */
static void Reference(const char *name, int count, double values[])
{
  char path[1024], word[64] = "";
  FILE *file;
  int read = 0;

  snprintf(path, sizeof path, "%s/tests/reference/ks_numpy.txt",
           getenv("UNR_SOURCE_DIR") ? getenv("UNR_SOURCE_DIR") : ".");
  file = fopen(path, "r");
  cr_assert(file, "cannot open %s", path);
  while (strcmp(word, name) && fscanf(file, "%63s", word) == 1) continue;
  while (read < count && fscanf(file, "%lf", &values[read]) == 1) read++;
  fclose(file);
  cr_assert(read == count, "%s: %d numbers of %s", path, read, name);
}

static void ReferenceField(const char *name, UnrBatch u)
{
  double values[REFERENCE_POINTS];

  Reference(name, REFERENCE_POINTS, values);
  for (PetscInt i = 0; i < u->grid->count[0]; i++) u->data[i] = values[u->grid->start[0] + i];
}

/* One frame, its tangent and its gradient with respect to s; both sides carry rounding, amplified a little by
 * the flow. */
Test(etdrk, numpy)
{
  const double bound = 1e-12;

  for (int order = 1; order <= 4; order++) {
    char name[64];
    double s, s_bar = 0, expected;
    UnrBatch u, v, w, next, next_dot, reference;
    UnrTape tape;
    Solver solver;

    Reference("domain_size", 1, &s);
    SolverOpen("ks_spectral -grid_points 48", order, 0.5, 2, &solver);
    TEST_CALL(UnrTapeCreate(&tape));
    TEST_CALL(UnrBatchCreate(solver.box.grid, 1, &u));
    TEST_CALL(UnrBatchCreate(solver.box.grid, 1, &v));
    TEST_CALL(UnrBatchCreate(solver.box.grid, 1, &w));
    TEST_CALL(UnrBatchCreate(solver.box.grid, 1, &next));
    TEST_CALL(UnrBatchCreate(solver.box.grid, 1, &next_dot));
    TEST_CALL(UnrBatchCreate(solver.box.grid, 1, &reference));
    ReferenceField("u", u);
    ReferenceField("v", v);
    ReferenceField("w", w);
    TEST_CALL(UnrStepperApply(solver.stepper, &s, u, next, tape));
    TEST_CALL(UnrStepperJvp(solver.stepper, &s, u, v, NULL, NULL, next_dot));
    TEST_CALL(UnrStepperVjp(solver.stepper, &s, tape, w, NULL, &s_bar));
    s_bar = TestSum(s_bar);
    snprintf(name, sizeof name, "next_%d", order);
    ReferenceField(name, reference);
    cr_expect(TestDistance(next, reference) <= bound * TestSize(reference), "order %d: frame off by %g",
              order, TestDistance(next, reference));
    snprintf(name, sizeof name, "tangent_%d", order);
    ReferenceField(name, reference);
    cr_expect(TestDistance(next_dot, reference) <= bound * TestSize(reference), "order %d: tangent off by %g",
              order, TestDistance(next_dot, reference));
    snprintf(name, sizeof name, "grad_domain_size_%d", order);
    Reference(name, 1, &expected);
    cr_expect(TestRelative(s_bar, expected) <= bound, "order %d: gradient %.16g, numpy %.16g", order, s_bar,
              expected);
    TEST_CALL(UnrBatchDestroy(&u));
    TEST_CALL(UnrBatchDestroy(&v));
    TEST_CALL(UnrBatchDestroy(&w));
    TEST_CALL(UnrBatchDestroy(&next));
    TEST_CALL(UnrBatchDestroy(&next_dot));
    TEST_CALL(UnrBatchDestroy(&reference));
    TEST_CALL(UnrTapeDestroy(&tape));
    SolverClose(&solver);
  }
}
