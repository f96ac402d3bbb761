/*
  Engine `ref`: convolution in plain C, one output at a time, summed in double.  It is what the other engines
  are tested against, so it is written to be read; it is not fast.    Maths: docs/method/convolution.md, eq.
  (1)-(4)
*/
#include "layer/engine.h"

static size_t Taps(const UnrConvShape *s)
{
  return (size_t)s->kernel[0] * s->kernel[1] * s->kernel[2];
}

static size_t PackedSize(const UnrConvShape *s)
{
  return Taps(s) * s->in * s->out;
}

/* Index of [n][a][b][c] in a tile of the given strides, channel 0. */
static size_t At(const size_t stride[3], size_t sample, PetscInt n, PetscInt a, PetscInt b, PetscInt c)
{
  return n * sample + a * stride[0] + b * stride[1] + c * stride[2];
}

#define real float
#define NAME(function) function##Single
#include "layer/ref_body.h"
#undef real
#undef NAME

#define real double
#define NAME(function) function##Double
#include "layer/ref_body.h"
#undef real
#undef NAME

static const UnrConvKernels *Kernels_Ref(UnrPrecision precision, const char *isa)
{
  if (strcmp(isa, "auto") && strcmp(isa, "generic")) return NULL;
  return precision == UNR_SINGLE ? &kernelsSingle : &kernelsDouble;
}

const UnrEngineOps UnrEngineOps_Ref = {
    .name = "ref", .summary = "plain C, slow: the truth for the other engines", .kernels = Kernels_Ref};
