/*
  How output channels are cut into blocks, and the order of the packed weights that follows from it.

  Channels go in blocks of 2 or 3 vectors (1 if there is no more).  What does not fill a vector is either one
  more, partly empty vector, or, if that costs less, a block of dot products, with the vectors along the
  window.

      vectors  [row of taps][tap 2, in][vector][lane]                    lanes are channels
      dots     pieces of up to MAX_DOTS channels: [row of taps][vector of (tap 2, in)][channel][lane]
  Numbers without a weight are zero.
*/
#pragma once

#include "layer/engine.h"
#include "layer/simd_sum.h"

typedef struct {
  size_t vectors; /* 0: dot products */
  size_t width;   /* channels */
} Block;

static inline size_t CeilDivide(size_t a, size_t b)
{
  return (a + b - 1) / b;
}

/* Part i of `total` in `parts` parts that differ by one at most. */
static inline size_t Share(size_t total, size_t parts, size_t i)
{
  return total / parts + (i < total % parts);
}

static inline size_t TapRows(const UnrConvShape *s)
{
  return (size_t)s->kernel[0] * s->kernel[1];
}

/* Contiguous numbers that a pixel needs from one row of taps. */
static inline size_t Window(const UnrConvShape *s)
{
  return (size_t)s->kernel[2] * s->in;
}

/* 1 vector, or 2, or 3: an odd count starts with 3 and goes on with 2. */
static inline size_t VectorsOf(size_t count)
{
  return count % 2 == 0 ? 2 : count == 1 ? 1 : 3;
}

/* In cycles of multiply-add a pixel; a total over lanes costs about TOTAL of them. */
static inline bool DotsAreCheaper(const UnrConvShape *s, size_t channels)
{
  const size_t TOTAL = 6, rows = TapRows(s), window = Window(s);
  return channels * (rows * CeilDivide(window, LANES) + TOTAL) < rows * window;
}

/* The block that starts at a channel. */
static inline Block BlockAt(const UnrConvShape *s, size_t channel)
{
  const size_t left = s->out - channel, tail = left % LANES;
  const bool has_dots = tail && DotsAreCheaper(s, tail);
  const size_t vectors = left / LANES + (tail && !has_dots);
  if (!vectors) return (Block){0, left};
  const size_t taken = VectorsOf(vectors);
  return (Block){taken, PetscMin(taken * LANES, left)};
}

/* Packed numbers of a block in one row of taps. */
static inline size_t BlockNumbers(const UnrConvShape *s, Block block)
{
  if (block.vectors) return Window(s) * block.vectors * LANES;
  return CeilDivide(Window(s), LANES) * LANES * block.width;
}

static inline size_t Blocks(const UnrConvShape *s)
{
  size_t blocks = 0;
  for (size_t channel = 0; channel < (size_t)s->out; channel += BlockAt(s, channel).width) ++blocks;
  return blocks;
}

static size_t PackedSize(const UnrConvShape *s)
{
  size_t size = 0;
  for (size_t channel = 0; channel < (size_t)s->out;) {
    const Block block = BlockAt(s, channel);
    size += TapRows(s) * BlockNumbers(s, block);
    channel += block.width;
  }
  return size;
}

/* Where the weight of (tap, in, out) is: w[tap * per_tap + in * per_in + out * per_out]. */
typedef struct {
  const real *w;
  ptrdiff_t per_tap, per_in, per_out;
} Weights;

/* `count` channels from `channel`, zero from s->out on; window is tap * in + i. */
static void PackChannels(const UnrConvShape *s, Weights from, size_t window, size_t channel, size_t count,
                         size_t stride, real *packed)
{
  const real *w =
      from.w + (ptrdiff_t)(window / s->in) * from.per_tap + (ptrdiff_t)(window % s->in) * from.per_in;
  for (size_t o = 0; o < count; ++o) {
    packed[o * stride] = channel + o < (size_t)s->out ? w[(ptrdiff_t)(channel + o) * from.per_out] : 0;
  }
}

/* Numbers of the window from `first` on, all of one tap, for a vector of channels: in blocks of LANES by
   LANES, since from.per_in is 1. */
static void PackTransposed(const UnrConvShape *s, Weights from, size_t first, size_t channel, size_t stride,
                           real *packed)
{
  const size_t in = s->in, left = s->out > (PetscInt)channel ? s->out - channel : 0;
  const real *w = from.w + (ptrdiff_t)(first / in) * from.per_tap + (ptrdiff_t)channel * from.per_out;
  for (size_t i = 0; i < in; i += LANES) {
    vec v[LANES];
    UNROLL for (size_t o = 0; o < LANES; ++o)
    {
      v[o] = o < left ? LoadSome(w + (ptrdiff_t)o * from.per_out + i, in - i) : (vec){0};
    }
    Transpose(v);
    UNROLL for (size_t k = 0; k < LANES; ++k)
    {
      if (i + k < in) Store(packed + (first + i + k) * stride, v[k]);
    }
  }
}

static real *PackVectors(const UnrConvShape *s, Weights from, size_t channel, size_t vectors, real *packed)
{
  const size_t all = TapRows(s) * Window(s), width = vectors * LANES;
  if (from.per_in == 1 && 4 * s->in >= LANES) {
    for (size_t k = 0; k < all; k += s->in) {
      for (size_t v = 0; v < width; v += LANES) PackTransposed(s, from, k, channel + v, width, packed + v);
    }
    return packed + all * width;
  }
  for (size_t k = 0; k < all; ++k, packed += width) PackChannels(s, from, k, channel, width, 1, packed);
  return packed;
}

static real *PackDots(const UnrConvShape *s, Weights from, size_t channel, size_t count, real *packed)
{
  const size_t window = Window(s), padded = CeilDivide(window, LANES) * LANES;
  for (size_t row = 0; row < TapRows(s); ++row, packed += padded * count) {
    memset(packed, 0, padded * count * sizeof(real));
    for (size_t k = 0; k < window; ++k) {
      real *at = packed + k / LANES * LANES * count + k % LANES;
      PackChannels(s, from, row * window + k, channel, count, LANES, at);
    }
  }
  return packed;
}

static void PackWeights(const UnrConvShape *s, Weights from, real *packed)
{
  for (size_t channel = 0; channel < (size_t)s->out;) {
    const Block block = BlockAt(s, channel);
    if (block.vectors) packed = PackVectors(s, from, channel, block.vectors, packed);
    const size_t pieces = block.vectors ? 0 : CeilDivide(block.width, MAX_DOTS);
    for (size_t i = 0, o = channel; i < pieces; o += Share(block.width, pieces, i++)) {
      packed = PackDots(s, from, o, Share(block.width, pieces, i), packed);
    }
    channel += block.width;
  }
}

static void Pack(const UnrConvShape *s, const void *w, void *packed)
{
  const ptrdiff_t in = s->in, out = s->out;
  PackWeights(s, (Weights){.w = w, .per_tap = in * out, .per_in = out, .per_out = 1}, packed);
}

/* Taps flipped, channels exchanged: in and out are the reverse map's. */
static void PackReverse(const UnrConvShape *s, const void *w, void *packed)
{
  const ptrdiff_t in = s->in, out = s->out, last = (ptrdiff_t)(TapRows(s) * s->kernel[2]) - 1;
  const real *last_tap = (const real *)w + last * in * out;
  PackWeights(s, (Weights){.w = last_tap, .per_tap = -in * out, .per_in = 1, .per_out = in}, packed);
}
