/* From the sums of a run of pixels to y: what is added, the mask, the activation, on the way from one buffer.
 */
#pragma once

#include "layer/simd_pack.h"

/* What stays the same for a block of output channels. */
typedef struct {
  const UnrConvShape *shape;
  const UnrConvEpilogue *epilogue;
  Loop loop;
  const real *weights; /* of the block */
  size_t vectors;      /* 0: dot products */
  size_t channel, width;
  size_t line; /* numbers from pixel to pixel in a Run: width rounded up to vectors */
  size_t runs; /* of pixels along a row: the first `longer` have `pixels` + 1 of them, the others `pixels` */
  size_t pixels, longer;
  _Alignas(64) real bias[MAX_SUMS + LANES]; /* zeros behind width, or without a bias */
} Task;

/*
  A run of pixels on the stack, [pixel][line], between kernel and y.

  What the epilogue reads is fetched before the kernel runs.  It then waits for no cache, nor for a store to
  y: a masked store holds up any later load near it, even where its mask is empty, and even 4096 bytes away.
*/
typedef struct {
  _Alignas(64) real sum[MAX_SUMS * LANES], add[MAX_SUMS * LANES], mask[MAX_SUMS * LANES];
} Run;

/* The last, maybe partly empty vector of a pixel has `tail` numbers; inlined with a constant for `full`, the
   vectors before it. */
static inline __attribute__((always_inline)) void FetchPixels(const real *tile, size_t stride, size_t pixels,
                                                              size_t full, size_t tail, real *block)
{
  for (size_t p = 0; p < pixels; ++p, tile += stride, block += (full + 1) * LANES) {
    UNROLL for (size_t v = 0; v < full; ++v) Store(block + v * LANES, Load(tile + v * LANES));
    Store(block + full * LANES, LoadSome(tile + full * LANES, tail));
  }
}

static inline void Fetch(const Task *t, const real *tile, size_t pixels, real *block)
{
  const size_t stride = t->shape->y_stride[2], full = t->line / LANES - 1, tail = t->width - full * LANES;
  if (full == 0)
    FetchPixels(tile, stride, pixels, 0, tail, block);
  else if (full == 1)
    FetchPixels(tile, stride, pixels, 1, tail, block);
  else
    FetchPixels(tile, stride, pixels, full, tail, block);
}

static inline void FetchRun(const Task *t, size_t pixels, size_t y_at, Run *run)
{
  const UnrConvEpilogue *e = t->epilogue;
  if (e->add) Fetch(t, (const real *)e->add + y_at + t->channel, pixels, run->add);
  if (e->mask) Fetch(t, (const real *)e->mask + y_at + t->channel, pixels, run->mask);
}

static inline __attribute__((always_inline)) vec
FinishVector(const Task *t, const Run *run, vec slope, size_t at, size_t c, bool has_add, bool has_mask)
{
  vec v = Load(run->sum + at + c) + Load(t->bias + c);
  if (has_add) v += Load(run->add + at + c);
  return Leak(v, has_mask ? Load(run->mask + at + c) : v, slope);
}

/* y = epilogue(sum); the sign is that of the mask, or of the sum.  Inlined with constants for has_add,
 * has_mask, full.
 */
static inline __attribute__((always_inline)) void Finish(const Task *t, const Run *run, size_t pixels,
                                                         bool has_add, bool has_mask, size_t full, real *y)
{
  const vec slope = Splat((real)t->epilogue->slope);
  const size_t y_line = t->shape->y_stride[2], tail = t->width - full * LANES;
  size_t at = 0;
  for (size_t p = 0; p < pixels; ++p, y += y_line, at += (full + 1) * LANES) {
    UNROLL for (size_t v = 0; v < full; ++v)
        Store(y + v * LANES, FinishVector(t, run, slope, at, v * LANES, has_add, has_mask));
    StoreSome(y + full * LANES, FinishVector(t, run, slope, at, full * LANES, has_add, has_mask), tail);
  }
}

static inline __attribute__((always_inline)) void FinishLine(const Task *t, const Run *run, size_t pixels,
                                                             bool has_add, bool has_mask, real *y)
{
  const size_t full = t->line / LANES - 1;
  if (full == 0)
    Finish(t, run, pixels, has_add, has_mask, 0, y);
  else if (full == 1)
    Finish(t, run, pixels, has_add, has_mask, 1, y);
  else
    Finish(t, run, pixels, has_add, has_mask, full, y);
}

static inline void FinishRun(const Task *t, const Run *run, size_t pixels, size_t y_at, real *y)
{
  const bool has_add = t->epilogue->add, has_mask = t->epilogue->mask;
  y += y_at + t->channel;
  if (!has_add && !has_mask)
    FinishLine(t, run, pixels, false, false, y);
  else if (!has_add)
    FinishLine(t, run, pixels, false, true, y);
  else if (!has_mask)
    FinishLine(t, run, pixels, true, false, y);
  else
    FinishLine(t, run, pixels, true, true, y);
}
