/*
  Convection in divergence form: products of the fields in cells, their divergence on modes; tangents and
  transposes.

  A closure's stress is added to the products, trace-free as they are, before they are transformed.
  Maths   docs/physics/navier_stokes.md eq. (3)-(5)
*/
#include "physics/navier_stokes.h"

/* Cells that are taken at a time, so that the fields are still in the nearest cache for the next product. */
enum { CHUNK = 256 };

void UnrNavierStokesProducts(const UnrNavierStokes *ns, size_t cells, const double u[], double product[])
{
  const double *w = u + (size_t)(ns->dim - 1) * cells;

  for (size_t first = 0; first < cells; first += CHUNK) {
    const size_t end = PetscMin(cells, first + CHUNK);

    for (int q = 0; q < ns->products; q++) {
      const double *a = u + (size_t)ns->pair[q].first * cells, *b = u + (size_t)ns->pair[q].second * cells;
      double *p = product + (size_t)q * cells;

      if (a == b)
        for (size_t i = first; i < end; i++) p[i] = a[i] * a[i] - w[i] * w[i];
      else
        for (size_t i = first; i < end; i++) p[i] = a[i] * b[i];
    }
  }
}

void UnrNavierStokesProductsJvp(const UnrNavierStokes *ns, size_t cells, const double u[],
                                const double u_dot[], double product_dot[])
{
  const size_t last = (size_t)(ns->dim - 1) * cells;
  const double *w = u + last, *w_dot = u_dot + last;

  for (size_t first = 0; first < cells; first += CHUNK) {
    const size_t end = PetscMin(cells, first + CHUNK);

    for (int q = 0; q < ns->products; q++) {
      const size_t at = (size_t)ns->pair[q].first * cells, bt = (size_t)ns->pair[q].second * cells;
      const double *a = u + at, *b = u + bt, *a_dot = u_dot + at, *b_dot = u_dot + bt;
      double *p_dot = product_dot + (size_t)q * cells;

      if (at == bt)
        for (size_t i = first; i < end; i++) p_dot[i] = 2 * (a[i] * a_dot[i] - w[i] * w_dot[i]);
      else
        for (size_t i = first; i < end; i++) p_dot[i] = a[i] * b_dot[i] + a_dot[i] * b[i];
    }
  }
}

void UnrNavierStokesProductsVjp(const UnrNavierStokes *ns, size_t cells, const double u[],
                                const double product_bar[], double u_bar[])
{
  const size_t last = (size_t)(ns->dim - 1) * cells;
  const double *w = u + last;
  double *w_bar = u_bar + last;

  for (size_t first = 0; first < cells; first += CHUNK) {
    const size_t end = PetscMin(cells, first + CHUNK);

    for (int c = 0; c < ns->components; c++)
      for (size_t i = first; i < end; i++) u_bar[(size_t)c * cells + i] = 0;
    for (int q = 0; q < ns->products; q++) {
      const size_t at = (size_t)ns->pair[q].first * cells, bt = (size_t)ns->pair[q].second * cells;
      const double *a = u + at, *b = u + bt, *p_bar = product_bar + (size_t)q * cells;
      double *a_bar = u_bar + at, *b_bar = u_bar + bt;

      if (at == bt) {
        /* p_dot = 2 (a a_dot - w w_dot) */
        for (size_t i = first; i < end; i++) {
          a_bar[i] += 2 * a[i] * p_bar[i];
          w_bar[i] -= 2 * w[i] * p_bar[i];
        }
      } else {
        /* p_dot = a b_dot + a_dot b */
        for (size_t i = first; i < end; i++) {
          a_bar[i] += b[i] * p_bar[i];
          b_bar[i] += a[i] * p_bar[i];
        }
      }
    }
  }
}

/* Product of velocities i and j, as UnrNavierStokesGet() orders them; -1: none. */
static const int stress2[2][2] = {{0, 1}, {1, -1}};
static const int stress3[3][3] = {{0, 2, 3}, {2, 1, 4}, {3, 4, -1}};
static inline __attribute__((always_inline)) int Stress(int dim, int i, int j)
{
  return dim == 2 ? stress2[i][j] : stress3[i][j];
}

/* n_i = -i (f_i - K_i (K . f) / |K|^2), f_i = K_j product_ij; inlined for one dim, so that its loops unroll.
 */
static inline __attribute__((always_inline)) void Momentum(int dim, const UnrNavierStokes *ns, size_t modes,
                                                           const UnrComplex product[], UnrComplex n[])
{
  for (size_t m = 0; m < modes; m++) {
    UnrComplex f[UNR_MAX_DIM], along = 0;

    for (int i = 0; i < dim; i++) {
      f[i] = 0;
      for (int j = 0; j < dim; j++)
        if (Stress(dim, i, j) >= 0) f[i] += ns->K[j][m] * product[(size_t)Stress(dim, i, j) * modes + m];
      along += ns->K[i][m] * f[i];
    }
    along *= ns->inverse[m];
    for (int i = 0; i < dim; i++) n[(size_t)i * modes + m] = -I * (f[i] - ns->K[i][m] * along);
  }
}

static inline __attribute__((always_inline)) void MomentumVjp(int dim, const UnrNavierStokes *ns,
                                                              size_t modes, const UnrComplex n_bar[],
                                                              UnrComplex product_bar[])
{
  for (size_t m = 0; m < modes; m++) {
    UnrComplex f_bar[UNR_MAX_DIM], along = 0;

    /* n_i = -i (f_i - K_i (K . f) / |K|^2), symmetric but for the -i */
    for (int i = 0; i < dim; i++) along += ns->K[i][m] * n_bar[(size_t)i * modes + m];
    along *= ns->inverse[m];
    for (int i = 0; i < dim; i++) f_bar[i] = I * (n_bar[(size_t)i * modes + m] - ns->K[i][m] * along);
    /* f_i = K_j product_ij */
    for (int i = 0; i < dim; i++)
      for (int j = i; j < dim; j++)
        if (Stress(dim, i, j) >= 0)
          product_bar[(size_t)Stress(dim, i, j) * modes + m] =
              i == j ? ns->K[i][m] * f_bar[i] : ns->K[j][m] * f_bar[i] + ns->K[i][m] * f_bar[j];
  }
}

void UnrNavierStokesDivergence(const UnrNavierStokes *ns, size_t modes, const UnrComplex product[],
                               UnrComplex n[])
{
  if (ns->dim == 2)
    Momentum(2, ns, modes, product, n);
  else
    Momentum(3, ns, modes, product, n);
  if (!ns->has_tracer) return;
  product += (size_t)ns->stresses * modes;
  n += (size_t)ns->dim * modes;
  for (size_t m = 0; m < modes; m++) {
    n[m] = 0;
    for (int j = 0; j < ns->dim; j++) n[m] -= I * (ns->K[j][m] * product[(size_t)j * modes + m]);
  }
}

void UnrNavierStokesDivergenceVjp(const UnrNavierStokes *ns, size_t modes, const UnrComplex n_bar[],
                                  UnrComplex product_bar[])
{
  if (ns->dim == 2)
    MomentumVjp(2, ns, modes, n_bar, product_bar);
  else
    MomentumVjp(3, ns, modes, n_bar, product_bar);
  if (!ns->has_tracer) return;
  product_bar += (size_t)ns->stresses * modes;
  n_bar += (size_t)ns->dim * modes;
  for (int j = 0; j < ns->dim; j++)
    for (size_t m = 0; m < modes; m++) product_bar[(size_t)j * modes + m] = I * (ns->K[j][m] * n_bar[m]);
}
