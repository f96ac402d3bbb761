/*
  Engine `simd`: register-blocked kernels, compiled once per instruction set and precision from simd_kernels.c
  and chosen here at run time.    Maths and blocking: docs/method/convolution.md
*/
#include "layer/engine.h"
#include "layer/simd.h"

/* What the compilations of simd_kernels.c export. */
#define UNR_SIMD(isa)                                                                                        \
  extern const UnrConvKernels UnrConvKernels_##isa##_single, UnrConvKernels_##isa##_double;                  \
  double UnrFmaLoop_##isa##_single(size_t rounds);                                                           \
  double UnrFmaLoop_##isa##_double(size_t rounds);
/* clang-format off */
#define UNR_SIMD_ROW(isa)                                                                                    \
  {#isa,                                                                                                     \
   {[UNR_SINGLE] = &UnrConvKernels_##isa##_single, [UNR_DOUBLE] = &UnrConvKernels_##isa##_double},           \
   {[UNR_SINGLE] = UnrFmaLoop_##isa##_single, [UNR_DOUBLE] = UnrFmaLoop_##isa##_double}}
/* clang-format on */

#ifdef __x86_64__
UNR_SIMD(avx512)
UNR_SIMD(avx2)
#endif
UNR_SIMD(generic)

/* Best first. */
static const UnrSIMD table[] = {
#ifdef __x86_64__
    UNR_SIMD_ROW(avx512),
    UNR_SIMD_ROW(avx2),
#endif
    UNR_SIMD_ROW(generic),
};

static bool IsSupported(const char *isa)
{
#ifdef __x86_64__
  if (!strcmp(isa, "avx512")) {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512dq");
  }
  if (!strcmp(isa, "avx2")) return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#endif
  return !strcmp(isa, "generic");
}

const UnrSIMD *UnrSIMDFind(const char *isa)
{
  for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); ++i) {
    const bool is_wanted = !strcmp(isa, "auto") || !strcmp(isa, table[i].isa);
    if (is_wanted && IsSupported(table[i].isa)) return &table[i];
  }
  return NULL;
}

static const UnrConvKernels *Kernels_SIMD(UnrPrecision precision, const char *isa)
{
  const UnrSIMD *simd = UnrSIMDFind(isa);
  return simd ? simd->kernels[precision] : NULL;
}

const UnrEngineOps UnrEngineOps_SIMD = {.name = "simd",
                                        .summary =
                                            "register-blocked kernels for AVX-512, AVX2 and any vectors",
                                        .kernels = Kernels_SIMD};
