/*
  One convolution on tiles: its weights packed for an engine, the map, and its two reverses.

      y[p] = epilogue( sum over taps t: w[t] x[p + t - left] ),     left = (kernel - 1) / 2

  The ghosts of x (forward, weights) or y_bar (data) are filled by the caller.
  Maths: docs/method/convolution.md
*/
#pragma once

#include "core/block.h"
#include "field/tile.h"
#include "layer/engine.h"

typedef struct UnrConv_ *UnrConv;
struct UnrConv_ { /* read by everyone, written by conv.c only */
  const UnrConvKernels *kernels;
  UnrPrecision precision;
  PetscInt kernel[3], in, out; /* taps per engine axis: 1 on unused ones */
  PetscInt width;              /* ghost cells that either direction reads at most: kernel / 2 */
  size_t weights;              /* numbers: taps x in x out */
  UnrBlock packed, packed_reverse;
};

PetscErrorCode UnrConvCreate(const UnrConvKernels *kernels, UnrPrecision precision, int dim, PetscInt kernel,
                             PetscInt in, PetscInt out, UnrConv *conv);
PetscErrorCode UnrConvDestroy(UnrConv *conv);
/* After a change of the weights [tap..][in][out]: pack them for the forward map, the reverse of the data. */
PetscErrorCode UnrConvPack(UnrConv conv, const void *weights);
PetscErrorCode UnrConvPackReverse(UnrConv conv, const void *weights);

/* Tiles are given by their first number.  In the epilogue, add and mask are tiles of the output's shape. */
PetscErrorCode UnrConvForward(UnrConv conv, const UnrTileShape *x_shape, const void *x,
                              const UnrConvEpilogue *epilogue, const UnrTileShape *y_shape, void *y);
/* x_bar is WRITTEN; let the epilogue add what is there already (add == x_bar). */
PetscErrorCode UnrConvReverseData(UnrConv conv, const UnrTileShape *y_shape, const void *y_bar,
                                  const UnrConvEpilogue *epilogue, const UnrTileShape *x_shape, void *x_bar);
/* ADDS to w_bar [tap..][in][out] and b_bar [out] (may be NULL). */
PetscErrorCode UnrConvReverseWeights(UnrConv conv, const UnrTileShape *x_shape, const void *x,
                                     const UnrTileShape *y_shape, const void *y_bar, void *w_bar,
                                     void *b_bar);
