/* Filters from a fine grid to a coarse one: against sums written out, on every shape of blocks. */
#include "support_field.h"

#include <math.h>
#include "dataset/filter.h"
#include "physics/physics_impl.h"

static const UnrPhysicsOps plain_ops = {.name = "test", .field = "u"};

typedef struct {
  int dim;
  PetscInt components, fine[UNR_MAX_DIM], coarse[UNR_MAX_DIM];
} Case;

/* What the filter turns TestInteger() of the fine grid into, on blocks of this layout; the caller frees. */
static UnrBatch Filter(const Case *t, const UnrLayout *layout, PetscInt samples, UnrGrid *fine,
                       UnrGrid *coarse)
{
  UnrFilter filter;
  UnrBatch from, to;
  double *at;

  TEST_CALL(UnrGridCreate(layout, t->dim, t->fine, t->components, 0, fine));
  TEST_CALL(UnrGridCreate(layout, t->dim, t->coarse, t->components, 0, coarse));
  TEST_CALL(UnrBatchCreate(*fine, samples, &from));
  TEST_CALL(UnrBatchCreate(*coarse, samples, &to));
  struct UnrPhysics_ a = {.ops = &plain_ops, .grid = *fine}, b = {.ops = &plain_ops, .grid = *coarse};
  TEST_CALL(UnrFilterCreate(&a, &b, &filter));
  at = from->data;
  for (PetscInt s = 0; s < samples; s++)
    for (PetscInt i = 0; i < (*fine)->local; i++) {
      PetscInt cell[UNR_MAX_DIM];
      TestCell(*fine, i, cell);
      for (PetscInt c = 0; c < t->components; c++) *at++ = TestInteger(*fine, cell, s, c);
    }
  for (size_t i = 0; i < (size_t)samples * to->stride; i++) to->data[i] = NAN; /* nothing of it is kept */
  TEST_CALL(UnrFilterApply(filter, from, to));
  TEST_CALL(UnrFilterDestroy(&filter));
  TEST_CALL(UnrBatchDestroy(&from));
  return to;
}

/* Length that the cell of fine node j shares with the cell of coarse node i, in coarse cells; round the
   domain. */
static double Overlap(PetscInt i, PetscInt j, PetscInt coarse, PetscInt fine)
{
  const double r = (double)fine / (double)coarse, low = (double)j - 0.5, high = (double)j + 0.5;
  double sum = 0;

  for (int turn = -1; turn <= 1; turn++) {
    const double middle = (double)i * r + (double)turn * (double)fine;
    sum += fmax(fmin(high, middle + r / 2) - fmax(low, middle - r / 2), 0) / r;
  }
  return sum;
}

static double Mean(const Case *t, UnrGrid fine, const PetscInt i[], PetscInt sample, PetscInt component)
{
  double sum = 0;
  PetscInt j[UNR_MAX_DIM];

  for (j[0] = 0; j[0] < t->fine[0]; j[0]++)
    for (j[1] = 0; j[1] < t->fine[1]; j[1]++)
      for (j[2] = 0; j[2] < t->fine[2]; j[2]++) {
        double part = 1;
        for (int a = 0; a < t->dim; a++) part *= Overlap(i[a], j[a], t->coarse[a], t->fine[a]);
        if (part > 0) sum += part * TestInteger(fine, j, sample, component);
      }
  return sum;
}

static const Case cases[] = {
    {1, 1, {12, 1, 1}, {4, 1, 1}},   {1, 2, {20, 1, 1}, {5, 1, 1}},  {2, 2, {15, 14, 1}, {5, 7, 1}},
    {2, 1, {20, 12, 1}, {4, 12, 1}}, {3, 3, {10, 12, 9}, {5, 4, 9}}, {3, 1, {8, 6, 10}, {4, 6, 5}},
};

/* Every mean by its definition, and the mean of the whole.  Sums of small integers: exact but for the scale.
 */
Test(filter, volume)
{
  TestOptionsSet("-generate_filter volume");
  for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
    const Case *t = &cases[n];
    UnrLayout layout;

    for (int shape = 0; TestShape(shape, t->dim, t->coarse, &layout); shape++) {
      UnrGrid fine, coarse;
      UnrBatch to = Filter(t, &layout, 2, &fine, &coarse);
      const double *at = to->data;
      double worst = 0, total = 0, wanted = 0;

      for (PetscInt s = 0; s < 2; s++)
        for (PetscInt i = 0; i < coarse->local; i++) {
          PetscInt cell[UNR_MAX_DIM];
          TestCell(coarse, i, cell);
          for (PetscInt c = 0; c < t->components; c++, at++) {
            worst = TestMost(worst, fabs(*at - Mean(t, fine, cell, s, c)));
            total += *at / (double)coarse->total;
          }
        }
      for (PetscInt s = 0; s < 2; s++)
        for (PetscInt i = 0; i < fine->local; i++) {
          PetscInt cell[UNR_MAX_DIM];
          TestCell(fine, i, cell);
          for (PetscInt c = 0; c < t->components; c++) wanted += TestInteger(fine, cell, s, c);
        }
      cr_expect(worst < 1e-12, "case %zu, shape %d: %g", n, shape, worst);
      cr_expect(fabs(TestSum(total) - TestSum(wanted) / (double)fine->total) < 1e-12, "case %zu: the mean",
                n);
      TEST_CALL(UnrBatchDestroy(&to));
      TEST_CALL(UnrGridDestroy(&coarse));
      TEST_CALL(UnrGridDestroy(&fine));
    }
  }
  TestOptionsUnset("-generate_filter");
}

/* A sum of waves of any wavenumbers below the fine grid's Nyquist's, or of those that the coarse physics
 * keeps. */
enum { WAVES = 40 };

static bool IsKept(UnrFFT fine, UnrFFT coarse, const PetscInt k[])
{
  for (int a = 0; a < coarse->grid->dim; a++) {
    const PetscInt n = coarse->grid->points[a], most = coarse->is_dealiased ? (n - 1) / 3 : (n - 1) / 2;

    if (PetscAbsInt(k[a]) > (n == fine->grid->points[a] && !coarse->is_dealiased ? n / 2 : most))
      return false;
  }
  return true;
}

static void Waves(UnrBatch u, UnrFFT fine, UnrFFT coarse)
{
  const UnrGrid g = u->grid;

  TEST_CALL(UnrBatchZero(u));
  for (PetscInt s = 0; s < u->samples; s++)
    for (int w = 0; w < WAVES; w++) {
      const UnrRng rng = {3, UnrRngStream("wave", (uint64_t)s, (uint64_t)w)};
      double *at = u->data + (size_t)s * u->stride;
      PetscInt k[UNR_MAX_DIM] = {0};

      for (int a = 0; a < g->dim; a++) {
        const PetscInt most = fine->is_dealiased ? fine->cut[a] : (fine->grid->points[a] - 1) / 2;
        k[a] = (PetscInt)floor((2 * (double)most + 1) * UnrRngUniform(rng, (uint64_t)a)) - most;
      }
      if (g == coarse->grid && !IsKept(fine, coarse, k)) continue;
      for (PetscInt i = 0; i < g->local; i++) {
        double turns = UnrRngUniform(rng, 9);
        PetscInt cell[UNR_MAX_DIM];
        TestCell(g, i, cell);
        for (int a = 0; a < g->dim; a++) turns += (double)(k[a] * cell[a]) / (double)g->points[a];
        for (PetscInt c = 0; c < g->components; c++) *at++ += cos(2 * PETSC_PI * turns + (double)c);
      }
    }
}

static const Case cuts[] = {
    {1, 1, {32, 1, 1}, {12, 1, 1}},   {1, 2, {27, 1, 1}, {15, 1, 1}},  {2, 2, {21, 26, 1}, {10, 13, 1}},
    {2, 1, {16, 12, 1}, {7, 12, 1}},  {3, 3, {12, 14, 10}, {9, 6, 5}}, {3, 1, {9, 16, 12}, {9, 8, 12}},
    {2, 2, {48, 48, 1}, {16, 16, 1}},
};

/* What is kept comes out as it went in, what is cut is gone: rounding of some tens of waves of amplitude 1.
 */
Test(filter, spectral)
{
  TestOptionsSet("-generate_filter spectral");
  for (size_t n = 0; n < sizeof cuts / sizeof *cuts; n++)
    for (int is_dealiased = 0; is_dealiased < 2; is_dealiased++) {
      const Case *t = &cuts[n];
      const UnrLayout layout = TestLayout(TestRanks(), 1, 1);
      struct UnrPhysics_ fine = {.ops = &plain_ops}, coarse = {.ops = &plain_ops};
      UnrBatch from, to, wanted;
      UnrFilter filter;
      double worst = 0;

      TEST_CALL(UnrGridCreate(&layout, t->dim, t->fine, t->components, 0, &fine.grid));
      TEST_CALL(UnrGridCreate(&layout, t->dim, t->coarse, t->components, 0, &coarse.grid));
      TEST_CALL(UnrFFTCreate(fine.grid, is_dealiased, &fine.fft));
      TEST_CALL(UnrFFTCreate(coarse.grid, is_dealiased, &coarse.fft));
      TEST_CALL(UnrFilterCreate(&fine, &coarse, &filter));
      for (PetscInt samples = 3; samples > 0; samples -= 2) { /* of 1-D some ranks have none */
        TEST_CALL(UnrBatchCreate(fine.grid, samples, &from));
        TEST_CALL(UnrBatchCreate(coarse.grid, samples, &to));
        TEST_CALL(UnrBatchCreate(coarse.grid, samples, &wanted));
        Waves(from, fine.fft, coarse.fft);
        Waves(wanted, fine.fft, coarse.fft);
        for (size_t i = 0; i < (size_t)samples * to->stride; i++) to->data[i] = NAN;
        TEST_CALL(UnrFilterApply(filter, from, to));
        for (size_t i = 0; i < (size_t)samples * to->stride; i++)
          worst = TestMost(worst, fabs(to->data[i] - wanted->data[i]));
        TEST_CALL(UnrBatchDestroy(&from));
        TEST_CALL(UnrBatchDestroy(&to));
        TEST_CALL(UnrBatchDestroy(&wanted));
      }
      cr_expect(worst < 1e-12, "case %zu, dealiased %d: %g", n, is_dealiased, worst);
      TEST_CALL(UnrFilterDestroy(&filter));
      TEST_CALL(UnrFFTDestroy(&fine.fft));
      TEST_CALL(UnrFFTDestroy(&coarse.fft));
      TEST_CALL(UnrGridDestroy(&fine.grid));
      TEST_CALL(UnrGridDestroy(&coarse.grid));
    }
  TestOptionsUnset("-generate_filter");
}

/* What no filter does, and what each of them does not. */
Test(filter, refusals)
{
  static const PetscInt points[][UNR_MAX_DIM] = {{12, 12, 1}, {12, 8, 1}, {12, 24, 1}};
  const UnrLayout layout = TestLayout(TestRanks(), 1, 1);
  struct UnrPhysics_ physics[3];
  UnrFilter filter;

  for (int i = 0; i < 3; i++) {
    physics[i] = (struct UnrPhysics_){.ops = &plain_ops};
    TEST_CALL(UnrGridCreate(&layout, 2, points[i], 1, 0, &physics[i].grid));
  }
  TestOptionsSet("-generate_filter volume");
  TEST_REFUSES(UnrFilterCreate(&physics[0], &physics[1], &filter),
               "-generate_points (12 along y) is no multiple of -grid_points (8)");
  TEST_REFUSES(UnrFilterCreate(&physics[0], &physics[2], &filter),
               "-generate_points is coarser than -grid_points (12 and 24 points along y)");
  TestOptionsUnset("-generate_filter");
  TEST_REFUSES(UnrFilterCreate(&physics[0], &physics[1], &filter),
               "-generate_filter spectral for a physics without transforms (test)");
  for (int i = 0; i < 3; i++) TEST_CALL(UnrGridDestroy(&physics[i].grid));
}
