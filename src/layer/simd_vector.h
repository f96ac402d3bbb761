/*
  Vectors of the instruction set that this compilation is for, by gcc's vector extension.  meson.build sets
  UNR_VECTOR_BYTES and UNR_REAL; intrinsics appear only where the extension has no word: masked memory access.
*/
#pragma once

#include "core/base.h"

#if UNR_VECTOR_BYTES > 16
#include <immintrin.h>
#endif

typedef UNR_REAL real;
enum { LANES = UNR_VECTOR_BYTES / sizeof(real) };

typedef real vec __attribute__((vector_size(UNR_VECTOR_BYTES)));
typedef real vec_in_memory __attribute__((vector_size(UNR_VECTOR_BYTES), aligned(sizeof(real)), may_alias));
/* Integers of the same width; a comparison gives 0 or -1. */
typedef __typeof__(_Generic((real)0, float : (int32_t)0, double : (int64_t)0)) integer;
typedef integer bits __attribute__((vector_size(UNR_VECTOR_BYTES)));

/* Architectural vector registers: they decide how large a block of accumulators may be. */
#if UNR_VECTOR_BYTES == 64 || defined(__aarch64__)
#define UNR_VECTOR_REGISTERS 32
#else
#define UNR_VECTOR_REGISTERS 16
#endif

#define UNROLL _Pragma("GCC unroll 32")

static inline vec Splat(real x)
{
  return x - (vec){0};
}

static inline vec Load(const real *p)
{
  return *(const vec_in_memory *)p;
}

static inline void Store(real *p, vec v)
{
  *(vec_in_memory *)p = v;
}

/* mask ? a : b, lane by lane. */
static inline vec Select(bits mask, vec a, vec b)
{
  return (vec)((mask & (bits)a) | (~mask & (bits)b));
}

/* sign > 0 ? v : v slope. */
static inline vec Leak(vec v, vec sign, vec slope)
{
#if UNR_VECTOR_BYTES == 64
  if (sizeof(real) == sizeof(float)) {
    const __mmask16 leaks = _mm512_cmp_ps_mask((__m512)sign, _mm512_setzero_ps(), _CMP_NGT_UQ);
    return (vec)_mm512_mask_mul_ps((__m512)v, leaks, (__m512)v, (__m512)slope);
  }
  const __mmask8 leaks = _mm512_cmp_pd_mask((__m512d)sign, _mm512_setzero_pd(), _CMP_NGT_UQ);
  return (vec)_mm512_mask_mul_pd((__m512d)v, leaks, (__m512d)v, (__m512d)slope);
#else
  return Select((bits)(sign > 0), v, v * slope);
#endif
}

#if UNR_VECTOR_BYTES == 32
/* -1 in the first n lanes. */
static inline bits HeadMask(size_t n)
{
  bits lane;
  for (int i = 0; i < LANES; ++i) lane[i] = i;
  return (bits)(lane < (integer)n);
}
#endif

/* Halves the number of vectors: lane l of the new v[i] is the sum of two lanes, l and l ^ h, of v[i] or of
   v[i + h], by whether bit h of l is set. */
#define FOLD(h)                                                                                              \
  if (LANES > h) {                                                                                           \
    bits straight, crossed;                                                                                  \
    UNROLL for (int l = 0; l < LANES; ++l)                                                                   \
    {                                                                                                        \
      straight[l] = l & h ? LANES + l : l;                                                                   \
      crossed[l] = straight[l] ^ h;                                                                          \
    }                                                                                                        \
    UNROLL for (int i = 0; i < h; ++i)                                                                       \
    {                                                                                                        \
      v[i] = __builtin_shuffle(v[i], v[i + h], straight) + __builtin_shuffle(v[i], v[i + h], crossed);       \
    }                                                                                                        \
  }

/* Lane l: the total over the lanes of vector l of LANES vectors at p. */
static inline vec Totals(const real *p)
{
  vec v[LANES];
  UNROLL for (int i = 0; i < LANES; ++i) v[i] = Load(p + i * LANES);
  FOLD(8)
  FOLD(4)
  FOLD(2)
  FOLD(1)
  return v[0];
}

/* One step of Transpose(): exchanges the halves of h lanes between v[i] and v[i + h]. */
#define EXCHANGE(h)                                                                                          \
  if (LANES > h) {                                                                                           \
    bits low, high;                                                                                          \
    UNROLL for (int l = 0; l < LANES; ++l)                                                                   \
    {                                                                                                        \
      low[l] = l & h ? LANES + (l ^ h) : l;                                                                  \
      high[l] = l & h ? LANES + l : l ^ h;                                                                   \
    }                                                                                                        \
    UNROLL for (int i = 0; i < LANES; ++i)                                                                   \
    {                                                                                                        \
      if (i & h) continue;                                                                                   \
      const vec a = v[i], b = v[i + h];                                                                      \
      v[i] = __builtin_shuffle(a, b, low);                                                                   \
      v[i + h] = __builtin_shuffle(a, b, high);                                                              \
    }                                                                                                        \
  }

/* Lane l of vector i becomes lane i of vector l. */
static inline void Transpose(vec v[LANES])
{
  EXCHANGE(8)
  EXCHANGE(4)
  EXCHANGE(2)
  EXCHANGE(1)
}

/* n numbers, 1 <= n; all LANES if n is more.  Memory behind them is neither read nor written. */
static inline vec LoadSome(const real *p, size_t n)
{
  if (n >= LANES) return Load(p);
#if UNR_VECTOR_BYTES == 64
  const unsigned mask = (1u << n) - 1;
  if (sizeof(real) == sizeof(float)) return (vec)_mm512_maskz_loadu_ps((__mmask16)mask, p);
  return (vec)_mm512_maskz_loadu_pd((__mmask8)mask, p);
#elif UNR_VECTOR_BYTES == 32
  const __m256i mask = (__m256i)HeadMask(n);
  if (sizeof(real) == sizeof(float)) return (vec)_mm256_maskload_ps((const float *)p, mask);
  return (vec)_mm256_maskload_pd((const double *)p, mask);
#else
  vec v = {0};
  for (size_t i = 0; i < n; ++i) v[i] = p[i];
  return v;
#endif
}

static inline void StoreSome(real *p, vec v, size_t n)
{
  if (n >= LANES) {
    Store(p, v);
    return;
  }
#if UNR_VECTOR_BYTES == 64
  const unsigned mask = (1u << n) - 1;
  if (sizeof(real) == sizeof(float))
    _mm512_mask_storeu_ps(p, (__mmask16)mask, (__m512)v);
  else
    _mm512_mask_storeu_pd(p, (__mmask8)mask, (__m512d)v);
#elif UNR_VECTOR_BYTES == 32
  const __m256i mask = (__m256i)HeadMask(n);
  if (sizeof(real) == sizeof(float))
    _mm256_maskstore_ps((float *)p, mask, (__m256)v);
  else
    _mm256_maskstore_pd((double *)p, mask, (__m256d)v);
#else
  for (size_t i = 0; i < n; ++i) p[i] = v[i];
#endif
}
