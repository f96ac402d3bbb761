/*
  Convolution engines.  `ref` is proved by a scatter loop that shares nothing with it and by dot products;
  every other engine, instruction set and precision is compared with `ref`.

  Tiles have ghosts wider than needed.  All that an engine must not use (spare ghosts, slack, packed numbers
  before packing) is NaN, so a use of it shows in the result; all that it must not write is compared bit by
  bit.
*/
#include "engine_case.h"

/* The epilogues: bits of `kind` choose bias, add, mask, slope and whether y itself is what is added. */
enum { BIAS = 1, ADD = 2, MASK = 4, SLOPE = 8, IN_PLACE = 16, EPILOGUES = 32 };

/* The whole tile of y as the engine left it. */
static Buffer Apply(const UnrConvKernels *k, const Problem *p, unsigned kind, bool reverse)
{
  const Tile *y_tile = &p->add;
  Buffer packed = Create(p->w.precision, k->packed_size(&p->shape));
  Buffer y = Copy(y_tile->values);
  UnrConvEpilogue e = {.slope = kind & SLOPE ? 0.25 : 1};
  if (kind & BIAS) e.bias = p->bias.data;
  if (kind & ADD) e.add = At(kind & IN_PLACE ? y : y_tile->values, y_tile->origin);
  if (kind & MASK) e.mask = At(p->mask.values, y_tile->origin);
  (reverse ? k->pack_reverse : k->pack)(&p->shape, p->w.data, packed.data);
  k->apply(&p->shape, At(p->x.values, p->x.origin), packed.data, &e, At(y, y_tile->origin));
  free(packed.data);
  return y;
}

static void ReverseWeights(const UnrConvKernels *k, const Problem *p, Buffer w_bar, Buffer b_bar)
{
  k->reverse_weights(&p->shape, At(p->x.values, p->x.origin), At(p->y_bar.values, p->y_bar.origin),
                     w_bar.data, b_bar.data);
}

/* Largest difference over largest value; infinite for a NaN on one side, or a difference outside the cells
   that count, where both hold the NaN that was there. */
static double Distance(Buffer a, Buffer b)
{
  double difference = 0, largest = 0;
  for (size_t i = 0; i < a.count; ++i) {
    const double x = Get(a, i), y = Get(b, i);
    if (isnan(x) && isnan(y)) continue;
    if (isnan(x) || isnan(y)) return INFINITY;
    difference = PetscMax(difference, fabs(x - y));
    largest = PetscMax(largest, fabs(y));
  }
  return difference / largest;
}

/* Rounding of sums of up to some thousand terms of both signs, relative to the largest sum. */
static double Tolerance(UnrPrecision precision)
{
  return precision == UNR_SINGLE ? 1e-5 : 1e-13;
}

static const UnrConvKernels *Ref(UnrPrecision precision)
{
  return UnrEngineFind("ref")->kernels(precision, "auto");
}

/* All three passes of `k` against ref, and its bits against itself. */
static void Compare(const UnrConvKernels *k, const Problem *p, unsigned kind)
{
  const double bound = Tolerance(p->w.precision);
  for (int reverse = 0; reverse < 2; ++reverse) {
    Buffer truth = Apply(Ref(p->w.precision), p, kind, reverse);
    Buffer y = Apply(k, p, kind, reverse), again = Apply(k, p, kind, reverse);
    const double distance = Distance(y, truth);
    cr_expect(distance <= bound, "%s, kernel %d %d %d, %d -> %d channels, epilogue %u, %s: %g", k->path,
              (int)p->shape.kernel[0], (int)p->shape.kernel[1], (int)p->shape.kernel[2], (int)p->shape.in,
              (int)p->shape.out, kind, reverse ? "reverse" : "forward", distance);
    cr_expect(IsSame(y, again), "%s: other bits in the second run", k->path);
    cr_expect(isnan(Get(y, y.count)), "%s wrote behind its output", k->path);
    free(truth.data);
    free(y.data);
    free(again.data);
  }
  Buffer w_truth = Copy(p->w_bar), b_truth = Copy(p->b_bar), w_bar = Copy(p->w_bar), b_bar = Copy(p->b_bar);
  ReverseWeights(Ref(p->w.precision), p, w_truth, b_truth);
  ReverseWeights(k, p, w_bar, b_bar);
  const double w_distance = Distance(w_bar, w_truth), b_distance = Distance(b_bar, b_truth);
  cr_expect(w_distance <= bound && b_distance <= bound,
            "%s, kernel %d %d %d, %d -> %d channels: w_bar %g, b_bar %g", k->path, (int)p->shape.kernel[0],
            (int)p->shape.kernel[1], (int)p->shape.kernel[2], (int)p->shape.in, (int)p->shape.out, w_distance,
            b_distance);
  const Buffer all[] = {w_truth, b_truth, w_bar, b_bar};
  for (int i = 0; i < 4; ++i) {
    cr_expect(isnan(Get(all[i], all[i].count)), "%s wrote behind its output", k->path);
    free(all[i].data);
  }
}

/* Problem number i of a dimension: every number of output channels from 1 to 70, all kernels, uneven extents.
 */
static Problem CreateNumbered(UnrPrecision precision, int dim, size_t i)
{
  const size_t most_in = dim == 1 ? 70 : dim == 2 ? 20 : 6;
  size_t extent[3] = {1, 1, 1}, kernel[3] = {1, 1, 1};
  for (int axis = 3 - dim; axis < 3; ++axis) {
    extent[axis] = dim == 1 ? 1 + 11 * i % 31 : 1 + (i + 3 * axis) % 6;
    kernel[axis] = 1 + (i + 2 * axis) % 7;
  }
  return CreateProblem(precision, 1 + i % 3, extent, kernel, 1 + 37 * i % most_in, 1 + i % 70, i % 4);
}

static const char *const isas[] = {"avx512", "avx2", "generic"};

static void CompareAll(const char *engine, int dim)
{
  for (UnrPrecision precision = UNR_SINGLE; precision <= UNR_DOUBLE; ++precision) {
    for (size_t i = 0; i < 70; ++i) {
      Problem p = CreateNumbered(precision, dim, i);
      for (size_t isa = 0; isa < sizeof(isas) / sizeof(isas[0]); ++isa) {
        const UnrConvKernels *k = UnrEngineFind(engine)->kernels(precision, isas[isa]);
        if (k) Compare(k, &p, 7 * i % EPILOGUES);
      }
      DestroyProblem(&p);
    }
  }
}

Test(engine, simd_matches_ref_in_1d)
{
  CompareAll("simd", 1);
}
Test(engine, simd_matches_ref_in_2d)
{
  CompareAll("simd", 2);
}
Test(engine, simd_matches_ref_in_3d)
{
  CompareAll("simd", 3);
}

Test(engine, simd_has_generic_kernels_and_chooses_the_best)
{
  for (UnrPrecision precision = UNR_SINGLE; precision <= UNR_DOUBLE; ++precision) {
    const UnrEngineOps *simd = UnrEngineFind("simd");
    cr_assert(simd->kernels(precision, "generic"));
    const UnrConvKernels *best = simd->kernels(precision, "auto");
    for (size_t isa = 0; isa < sizeof(isas) / sizeof(isas[0]); ++isa) {
      const UnrConvKernels *k = simd->kernels(precision, isas[isa]);
      if (!k) continue;
      cr_expect(k == best, "auto is %s, not %s", best->path, isas[isa]);
      break;
    }
    cr_expect(!simd->kernels(precision, "no such"));
  }
  cr_expect(!UnrEngineFind("no such"));
  cr_expect(strncmp(UnrEngineNames, "ref|simd", 8) == 0, "%s", UnrEngineNames);
}

/* Rows longer than any block or band, in few and in many channels, with every epilogue. */
Test(engine, simd_matches_ref_with_every_epilogue)
{
  const size_t channels[][2] = {{1, 3}, {26, 26}, {9, 52}, {40, 2}, {3, 1}};
  for (UnrPrecision precision = UNR_SINGLE; precision <= UNR_DOUBLE; ++precision) {
    for (unsigned kind = 0; kind < EPILOGUES; ++kind) {
      const size_t *c = channels[kind % 5], extent[3] = {1, 1, 131}, kernel[3] = {1, 1, 5};
      Problem p = CreateProblem(precision, 2, extent, kernel, c[0], c[1], 1);
      for (size_t isa = 0; isa < sizeof(isas) / sizeof(isas[0]); ++isa) {
        const UnrConvKernels *k = UnrEngineFind("simd")->kernels(precision, isas[isa]);
        if (k) Compare(k, &p, kind);
      }
      DestroyProblem(&p);
    }
  }
}

/* More pixels than a band of the weights' reverse holds, along the row and across rows. */
Test(engine, simd_sums_weights_over_many_bands)
{
  const size_t extents[][3] = {{1, 1, 9001}, {5, 67, 33}};
  for (UnrPrecision precision = UNR_SINGLE; precision <= UNR_DOUBLE; ++precision) {
    for (int i = 0; i < 2; ++i) {
      const size_t kernel[3] = {i ? 2 : 1, 1, 3};
      Problem p = CreateProblem(precision, 2, extents[i], kernel, 3, 21, 0);
      for (size_t isa = 0; isa < sizeof(isas) / sizeof(isas[0]); ++isa) {
        const UnrConvKernels *k = UnrEngineFind("simd")->kernels(precision, isas[isa]);
        if (k) Compare(k, &p, 0);
      }
      DestroyProblem(&p);
    }
  }
}

#ifdef UNR_HAVE_ONEDNN
Test(engine, onednn_matches_ref)
{
  for (int dim = 1; dim <= 3; ++dim) {
    for (size_t i = 0; i < 70; i += 3) {
      Problem p = CreateNumbered(UNR_SINGLE, dim, i);
      Compare(UnrEngineFind("onednn")->kernels(UNR_SINGLE, "auto"), &p, 7 * i % EPILOGUES);
      DestroyProblem(&p);
    }
  }
  cr_expect(!UnrEngineFind("onednn")->kernels(UNR_DOUBLE, "auto"));
}
#endif

/* y by scattering each product to its output, in an order of its own, from [tap 0][tap 1][tap 2][in][out]. */
static void Scatter(const Problem *p, unsigned kind, Buffer y)
{
  const UnrConvShape *s = &p->shape;
  const size_t outputs = s->samples * s->extent[0] * s->extent[1] * s->extent[2] * s->out;
  for (size_t i = 0; i < outputs; ++i) {
    size_t o = i % s->out, rest = i / s->out, pixel[3];
    for (int axis = 2; axis >= 0; rest /= s->extent[axis--]) pixel[axis] = rest % s->extent[axis];
    const size_t at = CellAt(&p->add, rest, pixel[0], pixel[1], pixel[2]) + o;
    double sum = (kind & BIAS ? Get(p->bias, o) : 0) + (kind & ADD ? Get(p->add.values, at) : 0);
    for (size_t k = p->w.count; k-- > 0;) {
      if (k % s->out != o) continue;
      size_t tap = k / s->out / s->in, t[3];
      for (int axis = 2; axis >= 0; tap /= s->kernel[axis--]) t[axis] = tap % s->kernel[axis];
      const size_t from = CellAt(&p->x, rest, pixel[0] + t[0], pixel[1] + t[1], pixel[2] + t[2]);
      sum += Get(p->w, k) * Get(p->x.values, from + k / s->out % s->in);
    }
    const bool is_negative = (kind & MASK ? Get(p->mask.values, at) : sum) <= 0;
    Set(y, at, is_negative && (kind & SLOPE) ? 0.25 * sum : sum);
  }
}

Test(engine, ref_is_the_sum_it_says)
{
  const size_t extent[3] = {2, 3, 4}, kernel[3] = {3, 2, 4};
  for (UnrPrecision precision = UNR_SINGLE; precision <= UNR_DOUBLE; ++precision) {
    for (unsigned kind = 0; kind < EPILOGUES; ++kind) {
      Problem p = CreateProblem(precision, 2, extent, kernel, 3, 2, 1);
      Buffer y = Apply(Ref(precision), &p, kind, false), truth = Copy(p.add.values);
      Scatter(&p, kind, truth);
      cr_expect(Distance(y, truth) <= Tolerance(precision), "epilogue %u: %g", kind, Distance(y, truth));
      free(y.data);
      free(truth.data);
      DestroyProblem(&p);
    }
  }
}

/* Over the cells that count of tiles of the same cells. */
static double Dot(const Tile *a, const Tile *b, Buffer b_values)
{
  double sum = 0;
  for (size_t n = 0; n < a->samples; ++n) {
    for (size_t i = 0; i < a->extent[0]; ++i) {
      for (size_t j = 0; j < a->extent[1]; ++j) {
        for (size_t k = 0; k < a->extent[2]; ++k) {
          for (size_t c = 0; c < a->channels; ++c) {
            sum += Get(a->values, CellAt(a, n, i, j, k) + c) * Get(b_values, CellAt(b, n, i, j, k) + c);
          }
        }
      }
    }
  }
  return sum;
}

/* The problem whose apply with reversed weights is the transpose of p's: y_bar with zeros kernel - 1 wide
 * around. */
static Problem CreateTranspose(const Problem *p)
{
  const UnrConvShape *s = &p->shape;
  const size_t kernel[3] = {s->kernel[0], s->kernel[1], s->kernel[2]};
  Problem t = CreateProblem(p->w.precision, s->samples, p->x.extent, kernel, s->out, s->in, 2);
  for (size_t i = 0; i < t.x.values.count; ++i) Set(t.x.values, i, 0);
  for (size_t i = 0; i < t.w.count; ++i) Set(t.w, i, Get(p->w, i));
  Tile inside = t.x;
  inside.origin = CellAt(&t.x, 0, s->kernel[0] - 1, s->kernel[1] - 1, s->kernel[2] - 1);
  for (size_t n = 0; n < p->y_bar.samples; ++n) {
    for (size_t i = 0; i < p->y_bar.extent[0]; ++i) {
      for (size_t j = 0; j < p->y_bar.extent[1]; ++j) {
        for (size_t k = 0; k < p->y_bar.extent[2]; ++k) {
          for (size_t c = 0; c < p->y_bar.channels; ++c) {
            const double value = Get(p->y_bar.values, CellAt(&p->y_bar, n, i, j, k) + c);
            Set(t.x.values, CellAt(&inside, n, i, j, k) + c, value);
          }
        }
      }
    }
  }
  return t;
}

/* <conv(x; w), y_bar> = <x, conv_T(y_bar; w)> = <w, w_bar(x, y_bar)>, each a sum of the same products. */
Test(engine, ref_passes_are_transposes_of_each_other)
{
  for (int dim = 1; dim <= 3; ++dim) {
    for (size_t i = 2; i < 12; ++i) {
      Problem p = CreateNumbered(UNR_DOUBLE, dim, i), t = CreateTranspose(&p);
      Buffer y = Apply(Ref(UNR_DOUBLE), &p, 0, false), x_bar = Apply(Ref(UNR_DOUBLE), &t, 0, true);
      Buffer w_bar = Copy(p.w_bar), b_bar = Copy(p.b_bar);
      ReverseWeights(Ref(UNR_DOUBLE), &p, w_bar, b_bar);
      double by_weights = 0;
      for (size_t k = 0; k < w_bar.count; ++k) by_weights += (Get(w_bar, k) - Get(p.w_bar, k)) * Get(p.w, k);
      const double by_output = Dot(&p.y_bar, &p.add, y), by_input = Dot(&p.x, &t.add, x_bar);
      const double scale = sqrt(Dot(&p.y_bar, &p.y_bar, p.y_bar.values) * Dot(&p.add, &p.add, p.add.values));
      cr_expect(fabs(by_output - by_input) <= 1e-12 * scale, "%d-D %zu: %.17g %.17g", dim, i, by_output,
                by_input);
      cr_expect(fabs(by_output - by_weights) <= 1e-12 * scale, "%d-D %zu: %.17g %.17g", dim, i, by_output,
                by_weights);
      const Buffer all[] = {y, x_bar, w_bar, b_bar};
      for (int k = 0; k < 4; ++k) free(all[k].data);
      DestroyProblem(&p);
      DestroyProblem(&t);
    }
  }
}
