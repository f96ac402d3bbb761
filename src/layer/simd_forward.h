/*
  Forward convolution (and reverse of the data, which is the same map on other weights): for each block of
  output channels and each run of pixels along the last axis, the sums in registers, then the epilogue on its
  way to y.
*/
#pragma once

#include "layer/simd_epilogue.h"

static void RowOfVectors(const Task *t, const real *x, size_t y_at, real *y)
{
  Run run;
  for (size_t i = 0; i < t->runs; ++i) {
    const size_t pixels = t->pixels + (i < t->longer);
    FetchRun(t, pixels, y_at, &run);
    outer_kernels[t->vectors][pixels](&t->loop, x, t->weights, run.sum);
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
  const size_t pieces = CeilDivide(t->width, MAX_DOTS);
  const size_t numbers = TapRows(t->shape) * CeilDivide(t->loop.steps, LANES) * LANES; /* of a channel */
  memset(run.sum, 0, MAX_DOT_LINES * LANES * sizeof(real));
  for (size_t i = 0; i < t->runs; ++i) {
    const size_t pixels = t->pixels + (i < t->longer);
    FetchRun(t, pixels, y_at, &run);
    for (size_t k = 0, o = 0; k < pieces; o += Share(t->width, pieces, k++)) {
      const size_t dots = Share(t->width, pieces, k);
      dot_kernels[dots][pixels](&t->loop, x, t->weights + o * numbers, lanes);
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
  _Alignas(64) real lanes[(MAX_SUMS + LANES) * LANES];
  const size_t out = t->shape->out;
  Task flat = *t;
  for (size_t i = 0; i < max_dot_lines[out] * out; ++i) flat.bias[i] = t->bias[i % out];
  for (size_t i = 0; i < t->runs; ++i) {
    const size_t pixels = t->pixels + (i < t->longer);
    flat.width = pixels * out;
    flat.line = CeilDivide(flat.width, LANES) * LANES;
    FetchRun(&flat, 1, y_at, &run);
    dot_kernels[out][pixels](&t->loop, x, t->weights, lanes);
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

/* The task of the block that starts at a channel; rows of taps start at a_row in x and b_row in packed. */
static void TaskSet(const UnrConvShape *s, const UnrConvEpilogue *e, size_t channel, const real *packed,
                    const size_t a_row[], size_t b_row[], Task *t)
{
  const Block block = BlockAt(s, channel);
  const size_t all = s->extent[2], numbers = BlockNumbers(s, block), rows = TapRows(s);
  const size_t most = block.vectors
                          ? max_lines[block.vectors]
                          : max_dot_lines[CeilDivide(block.width, CeilDivide(block.width, MAX_DOTS))];
  for (size_t row = 0; row < rows; ++row) b_row[row] = row * numbers;
  *t = (Task){.shape = s,
              .epilogue = e,
              .loop = {.rows = rows,
                       .a_row = a_row,
                       .b_row = b_row,
                       .steps = Window(s),
                       .a_line = s->x_stride[2],
                       .a_step = 1,
                       .b_step = block.vectors * LANES},
              .weights = packed,
              .vectors = block.vectors,
              .channel = channel,
              .width = block.width,
              .line = CeilDivide(block.width, LANES) * LANES,
              .runs = CeilDivide(all, most)};
  t->pixels = all / t->runs;
  t->longer = all % t->runs;
  if (e->bias) memcpy(t->bias, (const real *)e->bias + channel, block.width * sizeof(real));
}

/* x stays in cache from one block of channels to the next, in bands of rows of about this size. */
enum { INPUT_BYTES = 256 * 1024 };

static void Apply(const UnrConvShape *s, const void *x_, const void *packed, const UnrConvEpilogue *e,
                  void *y)
{
  const real *x = x_;
  const size_t row_bytes = s->extent[2] * s->x_stride[2] * sizeof(real), all = s->extent[1];
  const size_t bands = CeilDivide(all, PetscMax(1, INPUT_BYTES / row_bytes)), rows = TapRows(s);
  const size_t blocks = Blocks(s);
  size_t a_row[rows], b_row[blocks][rows], channel = 0;
  const real *weights = packed;
  Task task[blocks];
  for (size_t row = 0; row < rows; ++row) {
    a_row[row] = row / s->kernel[1] * s->x_stride[0] + row % s->kernel[1] * s->x_stride[1];
  }
  for (size_t k = 0; k < blocks; ++k) {
    TaskSet(s, e, channel, weights, a_row, b_row[k], &task[k]);
    channel += task[k].width;
    weights += rows * BlockNumbers(s, (Block){task[k].vectors, task[k].width});
  }
  for (PetscInt n = 0; n < s->samples; ++n) {
    for (PetscInt i = 0; i < s->extent[0]; ++i) {
      for (size_t b = 0, j = 0; b < bands; j += Share(all, bands, b++)) {
        const size_t x_at = n * s->x_sample + i * s->x_stride[0] + j * s->x_stride[1];
        const size_t y_at = n * s->y_sample + i * s->y_stride[0] + j * s->y_stride[1];
        for (size_t k = 0; k < blocks; ++k) BlockOfLines(&task[k], Share(all, bands, b), x + x_at, y_at, y);
      }
    }
  }
}
