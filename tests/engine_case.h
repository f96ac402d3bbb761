/* Data of one convolution for tests of engines: buffers that show what an engine must not use or write. */
#pragma once

#include <criterion/criterion.h>

#include "layer/engine.h"

/* Numbers of one precision with slack behind them, 64-byte aligned. */
typedef struct {
  UnrPrecision precision;
  size_t count;
  void *data;
} Buffer;

static double Get(Buffer b, size_t i)
{
  return b.precision == UNR_SINGLE ? ((float *)b.data)[i] : ((double *)b.data)[i];
}

static void Set(Buffer b, size_t i, double value)
{
  if (b.precision == UNR_SINGLE)
    ((float *)b.data)[i] = (float)value;
  else
    ((double *)b.data)[i] = value;
}

static void *At(Buffer b, size_t i)
{
  return (char *)b.data + i * UnrPrecisionBytes(b.precision);
}

/* Filled with NaN, slack included. */
static Buffer Create(UnrPrecision precision, size_t count)
{
  Buffer b = {precision, count, NULL};
  const size_t all = count + UNR_TILE_SLACK, unit = 64;
  /* Not rounded up to whole cache lines, so that a sanitizer sees the first number behind the slack. */
  const int failed = posix_memalign(&b.data, unit, all * UnrPrecisionBytes(precision));
  cr_assert(!failed);
  for (size_t i = 0; i < all; ++i) Set(b, i, NAN);
  return b;
}

static Buffer Copy(Buffer from)
{
  Buffer b = Create(from.precision, from.count);
  memcpy(b.data, from.data, (from.count + UNR_TILE_SLACK) * UnrPrecisionBytes(from.precision));
  return b;
}

static bool IsSame(Buffer a, Buffer b)
{
  return !memcmp(a.data, b.data, a.count * UnrPrecisionBytes(a.precision));
}

/* In (-1, 1), from a small generator of our own: the same everywhere. */
static double Random(void)
{
  static uint64_t state = 88172645463325252u;
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (double)(state >> 11) / (double)(1ull << 52) - 1;
}

static Buffer CreateRandom(UnrPrecision precision, size_t count)
{
  Buffer b = Create(precision, count);
  for (size_t i = 0; i < count; ++i) Set(b, i, Random());
  return b;
}

/* A tile of channels: `extent` cells that count, `spare` ghosts around them on the used axes. */
typedef struct {
  size_t extent[3], channels, samples, stride[3], sample, origin;
  Buffer values;
} Tile;

static size_t CellAt(const Tile *t, size_t n, size_t a, size_t b, size_t c)
{
  return t->origin + n * t->sample + a * t->stride[0] + b * t->stride[1] + c * t->stride[2];
}

static Tile CreateTile(UnrPrecision precision, const size_t extent[3], size_t channels, size_t samples,
                       size_t spare)
{
  Tile t = {.channels = channels, .samples = samples, .sample = channels};
  for (int axis = 2; axis >= 0; --axis) {
    t.extent[axis] = extent[axis];
    t.stride[axis] = t.sample;
    t.origin += spare * t.stride[axis];
    t.sample *= extent[axis] + 2 * spare;
  }
  t.values = Create(precision, samples * t.sample);
  return t;
}

/* Random where it counts; the spare ghosts keep their NaN. */
static void FillTile(Tile *t)
{
  for (size_t n = 0; n < t->samples; ++n) {
    for (size_t a = 0; a < t->extent[0]; ++a) {
      for (size_t b = 0; b < t->extent[1]; ++b) {
        for (size_t c = 0; c < t->extent[2]; ++c) {
          for (size_t i = 0; i < t->channels; ++i) Set(t->values, CellAt(t, n, a, b, c) + i, Random());
        }
      }
    }
  }
}

/* One convolution with its data. */
typedef struct {
  UnrConvShape shape;
  Tile x, y_bar, add, mask;
  Buffer w, bias, w_bar, b_bar;
} Problem;

/* extent: output pixels. */
static Problem CreateProblem(UnrPrecision precision, size_t samples, const size_t extent[3],
                             const size_t kernel[3], size_t in, size_t out, size_t spare)
{
  Problem p = {.shape = {.samples = samples, .in = in, .out = out}};
  size_t x_extent[3], taps = 1;
  for (int axis = 0; axis < 3; ++axis) {
    p.shape.extent[axis] = extent[axis];
    p.shape.kernel[axis] = kernel[axis];
    x_extent[axis] = extent[axis] + kernel[axis] - 1;
    taps *= kernel[axis];
  }
  p.x = CreateTile(precision, x_extent, in, samples, spare);
  Tile *const of_y[] = {&p.y_bar, &p.add, &p.mask};
  for (int i = 0; i < 3; ++i) {
    *of_y[i] = CreateTile(precision, extent, out, samples, spare);
    FillTile(of_y[i]);
  }
  FillTile(&p.x);
  memcpy(p.shape.x_stride, p.x.stride, sizeof(p.x.stride));
  memcpy(p.shape.y_stride, p.add.stride, sizeof(p.add.stride));
  p.shape.x_sample = p.x.sample;
  p.shape.y_sample = p.add.sample;
  p.w = CreateRandom(precision, taps * in * out);
  p.w_bar = CreateRandom(precision, taps * in * out);
  p.bias = CreateRandom(precision, out);
  p.b_bar = CreateRandom(precision, out);
  return p;
}

static void DestroyProblem(Problem *p)
{
  const Buffer all[] = {p->x.values, p->y_bar.values, p->add.values, p->mask.values,
                        p->w,        p->bias,         p->w_bar,      p->b_bar};
  for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); ++i) free(all[i].data);
}
