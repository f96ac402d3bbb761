/* The body of activation.c, included once for each `real`; NAME() tells the two apart.  No include guard. */

/* value is f(z), derivative is f' from s: z where the table says so, else y. */
#define ACTIVATION(name, value, derivative)                                                                  \
  static void NAME(name##Forward)(size_t n, double slope_, const void *z_, void *y_)                         \
  {                                                                                                          \
    const real slope = (real)slope_, *z_row = z_;                                                            \
    real *y = y_;                                                                                            \
    (void)slope;                                                                                             \
    for (size_t j = 0; j < n; j++) {                                                                         \
      const real z = z_row[j];                                                                               \
      y[j] = (real)(value);                                                                                  \
    }                                                                                                        \
  }                                                                                                          \
  static void NAME(name##Reverse)(size_t n, double slope_, const void *saved_, const void *add_,             \
                                  void *y_bar_)                                                              \
  {                                                                                                          \
    const real slope = (real)slope_, *saved = saved_, *add = add_;                                           \
    real *y_bar = y_bar_;                                                                                    \
    (void)slope;                                                                                             \
    for (size_t j = 0; j < n; j++) {                                                                         \
      const real s = saved[j];                                                                               \
      y_bar[j] = (y_bar[j] + (add ? add[j] : 0)) * (real)(derivative);                                       \
    }                                                                                                        \
  }
ACTIVATION(Slope, z > 0 ? z : slope * z, s > 0 ? 1 : slope)
ACTIVATION(Tanh, tanh(z), 1 - s * s)
ACTIVATION(Gelu, Gelu(z), GeluDerivative(s))
#undef ACTIVATION

static void NAME(Add)(size_t n, const void *add_, void *y_bar_)
{
  const real *add = add_;
  real *y_bar = y_bar_;

  for (size_t j = 0; j < n; j++) y_bar[j] += add[j];
}
