/* The functions phi_k of exponential integrators, for complex z.  Maths: docs/method/etdrk.md eq. (3)-(5). */
#pragma once

#include "field/fft.h"

enum { UNR_PHI_MAX = 4 };
/* phi[k] = phi_k(z), k = 0..last <= UNR_PHI_MAX; phi_0 = exp, phi_k = (phi_{k-1} - 1/(k-1)!) / z, phi_k(0) =
 * 1/k!. */
void UnrPhi(int last, UnrComplex z, UnrComplex phi[]);
