/*
  Smagorinsky's closure: nu_t = (C_s Delta)^2 |S|, with tangent and transpose; and the strains of both
  closures.

  Maths   docs/physics/navier_stokes.md eq. (9)-(10)      Source  Smagorinsky 1963; C_s = 0.17: Lilly 1967
*/
#include "physics/navier_stokes_closure.h"

void UnrClosureStrain(const UnrNavierStokes *ns, size_t modes, const UnrComplex u[], UnrComplex strain[])
{
  for (int q = 0; q < ns->strains; q++) {
    const int i = ns->pair[q].first, j = ns->pair[q].second;
    const UnrComplex *a = u + (size_t)i * modes, *b = u + (size_t)j * modes;

    for (size_t m = 0; m < modes; m++)
      strain[(size_t)q * modes + m] = 0.5 * I * (ns->K[j][m] * a[m] + ns->K[i][m] * b[m]);
  }
}

void UnrClosureStrainVjp(const UnrNavierStokes *ns, size_t modes, const UnrComplex strain_bar[],
                         UnrComplex u_bar[])
{
  for (int q = 0; q < ns->strains; q++) {
    const int i = ns->pair[q].first, j = ns->pair[q].second;
    UnrComplex *a_bar = u_bar + (size_t)i * modes, *b_bar = u_bar + (size_t)j * modes;

    for (size_t m = 0; m < modes; m++) {
      const UnrComplex s_bar = -0.5 * I * strain_bar[(size_t)q * modes + m];

      a_bar[m] += ns->K[j][m] * s_bar;
      b_bar[m] += ns->K[i][m] * s_bar;
    }
  }
}

/* (C Delta)^2 as a factor of |S|. */
static double Factor(const UnrNavierStokes *ns, double constant)
{
  return PetscSqr(constant * ns->width);
}

/* What a product's place takes of the strains: its own, on the diagonal less the last element. */
static inline double Taken(int dim, const UnrClosureCell *c, int q)
{
  return q < dim - 1 ? c->s[q] - c->s[5] : c->s[q];
}

void UnrSmagorinskyStress(const UnrNavierStokes *ns, size_t cells, double constant, const double strain[],
                          double product[])
{
  const double factor = Factor(ns, constant);

  for (size_t i = 0; i < cells; i++) {
    const UnrClosureCell c = UnrClosureCellGet(ns->dim, cells, strain, i);

    for (int q = 0; q < ns->strains; q++)
      product[(size_t)q * cells + i] -= 2 * factor * c.size * Taken(ns->dim, &c, q);
  }
}

/* |S|_dot = (2 S_ij S_ij_dot) / |S|; 0 where |S| is. */
static double SizeTangent(int dim, int strains, const UnrClosureCell *c, const UnrClosureCell *c_dot)
{
  double sum = 2 * c->s[5] * c_dot->s[5];

  for (int q = 0; q < strains; q++) sum += (q < dim - 1 ? 2 : 4) * c->s[q] * c_dot->s[q];
  return c->size > 0 ? sum / c->size : 0;
}

void UnrSmagorinskyStressJvp(const UnrNavierStokes *ns, size_t cells, double constant, double constant_dot,
                             const double strain[], const double strain_dot[], double product_dot[])
{
  const double factor = Factor(ns, constant), factor_dot = 2 * constant * constant_dot * PetscSqr(ns->width);

  for (size_t i = 0; i < cells; i++) {
    const UnrClosureCell c = UnrClosureCellGet(ns->dim, cells, strain, i),
                         c_dot = UnrClosureCellGet(ns->dim, cells, strain_dot, i);
    const double nu = factor * c.size,
                 nu_dot = factor * SizeTangent(ns->dim, ns->strains, &c, &c_dot) + factor_dot * c.size;

    for (int q = 0; q < ns->strains; q++)
      product_dot[(size_t)q * cells + i] -=
          2 * (nu_dot * Taken(ns->dim, &c, q) + nu * Taken(ns->dim, &c_dot, q));
  }
}

void UnrSmagorinskyStressVjp(const UnrNavierStokes *ns, size_t cells, double constant, const double strain[],
                             const double product_bar[], double strain_bar[], double *constant_bar)
{
  const int diagonals = ns->dim - 1;
  const double factor = Factor(ns, constant);
  double factor_bar = 0;

  for (size_t i = 0; i < cells; i++) {
    const UnrClosureCell c = UnrClosureCellGet(ns->dim, cells, strain, i);
    const double nu = factor * c.size;
    double nu_bar = 0, last_bar = 0, s_bar[6], per_size;

    /* product_dot = -2 (nu_dot taken + nu taken_dot) */
    for (int q = 0; q < ns->strains; q++) {
      const double p_bar = product_bar[(size_t)q * cells + i];

      nu_bar -= 2 * Taken(ns->dim, &c, q) * p_bar;
      s_bar[q] = -2 * nu * p_bar;
      if (q < diagonals) last_bar += 2 * nu * p_bar;
    }
    /* nu_dot = factor |S|_dot + factor_dot |S| */
    factor_bar += c.size * nu_bar;
    per_size = c.size > 0 ? factor * nu_bar / c.size : 0;
    last_bar += 2 * c.s[5] * per_size;
    /* the last diagonal element is minus the sum of the others */
    for (int q = 0; q < ns->strains; q++)
      strain_bar[(size_t)q * cells + i] =
          s_bar[q] + (q < diagonals ? 2 : 4) * c.s[q] * per_size - (q < diagonals ? last_bar : 0);
  }
  if (constant_bar) *constant_bar += 2 * constant * PetscSqr(ns->width) * factor_bar;
}
