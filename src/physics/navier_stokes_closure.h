/*
  For the files of the Navier-Stokes equations only: closures, the stress tau = -2 nu_t S of what a coarse
  grid does not resolve.

  S is kept as the products are: its diagonal but for the last element, which is minus their sum, then what is
  above it.  Fields of a sample in cells are the velocity [and tracer], then these strains. Maths
  docs/physics/navier_stokes.md eq. (9)-(12)
*/
#pragma once

#include "physics/navier_stokes.h"

/* strain [strain][mode] of u [component][mode], and the transpose: ADDS to u_bar. */
void UnrClosureStrain(const UnrNavierStokes *ns, size_t modes, const UnrComplex u[], UnrComplex strain[]);
void UnrClosureStrainVjp(const UnrNavierStokes *ns, size_t modes, const UnrComplex strain_bar[],
                         UnrComplex u_bar[]);

/* The strains of one sample at one cell, all of them, and |S| = sqrt(2 S_ij S_ij). */
typedef struct {
  double s[6]; /* as the products, the last diagonal element at [5] */
  double size;
} UnrClosureCell;
static inline __attribute__((always_inline)) UnrClosureCell UnrClosureCellGet(int dim, size_t cells,
                                                                              const double strain[], size_t i)
{
  const int diagonals = dim - 1, strains = dim == 2 ? 2 : 5;
  UnrClosureCell c;
  double square = 0;

  c.s[5] = 0;
  for (int q = 0; q < strains; q++) {
    c.s[q] = strain[(size_t)q * cells + i];
    if (q < diagonals) c.s[5] -= c.s[q];
    square += (q < diagonals ? 2 : 4) * c.s[q] * c.s[q];
  }
  c.size = __builtin_sqrt(square + 2 * c.s[5] * c.s[5]);
  return c;
}

/* In navier_stokes_smagorinsky.c, of one sample, strains in cells; constant: C_s.  ADD to the products. */
void UnrSmagorinskyStress(const UnrNavierStokes *ns, size_t cells, double constant, const double strain[],
                          double product[]);
void UnrSmagorinskyStressJvp(const UnrNavierStokes *ns, size_t cells, double constant, double constant_dot,
                             const double strain[], const double strain_dot[], double product_dot[]);
/* strain_bar is SET; ADDS to *constant_bar, NULL: not wanted. */
void UnrSmagorinskyStressVjp(const UnrNavierStokes *ns, size_t cells, double constant, const double strain[],
                             const double product_bar[], double strain_bar[], double *constant_bar);

/*
  In navier_stokes_dynamic.c: flux [sample][product][mode] of the resolved fields becomes that with the
  stress. In   u       [sample][component][mode];  strain  [sample][strain] in cells, strain s of sample k at
               strain + k * stride + s * cells
  Collective on the grid.
*/
PetscErrorCode UnrDynamicStress(UnrPhysics physics, PetscInt samples, const UnrComplex u[],
                                const double strain[], size_t stride, UnrComplex flux[]);
