/* The measures of other tests must not let a NaN pass as a small difference. */
#include "conformance.h"
#include "rollout_case.h"

Test(support, no_number_is_no_small_difference)
{
  const double x[] = {1, NAN, 2}, y[] = {1, 1, 2};
  const double remainders[] = {1, 1e-2, NAN, 1e-6};

  cr_expect(isinf(TestMost(1, NAN)) && isinf(TestMost(TestMost(0, NAN), 3)) && TestMost(1, 3) == 3);
  cr_expect(isinf(TestRelative(NAN, 1)) && isinf(TestRelative(1, NAN)) && isinf(TestRelative(NAN, NAN)));
  cr_expect(isinf(TestRelative(INFINITY, 1)) && TestRelative(0, 0) == 0 && TestRelative(2, -2) == 2);
  cr_expect(!(ArrayDistance(3, x, y) < 1) && !(ArrayDistance(3, y, x) < 1) && !(ArrayDistance(3, x, x) < 1));
  cr_expect(!(TestOrder(4, remainders) > 0) && TestOrder(2, remainders) == 2);
}

/* A NaN of one rank reaches all. */
Test(support, distances_of_batches)
{
  Subject t, alone;
  UnrBatch a, b, whole;
  int last;

  TEST_CALL(MPI_Comm_rank(PETSC_COMM_WORLD, &last));
  SubjectOpen("ks_fd", 1, false, &t);
  SubjectOpen("ks_fd", 1, true, &alone);
  a = TestDirection(&t, TEST_SAMPLES, "tangent");
  b = TestCopy(&t, a);
  cr_expect(TestDistance(a, b) == 0 && TestSize(a) > 1);
  if (last == TestRanks() - 1) b->data[b->stride] = NAN;
  cr_expect(isinf(TestDistance(a, b)) && isinf(TestDistance(b, a)) && isinf(TestSize(b)));
  whole = TestDirection(&alone, TEST_SAMPLES, "tangent");
  cr_expect(TestBlockDifference(a, whole) == 0);
  cr_expect(isinf(TestBlockDifference(b, whole)));
  whole->data[whole->stride] = NAN; /* one rank's cell */
  cr_expect(isinf(TestBlockDifference(a, whole)));
  TEST_CALL(UnrBatchDestroy(&whole));
  TEST_CALL(UnrBatchDestroy(&a));
  TEST_CALL(UnrBatchDestroy(&b));
  SubjectClose(&alone);
  SubjectClose(&t);
}
