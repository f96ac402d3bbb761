/* phi_k of exponential integrators against long double arithmetic, round the switch and far from it. */
#include "support.h"

#include "stepper/phi.h"

/* phi_k by the mean over a circle round z, in long double: no cancellation, whatever z. */
static UnrComplex Exact(int k, UnrComplex z)
{
  enum { POINTS = 256 };
  const long double radius =
      cabs(z) > 4 ? 1 : 6; /* the circle keeps away from 0, where the recurrence fails */
  _Complex long double sum = 0;

  for (int i = 0; i < POINTS; i++) {
    const long double angle = 2 * 3.141592653589793238462643383279502884L * (i + 0.5L) / POINTS;
    _Complex long double w = z + radius * (cosl(angle) + (_Complex long double)I * sinl(angle)), f = cexpl(w);
    long double factorial = 1;

    for (int j = 0; j < k; j++) {
      f = (f - 1 / factorial) / w;
      factorial *= j + 1;
    }
    sum += f;
  }
  return (UnrComplex)(sum / POINTS);
}

/* Largest relative error of phi_1 .. phi_4 on rays from the negative real axis to the positive one, |z| from
 * low to high. */
static double LargestError(double low, double high)
{
  double largest = 0;

  for (int r = 0; r <= 20; r++)
    for (int a = 0; a <= 12; a++) {
      const double radius = low * pow(high / low, r / 20.0);
      const UnrComplex z = radius * cexp(I * 3.14159265358979 * a / 12);
      UnrComplex phi[UNR_PHI_MAX + 1];

      UnrPhi(UNR_PHI_MAX, z, phi);
      for (int k = 1; k <= UNR_PHI_MAX; k++)
        largest = TestMost(largest, cabs(phi[k] - Exact(k, z)) / cabs(phi[k]));
    }
  return largest;
}

/* The bounds are some ten units of rounding; a series or a recurrence used on the other's side loses all
 * digits. */
Test(phi, accuracy)
{
  const double below = LargestError(1.5, 1.9999), above = LargestError(2.0001, 3);

  printf("phi: %g %g %g %g\n", LargestError(1e-8, 1.5), below, above, LargestError(3, 300));
  cr_expect(LargestError(1e-8, 1.5) < 2e-15, "near zero: %g", LargestError(1e-8, 1.5));
  cr_expect(below < 4e-15, "below the switch: %g", below);
  cr_expect(above < 4e-15, "above the switch: %g", above);
  cr_expect(LargestError(3, 300) < 4e-15, "far: %g", LargestError(3, 300));
}

Test(phi, at_zero)
{
  UnrComplex phi[UNR_PHI_MAX + 1];

  UnrPhi(UNR_PHI_MAX, 0, phi);
  cr_expect(phi[0] == 1 && phi[1] == 1 && phi[2] == 0.5 && fabs(creal(phi[3]) - 1.0 / 6) < 1e-17 &&
            fabs(creal(phi[4]) - 1.0 / 24) < 1e-17);
}

/* A very stiff mode is damped, not NaN. */
Test(phi, stiff)
{
  UnrComplex phi[UNR_PHI_MAX + 1];

  UnrPhi(UNR_PHI_MAX, -1e8, phi);
  cr_expect(phi[0] == 0 && fabs(creal(phi[1]) - 1e-8) < 1e-22 && creal(phi[4]) > 0 && creal(phi[4]) < 1e-8);
}
