/* The guard: norms, clipping, and what is skipped and counted. */
#include "support.h"

#include "optim/guard.h"

enum { N = 100, TENSORS = 4 };
/* Lengths 37, 1, 45, 17: none a multiple of the lanes of a sum. */
static const size_t ends[TENSORS] = {37, 38, 83, 100};

static UnrGuard Create(const char *options)
{
  UnrGuard guard;

  TestOptionsSet(options);
  TEST_CALL(UnrGuardCreate(TENSORS, ends, &guard));
  TestOptionsUnset(options);
  return guard;
}

/* Normal numbers times scale, as both precisions hold them. */
static void Fill(uint64_t number, double scale, float single[N], double twice[N])
{
  for (size_t i = 0; i < N; i++) {
    single[i] = (float)(scale * UnrRngNormal((UnrRng){5, UnrRngStream("guard", number, 0)}, i));
    twice[i] = (double)single[i];
  }
}

static double Norm(const double *x, size_t start, size_t end)
{
  long double sum = 0;

  for (size_t i = start; i < end; i++) sum += (long double)x[i] * (long double)x[i];
  return (double)sqrtl(sum);
}

/* One verdict on both precisions, which must agree: singles are exact as doubles. */
static UnrSkip Judge(UnrGuard *guard, const float single[N], const double twice[N], double loss,
                     PetscInt64 failed, double *norm, double *factor)
{
  UnrGuard copy = *guard;
  double mean[TENSORS], other_norm, other_factor;
  UnrSkip skip, other;

  memcpy(mean, guard->mean, sizeof mean);
  copy.mean = mean;
  other = UnrGuardJudge(&copy, UNR_SINGLE, single, loss, failed, &other_norm, &other_factor);
  skip = UnrGuardJudge(guard, UNR_DOUBLE, twice, loss, failed, norm, factor);
  cr_expect(skip == other && !memcmp(norm, &other_norm, sizeof *norm) && *factor == other_factor);
  return skip;
}

/* Norms against long double, to the rounding of a sum of a hundred squares; the order of the sum is fixed. */
Test(guard, norms)
{
  float single[N];
  double twice[N], norm, factor, lane[16] = {0}, sum = 0;
  UnrGuard guard = Create("-optim_skip_factor 0");

  Fill(0, 3, single, twice);
  cr_expect(Judge(&guard, single, twice, 1, 0, &norm, &factor) == UNR_SKIP_NONE && factor == 1);
  cr_expect_lt(TestRelative(norm, Norm(twice, 0, N)), 1e-15);
  for (int t = 0; t < TENSORS; t++)
    cr_expect_lt(TestRelative(guard.norm[t], Norm(twice, t ? ends[t - 1] : 0, ends[t])), 1e-15, "tensor %d",
                 t);
  for (size_t i = 0; i < 37; i++) lane[i % 16] += twice[i] * twice[i];
  for (int l = 0; l < 16; l++) sum += lane[l];
  cr_expect(guard.norm[0] == sqrt(sum), "the order of the sum changed");
  TEST_CALL(UnrGuardDestroy(&guard));
}

Test(guard, clips_to_the_norm)
{
  float single[N];
  double twice[N], norm, factor;
  UnrGuard guard = Create("-optim_clip 2");

  Fill(0, 3, single, twice);
  cr_expect(Judge(&guard, single, twice, 1, 0, &norm, &factor) == UNR_SKIP_NONE);
  cr_expect(norm > 2 && factor == 2 / norm);
  for (int i = 0; i < N; i++) twice[i] = single[i] *= 0.015625F;
  cr_expect(Judge(&guard, single, twice, 1, 0, &norm, &factor) == UNR_SKIP_NONE);
  cr_expect(norm < 2 && norm > 0 && factor == 1);
  memset(single, 0, sizeof single);
  memset(twice, 0, sizeof twice);
  cr_expect(Judge(&guard, single, twice, 1, 0, &norm, &factor) == UNR_SKIP_NONE && norm == 0 && factor == 1);
  TEST_CALL(UnrGuardDestroy(&guard));
}

/* Whatever is not finite, wherever it stands, is skipped, counted, and leaves the means as they were. */
Test(guard, nonfinite)
{
  static const double bad[] = {NAN, INFINITY, -INFINITY};
  static const int place[] = {0, 15, 36, 37, 82, 99};
  float single[N];
  double twice[N], norm, factor, mean[TENSORS];
  PetscInt64 count = 0;
  UnrGuard guard = Create("-optim_clip 1");

  Fill(0, 1, single, twice);
  cr_expect(Judge(&guard, single, twice, 1, 0, &norm, &factor) == UNR_SKIP_NONE);
  memcpy(mean, guard.mean, sizeof mean);
  for (int b = 0; b < 3; b++) {
    for (size_t p = 0; p < sizeof place / sizeof *place; p++) {
      Fill(1, 1, single, twice);
      single[place[p]] = (float)(twice[place[p]] = bad[b]);
      cr_expect(Judge(&guard, single, twice, 1, 0, &norm, &factor) == UNR_SKIP_NONFINITE && !isfinite(norm));
      cr_expect(guard.skipped[UNR_SKIP_NONFINITE] == ++count);
    }
    Fill(1, 1, single, twice);
    cr_expect(Judge(&guard, single, twice, bad[b], 0, &norm, &factor) == UNR_SKIP_NONFINITE);
    cr_expect(isfinite(norm) && guard.skipped[UNR_SKIP_NONFINITE] == ++count);
  }
  cr_expect(guard.accepted == 1 && !memcmp(mean, guard.mean, sizeof mean));
  cr_expect(guard.skipped[UNR_SKIP_NONE] == 1 && !guard.skipped[UNR_SKIP_NORM] &&
            !guard.skipped[UNR_SKIP_SOLVER]);
  TEST_CALL(UnrGuardDestroy(&guard));
}

/* A failed solve is the cause of the numbers that are no numbers. */
Test(guard, failed_solve)
{
  float single[N];
  double twice[N], norm, factor;
  UnrGuard guard = Create("");

  Fill(0, 1, single, twice);
  cr_expect(Judge(&guard, single, twice, 1, 1, &norm, &factor) == UNR_SKIP_SOLVER);
  single[3] = (float)(twice[3] = NAN);
  cr_expect(Judge(&guard, single, twice, NAN, 7, &norm, &factor) == UNR_SKIP_SOLVER);
  cr_expect(guard.skipped[UNR_SKIP_SOLVER] == 2 && !guard.skipped[UNR_SKIP_NONFINITE] && !guard.accepted);
  TEST_CALL(UnrGuardDestroy(&guard));
}

/* The running mean in closed form: plain for a hundred updates, then a hundredth of each new norm. */
Test(guard, running_mean)
{
  float single[N];
  double twice[N], norm, factor;
  long double wanted[TENSORS] = {0};
  UnrGuard guard = Create("");

  for (int k = 1; k <= 250; k++) {
    Fill((uint64_t)k, 1 + sin(k), single, twice);
    cr_expect(Judge(&guard, single, twice, 1, 0, &norm, &factor) == UNR_SKIP_NONE);
    for (int t = 0; t < TENSORS; t++) {
      const long double part = Norm(twice, t ? ends[t - 1] : 0, ends[t]);
      wanted[t] = k <= 100 ? (wanted[t] * (k - 1) + part) / k : 0.99L * wanted[t] + 0.01L * part;
    }
  }
  cr_expect(guard.accepted == 250);
  for (int t = 0; t < TENSORS; t++) cr_expect_lt(TestRelative(guard.mean[t], (double)wanted[t]), 1e-13);
  TEST_CALL(UnrGuardDestroy(&guard));
}

/* One small tensor a hundred times above its own mean, hidden in a large gradient; the limit counts only
   after -optim_skip_after, moves with what is accepted, and begins anew with a stage. */
Test(guard, outsized_tensor)
{
  float single[N];
  double twice[N], norm, factor, mean;
  UnrGuard guard = Create("-optim_skip_factor 10 -optim_skip_after 5");

  for (int k = 0; k < 4; k++) {
    Fill((uint64_t)k, 1, single, twice);
    twice[37] = single[37] = 0.0078125F;        /* the tensor of one number */
    if (k == 2) twice[37] = single[37] = 0.25F; /* 32 times, but the mean does not count yet */
    cr_expect(Judge(&guard, single, twice, 1, 0, &norm, &factor) == UNR_SKIP_NONE);
  }
  mean = guard.mean[1];
  cr_expect(mean == (3 * 0.0078125 + 0.25) / 4);
  twice[37] = single[37] = 1;
  cr_expect(Judge(&guard, single, twice, 1, 0, &norm, &factor) == UNR_SKIP_NONE); /* the fifth */
  twice[37] = single[37] = 1e6F;
  for (int k = 0; k < 3; k++) { /* it counts as the limit, not as what it is */
    mean = guard.mean[1];
    cr_expect(Judge(&guard, single, twice, 1, 0, &norm, &factor) == UNR_SKIP_NORM);
    cr_expect_lt(TestRelative(guard.mean[1], mean + (10 * mean - mean) / 5), 1e-15);
    cr_expect(guard.accepted == 5 && guard.skipped[UNR_SKIP_NORM] == k + 1);
  }
  mean = guard.mean[1];
  twice[37] = single[37] = (float)(9.999 * mean);
  cr_expect(Judge(&guard, single, twice, 1, 0, &norm, &factor) == UNR_SKIP_NONE);
  cr_expect(guard.mean[1] > mean);
  twice[37] = single[37] = (float)(1e4 * mean); /* grown for good: let through in the end */
  for (int k = 0; k < 50 && Judge(&guard, single, twice, 1, 0, &norm, &factor) != UNR_SKIP_NONE; k++)
    ;
  cr_expect_lt(guard.skipped[UNR_SKIP_NORM], 50);
  UnrGuardReset(&guard);
  twice[37] = single[37] = 1000;
  cr_expect(Judge(&guard, single, twice, 1, 0, &norm, &factor) == UNR_SKIP_NONE);
  cr_expect(guard.accepted == 1);
  TEST_CALL(UnrGuardDestroy(&guard));
}

/* A tensor without gradient so far is not judged; factor 0 judges none. */
Test(guard, what_is_not_judged)
{
  static const char *const options[] = {"-optim_skip_factor 10 -optim_skip_after 1",
                                        "-optim_skip_factor 0 -optim_skip_after 1"};

  for (int o = 0; o < 2; o++) {
    float single[N];
    double twice[N], norm, factor;
    UnrGuard guard = Create(options[o]);

    for (int k = 0; k < 3; k++) {
      Fill((uint64_t)k, 1, single, twice);
      twice[37] = single[37] = o ? 1 : 0;
      cr_expect(Judge(&guard, single, twice, 1, 0, &norm, &factor) == UNR_SKIP_NONE);
    }
    twice[37] = single[37] = 1e6F;
    cr_expect(Judge(&guard, single, twice, 1, 0, &norm, &factor) == UNR_SKIP_NONE);
    TEST_CALL(UnrGuardDestroy(&guard));
  }
}

Test(guard, names)
{
  static const char *const name[] = {"none", "nonfinite", "norm", "solver"};

  for (int s = 0; s < UNR_SKIPS; s++) cr_expect(!strcmp(UnrSkipName[s], name[s]));
}
