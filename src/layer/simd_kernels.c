/* The kernels of engine `simd` for one instruction set (UNR_ISA) and one precision; meson.build compiles them
 * all. */
#include "layer/simd_forward.h"
#include "layer/simd_weights.h"

#define PASTE_(a, b, c) a##_##b##_##c
#define PASTE(a, b, c) PASTE_(a, b, c)
#define STRING_(a) #a
#define STRING(a) STRING_(a)

extern const UnrConvKernels PASTE(UnrConvKernels, UNR_ISA, UNR_PRECISION);
const UnrConvKernels PASTE(UnrConvKernels, UNR_ISA, UNR_PRECISION) = {.path = STRING(UNR_ISA),
                                                                      .packed_size = PackedSize,
                                                                      .pack = Pack,
                                                                      .pack_reverse = PackReverse,
                                                                      .apply = Apply,
                                                                      .reverse_weights = ReverseWeights};

/* Multiply-adds in registers alone, in more chains than latency times ports; returns the flops. */
double PASTE(UnrFmaLoop, UNR_ISA, UNR_PRECISION)(size_t rounds);
double PASTE(UnrFmaLoop, UNR_ISA, UNR_PRECISION)(size_t rounds)
{
  enum { CHAINS = 12 };
  vec chain[CHAINS];
  const vec factor = Splat((real)0.75), term = Splat((real)0.3); /* tend to 1.2: no overflow, no denormals */
  /* No chain may start at the fixed point: gcc would see that, and drop it. */
  UNROLL for (int i = 0; i < CHAINS; ++i) chain[i] = Splat((real)i);
  for (size_t round = 0; round < rounds; ++round) {
    UNROLL for (int i = 0; i < CHAINS; ++i) chain[i] = chain[i] * factor + term;
  }
  __asm__ volatile("" : : "m"(chain)); /* the result is wanted */
  return 2.0 * LANES * CHAINS * rounds;
}
