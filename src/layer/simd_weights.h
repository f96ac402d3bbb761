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

/* w_bar[k][o] += sum[o][k] for a block of rows k. */
static void AddTransposed(const real *sum, size_t line, size_t rows, size_t width, size_t out, real *w_bar)
{
  for (size_t k = 0; k < rows; k += LANES) {
    vec v[LANES];
    UNROLL for (size_t o = 0; o < LANES; ++o) v[o] = o < width ? Load(sum + o * line + k) : (vec){0};
    Transpose(v);
    UNROLL for (size_t i = 0; i < LANES; ++i)
    {
      if (k + i >= rows) break;
      real *at = w_bar + (k + i) * out;
      StoreSome(at, LoadSome(at, width) + v[i], width);
    }
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

/* Vectors [k, k + vectors) of the window along the lanes, channels [channel, channel + width) as lines. */
static void BandByWindow(const UnrConvShape *s, const Loop *loop, const real *x, const real *y_bar,
                         size_t channel, size_t width, size_t k, size_t vectors, real *w_bar)
{
  _Alignas(64) real sum[MAX_SUMS * LANES];
  const size_t out = s->out, rows = PetscMin(vectors * LANES, Window(s) - k);
  const size_t blocks = CeilDivide(width, PetscMin(max_lines[vectors], LANES));
  for (size_t i = 0; i < blocks; ++i) {
    const size_t lines = Share(width, blocks, i);
    outer_kernels[vectors][lines](loop, y_bar + channel, x + k, sum);
    AddTransposed(sum, vectors * LANES, rows, lines, out, w_bar + k * out + channel);
    channel += lines;
  }
}

/* b_bar[o] += sum of y_bar[p][o], in several chains of additions. */
static void BandBias(const UnrConvShape *s, const Band *band, const real *y_bar, real *b_bar)
{
  enum { CHAINS = 4 };
  for (size_t channel = 0; channel < (size_t)s->out; channel += LANES) {
    vec chain[CHAINS] = {{0}};
    for (size_t row = 0; row < band->rows; ++row) {
      const real *at = y_bar + band->y_row[row] + channel;
      size_t p = 0;
      for (; p + CHAINS <= band->pixels; p += CHAINS) {
        UNROLL for (int i = 0; i < CHAINS; ++i) chain[i] += Load(at + (p + i) * s->y_stride[2]);
      }
      for (; p < band->pixels; ++p) chain[0] += Load(at + p * s->y_stride[2]);
    }
    const size_t width = s->out - channel;
    StoreSome(b_bar + channel,
              LoadSome(b_bar + channel, width) + ((chain[0] + chain[1]) + (chain[2] + chain[3])), width);
  }
}

/*
  The last channels, which go with the window along the lanes: none, those that fill no vector, or, where they
  cost about the same, one vector more, since kernels of one vector load as often as they multiply.
*/
static size_t ChannelsByWindow(const UnrConvShape *s)
{
  const size_t window = Window(s), tail = s->out % LANES, across = CeilDivide(window, LANES);
  if (!tail || tail * across >= window) return 0;
  if (s->out / LANES == 1 && 20 * LANES * across < 21 * window) return s->out;
  return tail;
}

static void BandWeights(const UnrConvShape *s, const Band *band, const real *x, const real *y_bar,
                        real *w_bar)
{
  const size_t out = s->out, window = Window(s), across = ChannelsByWindow(s);
  const size_t vectors = CeilDivide(out - across, LANES), window_vectors = CeilDivide(window, LANES);
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
    for (size_t v = 0; across && v < window_vectors; v += VectorsOf(window_vectors - v)) {
      BandByWindow(s, &by_window, shifted, y_bar, out - across, across, v * LANES,
                   VectorsOf(window_vectors - v), w_bar);
    }
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
