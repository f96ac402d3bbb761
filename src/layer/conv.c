/* Convolution on tiles: from tile shapes to an engine's shapes, and weights packed once per change. */
#include "layer/conv.h"

#include <string.h>

#include "core/event.h"

/*
  UnrConvCreate - a convolution without weights yet.     Local.
  In      kernel   taps along every used axis, odd or even, >= 1
*/
PetscErrorCode UnrConvCreate(const UnrConvKernels *kernels, UnrPrecision precision, int dim, PetscInt kernel,
                             PetscInt in, PetscInt out, UnrConv *conv_out)
{
  UnrConv conv;

  PetscFunctionBeginUser;
  PetscCheck(kernel >= 1 && in >= 1 && out >= 1, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "convolution of %" PetscInt_FMT " taps, %" PetscInt_FMT " to %" PetscInt_FMT " channels", kernel,
             in, out);
  PetscCall(PetscNew(&conv));
  conv->kernels = kernels;
  conv->precision = precision;
  conv->in = in;
  conv->out = out;
  conv->width = kernel / 2;
  conv->weights = (size_t)in * (size_t)out;
  for (int e = 0; e < 3; e++) {
    conv->kernel[e] = e < UNR_MAX_DIM - dim ? 1 : kernel;
    conv->weights *= (size_t)conv->kernel[e];
  }
  *conv_out = conv;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrConvDestroy(UnrConv *conv)
{
  PetscFunctionBeginUser;
  if (!*conv) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(UnrBlockFree(&(*conv)->packed));
  PetscCall(UnrBlockFree(&(*conv)->packed_reverse));
  PetscCall(PetscFree(*conv));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The engine's shape of a map from tiles like `from` to tiles like `to`. */
static UnrConvShape EngineShape(UnrConv conv, const UnrTileShape *from, const UnrTileShape *to)
{
  UnrConvShape s = {.samples = to->samples,
                    .in = from->channels,
                    .out = to->channels,
                    .x_sample = from->sample_stride,
                    .y_sample = to->sample_stride};

  for (int e = 0; e < 3; e++) {
    s.extent[e] = to->count[e];
    s.kernel[e] = conv->kernel[e];
    s.x_stride[e] = from->stride[e];
    s.y_stride[e] = to->stride[e];
  }
  return s;
}

/* Kernels and channels are all that packing looks at. */
static UnrConvShape PackShape(UnrConv conv, bool is_reverse)
{
  UnrConvShape s = {.in = is_reverse ? conv->out : conv->in, .out = is_reverse ? conv->in : conv->out};

  memcpy(s.kernel, conv->kernel, sizeof(s.kernel));
  return s;
}

static PetscErrorCode ReservePacked(UnrConv conv, const UnrConvShape *s, UnrBlock *block)
{
  const size_t numbers = conv->kernels->packed_size(s) + UNR_TILE_SLACK;
  const bool is_new = !block->data;

  PetscFunctionBeginUser;
  PetscCall(UnrBlockReserve(block, numbers * UnrPrecisionBytes(conv->precision)));
  if (is_new) memset(block->data, 0, block->bytes);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrConvPack(UnrConv conv, const void *weights)
{
  const UnrConvShape s = PackShape(conv, false);

  PetscFunctionBeginUser;
  PetscCall(ReservePacked(conv, &s, &conv->packed));
  conv->kernels->pack(&s, weights, conv->packed.data);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrConvPackReverse(UnrConv conv, const void *weights)
{
  const UnrConvShape s = PackShape(conv, true);

  PetscFunctionBeginUser;
  PetscCall(ReservePacked(conv, &s, &conv->packed_reverse));
  conv->kernels->pack_reverse(&s, weights, conv->packed_reverse.data);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Byte of the first interior cell, moved back by the taps before it: (kernel - 1) / 2, or kernel / 2. */
static size_t WindowByte(UnrConv conv, const UnrTileShape *shape, bool is_reverse)
{
  size_t first = shape->origin;

  for (int e = 0; e < 3; e++) {
    const PetscInt left = is_reverse ? conv->kernel[e] / 2 : (conv->kernel[e] - 1) / 2;
    first -= (size_t)left * shape->stride[e];
  }
  return first * UnrPrecisionBytes(shape->precision);
}

static size_t OriginByte(const UnrTileShape *shape)
{
  return shape->origin * UnrPrecisionBytes(shape->precision);
}

static PetscErrorCode CheckShapes(UnrConv conv, const UnrTileShape *x, const UnrTileShape *y,
                                  const UnrTileShape *read)
{
  PetscFunctionBeginUser;
  PetscCheck(x->channels == conv->in && y->channels == conv->out && x->samples == y->samples &&
                 x->precision == conv->precision && y->precision == conv->precision,
             PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ,
             "tiles of %" PetscInt_FMT " and %" PetscInt_FMT " channels for a convolution of %" PetscInt_FMT
             " to %" PetscInt_FMT,
             x->channels, y->channels, conv->in, conv->out);
  for (int e = 0; e < 3; e++) {
    PetscCheck(read->ghost[e] >= conv->kernel[e] / 2 && x->count[e] == y->count[e], PETSC_COMM_SELF,
               PETSC_ERR_ARG_SIZ, "%" PetscInt_FMT " ghost cells for %" PetscInt_FMT " taps", read->ghost[e],
               conv->kernel[e]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void LogFlops(UnrConv conv, const UnrTileShape *y)
{
  (void)PetscLogFlops(2.0 * (double)conv->weights *
                      (double)(y->samples * y->count[0] * y->count[1] * y->count[2]));
}

/* The map of either direction: window of `from`, epilogue's tiles like `to`. */
static void Apply(UnrConv conv, bool is_reverse, const UnrTileShape *from, const void *x,
                  const UnrConvEpilogue *epilogue, const UnrTileShape *to, void *y)
{
  const UnrConvShape s = EngineShape(conv, from, to);
  const size_t origin = OriginByte(to);
  UnrConvEpilogue e = *epilogue;

  if (e.add) e.add = (const char *)e.add + origin;
  if (e.mask) e.mask = (const char *)e.mask + origin;
  conv->kernels->apply(&s, (const char *)x + WindowByte(conv, from, is_reverse),
                       (is_reverse ? conv->packed_reverse : conv->packed).data, &e, (char *)y + origin);
}

/*
  UnrConvForward - y = epilogue(conv(x)).     Local.
  In      x          tile [sample][cell][in] with filled ghosts
          epilogue   bias, skip, activation: engine.h
  Out     y          tile [sample][cell][out], its interior; must not be x
*/
PetscErrorCode UnrConvForward(UnrConv conv, const UnrTileShape *x_shape, const void *x,
                              const UnrConvEpilogue *epilogue, const UnrTileShape *y_shape, void *y)
{
  PetscFunctionBeginUser;
  PetscCall(CheckShapes(conv, x_shape, y_shape, x_shape));
  PetscCall(UnrEventBegin(UNR_EVENT_CONV));
  Apply(conv, false, x_shape, x, epilogue, y_shape, y);
  LogFlops(conv, y_shape);
  PetscCall(UnrEventEnd(UNR_EVENT_CONV));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  UnrConvReverseData - x_bar = epilogue(conv^T(y_bar)).     Local.
  In      y_bar      tile [sample][cell][out] with filled ghosts: on a periodic domain the neighbours'
                     cotangents take the place of a transposed exchange
          epilogue   add: what x_bar holds already; mask, slope: the activation that made x
  Out     x_bar      tile [sample][cell][in], its interior
*/
PetscErrorCode UnrConvReverseData(UnrConv conv, const UnrTileShape *y_shape, const void *y_bar,
                                  const UnrConvEpilogue *epilogue, const UnrTileShape *x_shape, void *x_bar)
{
  PetscFunctionBeginUser;
  PetscCall(CheckShapes(conv, x_shape, y_shape, y_shape));
  PetscCall(UnrEventBegin(UNR_EVENT_CONV_DATA));
  Apply(conv, true, y_shape, y_bar, epilogue, x_shape, x_bar);
  LogFlops(conv, y_shape);
  PetscCall(UnrEventEnd(UNR_EVENT_CONV_DATA));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  UnrConvReverseWeights - w_bar[t] += sum over p of x[p + t - left] y_bar[p], b_bar likewise.     Local.
  In      x       tile with filled ghosts, from the forward
          y_bar   tile; its interior
  In/out  w_bar, b_bar   this rank's part is ADDED
*/
PetscErrorCode UnrConvReverseWeights(UnrConv conv, const UnrTileShape *x_shape, const void *x,
                                     const UnrTileShape *y_shape, const void *y_bar, void *w_bar, void *b_bar)
{
  const UnrConvShape s = EngineShape(conv, x_shape, y_shape);

  PetscFunctionBeginUser;
  PetscCall(CheckShapes(conv, x_shape, y_shape, x_shape));
  PetscCall(UnrEventBegin(UNR_EVENT_CONV_WEIGHTS));
  conv->kernels->reverse_weights(&s, (const char *)x + WindowByte(conv, x_shape, false),
                                 (const char *)y_bar + OriginByte(y_shape), w_bar, b_bar);
  LogFlops(conv, y_shape);
  PetscCall(UnrEventEnd(UNR_EVENT_CONV_WEIGHTS));
  PetscFunctionReturn(PETSC_SUCCESS);
}
