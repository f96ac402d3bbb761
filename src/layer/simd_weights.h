/*
  Reverse of the weights: w_bar[t][i][o] += sum over pixels of x[p + t][i] y_bar[p][o].

  Pixels go in bands that stay in cache while every block of w_bar is summed over them in registers.  Channels
  that fill vectors lie along the lanes; for the tail the roles are exchanged: lanes along the (tap 2, in)
  window.
*/
#pragma once

#include "layer/simd_pack.h"

enum { BAND_ROWS = 256, BAND_BYTES = 512 * 1024 };

/* Rows of pixels: where each starts in x (at tap 0) and in y_bar; `pixels` of them in each. */
typedef struct {
  size_t rows, pixels;
  size_t x_row[BAND_ROWS], y_row[BAND_ROWS];
} Band;

/* w_bar[k][o] += sum[k][o] for a block of rows k; `line`: numbers from row to row of sum. */
static void AddBlock(const real *sum, size_t line, size_t rows, size_t width, size_t out, real *w_bar)
{
  for (size_t k = 0; k < rows; ++k) {
    for (size_t c = 0; c < width; c += LANES) {
      real *at = w_bar + k * out + c;
      StoreSome(at, LoadSome(at, width - c) + Load(sum + k * line + c), width - c);
    }
  }
}

/* w_bar[k][o] += sum[o][k]. */
static void AddTransposed(const real *sum, size_t line, size_t rows, size_t width, size_t out, real *w_bar)
{
  for (size_t k = 0; k < rows; ++k) {
    for (size_t o = 0; o < width; ++o) w_bar[k * out + o] += sum[o * line + k];
  }
}

/* Channels [channel, channel + width) along the lanes, the window in blocks of lines; w_bar at the tap row.
 */
static void BandByChannels(const UnrConvShape *s, const Loop *loop, const real *x, const real *y_bar,
                           size_t channel, size_t vectors, real *w_bar)
{
  _Alignas(64) real sum[MAX_SUMS * LANES];
  const size_t window = Window(s), out = s->out, width = PetscMin(vectors * LANES, out - channel);
  const size_t blocks = CeilDivide(window, max_lines[vectors]);
  for (size_t i = 0, k = 0; i < blocks; k += Share(window, blocks, i++)) {
    const size_t lines = Share(window, blocks, i);
    outer_kernels[vectors][lines](loop, x + k, y_bar + channel, sum);
    AddBlock(sum, vectors * LANES, lines, width, out, w_bar + k * out + channel);
  }
}

/* The window along the lanes, channels [channel, channel + width) as lines. */
static void BandByWindow(const UnrConvShape *s, const Loop *loop, const real *x, const real *y_bar,
                         size_t channel, size_t width, real *w_bar)
{
  _Alignas(64) real sum[MAX_SUMS * LANES];
  const size_t window = Window(s), out = s->out;
  for (size_t k = 0; k < window;) {
    size_t vectors = PetscMin(MAX_VECTORS, CeilDivide(window - k, LANES));
    while (width > max_lines[vectors]) --vectors;
    const size_t rows = PetscMin(vectors * LANES, window - k);
    outer_kernels[vectors][width](loop, y_bar + channel, x + k, sum);
    AddTransposed(sum, vectors * LANES, rows, width, out, w_bar + k * out + channel);
    k += rows;
  }
}

/* b_bar[o] += sum of y_bar[p][o]: outer products with 1. */
static void BandBias(const UnrConvShape *s, const Band *band, const real *y_bar, real *b_bar)
{
  _Alignas(64) real sum[MAX_SUMS * LANES];
  const real one = 1;
  size_t zero[BAND_ROWS] = {0};
  const Loop loop = {.rows = band->rows,
                     .a_row = zero,
                     .b_row = band->y_row,
                     .steps = band->pixels,
                     .b_step = s->y_stride[2]};
  for (size_t channel = 0; channel < (size_t)s->out;) {
    const size_t left = s->out - channel, vectors = VectorsOf(CeilDivide(left, LANES));
    const size_t width = PetscMin(vectors * LANES, left);
    outer_kernels[vectors][1](&loop, &one, y_bar + channel, sum);
    AddBlock(sum, vectors * LANES, 1, width, s->out, b_bar + channel);
    channel += width;
  }
}

static void BandWeights(const UnrConvShape *s, const Band *band, const real *x, const real *y_bar,
                        real *w_bar)
{
  const size_t out = s->out, window = Window(s), tail = out % LANES;
  const bool is_swapped = tail && tail <= max_lines[1] && tail * CeilDivide(window, LANES) < window;
  const size_t vectors = out / LANES + (tail && !is_swapped);
  const Loop by_channels = {.rows = band->rows,
                            .a_row = band->x_row,
                            .b_row = band->y_row,
                            .steps = band->pixels,
                            .a_line = 1,
                            .a_step = s->x_stride[2],
                            .b_step = s->y_stride[2]};
  const Loop by_window = {.rows = band->rows,
                          .a_row = band->y_row,
                          .b_row = band->x_row,
                          .steps = band->pixels,
                          .a_line = 1,
                          .a_step = s->y_stride[2],
                          .b_step = s->x_stride[2]};
  for (size_t row = 0; row < TapRows(s); ++row, w_bar += window * out) {
    const real *shifted = x + row / s->kernel[1] * s->x_stride[0] + row % s->kernel[1] * s->x_stride[1];
    for (size_t v = 0; v < vectors; v += VectorsOf(vectors - v)) {
      BandByChannels(s, &by_channels, shifted, y_bar, v * LANES, VectorsOf(vectors - v), w_bar);
    }
    if (is_swapped) BandByWindow(s, &by_window, shifted, y_bar, out - tail, tail, w_bar);
  }
}

static void ReverseWeights(const UnrConvShape *s, const void *x, const void *y_bar, void *w_bar, void *b_bar)
{
  const size_t planes = s->extent[0], lines = s->extent[1], rows = s->samples * planes * lines;
  const size_t pixel_bytes = ((size_t)s->in + s->out) * sizeof(real), pixels = s->extent[2];
  const size_t cuts = CeilDivide(pixels, PetscMax(1, BAND_BYTES / pixel_bytes));
  for (size_t i = 0, p = 0; i < cuts; p += Share(pixels, cuts, i++)) {
    Band band = {.pixels = Share(pixels, cuts, i)};
    const size_t fitting = PetscMax(1, BAND_BYTES / (pixel_bytes * band.pixels));
    const size_t bands = CeilDivide(rows, PetscMin(fitting, BAND_ROWS));
    for (size_t k = 0, row = 0; k < bands; ++k) {
      band.rows = Share(rows, bands, k);
      for (size_t r = 0; r < band.rows; ++r, ++row) {
        const size_t n = row / (planes * lines), a = row / lines % planes, b = row % lines;
        band.x_row[r] = n * s->x_sample + a * s->x_stride[0] + b * s->x_stride[1] + p * s->x_stride[2];
        band.y_row[r] = n * s->y_sample + a * s->y_stride[0] + b * s->y_stride[1] + p * s->y_stride[2];
      }
      BandWeights(s, &band, x, y_bar, w_bar);
      if (b_bar) BandBias(s, &band, y_bar, b_bar);
    }
  }
}
