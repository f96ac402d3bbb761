/* Measures the peak of the multiply-add units. */
#include "layer/peak.h"
#include "layer/simd.h"

#include <time.h>

static double Seconds(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec + 1e-9 * now.tv_nsec;
}

double UnrFmaPeak(UnrPrecision precision, const char *isa)
{
  enum { ROUNDS = 50000, REPEATS = 6 };
  const UnrSIMD *simd = UnrSIMDFind(isa);
  double best = 0;
  for (int repeat = 0; simd && repeat < REPEATS; ++repeat) {
    const double start = Seconds();
    const double flops = simd->fma_loop[precision](ROUNDS);
    best = PetscMax(best, 1e-9 * flops / (Seconds() - start));
  }
  return best;
}
