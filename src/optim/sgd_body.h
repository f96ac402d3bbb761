/* The body of sgd.c, included once for each `real`; NAME() tells the two apart.  No include guard. */

/* momentum NULL: the gradient itself is the direction. */
UNR_OPTIM_LOOP static void NAME(Update)(const Coefficients *c, size_t n, const real *restrict theta_bar,
                                        real *restrict momentum, real *restrict theta)
{
  const real factor = (real)c->factor, l2 = (real)c->l2, rate = (real)c->rate;
  const real keep = (real)c->keep, gradient = (real)c->gradient, moment = (real)c->moment;

  if (!momentum) {
    for (size_t i = 0; i < n; i++) theta[i] -= rate * (factor * theta_bar[i] + l2 * theta[i]);
    return;
  }
  for (size_t i = 0; i < n; i++) {
    const real g = factor * theta_bar[i] + l2 * theta[i];

    momentum[i] = keep * momentum[i] + g;
    theta[i] -= rate * (gradient * g + moment * momentum[i]);
  }
}
