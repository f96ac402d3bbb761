/*
  Engines for convolution: one contract, several implementations (`ref` is the truth, `simd` the default).

  A tile is channels-last: [sample][axis 0][axis 1][axis 2][channel], the last axis contiguous, unused LEADING
  axes of extent 1 (a 1-D grid has its points on axis 2).  Ghost cells are in the buffer and already filled;
  `x` points at the first cell of the window of the first output pixel.  All arrays hold floats or doubles, by
  the precision.

      y[p][o] = epilogue( sum over taps t, channels i:  w[t][i][o] x[p + t][i] ), 0 <= t < kernel on each axis

  Reverse of the data is the same map with channels exchanged and weights from pack_reverse, on a cotangent
  whose ghosts are filled.  Maths: docs/method/convolution.md.
*/
#pragma once

#include "core/base.h"

typedef struct {
  PetscInt samples;
  PetscInt extent[3];           /* output pixels per axis, last fastest */
  PetscInt kernel[3];           /* taps per axis, 1 on unused axes */
  PetscInt in, out;             /* channels */
  size_t x_stride[3], x_sample; /* in numbers, not bytes; x_stride[2] == in */
  size_t y_stride[3], y_sample; /* y_stride[2] == out */
} UnrConvShape;

/* What follows the sum before it is stored; a zeroed struct with slope 1 stores the plain sum. */
typedef struct {
  const void *bias; /* [out] or NULL */
  const void *add;  /* tile with y's strides, added to the sum; may be y itself; or NULL */
  const void *mask; /* tile with y's strides or NULL: times (mask > 0 ? 1 : slope) instead of activating */
  double slope;     /* LeakyReLU's slope for negative sums; 1 is no activation */
} UnrConvEpilogue;

/* The kernels of one engine in one precision.  None allocates (but the oracle onednn), none fails, all are
   local to the rank. */
typedef struct {
  const char *path; /* the instruction set that was chosen: "plain C", "avx512" ... */
  /* Numbers in a packed weight buffer (64-byte aligned by the caller). */
  size_t (*packed_size)(const UnrConvShape *shape);
  /* w is [tap 0][tap 1][tap 2][in][out] of the FORWARD map in both. */
  void (*pack)(const UnrConvShape *shape, const void *w, void *packed);
  /* shape here is the reverse map's (its in = forward's out): weights are flipped and transposed. */
  void (*pack_reverse)(const UnrConvShape *shape, const void *w, void *packed);
  void (*apply)(const UnrConvShape *shape, const void *x, const void *packed, const UnrConvEpilogue *epilogue,
                void *y);
  /* ADDS to w_bar [tap..][in][out] and b_bar [out] (NULL: not wanted); y_bar has y's strides. */
  void (*reverse_weights)(const UnrConvShape *shape, const void *x, const void *y_bar, void *w_bar,
                          void *b_bar);
} UnrConvKernels;

typedef struct {
  const char *name, *summary;
  /* For a precision on this processor; isa "auto", "avx512", "avx2", "generic"; NULL if it has none. */
  const UnrConvKernels *(*kernels)(UnrPrecision precision, const char *isa);
} UnrEngineOps;

/* Room that kernels may read (never use) behind the end of every tile and weight buffer, in numbers. */
enum { UNR_TILE_SLACK = 64 };

/* By name; NULL if this build has no such engine. */
const UnrEngineOps *UnrEngineFind(const char *name);
/* "ref|simd" or "ref|simd|onednn": for messages and option tables. */
extern const char UnrEngineNames[];
