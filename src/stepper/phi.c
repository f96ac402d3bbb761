/* phi_k without cancellation: a series near zero, the recurrence elsewhere. */
#include "stepper/phi.h"

/* Both branches keep 15 digits round |z| = 2 (tests/test_phi.c measures it); the recurrence loses digits
   below, the series needs more terms and loses digits for negative z above. */
static const double switch_radius = 2;
enum { TERMS = 28 }; /* 2^28 / 28! < 1e-21 */

static const double inverse_factorial[UNR_PHI_MAX + 1] = {1, 1, 1.0 / 2, 1.0 / 6, 1.0 / 24};

/* sum_j z^j / (j + k)!, by Horner: (1/k!) (1 + z/(k+1) (1 + z/(k+2) (...))). */
static UnrComplex Series(int k, UnrComplex z)
{
  UnrComplex sum = 1;

  for (int j = TERMS; j >= 1; j--) sum = 1 + z * sum / (k + j);
  return sum * inverse_factorial[k];
}

void UnrPhi(int last, UnrComplex z, UnrComplex phi[])
{
  phi[0] = cexp(z);
  if (cabs(z) < switch_radius) {
    for (int k = 1; k <= last; k++) phi[k] = Series(k, z);
  } else {
    for (int k = 1; k <= last; k++) phi[k] = (phi[k - 1] - inverse_factorial[k - 1]) / z;
  }
}
