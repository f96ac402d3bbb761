/*
  Speed of a convolution engine, not a test:    bench_engine [isa [single|double [engine [rounds]]]]

  For each shape of docs/method/convolution.md and each pass (forward, reverse of the data without and with a
  mask, of the weights): the share of the peak of the core's multiply-add units, and that peak in GFLOP/s. The
  peak is measured right before and after each pass, because a clock that changes with load or temperature
  changes both.  Times are the thread's own.
*/
#include "layer/engine.h"
#include "layer/peak.h"

#include <time.h>

typedef struct {
  const char *name;
  int dim, samples, extent, kernel, in, out;
} Shape;

static const Shape shapes[] = {
    {"1-D 16 x 48", 1, 16, 48, 3, 26, 26}, {"1-D 16 x 48", 1, 16, 48, 3, 52, 52},
    {"1-D 16 x 48", 1, 16, 48, 3, 26, 1},  {"1-D 16 x 48", 1, 16, 48, 3, 1, 26},
    {"2-D 128^2", 2, 1, 128, 3, 32, 32},   {"2-D 64^2", 2, 1, 64, 3, 64, 64},
    {"2-D 64^2", 2, 1, 64, 3, 128, 128},   {"3-D 32^3", 3, 1, 32, 3, 16, 16},
    {"3-D 32^3", 3, 1, 32, 3, 32, 32},     {"3-D 32^3", 3, 1, 32, 3, 64, 64},
    {"3-D 16^3", 3, 1, 16, 3, 128, 128},
};

enum { FORWARD, REVERSE_DATA, REVERSE_MASKED, REVERSE_WEIGHTS, PASSES };

/* The buffers of a shape; the reverse of the data reads y_tile as its input, ghosts and all. */
typedef struct {
  const UnrConvKernels *kernels;
  UnrConvShape forward, reverse;
  void *x, *y, *packed, *packed_reverse, *w_bar, *b_bar, *bias, *mask;
  double flops;
} Work;

static double Seconds(void)
{
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec + 1e-9 * now.tv_nsec;
}

/* Small positive and negative numbers, so that nothing overflows or becomes denormal. */
static void *Create(UnrPrecision precision, size_t count)
{
  void *data;
  if (posix_memalign(&data, 64, (count + UNR_TILE_SLACK) * UnrPrecisionBytes(precision))) abort();
  for (size_t i = 0; i < count + UNR_TILE_SLACK; ++i) {
    const double value = (double)(i * 2654435761u % 1000) / 5e4 - 0.01;
    if (precision == UNR_SINGLE)
      ((float *)data)[i] = (float)value;
    else
      ((double *)data)[i] = value;
  }
  return data;
}

static UnrConvShape ShapeOf(const Shape *s, int in, int out)
{
  UnrConvShape shape = {.samples = s->samples, .in = in, .out = out, .x_sample = in, .y_sample = out};
  for (int axis = 2; axis >= 0; --axis) {
    const bool is_used = axis >= 3 - s->dim;
    shape.extent[axis] = is_used ? s->extent : 1;
    shape.kernel[axis] = is_used ? s->kernel : 1;
    shape.x_stride[axis] = shape.x_sample;
    shape.y_stride[axis] = shape.y_sample;
    shape.x_sample *= shape.extent[axis] + shape.kernel[axis] - 1;
    shape.y_sample *=
        shape.extent[axis] + shape.kernel[axis] - 1; /* has ghosts, too: it is the next layer's x */
  }
  return shape;
}

static Work CreateWork(const UnrConvKernels *kernels, UnrPrecision precision, const Shape *s)
{
  Work work = {
      .kernels = kernels, .forward = ShapeOf(s, s->in, s->out), .reverse = ShapeOf(s, s->out, s->in)};
  size_t taps = 1, pixels = s->samples;
  for (int axis = 0; axis < s->dim; ++axis) {
    taps *= s->kernel;
    pixels *= s->extent;
  }
  void *w = Create(precision, taps * s->in * s->out);
  work.x = Create(precision, s->samples * work.forward.x_sample);
  work.y = Create(precision, s->samples * work.forward.y_sample);
  work.packed = Create(precision, kernels->packed_size(&work.forward));
  work.packed_reverse = Create(precision, kernels->packed_size(&work.reverse));
  work.w_bar = Create(precision, taps * s->in * s->out);
  work.b_bar = Create(precision, s->out);
  work.mask = Create(precision, s->samples * work.reverse.y_sample);
  work.bias = Create(precision, PetscMax(s->in, s->out));
  work.flops = 2.0 * pixels * taps * s->in * s->out;
  kernels->pack(&work.forward, w, work.packed);
  kernels->pack_reverse(&work.reverse, w, work.packed_reverse);
  free(w);
  return work;
}

static void DestroyWork(Work *work)
{
  void *const all[] = {work->x,     work->y,     work->packed, work->packed_reverse,
                       work->w_bar, work->b_bar, work->bias,   work->mask};
  for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); ++i) free(all[i]);
}

static void Run(const Work *work, int pass)
{
  const UnrConvEpilogue activate = {.bias = work->bias, .slope = 0.01}, bare = {.slope = 1},
                        masked = {.mask = work->mask, .slope = 0.01};
  const UnrConvKernels *k = work->kernels;
  if (pass == FORWARD) k->apply(&work->forward, work->x, work->packed, &activate, work->y);
  if (pass == REVERSE_DATA) k->apply(&work->reverse, work->y, work->packed_reverse, &bare, work->x);
  if (pass == REVERSE_MASKED) k->apply(&work->reverse, work->y, work->packed_reverse, &masked, work->x);
  if (pass == REVERSE_WEIGHTS) k->reverse_weights(&work->forward, work->x, work->y, work->w_bar, work->b_bar);
}

/* GFLOP/s of one pass, over at least 1 ms. */
static double Measure(const Work *work, int pass)
{
  int calls = 0;
  Run(work, pass);
  const double start = Seconds();
  double seconds;
  do {
    Run(work, pass);
    ++calls;
    seconds = Seconds() - start;
  } while (seconds < 1e-3);
  return 1e-9 * calls * work->flops / seconds;
}

static int Compare(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* What one value in ten exceeds; NAN if there are none. */
static double UpperDecile(double *values, int count)
{
  if (!count) return NAN;
  qsort(values, count, sizeof(values[0]), Compare);
  return values[count - 1 - count / 10];
}

/* Share of the peak of one pass.  A round counts if the peak was the same before and after it, within 2 %,
   and not far below the best.  The upper decile of those, because work on the core's other hardware thread,
   maybe of another virtual machine, slows a kernel that loads and stores and leaves the peak as it is. */
static double Share(const Work *work, int pass, UnrPrecision precision, const char *isa, int rounds,
                    double *peak)
{
  double before[rounds], after[rounds], rate[rounds], share[rounds];
  int count = 0;
  for (int i = 0; i < rounds; ++i) {
    before[i] = UnrFmaPeak(precision, isa);
    rate[i] = Measure(work, pass);
    after[i] = UnrFmaPeak(precision, isa);
    *peak = PetscMax(*peak, PetscMax(before[i], after[i]));
  }
  for (int i = 0; i < rounds; ++i) {
    const double low = PetscMin(before[i], after[i]), high = PetscMax(before[i], after[i]);
    if (low > 0.98 * high && high > 0.8 * *peak) share[count++] = rate[i] / high;
  }
  return UpperDecile(share, count);
}

static void Bench(const UnrConvKernels *kernels, UnrPrecision precision, const char *isa, int rounds,
                  const Shape *s)
{
  Work work = CreateWork(kernels, precision, s);
  double peak = 0;
  printf("%-12s k%d %3d -> %3d ", s->name, s->kernel, s->in, s->out);
  for (int pass = 0; pass < PASSES; ++pass) {
    printf("  %5.1f %%", 100 * Share(&work, pass, precision, isa, rounds, &peak));
  }
  printf("    %6.1f\n", peak);
  fflush(stdout);
  DestroyWork(&work);
}

int main(int argc, char **argv)
{
  const char *isa = argc > 1 ? argv[1] : "auto", *name = argc > 3 ? argv[3] : "simd";
  const UnrPrecision precision = argc > 2 && !strcmp(argv[2], "double") ? UNR_DOUBLE : UNR_SINGLE;
  const int rounds = argc > 4 ? atoi(argv[4]) : 40;
  const UnrEngineOps *engine = UnrEngineFind(name);
  const UnrConvKernels *kernels = engine ? engine->kernels(precision, isa) : NULL;
  if (!kernels || rounds < 1) {
    fprintf(stderr, "usage: bench_engine [auto|avx512|avx2|generic [single|double [%s [rounds]]]]\n",
            UnrEngineNames);
    return 2;
  }
  printf(
      "%s %s, share of the peak: forward, reverse of data, the same masked, reverse of weights; and the best "
      "peak in GFLOP/s\n",
      kernels->path, precision == UNR_SINGLE ? "single" : "double");
  for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); ++i)
    Bench(kernels, precision, isa, rounds, &shapes[i]);
  return 0;
}
