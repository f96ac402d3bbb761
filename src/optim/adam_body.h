/* The body of adam_step.c, included once for each `real`; NAME() tells the two apart.  No include guard. */

UNR_OPTIM_LOOP static void NAME(Update)(const Coefficients *c, size_t n, const real *restrict theta_bar,
                                        real *restrict first, real *restrict second, real *restrict theta)
{
  const real factor = (real)c->factor, l2 = (real)c->l2, keep = (real)c->keep;
  const real keep1 = (real)c->beta[0], keep2 = (real)c->beta[1];
  const real add1 = (real)(1 - c->beta[0]), add2 = (real)(1 - c->beta[1]);
  const real step = (real)c->step, epsilon = (real)c->epsilon;

  for (size_t i = 0; i < n; i++) {
    const real g = factor * theta_bar[i] + l2 * theta[i];

    first[i] = keep1 * first[i] + add1 * g;
    second[i] = keep2 * second[i] + add2 * g * g;
    theta[i] = keep * theta[i] - step * first[i] / (square_root(second[i]) + epsilon);
  }
}
