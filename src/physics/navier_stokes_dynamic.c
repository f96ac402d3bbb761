/*
  The dynamic Smagorinsky closure: nu_t = C Delta^2 |S| with C, one number for the whole box, from what a
  coarser filter says of the resolved fields (Germano's identity in the least squares of Lilly):

      L_ij = ^(u_i u_j) - ^u_i ^u_j,   M_ij = Delta^2 ^(|S| S_ij) - (2 Delta)^2 |^S| ^S_ij,   C = max(0, <L M>
  / 2 <M M>)

  ^ keeps the modes up to half the largest wavenumber along every axis.  No adjoint: a baseline.
  Maths   docs/physics/navier_stokes.md eq. (11)-(12)
  Source  Germano, Piomelli, Moin & Cabot 1991, doi:10.1063/1.857955; Lilly 1992, doi:10.1063/1.858280
*/
#include "core/call.h"
#include "physics/navier_stokes_closure.h"

/* Fields that are filtered, per sample: products, |S| S, the velocity, its strains. */
typedef struct {
  size_t cells, modes, strains, dim, filtered; /* filtered = 3 strains + dim */
} Sizes;

static bool IsKept(UnrFFT fft, int dim, size_t m)
{
  for (int a = 0; a < dim; a++)
    if (PetscAbsReal(fft->k[a][m]) > (double)(fft->cut[a] / 2)) return false;
  return true;
}

/* |S| S_ij, as the strains are kept. */
static void Rate(const UnrNavierStokes *ns, size_t cells, const double strain[], double rate[])
{
  for (size_t i = 0; i < cells; i++) {
    const UnrClosureCell c = UnrClosureCellGet(ns->dim, cells, strain, i);

    for (int q = 0; q < ns->strains; q++) rate[(size_t)q * cells + i] = c.size * c.s[q];
  }
}

/* This rank's part of <L M> and <M M>, from the filtered fields in cells. */
static void Sum(const UnrNavierStokes *ns, const Sizes *z, const double filtered[], double sum[2])
{
  const double *product = filtered, *rate = product + z->strains * z->cells,
               *u = rate + z->strains * z->cells, *strain = u + z->dim * z->cells;
  const double delta2 = PetscSqr(ns->width);
  const int diagonals = ns->dim - 1;

  sum[0] = sum[1] = 0;
  for (size_t i = 0; i < z->cells; i++) {
    const UnrClosureCell c = UnrClosureCellGet(ns->dim, z->cells, strain, i);
    const double w = u[(z->dim - 1) * z->cells + i];
    double last = 0; /* of M's diagonal */

    for (int q = 0; q < ns->strains; q++) {
      const double a = u[(size_t)ns->pair[q].first * z->cells + i],
                   b = u[(size_t)ns->pair[q].second * z->cells + i];
      const double L = product[(size_t)q * z->cells + i] - (q < diagonals ? a * a - w * w : a * b);
      const double M = delta2 * (rate[(size_t)q * z->cells + i] - 4 * c.size * c.s[q]);
      const double twice = q < diagonals ? 1 : 2;

      sum[0] += twice * L * M;
      sum[1] += twice * M * M;
      if (q < diagonals) last -= M;
    }
    sum[1] += last * last; /* L is less its last diagonal element, M free of trace: no term in <L M> */
  }
}

/* coefficient[sample] = C.     Collective on the grid. */
static PetscErrorCode Coefficients(UnrPhysics physics, const Sizes *z, PetscInt samples,
                                   const UnrComplex flux[], size_t flux_stride, const UnrComplex rate[],
                                   const UnrComplex u[], double coefficient[])
{
  const UnrNavierStokes *ns = physics->data;
  const size_t fields = z->filtered;
  double *cells, *sums;
  UnrComplex *modes;

  PetscFunctionBeginUser;
  PetscCall(UnrNavierStokesModes(physics, UNR_NS_SLOT_FILTERED, (size_t)samples * fields, &modes));
  PetscCall(UnrNavierStokesCells(physics, UNR_NS_SLOT_FILTERED_CELLS, (size_t)samples * fields, &cells));
  PetscCall(
      UnrPhysicsScratch(physics, UNR_NS_SLOT_SUMS, 2 * (size_t)samples * sizeof(double), (void **)&sums));
  for (size_t s = 0; s < (size_t)samples; s++) {
    UnrComplex *to = modes + s * fields * z->modes;

    PetscCall(PetscArraycpy(to, flux + s * flux_stride, z->strains * z->modes));
    PetscCall(
        PetscArraycpy(to + z->strains * z->modes, rate + s * z->strains * z->modes, z->strains * z->modes));
    PetscCall(PetscArraycpy(to + 2 * z->strains * z->modes, u + s * (size_t)ns->components * z->modes,
                            z->dim * z->modes));
    UnrClosureStrain(ns, z->modes, to + 2 * z->strains * z->modes, to + (2 * z->strains + z->dim) * z->modes);
    for (size_t m = 0; m < z->modes; m++)
      if (!IsKept(physics->fft, ns->dim, m))
        for (size_t f = 0; f < fields; f++) to[f * z->modes + m] = 0;
  }
  PetscCall(UnrFFTBackward(physics->fft, (PetscInt)((size_t)samples * fields), modes, cells));
  for (PetscInt s = 0; s < samples; s++) Sum(ns, z, cells + (size_t)s * fields * z->cells, sums + 2 * s);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sums, (PetscMPIInt)(2 * samples), MPI_DOUBLE, MPI_SUM,
                             physics->grid->comm));
  for (PetscInt s = 0; s < samples; s++) /* a state at rest has no M */
    coefficient[s] = sums[2 * s + 1] > 0 ? PetscMax(0, 0.5 * sums[2 * s] / sums[2 * s + 1]) : 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* flux -= 2 C Delta^2 |S| S, on the diagonal less its last element. */
static void Add(const UnrNavierStokes *ns, size_t modes, double coefficient, const UnrComplex rate[],
                UnrComplex flux[])
{
  const double factor = 2 * coefficient * PetscSqr(ns->width);
  const int diagonals = ns->dim - 1;

  for (size_t m = 0; m < modes; m++) {
    UnrComplex last = 0;

    for (int q = 0; q < diagonals; q++) last -= rate[(size_t)q * modes + m];
    for (int q = 0; q < ns->strains; q++)
      flux[(size_t)q * modes + m] -= factor * (rate[(size_t)q * modes + m] - (q < diagonals ? last : 0));
  }
}

PetscErrorCode UnrDynamicStress(UnrPhysics physics, PetscInt samples, const UnrComplex u[],
                                const double strain[], size_t stride, UnrComplex flux[])
{
  const UnrNavierStokes *ns = physics->data;
  const Sizes z = {.cells = (size_t)physics->fft->cells,
                   .modes = (size_t)physics->fft->modes,
                   .strains = (size_t)ns->strains,
                   .dim = (size_t)ns->dim,
                   .filtered = 3 * (size_t)ns->strains + (size_t)ns->dim};
  const size_t rates = (size_t)samples * z.strains, flux_stride = (size_t)ns->products * z.modes;
  double *cells, *coefficient;
  UnrComplex *rate;

  PetscFunctionBeginUser;
  PetscCall(UnrNavierStokesCells(physics, UNR_NS_SLOT_FILTERED_CELLS, rates, &cells));
  PetscCall(UnrNavierStokesModes(physics, UNR_NS_SLOT_RATE, rates, &rate));
  PetscCall(UnrPhysicsScratch(physics, UNR_NS_SLOT_COEFFICIENT, (size_t)samples * sizeof(double),
                              (void **)&coefficient));
  for (size_t s = 0; s < (size_t)samples; s++)
    Rate(ns, z.cells, strain + s * stride, cells + s * z.strains * z.cells);
  PetscCall(UnrFFTForward(physics->fft, (PetscInt)rates, cells, rate));
  PetscCall(Coefficients(physics, &z, samples, flux, flux_stride, rate, u, coefficient));
  for (size_t s = 0; s < (size_t)samples; s++)
    Add(ns, z.modes, coefficient[s], rate + s * z.strains * z.modes, flux + s * flux_stride);
  PetscFunctionReturn(PETSC_SUCCESS);
}
