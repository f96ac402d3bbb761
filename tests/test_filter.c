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

/* What no filter does, and what this one does not. */
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
  for (int i = 0; i < 3; i++) TEST_CALL(UnrGridDestroy(&physics[i].grid));
}
