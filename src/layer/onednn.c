/*
  Engine `onednn`: convolution by oneDNN 2 on our own tiles, described by their strides.  An oracle for the
  tests, in single precision only (oneDNN has no double convolution): it makes its primitives anew in every
  call and allocates, which the other engines do not.    Source  https://oneapi-src.github.io/oneDNN/v2.6,
  "Convolution"
*/
#include "layer/engine.h"

#include <dnnl.h>

#define CallDNNL(call)                                                                                       \
  do {                                                                                                       \
    const dnnl_status_t status = (call);                                                                     \
    PetscCheckAbort(status == dnnl_success, PETSC_COMM_SELF, PETSC_ERR_LIB, "oneDNN: %s: status %d", #call,  \
                    status);                                                                                 \
  } while (0)

/* Sample, channel, three axes. */
enum { AXES = 5 };

typedef struct {
  dnnl_engine_t engine;
  dnnl_stream_t stream;
} Device;

static Device Open(void)
{
  Device device;
  CallDNNL(dnnl_engine_create(&device.engine, dnnl_cpu, 0));
  CallDNNL(dnnl_stream_create(&device.stream, device.engine, dnnl_stream_default_flags));
  return device;
}

static void Close(Device *device)
{
  CallDNNL(dnnl_stream_destroy(device->stream));
  CallDNNL(dnnl_engine_destroy(device->engine));
}

static dnnl_memory_desc_t DescribeTile(const PetscInt extent[3], const PetscInt kernel[3], PetscInt samples,
                                       PetscInt channels, const size_t stride[3], size_t sample)
{
  dnnl_memory_desc_t desc;
  dnnl_dims_t dims = {samples, channels}, strides = {(dnnl_dim_t)sample, 1};
  for (int axis = 0; axis < 3; ++axis) {
    dims[2 + axis] = extent[axis] + kernel[axis] - 1;
    strides[2 + axis] = (dnnl_dim_t)stride[axis];
  }
  CallDNNL(dnnl_memory_desc_init_by_strides(&desc, AXES, dims, dnnl_f32, strides));
  return desc;
}

static dnnl_memory_desc_t DescribeX(const UnrConvShape *s)
{
  return DescribeTile(s->extent, s->kernel, s->samples, s->in, s->x_stride, s->x_sample);
}

static dnnl_memory_desc_t DescribeY(const UnrConvShape *s)
{
  const PetscInt no_ghosts[3] = {1, 1, 1};
  return DescribeTile(s->extent, no_ghosts, s->samples, s->out, s->y_stride, s->y_sample);
}

/* [tap 0][tap 1][tap 2][in][out] */
static dnnl_memory_desc_t DescribeWeights(const UnrConvShape *s)
{
  dnnl_memory_desc_t desc;
  const dnnl_dim_t pair = (dnnl_dim_t)s->in * s->out;
  const dnnl_dims_t dims = {s->out, s->in, s->kernel[0], s->kernel[1], s->kernel[2]};
  const dnnl_dims_t strides = {1, s->out, pair * s->kernel[1] * s->kernel[2], pair * s->kernel[2], pair};
  CallDNNL(dnnl_memory_desc_init_by_strides(&desc, AXES, dims, dnnl_f32, strides));
  return desc;
}

static dnnl_memory_desc_t DescribeBias(const UnrConvShape *s)
{
  dnnl_memory_desc_t desc;
  const dnnl_dims_t dims = {s->out}, strides = {1};
  CallDNNL(dnnl_memory_desc_init_by_strides(&desc, 1, dims, dnnl_f32, strides));
  return desc;
}

/* Runs a convolution primitive on arguments in memory of ours. */
typedef struct {
  int argument;
  dnnl_memory_desc_t desc;
  void *data;
} Argument;

static void Execute(Device *device, const dnnl_convolution_desc_t *desc, dnnl_primitive_desc_t hint,
                    Argument *list, int count)
{
  dnnl_primitive_desc_t primitive_desc;
  dnnl_primitive_t primitive;
  dnnl_exec_arg_t arguments[4];
  CallDNNL(dnnl_primitive_desc_create(&primitive_desc, desc, NULL, device->engine, hint));
  CallDNNL(dnnl_primitive_create(&primitive, primitive_desc));
  for (int i = 0; i < count; ++i) {
    arguments[i].arg = list[i].argument;
    CallDNNL(dnnl_memory_create(&arguments[i].memory, &list[i].desc, device->engine, list[i].data));
  }
  CallDNNL(dnnl_primitive_execute(primitive, device->stream, count, arguments));
  CallDNNL(dnnl_stream_wait(device->stream));
  for (int i = 0; i < count; ++i) CallDNNL(dnnl_memory_destroy(arguments[i].memory));
  CallDNNL(dnnl_primitive_destroy(primitive));
  CallDNNL(dnnl_primitive_desc_destroy(primitive_desc));
}

static const dnnl_dims_t unit_steps = {1, 1, 1}, no_padding = {0, 0, 0};

static dnnl_convolution_desc_t DescribeForward(const UnrConvShape *s)
{
  dnnl_convolution_desc_t desc;
  const dnnl_memory_desc_t x = DescribeX(s), w = DescribeWeights(s), y = DescribeY(s);
  CallDNNL(dnnl_convolution_forward_desc_init(&desc, dnnl_forward_training, dnnl_convolution_direct, &x, &w,
                                              NULL, &y, unit_steps, no_padding, no_padding));
  return desc;
}

static size_t PackedSize(const UnrConvShape *s)
{
  return (size_t)s->kernel[0] * s->kernel[1] * s->kernel[2] * s->in * s->out;
}

static void Pack(const UnrConvShape *s, const void *w, void *packed)
{
  memcpy(packed, w, PackedSize(s) * sizeof(float));
}

/* packed[t][a][b] = w[last - t][b][a] */
static void PackReverse(const UnrConvShape *s, const void *w_, void *packed_)
{
  const float *w = w_;
  float *packed = packed_;
  const size_t in = s->in, out = s->out, last = PackedSize(s) / in / out - 1;
  for (size_t i = 0; i < PackedSize(s); ++i) {
    const size_t t = i / (in * out), a = i / out % in, b = i % out;
    packed[i] = w[((last - t) * out + b) * in + a];
  }
}

/* y[p][o] = epilogue(sum[p][o]), both with y's strides. */
static void Finish(const UnrConvShape *s, const UnrConvEpilogue *e, const float *sum, float *y)
{
  const float *bias = e->bias, *add = e->add, *mask = e->mask;
  const size_t outputs = (size_t)s->samples * s->extent[0] * s->extent[1] * s->extent[2] * s->out;
  for (size_t i = 0; i < outputs; ++i) {
    const size_t o = i % s->out, c = i / s->out % s->extent[2], rest = i / s->out / s->extent[2];
    const size_t n = rest / s->extent[1] / s->extent[0], a = rest / s->extent[1] % s->extent[0];
    const size_t b = rest % s->extent[1];
    const size_t at = n * s->y_sample + a * s->y_stride[0] + b * s->y_stride[1] + c * s->y_stride[2] + o;
    const float value = sum[at] + (bias ? bias[o] : 0) + (add ? add[at] : 0);
    y[at] = (mask ? mask[at] : value) > 0 ? value : value * (float)e->slope;
  }
}

/* Numbers from the first to the last of y. */
static size_t Extent(const UnrConvShape *s)
{
  size_t extent = (s->samples - 1) * s->y_sample + s->out;
  for (int axis = 0; axis < 3; ++axis) extent += (s->extent[axis] - 1) * s->y_stride[axis];
  return extent;
}

static void Apply(const UnrConvShape *s, const void *x, const void *packed, const UnrConvEpilogue *e, void *y)
{
  const dnnl_convolution_desc_t forward = DescribeForward(s);
  float *sum = malloc(Extent(s) * sizeof(float)); /* y may be what is added */
  PetscCheckAbort(sum, PETSC_COMM_SELF, PETSC_ERR_MEM, "no memory for a tile");
  Argument arguments[] = {{DNNL_ARG_SRC, DescribeX(s), (void *)x},
                          {DNNL_ARG_WEIGHTS, DescribeWeights(s), (void *)packed},
                          {DNNL_ARG_DST, DescribeY(s), sum}};
  Device device = Open();
  Execute(&device, &forward, NULL, arguments, 3);
  Close(&device);
  Finish(s, e, sum, y);
  free(sum);
}

static void ReverseWeights(const UnrConvShape *s, const void *x, const void *y_bar, void *w_bar_,
                           void *b_bar_)
{
  float *w_bar = w_bar_, *b_bar = b_bar_;
  const size_t weights = PackedSize(s), biases = s->out;
  float *sum = malloc((weights + biases) * sizeof(float)); /* oneDNN overwrites */
  PetscCheckAbort(sum, PETSC_COMM_SELF, PETSC_ERR_MEM, "no memory for weights");
  Argument arguments[] = {{DNNL_ARG_SRC, DescribeX(s), (void *)x},
                          {DNNL_ARG_DIFF_DST, DescribeY(s), (void *)y_bar},
                          {DNNL_ARG_DIFF_WEIGHTS, DescribeWeights(s), sum},
                          {DNNL_ARG_DIFF_BIAS, DescribeBias(s), sum + weights}};
  const dnnl_convolution_desc_t forward = DescribeForward(s);
  dnnl_convolution_desc_t reverse;
  dnnl_primitive_desc_t hint;
  Device device = Open();
  CallDNNL(dnnl_primitive_desc_create(&hint, &forward, NULL, device.engine, NULL));
  CallDNNL(dnnl_convolution_backward_weights_desc_init(
      &reverse, dnnl_convolution_direct, &arguments[0].desc, &arguments[2].desc, &arguments[3].desc,
      &arguments[1].desc, unit_steps, no_padding, no_padding));
  Execute(&device, &reverse, hint, arguments, 4);
  CallDNNL(dnnl_primitive_desc_destroy(hint));
  Close(&device);
  for (size_t i = 0; i < weights; ++i) w_bar[i] += sum[i];
  for (size_t o = 0; b_bar && o < biases; ++o) b_bar[o] += sum[weights + o];
  free(sum);
}

static const UnrConvKernels kernels_OneDNN = {.path = "oneDNN",
                                              .packed_size = PackedSize,
                                              .pack = Pack,
                                              .pack_reverse = PackReverse,
                                              .apply = Apply,
                                              .reverse_weights = ReverseWeights};

static const UnrConvKernels *Kernels_OneDNN(UnrPrecision precision, const char *isa)
{
  return precision == UNR_SINGLE && !strcmp(isa, "auto") ? &kernels_OneDNN : NULL;
}

const UnrEngineOps UnrEngineOps_OneDNN = {.name = "onednn",
                                          .summary =
                                              "Intel's oneDNN, single precision: an oracle for the others",
                                          .kernels = Kernels_OneDNN};
