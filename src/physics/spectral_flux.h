/*
  For files in this folder only: the convective flux of scalar spectral physics, -scale (u^2/2)_x summed over
  axes,

      N(u) = -1/2 scale G FFT(v^2),     v = IFFT(u),

  with its tangent and its exact transpose.  G is the symbol of the derivative; dealiased or not as the
  physics' transforms are, with the same modes for the state and the product: the transpose is the same three
  lines backwards.      Maths docs/physics/burgers.md eq. (2)-(5)
*/
#pragma once

#include "physics/physics_impl.h"

typedef struct {
  const UnrComplex *derivative; /* G [mode], 0 at Nyquist modes: i k_odd 2 pi / length, summed over axes */
  const double *scale;          /* [sample]; NULL: 1 */
} UnrSpectralFlux;

/* A plugin that calls these has slots of scratch from here on. */
enum { UNR_SPECTRAL_FLUX_SLOTS = 3 };

/* u, n [sample][mode] as in UnrPhysicsNonlinear(). */
PetscErrorCode UnrSpectralFluxApply(UnrPhysics physics, const UnrSpectralFlux *flux, PetscInt samples,
                                    const UnrComplex u[], UnrComplex n[]);
/* u_dot, scale_dot [sample] may be NULL: zero. */
PetscErrorCode UnrSpectralFluxJvp(UnrPhysics physics, const UnrSpectralFlux *flux, PetscInt samples,
                                  const UnrComplex u[], const UnrComplex u_dot[], const double scale_dot[],
                                  UnrComplex n_dot[]);
/* ADDS to u_bar and scale_bar [sample]; either may be NULL. */
PetscErrorCode UnrSpectralFluxVjp(UnrPhysics physics, const UnrSpectralFlux *flux, PetscInt samples,
                                  const UnrComplex u[], const UnrComplex n_bar[], UnrComplex u_bar[],
                                  double scale_bar[]);
