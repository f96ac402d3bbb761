/* The body of guard.c, included once for each `real`; NAME() tells the two apart.  No include guard. */

/* Sum of squares in double.  Lane l sums the numbers l, l + LANES ...; then the lanes are summed in order. */
UNR_OPTIM_LOOP static double NAME(SumOfSquares)(size_t n, const real *x)
{
  double lane[LANES] = {0}, sum = 0;
  size_t i = 0;

  for (; i + LANES <= n; i += LANES)
    for (size_t l = 0; l < LANES; l++) lane[l] += (double)x[i + l] * (double)x[i + l];
  for (size_t l = 0; i + l < n; l++) lane[l] += (double)x[i + l] * (double)x[i + l];
  for (size_t l = 0; l < LANES; l++) sum += lane[l];
  return sum;
}
