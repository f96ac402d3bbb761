/* The energy spectrum by shells: a wave in its shell, Parseval, the same on every layout. */
#include "conformance.h"

#include "field/scratch.h"
#include "support_field.h"

enum { MOST_SHELLS = 64 };

/* One wave along each axis, 2, -1, 1 of them, of this amplitude, in the first component; 3 of mean in the
 * last. */
static void SetWave(UnrBatch u, double amplitude)
{
  static const double wave[3] = {2, -1, 1};
  UnrGrid g = u->grid;

  for (PetscInt i = 0; i < g->local; i++) {
    PetscInt cell[3];
    double phase = 0.3;

    TestCell(g, i, cell);
    for (int a = 0; a < g->dim; a++) phase += 2 * PETSC_PI * wave[a] * (double)cell[a] / (double)g->points[a];
    for (PetscInt s = 0; s < u->samples; s++) {
      double *at = u->data + (size_t)s * u->stride + (size_t)(i * g->components);

      for (PetscInt c = 0; c < g->components; c++) at[c] = c == g->components - 1 ? 3 : 0;
      at[0] += (double)(s + 1) * amplitude * cos(phase);
    }
  }
}

static void CheckShell(const char *options, PetscInt expected, PetscInt highest, double mean)
{
  double energy[2 * MOST_SHELLS];
  TestCase c;
  UnrBatch u;

  TestCaseOpen(&c, false, options);
  TEST_CALL(UnrBatchCreate(c.grid, 2, &u));
  SetWave(u, 0.5);
  cr_assert(UnrPhysicsShells(c.physics) == highest + 1, "%s: %d shells", options,
            (int)UnrPhysicsShells(c.physics));
  TEST_CALL(UnrPhysicsSpectrum(c.physics, (double[16]){0}, u, energy));
  for (PetscInt s = 0; s < 2; s++)
    for (PetscInt k = 0; k <= highest; k++) {
      /* mean of (a cos)^2 / 2 is a^2 / 4 */
      const double right = (k == expected ? 0.25 * PetscSqr(0.5 * (double)(s + 1)) : 0) + (k == 0 ? mean : 0);

      cr_expect(fabs(energy[s * (highest + 1) + k] - right) < 1e-14, "%s: shell %d of sample %d: %g, not %g",
                options, (int)k, (int)s, energy[s * (highest + 1) + k], right);
    }
  TEST_CALL(UnrBatchDestroy(&u));
  TestCaseClose(&c);
}

/*
  Wavenumbers are of the longest side: |(2, -1)| = 2.24, and with a side of half the length along y |(2, -2)|
  = 2.83.  A tracer's mean is no energy of the velocity, whose own mean is in shell 0.
*/
Test(spectrum, a_wave_is_in_its_shell)
{
  CheckShell("-physics_type burgers_spectral -grid_points 20,18", 2, 8, 4.5); /* cuts 6, 5: 7.8 */
  CheckShell("-physics_type burgers_spectral -grid_points 20,18 -grid_length 8,4", 3, 12, 4.5);
  CheckShell("-physics_type swift_hohenberg_spectral -grid_points 26", 2, 13, 4.5);
  CheckShell("-physics_type navier_stokes_spectral -grid_points 12,9,10", 2, 5, 4.5); /* cuts 3, 2, 3: 4.7 */
  CheckShell("-physics_type navier_stokes_spectral -grid_points 20,18 -physics_navier_stokes_tracer true", 2,
             8, 0);
}

/* The sum over shells is the mean of |P u|^2 / 2 but for P's divergence, which stays in: of u without it. */
static void CheckParseval(const char *physics, int dim)
{
  Subject t, alone;
  double energy[TEST_SAMPLES * MOST_SHELLS], other[TEST_SAMPLES * MOST_SHELLS];

  if (!SubjectOpen(physics, dim, false, &t)) return;
  const PetscInt shells = UnrPhysicsShells(t.physics);
  const bool has_modes = UnrPhysicsFFT(t.physics);

  cr_expect((shells > 0) == has_modes && shells <= MOST_SHELLS, "%s %d-D: %d shells", physics, dim,
            (int)shells);
  if (has_modes && !strchr(UnrPhysicsFieldName(t.physics), '|')) {
    UnrBatch u = TestBatch(&t, TEST_SAMPLES);

    TestState(&t, 0, t.par, u);
    TEST_CALL(UnrPhysicsSpectrum(t.physics, t.par, u, energy));
    for (PetscInt s = 0; s < TEST_SAMPLES; s++) {
      struct UnrBatch_ one = UnrBatchView(u, s, 1);
      const double exact = 0.5 * TestDot(&one, &one) / (double)t.grid->total;
      double sum = 0;

      for (PetscInt k = 0; k < shells; k++) sum += energy[s * shells + k];
      cr_expect(fabs(sum - exact) <= 1e-13 * exact, "%s %d-D: %.17g, not %.17g", physics, dim, sum, exact);
    }
    TEST_CALL(UnrBatchDestroy(&u));
    SubjectOpen(physics, dim, true, &alone);
    u = TestBatch(&alone, TEST_SAMPLES);
    TestState(&alone, 0, alone.par, u);
    TEST_CALL(UnrPhysicsSpectrum(alone.physics, alone.par, u, other));
    for (PetscInt i = 0; i < TEST_SAMPLES * shells; i++)
      cr_expect(fabs(energy[i] - other[i]) <= 1e-13, "%s %d-D: layouts differ", physics, dim);
    TEST_CALL(UnrBatchDestroy(&u));
    SubjectClose(&alone);
  }
  SubjectClose(&t);
}

Test(spectrum, parseval_on_every_layout)
{
  char name[TEST_NAME];

  for (int i = 0; TestPhysics(i, name); i++)
    for (int dim = 1; dim <= 3; dim++) CheckParseval(name, dim);
}
