/*
  The two sums that all of convolution is made of, with the whole result of a block in registers.

  Outer products, for a block of `lines` x V vectors: sum[p][v] += a[p * a_line + j * a_step] b[j * b_step][v]
    forward:  p is a pixel, j runs over the (tap, channel) window, b is the packed weights;
    weights:  p is a row of the window, j runs over pixels, b is the cotangent (or the other way round).
  Dot products, for a block of `lines` x O channels: sum[p][o] += total of lanes of a[p * a_line + j] b[o][j]
    forward:  for the few channels that do not fill a vector.

  Both add over `rows` of such loops: rows of taps, or rows of pixels.

  The accumulators are arrays of literal size, so one function per size: gcc puts anything else into memory,
  which costs a factor of three.  The empty asm keeps the pointers in registers of their own; gcc would
  otherwise recompute each address from one of them.
*/
#pragma once

#include "layer/simd_vector.h"

typedef struct {
  size_t rows;
  const size_t *a_row, *b_row; /* where each row starts */
  size_t steps;                /* j in each row */
  size_t a_line, a_step, b_step;
} Loop;

#define EACH_3(X, K) X(K, 1) X(K, 2) X(K, 3)
#define EACH_4(X, K) EACH_3(X, K) X(K, 4)
#define EACH_6(X, K) EACH_4(X, K) X(K, 5) X(K, 6)
#define EACH_8(X, K) EACH_6(X, K) X(K, 7) X(K, 8)
#define EACH_9(X, K) EACH_8(X, K) X(K, 9)
#define EACH_12(X, K) EACH_9(X, K) X(K, 10) X(K, 11) X(K, 12)
#define EACH_13(X, K) EACH_12(X, K) X(K, 13)
#define EACH_24(X, K)                                                                                        \
  EACH_13(X, K)                                                                                              \
  X(K, 14) X(K, 15) X(K, 16) X(K, 17) X(K, 18) X(K, 19) X(K, 20) X(K, 21) X(K, 22) X(K, 23) X(K, 24)

/* Steps that are fetched ahead: pixels many channels apart defeat the processor's own prefetching. */
enum { AHEAD = 16 };

/* Lines by vectors: as many accumulators as leave registers for V vectors of b and one of a. */
enum { MAX_VECTORS = 3, MAX_DOTS = 4 };
#if UNR_VECTOR_REGISTERS == 32
#define EACH_OUTER(X) EACH_24(X, 1) EACH_13(X, 2) EACH_9(X, 3)
#define EACH_DOT(X) EACH_12(X, 1) EACH_12(X, 2) EACH_8(X, 3) EACH_6(X, 4)
static const size_t max_lines[MAX_VECTORS + 1] = {0, 24, 13, 9};
static const size_t max_dot_lines[MAX_DOTS + 1] = {0, 12, 12, 8, 6};
enum { MAX_LINES = 24, MAX_DOT_LINES = 12, MAX_SUMS = 27 };
#else
#define EACH_OUTER(X) EACH_12(X, 1) EACH_6(X, 2) EACH_4(X, 3)
#define EACH_DOT(X) EACH_8(X, 1) EACH_6(X, 2) EACH_4(X, 3) EACH_3(X, 4)
static const size_t max_lines[MAX_VECTORS + 1] = {0, 12, 6, 4};
static const size_t max_dot_lines[MAX_DOTS + 1] = {0, 8, 6, 4, 3};
enum { MAX_LINES = 12, MAX_DOT_LINES = 8, MAX_SUMS = 12 };
#endif

/* Out  sum [P][V][lane], overwritten, aligned */
#define DEFINE_OUTER(V, P)                                                                                   \
  static __attribute__((noinline)) void Outer_##V##_##P(const Loop *loop, const real *a, const real *b,      \
                                                        real *sum)                                           \
  {                                                                                                          \
    vec acc[P][V];                                                                                           \
    UNROLL for (int p = 0; p < P; ++p) UNROLL for (int v = 0; v < V; ++v) acc[p][v] = (vec){0};              \
    for (size_t row = 0; row < loop->rows; ++row) {                                                          \
      const real *line[(P + 2) / 3], *vector = b + loop->b_row[row];                                         \
      UNROLL for (int q = 0; q < (P + 2) / 3; ++q) line[q] = a + loop->a_row[row] + 3 * q * loop->a_line;    \
      for (size_t j = loop->steps; j > 0; --j) {                                                             \
        vec factor[V];                                                                                       \
        UNROLL for (int v = 0; v < V; ++v) factor[v] = Load(vector + v * LANES);                             \
        UNROLL for (int p = 0; p < P; ++p)                                                                   \
        {                                                                                                    \
          const vec x = Splat(line[p / 3][p % 3 * loop->a_line]);                                            \
          UNROLL for (int v = 0; v < V; ++v) acc[p][v] += x * factor[v];                                     \
        }                                                                                                    \
        UNROLL for (int v = 0; v < V; ++v) __builtin_prefetch(vector + v * LANES + AHEAD * loop->b_step);    \
        __builtin_prefetch(line[0] + AHEAD * loop->a_step);                                                  \
        vector += loop->b_step;                                                                              \
        UNROLL for (int q = 0; q < (P + 2) / 3; ++q)                                                         \
        {                                                                                                    \
          line[q] += loop->a_step;                                                                           \
          __asm__ volatile("" : "+r"(line[q]));                                                              \
        }                                                                                                    \
      }                                                                                                      \
    }                                                                                                        \
    UNROLL for (int p = 0; p < P; ++p) UNROLL for (int v = 0; v < V; ++v)                                    \
        Store(sum + (p * V + v) * LANES, acc[p][v]);                                                         \
  }
EACH_OUTER(DEFINE_OUTER)

/* In   b    [row][vector of j][O][lane], zeros behind the last j; a is never used behind it
   Out  sum  [P][O][lane], overwritten, aligned: still to be totalled over lanes */
#define DEFINE_DOT(O, P)                                                                                     \
  static __attribute__((noinline)) void Dot_##O##_##P(const Loop *loop, const real *a, const real *b,        \
                                                      real *sum)                                             \
  {                                                                                                          \
    vec acc[P][O];                                                                                           \
    const size_t left = loop->steps % LANES;                                                                 \
    UNROLL for (int p = 0; p < P; ++p) UNROLL for (int o = 0; o < O; ++o) acc[p][o] = (vec){0};              \
    for (size_t row = 0; row < loop->rows; ++row) {                                                          \
      const real *line = a + loop->a_row[row];                                                               \
      for (size_t j = loop->steps / LANES; j > 0; --j, line += LANES, b += O * LANES) {                      \
        UNROLL for (int p = 0; p < P; ++p)                                                                   \
        {                                                                                                    \
          const vec x = Load(line + p * loop->a_line);                                                       \
          UNROLL for (int o = 0; o < O; ++o) acc[p][o] += x * Load(b + o * LANES);                           \
        }                                                                                                    \
      }                                                                                                      \
      if (left) {                                                                                            \
        UNROLL for (int p = 0; p < P; ++p)                                                                   \
        {                                                                                                    \
          const vec x = LoadSome(line + p * loop->a_line, left);                                             \
          UNROLL for (int o = 0; o < O; ++o) acc[p][o] += x * Load(b + o * LANES);                           \
        }                                                                                                    \
        b += O * LANES;                                                                                      \
      }                                                                                                      \
    }                                                                                                        \
    UNROLL for (int p = 0; p < P; ++p) UNROLL for (int o = 0; o < O; ++o)                                    \
        Store(sum + (p * O + o) * LANES, acc[p][o]);                                                         \
  }
EACH_DOT(DEFINE_DOT)

typedef void (*SumKernel)(const Loop *loop, const real *a, const real *b, real *sum);

#define OUTER_ENTRY(V, P) [V][P] = Outer_##V##_##P,
static const SumKernel outer_kernels[MAX_VECTORS + 1][MAX_LINES + 1] = {EACH_OUTER(OUTER_ENTRY)};

#define DOT_ENTRY(O, P) [O][P] = Dot_##O##_##P,
static const SumKernel dot_kernels[MAX_DOTS + 1][MAX_DOT_LINES + 1] = {EACH_DOT(DOT_ENTRY)};
