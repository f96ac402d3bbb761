/* What the conformance programs of physics and steppers share: every physics by name, states, directions. */
#pragma once

#include <stdlib.h>
#include <string.h>

#include "core/event.h"
#include "solver_case.h"

enum { TEST_SAMPLES = 3, TEST_PARAMETERS = 8, TEST_NAME = 256 };

typedef struct {
  TestCase box;
  UnrGrid grid;       /* box.grid */
  UnrPhysics physics; /* box.physics */
  PetscInt parameters;
  double par[TEST_SAMPLES * TEST_PARAMETERS]; /* [sample][parameter], different in every sample */
} Subject;

/* Word i of "a|b|c"; false past the end. */
static inline bool TestWord(const char *words, int i, char word[64])
{
  for (; i > 0; i--) {
    words = strchr(words, '|');
    if (!words) return false;
    words++;
  }
  snprintf(word, 64, "%.*s", (int)strcspn(words, "|"), words);
  return true;
}

/* Besides every physics as it is by default: some that have more than one face, with options. */
static const char *const test_variants[] = {
    "navier_stokes_spectral -physics_navier_stokes_forcing kolmogorov "
    "-physics_navier_stokes_forcing_wavenumber "
    "2 -physics_navier_stokes_tracer true",
    "navier_stokes_spectral -physics_navier_stokes_forcing linear -physics_navier_stokes_dealias false "
    "-physics_navier_stokes_tracer true",
    "navier_stokes_spectral -physics_navier_stokes_forcing low_wavenumber",
    "navier_stokes_spectral -physics_navier_stokes_closure smagorinsky -physics_navier_stokes_tracer true",
};

/* Is this the physics, with or without options, that UNR_TEST_PHYSICS names in the environment?  All are
 * where it is not set. */
static inline bool TestIsChosen(const char *name)
{
  const char *only = getenv("UNR_TEST_PHYSICS");
  const size_t length = strcspn(name, " ");

  return !only || (strlen(only) == length && !strncmp(name, only, length));
}

/* Physics i of those that are chosen, as it is by default; false past the last. */
static inline bool TestPhysics(int i, char name[TEST_NAME])
{
  int found = 0;

  for (int j = 0; TestWord(UnrPhysicsNames, j, name); j++)
    if (TestIsChosen(name) && found++ == i) return true;
  cr_assert(found > 0, "UNR_TEST_PHYSICS=%s; allowed: %s", getenv("UNR_TEST_PHYSICS"), UnrPhysicsNames);
  return false;
}

static inline void TestOption(const char *name, const char *value)
{
  TEST_CALL(PetscOptionsSetValue(NULL, name, value));
}

/* True for success, false for a user's mistake, which is forgotten. */
static inline bool TestIsFine(PetscErrorCode code)
{
  cr_assert(code == PETSC_SUCCESS || code == UNR_ERR_USER, "error %d", (int)code);
  UnrUserErrorClear();
  return code == PETSC_SUCCESS;
}

/*
  SubjectOpen - a physics on a small uneven grid, on all ranks or on every rank alone.     Collective on the
  world. Returns false if the physics has no such dimension.
*/
static inline bool SubjectOpen(const char *physics, int dim, bool alone, Subject *t)
{
  static const char *const points[] = {"26", "16,12", "8,8,12"};
  static bool is_first = true;
  char options[512];
  UnrNeeds needs;
  PetscInt components;

  if (is_first) {
    TEST_CALL(UnrErrorHandlerPush());
    TEST_CALL(UnrEventsRegister());
  }
  is_first = false;
  snprintf(options, sizeof options, "-physics_type %s -grid_points %s -layout_replicas 1", physics,
           points[dim - 1]);
  TEST_CALL(PetscOptionsClear(NULL));
  TestOptionsSet(options);
  if (!TestIsFine(UnrPhysicsDescribe(dim, &needs, &components))) return false;
  TestCaseOpen(&t->box, alone, options);
  t->grid = t->box.grid;
  t->physics = t->box.physics;
  t->parameters = UnrPhysicsParameters(t->physics);
  cr_assert(t->parameters <= TEST_PARAMETERS);
  for (PetscInt s = 0; s < TEST_SAMPLES; s++) {
    for (PetscInt p = 0; p < t->parameters; p++) {
      const double given = UnrPhysicsParameterDefault(t->physics, p);

      t->par[s * t->parameters + p] =
          (given != 0 ? given : 0.1) * (1 + 0.13 * (double)(s + 1) - 0.05 * (double)p);
    }
  }
  return true;
}

static inline void SubjectClose(Subject *t)
{
  TestCaseClose(&t->box);
}

/*
  TestState - a smooth state without symmetry, different in every sample and component, the same on every
  layout; then what the physics can represent of it.     Collective on the grid.
*/
static inline void TestState(Subject *t, PetscInt first, const double par[], UnrBatch u)
{
  UnrGrid g = t->grid;
  double *at = u->data;

  for (PetscInt s = 0; s < u->samples; s++)
    for (PetscInt x = g->start[0]; x < g->start[0] + g->count[0]; x++)
      for (PetscInt y = g->start[1]; y < g->start[1] + g->count[1]; y++)
        for (PetscInt z = g->start[2]; z < g->start[2] + g->count[2]; z++)
          for (PetscInt c = 0; c < g->components; c++) {
            const PetscInt cell[] = {x, y, z};
            UnrRng rng = {7, UnrRngStream("test state", (uint64_t)(first + s), (uint64_t)c)};
            double sum = 0.3;

            for (uint64_t w = 0; w < 6; w++) {
              double phase = UnrRngUniform(rng, 5 * w);

              for (int a = 0; a < g->dim; a++) {
                const double k = floor(5 * UnrRngUniform(rng, 5 * w + 1 + (uint64_t)a)) - 2;

                phase += k * (double)cell[a] / (double)g->points[a];
              }
              sum += 0.4 * cos(2 * PETSC_PI * phase);
            }
            *at++ = sum;
          }
  TEST_CALL(UnrPhysicsConstrain(t->physics, par, u));
}

/* Directions of the parameters, a tenth of them: [sample][parameter]. */
static inline void TestParDirection(const Subject *t, uint64_t number, double par_dot[])
{
  for (PetscInt i = 0; i < TEST_SAMPLES * t->parameters; i++)
    par_dot[i] =
        0.1 * t->par[i] * UnrRngNormal((UnrRng){11, UnrRngStream("test parameters", number, 0)}, (uint64_t)i);
}

static inline UnrBatch TestBatch(Subject *t, PetscInt samples)
{
  UnrBatch batch;

  TEST_CALL(UnrBatchCreate(t->grid, samples, &batch));
  return batch;
}

static inline UnrBatch TestDirection(Subject *t, PetscInt samples, const char *purpose)
{
  UnrBatch batch = TestBatch(t, samples);

  TestFill(batch, 0, purpose, 1);
  return batch;
}

static inline UnrBatch TestCopy(Subject *t, UnrBatch from)
{
  UnrBatch batch = TestBatch(t, from->samples);

  TEST_CALL(UnrBatchCopy(from, batch));
  return batch;
}

static inline double TestNorm(UnrBatch x)
{
  return sqrt(TestDot(x, x));
}

/* Over all ranks of the grid: a parameter's gradient is the sum of what the ranks give. */
static inline double TestParDot(const Subject *t, const double par_dot[], const double par_bar[])
{
  double part = 0, sum = 0;

  for (PetscInt i = 0; i < TEST_SAMPLES * t->parameters; i++) part += par_dot[i] * par_bar[i];
  MPI_Allreduce(&part, &sum, 1, MPI_DOUBLE, MPI_SUM, t->grid->comm);
  return sum;
}

/* Largest difference between this rank's block of `split` and the same cells of `whole`, which this rank has
 * alone. */
static inline double TestBlockDifference(UnrBatch split, UnrBatch whole)
{
  UnrGrid g = split->grid;
  const double *at = split->data;
  double largest = 0, all = 0;

  for (PetscInt s = 0; s < split->samples; s++)
    for (PetscInt x = g->start[0]; x < g->start[0] + g->count[0]; x++)
      for (PetscInt y = g->start[1]; y < g->start[1] + g->count[1]; y++)
        for (PetscInt z = g->start[2]; z < g->start[2] + g->count[2]; z++)
          for (PetscInt c = 0; c < g->components; c++) {
            const PetscInt cell = (x * g->points[1] + y) * g->points[2] + z;

            largest = TestMost(
                largest,
                fabs(*at++ - whole->data[(size_t)s * whole->stride + (size_t)(cell * g->components + c)]));
          }
  MPI_Allreduce(&largest, &all, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD);
  return all;
}

/*
  TestStableDt - 0.02, or less if the largest eigenvalue of d rhs/du, about |J v| / |v| after some products,
  is above 50: explicit schemes are stable for two sub-steps of it.     Collective on the grid.
*/
static inline double TestStableDt(Subject *t)
{
  UnrBatch u = TestBatch(t, TEST_SAMPLES), v = TestDirection(t, TEST_SAMPLES, "power iteration");
  UnrBatch Jv = TestBatch(t, TEST_SAMPLES);
  double largest = 50;

  TestState(t, 0, t->par, u);
  for (int i = 0; i < 6; i++) {
    TEST_CALL(UnrPhysicsJvp(t->physics, t->par, u, v, NULL, Jv));
    largest = TestMost(largest, TestNorm(Jv) / TestNorm(v));
    TEST_CALL(UnrBatchZero(v));
    TEST_CALL(UnrBatchAXPY(v, 1 / TestNorm(Jv), Jv));
  }
  TEST_CALL(UnrBatchDestroy(&u));
  TEST_CALL(UnrBatchDestroy(&v));
  TEST_CALL(UnrBatchDestroy(&Jv));
  return 1 / largest;
}

/* Options of a stepper. */
static inline void TestSteps(double dt, const char *substeps)
{
  char text[32];

  snprintf(text, sizeof text, "%.17g", dt);
  TestOption("-stepper_dt", text);
  TestOption("-stepper_substeps", substeps);
}

/* Smallest order of the remainders r[0..n-1] at steps ten times smaller each; -infinite where one is no
 * number. */
static inline double TestOrder(int n, const double r[])
{
  double order = INFINITY;

  for (int i = 1; i < n; i++) {
    const double here = log10(r[i - 1] / r[i]);

    order = isnan(here) ? -INFINITY : fmin(order, here);
  }
  return order;
}

/* Runs check(name, dim) for one physics in each dimension it has. */
static inline void TestEveryDimension(const char *physics, void (*check)(const char *name, int dim))
{
  int dims = 0;

  for (int dim = 1; dim <= UNR_MAX_DIM; dim++) {
    Subject t;

    if (!SubjectOpen(physics, dim, false, &t)) continue;
    SubjectClose(&t);
    check(physics, dim);
    dims++;
  }
  cr_expect(dims > 0, "%s: no dimension", physics);
}

/* That for every physics that is chosen, and for its variants. */
static inline void TestEveryPhysics(void (*check)(const char *name, int dim))
{
  char name[TEST_NAME];

  for (int i = 0; TestPhysics(i, name); i++) TestEveryDimension(name, check);
  for (size_t v = 0; v < sizeof test_variants / sizeof test_variants[0]; v++)
    if (TestIsChosen(test_variants[v])) TestEveryDimension(test_variants[v], check);
}
