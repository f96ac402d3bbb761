/* The body of ref.c, which includes it once for each `real`; NAME() tells the two apart.  No include guard.
 */

static void NAME(Pack)(const UnrConvShape *s, const void *w, void *packed)
{
  memcpy(packed, w, PackedSize(s) * sizeof(real));
}

/* packed[t][a][b] = w[last - t][b][a]: taps flipped, channels exchanged. */
static void NAME(PackReverse)(const UnrConvShape *s, const void *w_, void *packed_)
{
  const real *w = w_;
  real *packed = packed_;
  const size_t taps = Taps(s), in = s->in, out = s->out;
  for (size_t t = 0; t < taps; ++t) {
    for (size_t a = 0; a < in; ++a) {
      for (size_t b = 0; b < out; ++b)
        packed[(t * in + a) * out + b] = w[((taps - 1 - t) * out + b) * in + a];
    }
  }
}

/* Sum over taps and channels of w[t][i][o] x[t][i], x at the window's first cell. */
static double NAME(Sum)(const UnrConvShape *s, const real *x, const real *w, size_t o)
{
  double sum = 0;
  for (PetscInt a = 0; a < s->kernel[0]; ++a) {
    for (PetscInt b = 0; b < s->kernel[1]; ++b) {
      for (PetscInt c = 0; c < s->kernel[2]; ++c) {
        const real *cell = x + At(s->x_stride, 0, 0, a, b, c);
        for (PetscInt i = 0; i < s->in; ++i, w += s->out) sum += (double)cell[i] * w[o];
      }
    }
  }
  return sum;
}

/* The epilogue: what is stored at `at` of the output tile for channel o. */
static real NAME(Finish)(const UnrConvEpilogue *e, double sum, size_t at, size_t o)
{
  if (e->bias) sum += ((const real *)e->bias)[o];
  if (e->add) sum += ((const real *)e->add)[at];
  const double sign = e->mask ? ((const real *)e->mask)[at] : sum;
  return sign > 0 ? sum : sum * e->slope;
}

static void NAME(Apply)(const UnrConvShape *s, const void *x_, const void *packed, const UnrConvEpilogue *e,
                        void *y_)
{
  const real *x = x_;
  real *y = y_;
  for (PetscInt n = 0; n < s->samples; ++n) {
    for (PetscInt a = 0; a < s->extent[0]; ++a) {
      for (PetscInt b = 0; b < s->extent[1]; ++b) {
        for (PetscInt c = 0; c < s->extent[2]; ++c) {
          const real *window = x + At(s->x_stride, s->x_sample, n, a, b, c);
          const size_t at = At(s->y_stride, s->y_sample, n, a, b, c);
          for (PetscInt o = 0; o < s->out; ++o) {
            y[at + o] = NAME(Finish)(e, NAME(Sum)(s, window, packed, o), at + o, o);
          }
        }
      }
    }
  }
}

/* Sum over all pixels of x[p + offset] y_bar[p]; x NULL: of y_bar alone. */
static double NAME(Correlate)(const UnrConvShape *s, const real *x, const real *y_bar)
{
  double sum = 0;
  for (PetscInt n = 0; n < s->samples; ++n) {
    for (PetscInt a = 0; a < s->extent[0]; ++a) {
      for (PetscInt b = 0; b < s->extent[1]; ++b) {
        for (PetscInt c = 0; c < s->extent[2]; ++c) {
          const double value = y_bar[At(s->y_stride, s->y_sample, n, a, b, c)];
          sum += x ? value * x[At(s->x_stride, s->x_sample, n, a, b, c)] : value;
        }
      }
    }
  }
  return sum;
}

/* Reverse of sum += w[t][i][o] x[p + t][i]:  w_bar[t][i][o] += x[p + t][i] y_bar[p][o], summed over p. */
static void NAME(ReverseWeights)(const UnrConvShape *s, const void *x_, const void *y_bar_, void *w_bar_,
                                 void *b_bar_)
{
  const real *x = x_, *y_bar = y_bar_;
  real *w_bar = w_bar_, *b_bar = b_bar_;
  for (PetscInt a = 0; a < s->kernel[0]; ++a) {
    for (PetscInt b = 0; b < s->kernel[1]; ++b) {
      for (PetscInt c = 0; c < s->kernel[2]; ++c) {
        const real *shifted = x + At(s->x_stride, 0, 0, a, b, c);
        for (PetscInt i = 0; i < s->in; ++i, w_bar += s->out) {
          for (PetscInt o = 0; o < s->out; ++o) w_bar[o] += NAME(Correlate)(s, shifted + i, y_bar + o);
        }
      }
    }
  }
  for (PetscInt o = 0; b_bar && o < s->out; ++o) b_bar[o] += NAME(Correlate)(s, NULL, y_bar + o);
}

static const UnrConvKernels NAME(kernels) = {.path = "plain C",
                                             .packed_size = PackedSize,
                                             .pack = NAME(Pack),
                                             .pack_reverse = NAME(PackReverse),
                                             .apply = NAME(Apply),
                                             .reverse_weights = NAME(ReverseWeights)};
