/*
  Forward convolution (and reverse of the data, which is the same map on other weights): for each block of
  output channels and each run of pixels along the last axis, the sums in registers, then the epilogue on its
  way to y.
*/
#pragma once

#include "layer/simd_pack.h"

/* What stays the same along a row of pixels. */
typedef struct {
  const UnrConvShape *shape;
  const UnrConvEpilogue *epilogue;
  const Loop *loop;
  const real *weights; /* of the block */
  size_t vectors;      /* 0: dot products */
  size_t channel, width;
  size_t line;      /* numbers from pixel to pixel in a Run: width rounded up to vectors */
  const real *bias; /* [line], zeros behind width, or without a bias */
} Task;

/*
  A run of pixels on the stack, [pixel][line], between kernel and y.

  What the epilogue reads is fetched before the kernel runs.  It then waits for no cache, nor for a store to
  y: a masked store holds up any later load near it, even where its mask is empty, and even 4096 bytes away.
*/
typedef struct {
  _Alignas(64) real sum[MAX_SUMS * LANES], add[MAX_SUMS * LANES], mask[MAX_SUMS * LANES];
} Run;

static inline void Fetch(const Task *t, const real *tile, size_t pixels, real *block)
{
  for (size_t p = 0; p < pixels; ++p, tile += t->shape->y_stride[2], block += t->line) {
    for (size_t c = 0; c < t->width; c += LANES) {
      __builtin_prefetch(tile + c + pixels * t->shape->y_stride[2]);
      Store(block + c, LoadSome(tile + c, t->width - c));
    }
  }
}

static inline void FetchRun(const Task *t, size_t pixels, size_t y_at, Run *run)
{
  const UnrConvEpilogue *e = t->epilogue;
  if (e->add) Fetch(t, (const real *)e->add + y_at + t->channel, pixels, run->add);
  if (e->mask) Fetch(t, (const real *)e->mask + y_at + t->channel, pixels, run->mask);
}

/* y = epilogue(sum); `sign` is the mask, or the sum itself.  Inlined with constants for has_add and has_mask.
 */
static inline __attribute__((always_inline)) void Finish(const Task *t, const Run *run, size_t pixels,
                                                         bool has_add, bool has_mask, real *y)
{
  const vec slope = Splat((real)t->epilogue->slope);
  const size_t line = t->line, y_line = t->shape->y_stride[2], width = t->width;
  for (size_t p = 0; p < pixels; ++p, y += y_line) {
    for (size_t c = 0; c < width; c += LANES) {
      vec v = Load(run->sum + p * line + c) + Load(t->bias + c);
      if (has_add) v += Load(run->add + p * line + c);
      const vec sign = has_mask ? Load(run->mask + p * line + c) : v;
      StoreSome(y + c, Select((bits)(sign > 0), v, v * slope), width - c);
    }
  }
}

static inline void FinishRun(const Task *t, const Run *run, size_t pixels, size_t y_at, real *y)
{
  const bool has_add = t->epilogue->add, has_mask = t->epilogue->mask;
  y += y_at + t->channel;
  if (!has_add && !has_mask)
    Finish(t, run, pixels, false, false, y);
  else if (!has_add)
    Finish(t, run, pixels, false, true, y);
  else if (!has_mask)
    Finish(t, run, pixels, true, false, y);
  else
    Finish(t, run, pixels, true, true, y);
}

static void RowOfVectors(const Task *t, const real *x, size_t y_at, real *y)
{
  Run run;
  const size_t all = t->shape->extent[2], runs = CeilDivide(all, max_lines[t->vectors]);
  for (size_t i = 0; i < runs; ++i) {
    const size_t pixels = Share(all, runs, i);
    FetchRun(t, pixels, y_at, &run);
    outer_kernels[t->vectors][pixels](t->loop, x, t->weights, run.sum);
    FinishRun(t, &run, pixels, y_at, y);
    x += pixels * t->shape->x_stride[2];
    y_at += pixels * t->shape->y_stride[2];
  }
}

/* totals[p][o] = total over lanes of the vectors of p and o, for a block of dot products; lanes is
 * overwritten. */
static void TotalDots(real *lanes, size_t count, real *totals)
{
  for (size_t i = count; i % LANES; ++i) Store(lanes + i * LANES, (vec){0}); /* Totals() reads whole groups */
  for (size_t i = 0; i < count; i += LANES) Store(totals + i, Totals(lanes + i * LANES));
}

/* Tails of many channels: in pieces of a few. */
static void RowOfDots(const Task *t, const real *x, size_t y_at, real *y)
{
  Run run;
  _Alignas(64) real lanes[(MAX_SUMS + LANES) * LANES], totals[MAX_SUMS + LANES];
  const size_t all = t->shape->extent[2], pieces = CeilDivide(t->width, MAX_DOTS);
  const size_t runs = CeilDivide(all, max_dot_lines[CeilDivide(t->width, pieces)]);
  const size_t numbers = TapRows(t->shape) * CeilDivide(t->loop->steps, LANES) * LANES; /* of a channel */
  memset(run.sum, 0, MAX_DOT_LINES * LANES * sizeof(real));
  for (size_t i = 0; i < runs; ++i) {
    const size_t pixels = Share(all, runs, i);
    FetchRun(t, pixels, y_at, &run);
    for (size_t k = 0, o = 0; k < pieces; o += Share(t->width, pieces, k++)) {
      const size_t dots = Share(t->width, pieces, k);
      dot_kernels[dots][pixels](t->loop, x, t->weights + o * numbers, lanes);
      TotalDots(lanes, pixels * dots, totals);
      for (size_t p = 0; p < pixels; ++p) {
        for (size_t d = 0; d < dots; ++d) run.sum[p * LANES + o + d] = totals[p * dots + d];
      }
    }
    FinishRun(t, &run, pixels, y_at, y);
    x += pixels * t->shape->x_stride[2];
    y_at += pixels * t->shape->y_stride[2];
  }
}

/* A layer of up to MAX_DOTS channels: the totals of a run are contiguous in y, so a run is finished as if it
   were one pixel of many channels. */
static void RowOfFewChannels(const Task *t, const real *x, size_t y_at, real *y)
{
  Run run;
  _Alignas(64) real lanes[(MAX_SUMS + LANES) * LANES], bias[MAX_SUMS + LANES] = {0};
  const size_t all = t->shape->extent[2], out = t->width, runs = CeilDivide(all, max_dot_lines[out]);
  Task flat = *t;
  flat.bias = bias;
  for (size_t i = 0; i < max_dot_lines[out] * out; ++i) bias[i] = t->bias[i % out];
  for (size_t i = 0; i < runs; ++i) {
    const size_t pixels = Share(all, runs, i);
    flat.width = pixels * out;
    FetchRun(&flat, 1, y_at, &run);
    dot_kernels[out][pixels](t->loop, x, t->weights, lanes);
    TotalDots(lanes, pixels * out, run.sum);
    FinishRun(&flat, &run, 1, y_at, y);
    x += pixels * t->shape->x_stride[2];
    y_at += pixels * out;
  }
}

/* Some rows along axis 1, for one block of channels. */
static void BlockOfLines(const Task *t, size_t lines, const real *x, size_t y_at, real *y)
{
  const UnrConvShape *s = t->shape;
  const bool has_few = t->width == (size_t)s->out && t->width <= MAX_DOTS;
  void (*const row)(const Task *, const real *, size_t, real *) = t->vectors ? RowOfVectors
                                                                  : has_few  ? RowOfFewChannels
                                                                             : RowOfDots;
  for (size_t j = 0; j < lines; ++j) row(t, x + j * s->x_stride[1], y_at + j * s->y_stride[1], y);
}

/* `lines` rows along axis 1: one block of channels after the other. */
static void Lines(const UnrConvShape *s, size_t lines, const real *x, const real *packed,
                  const UnrConvEpilogue *e, size_t y_at, real *y)
{
  const size_t rows = TapRows(s);
  size_t a_row[rows], b_row[rows];
  for (size_t row = 0; row < rows; ++row) {
    a_row[row] = row / s->kernel[1] * s->x_stride[0] + row % s->kernel[1] * s->x_stride[1];
  }
  for (size_t channel = 0; channel < (size_t)s->out;) {
    const Block block = BlockAt(s, channel);
    const size_t numbers = BlockNumbers(s, block), vectors = CeilDivide(block.width, LANES);
    real bias[MAX_VECTORS * LANES] = {0};
    if (e->bias) memcpy(bias, (const real *)e->bias + channel, block.width * sizeof(real));
    for (size_t row = 0; row < rows; ++row) b_row[row] = row * numbers;
    const Loop loop = {.rows = rows,
                       .a_row = a_row,
                       .b_row = b_row,
                       .steps = Window(s),
                       .a_line = s->x_stride[2],
                       .a_step = 1,
                       .b_step = block.vectors * LANES};
    const Task task = {.shape = s,
                       .epilogue = e,
                       .loop = &loop,
                       .weights = packed,
                       .vectors = block.vectors,
                       .channel = channel,
                       .width = block.width,
                       .line = vectors * LANES,
                       .bias = bias};
    BlockOfLines(&task, lines, x, y_at, y);
    packed += rows * numbers;
    channel += block.width;
  }
}

/* x stays in cache from one block of channels to the next, in bands of rows of about this size. */
enum { INPUT_BYTES = 256 * 1024 };

static void Apply(const UnrConvShape *s, const void *x_, const void *packed, const UnrConvEpilogue *e,
                  void *y)
{
  const real *x = x_;
  const size_t row_bytes = s->extent[2] * s->x_stride[2] * sizeof(real), all = s->extent[1];
  const size_t bands = CeilDivide(all, PetscMax(1, INPUT_BYTES / row_bytes));
  for (PetscInt n = 0; n < s->samples; ++n) {
    for (PetscInt i = 0; i < s->extent[0]; ++i) {
      for (size_t b = 0, j = 0; b < bands; j += Share(all, bands, b++)) {
        const size_t x_at = n * s->x_sample + i * s->x_stride[0] + j * s->x_stride[1];
        const size_t y_at = n * s->y_sample + i * s->y_stride[0] + j * s->y_stride[1];
        Lines(s, Share(all, bands, b), x + x_at, packed, e, y_at, y);
      }
    }
  }
}
