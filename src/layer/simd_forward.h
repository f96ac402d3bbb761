/*
  Forward convolution (and reverse of the data, which is the same map on other weights): for each block of output
  channels and each run of pixels along the last axis, the sums in registers, then the epilogue on its way to y.
*/
#pragma once

#include "layer/simd_pack.h"

/* Sums of a run of pixels and a block of channels: [pixel][line], on the stack between kernel and epilogue. */
typedef struct {
  const real *sum;
  size_t line;           /* numbers from pixel to pixel, a multiple of LANES */
  size_t pixels;
  size_t channel, width; /* the block's channels */
} Sums;

/*
  y = epilogue(sum).  `y_at`: offset of the first pixel in y.
  The factor is 1 where the sum (or the mask) is positive, else the slope.
*/
static void Finish(const UnrConvShape *s, const UnrConvEpilogue *e, Sums sums, size_t y_at, real *y)
{
  const real *bias = e->bias, *add = e->add, *mask = e->mask;
  const vec one = Splat(1), slope = Splat((real)e->slope);
  for (size_t p = 0; p < sums.pixels; ++p) {
    for (size_t c = 0; c < sums.width; c += LANES) {
      const size_t count = sums.width - c, at = y_at + p * s->y_stride[2] + sums.channel + c;
      vec v = Load(sums.sum + p * sums.line + c);
      if (bias) v += LoadSome(bias + sums.channel + c, count);
      if (add) v += LoadSome(add + at, count);
      v *= Select((bits)((mask ? LoadSome(mask + at, count) : v) > 0), one, slope);
      StoreSome(y + at, v, count);
    }
  }
}

/* What stays the same along a row of pixels. */
typedef struct {
  const UnrConvShape *shape;
  const UnrConvEpilogue *epilogue;
  const Loop *loop;
  const real *weights; /* of the block */
  Block block;
  size_t channel;
} Task;

static void RowOfVectors(const Task *t, const real *x, size_t y_at, real *y)
{
  _Alignas(64) real sum[MAX_SUMS * LANES];
  const size_t vectors = t->block.vectors, pixels = t->shape->extent[2];
  const size_t runs = CeilDivide(pixels, max_lines[vectors]);
  for (size_t i = 0, p = 0; i < runs; p += Share(pixels, runs, i++)) {
    const size_t lines = Share(pixels, runs, i);
    outer_kernels[vectors][lines](t->loop, x + p * t->shape->x_stride[2], t->weights, sum);
    const Sums sums = {sum, vectors * LANES, lines, t->channel, t->block.width};
    Finish(t->shape, t->epilogue, sums, y_at + p * t->shape->y_stride[2], y);
  }
}

/* sum[p][o] = total over lanes of the vectors of p and o, for a block of dot products. */
static void TotalDots(real *lanes, size_t lines, size_t dots, real *sum)
{
  for (size_t i = 0; i < lines * dots; i += LANES) Store(lanes + i, Totals(lanes + i * LANES));
  for (size_t p = 0; p < lines; ++p) {
    for (size_t o = 0; o < dots; ++o) sum[p * LANES + o] = lanes[p * dots + o];
  }
}

static void RowOfDots(const Task *t, const real *x, size_t y_at, real *y)
{
  /* Totals() reads whole groups of LANES vectors. */
  _Alignas(64) real sum[MAX_DOT_LINES * LANES], lanes[(MAX_SUMS + LANES) * LANES] = {0};
  const size_t pixels = t->shape->extent[2], width = t->block.width;
  const size_t pieces = CeilDivide(width, MAX_DOTS), runs = CeilDivide(pixels, max_dot_lines[CeilDivide(width, pieces)]);
  const size_t numbers = TapRows(t->shape) * CeilDivide(t->loop->steps, LANES) * LANES; /* of a channel */
  memset(sum, 0, sizeof(sum));
  for (size_t i = 0, p = 0; i < runs; p += Share(pixels, runs, i++)) {
    const size_t lines = Share(pixels, runs, i);
    for (size_t k = 0, o = 0; k < pieces; o += Share(width, pieces, k++)) {
      const size_t dots = Share(width, pieces, k);
      dot_kernels[dots][lines](t->loop, x + p * t->shape->x_stride[2], t->weights + o * numbers, lanes);
      TotalDots(lanes, lines, dots, sum + o);
    }
    const Sums sums = {sum, LANES, lines, t->channel, width};
    Finish(t->shape, t->epilogue, sums, y_at + p * t->shape->y_stride[2], y);
  }
}

/* One sample and one index of axis 0: all channel blocks, each over all rows, so that its weights stay in cache. */
static void Plane(const UnrConvShape *s, const real *x, const real *packed, const UnrConvEpilogue *e, size_t y_at, real *y)
{
  const size_t rows = TapRows(s), window = Window(s);
  size_t a_row[rows], b_row[rows];
  for (size_t row = 0; row < rows; ++row) {
    a_row[row] = row / s->kernel[1] * s->x_stride[0] + row % s->kernel[1] * s->x_stride[1];
  }
  for (size_t channel = 0; channel < (size_t)s->out;) {
    const Block block = BlockAt(s, channel);
    const size_t numbers = BlockNumbers(s, block);
    for (size_t row = 0; row < rows; ++row) b_row[row] = row * numbers;
    const Loop loop = {.rows = rows, .a_row = a_row, .b_row = b_row, .steps = window, .a_line = s->x_stride[2],
                       .a_step = 1, .b_step = block.vectors * LANES};
    const Task task = {s, e, &loop, packed, block, channel};
    for (PetscInt j = 0; j < s->extent[1]; ++j) {
      (block.vectors ? RowOfVectors : RowOfDots)(&task, x + j * s->x_stride[1], y_at + j * s->y_stride[1], y);
    }
    packed += rows * numbers;
    channel += block.width;
  }
}

static void Apply(const UnrConvShape *s, const void *x, const void *packed, const UnrConvEpilogue *e, void *y)
{
  for (PetscInt n = 0; n < s->samples; ++n) {
    for (PetscInt i = 0; i < s->extent[0]; ++i) {
      const real *plane = (const real *)x + n * s->x_sample + i * s->x_stride[0];
      Plane(s, plane, packed, e, n * s->y_sample + i * s->y_stride[0], y);
    }
  }
}
