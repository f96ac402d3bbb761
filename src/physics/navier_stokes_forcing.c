/*
  Forces per mass that are not in the symbol: a steady wave (Kolmogorov), and constant power on the large
  scales.

      kolmogorov       f_x = A sin(k 2 pi y / L_y)
      low_wavenumber   f = A u_low / (2 E_low),  E_low = mean of |u_low|^2 / 2

  Maths   docs/physics/navier_stokes.md eq. (6)-(7)
*/
#include "physics/navier_stokes.h"

#include "core/call.h"
#include "core/error.h"

/* UnrNavierStokesForcingCheck - is the wave one of the scheme's modes?     Collective on the world. */
PetscErrorCode UnrNavierStokesForcingCheck(UnrPhysics physics)
{
  const UnrNavierStokes *ns = physics->data;
  const PetscInt *n = physics->grid->points;

  PetscFunctionBeginUser;
  if (ns->forcing != UNR_NS_FORCING_KOLMOGOROV) PetscFunctionReturn(PETSC_SUCCESS);
  const PetscInt most = PetscMin(physics->fft->cut[1], (n[1] - 1) / 2);
  UnrUserCheck(ns->forcing_wavenumber <= most,
               "-physics_navier_stokes_forcing_wavenumber (%" PetscInt_FMT ") for %" PetscInt_FMT
               " points along y; allowed: up to %" PetscInt_FMT "; try: more points, or a longer wave",
               ns->forcing_wavenumber, n[1], most);
  PetscFunctionReturn(PETSC_SUCCESS);
}

bool UnrNavierStokesForcingActs(UnrPhysics physics, const UnrNavierStokes *ns, PetscInt mode)
{
  const UnrFFT fft = physics->fft;
  const double wavenumber = (double)ns->forcing_wavenumber;

  if (ns->forcing == UNR_NS_FORCING_KOLMOGOROV)
    return fft->k[0][mode] == 0 && PetscAbsReal(fft->k[1][mode]) == wavenumber && fft->k[2][mode] == 0;
  if (ns->forcing == UNR_NS_FORCING_LOW_WAVENUMBER) {
    double longest = 0;

    for (int a = 0; a < ns->dim; a++) longest = PetscMax(longest, ns->length[a]);
    /* a sphere through modes takes them all: their |k|^2 is a whole number but for rounding */
    return ns->inverse[mode] > 0 &&
           ns->K2[mode] * PetscSqr(longest / (2 * PETSC_PI)) <= PetscSqr(wavenumber) * (1 + 1e-12);
  }
  return false;
}

/* Of A sin(k y): -i A/2 at k, +i A/2 at -k, times the number of points. */
static UnrComplex Wave(UnrPhysics physics, PetscInt mode)
{
  return (physics->fft->k[1][mode] > 0 ? -0.5 : 0.5) * I * (double)physics->grid->total;
}

/* Mean over the domain of a . b over the forced modes of one sample: this rank's part. */
static double Mean(UnrPhysics physics, const UnrNavierStokes *ns, const UnrComplex a[], const UnrComplex b[])
{
  const UnrFFT fft = physics->fft;
  double sum = 0;

  for (int c = 0; c < ns->dim; c++)
    for (PetscInt f = 0; f < ns->forced; f++) {
      const PetscInt m = ns->forced_at[f], at = c * fft->modes + m;

      sum += fft->weight[m] * creal(conj(a[at]) * b[at]);
    }
  return sum / PetscSqr((double)physics->grid->total);
}

/* to += factor from, over the forced modes. */
static void Add(UnrPhysics physics, const UnrNavierStokes *ns, double factor, const UnrComplex from[],
                UnrComplex to[])
{
  for (int c = 0; c < ns->dim; c++)
    for (PetscInt f = 0; f < ns->forced; f++) {
      const PetscInt at = c * physics->fft->modes + ns->forced_at[f];

      to[at] += factor * from[at];
    }
}

/*
  Sums - [sample][2]: 2 E_low of u, and the mean of v . u_low (0 where v is NULL).     Collective on the grid.
*/
static PetscErrorCode Sums(UnrPhysics physics, const UnrNavierStokes *ns, PetscInt samples,
                           const UnrComplex u[], const UnrComplex v[], double **sums)
{
  const size_t stride = (size_t)ns->components * (size_t)physics->fft->modes;

  PetscFunctionBeginUser;
  PetscCall(
      UnrPhysicsScratch(physics, UNR_NS_SLOT_SUMS, 2 * (size_t)samples * sizeof(double), (void **)sums));
  for (PetscInt s = 0; s < samples; s++) {
    const UnrComplex *us = u + (size_t)s * stride;

    (*sums)[2 * s] = Mean(physics, ns, us, us);
    (*sums)[2 * s + 1] = v ? Mean(physics, ns, v + (size_t)s * stride, us) : 0;
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, *sums, (PetscMPIInt)(2 * samples), MPI_DOUBLE, MPI_SUM,
                             physics->grid->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A state without large scales has no direction to force. */
static double Over(double a, double energy)
{
  return energy > 0 ? a / energy : 0;
}

/* n += f(u).     Collective on the grid. */
PetscErrorCode UnrNavierStokesForce(UnrPhysics physics, PetscInt samples, const double par[],
                                    const UnrComplex u[], UnrComplex n[])
{
  const UnrNavierStokes *ns = physics->data;
  const size_t stride = (size_t)ns->components * (size_t)physics->fft->modes;
  double *sums = NULL;

  PetscFunctionBeginUser;
  if (ns->forcing == UNR_NS_FORCING_LOW_WAVENUMBER) PetscCall(Sums(physics, ns, samples, u, NULL, &sums));
  for (PetscInt s = 0; s < samples; s++) {
    const double A = par[s * UNR_NS_PARAMETERS + UNR_NS_AMPLITUDE];
    const size_t at = (size_t)s * stride;

    if (sums)
      Add(physics, ns, Over(A, sums[2 * s]), u + at, n + at);
    else
      for (PetscInt f = 0; f < ns->forced; f++)
        n[at + (size_t)ns->forced_at[f]] += A * Wave(physics, ns->forced_at[f]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* r = A / (2 E):  f_dot = r u_low_dot + (A_dot / (2 E) - r <2 u_low . u_low_dot> / (2 E)) u_low */
PetscErrorCode UnrNavierStokesForceJvp(UnrPhysics physics, PetscInt samples, const double par[],
                                       const UnrComplex u[], const UnrComplex u_dot[], const double par_dot[],
                                       UnrComplex n_dot[])
{
  const UnrNavierStokes *ns = physics->data;
  const size_t stride = (size_t)ns->components * (size_t)physics->fft->modes;
  double *sums = NULL;

  PetscFunctionBeginUser;
  if (ns->forcing == UNR_NS_FORCING_LOW_WAVENUMBER) PetscCall(Sums(physics, ns, samples, u, u_dot, &sums));
  for (PetscInt s = 0; s < samples; s++) {
    const PetscInt p = s * UNR_NS_PARAMETERS + UNR_NS_AMPLITUDE;
    const double A_dot = par_dot ? par_dot[p] : 0;
    const size_t at = (size_t)s * stride;

    if (sums) {
      const double r = Over(par[p], sums[2 * s]);

      if (u_dot) Add(physics, ns, r, u_dot + at, n_dot + at);
      Add(physics, ns, Over(A_dot - 2 * r * sums[2 * s + 1], sums[2 * s]), u + at, n_dot + at);
    } else {
      for (PetscInt f = 0; f < ns->forced; f++)
        n_dot[at + (size_t)ns->forced_at[f]] += A_dot * Wave(physics, ns->forced_at[f]);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Reverse of the wave: A_bar += sum of n_bar sin(k y) over the cells. */
static double WaveReverse(UnrPhysics physics, const UnrNavierStokes *ns, const UnrComplex n_bar[])
{
  double sum = 0;

  for (PetscInt f = 0; f < ns->forced; f++) {
    const PetscInt m = ns->forced_at[f];

    sum += physics->fft->weight[m] * creal(conj(n_bar[m]) * Wave(physics, m));
  }
  return sum / (double)physics->grid->total;
}

/*
  Reverse of f_dot = r u_low_dot + ..., r = A / (2 E):
  u_bar += r n_bar_low - 2 r <n_bar . u_low> / (2 E) u_low,  A_bar += points <n_bar . u_low> / (2 E)
*/
PetscErrorCode UnrNavierStokesForceVjp(UnrPhysics physics, PetscInt samples, const double par[],
                                       const UnrComplex u[], const UnrComplex n_bar[], UnrComplex u_bar[],
                                       double par_bar[])
{
  const UnrNavierStokes *ns = physics->data;
  const size_t stride = (size_t)ns->components * (size_t)physics->fft->modes;
  double *sums = NULL;

  PetscFunctionBeginUser;
  if (ns->forcing == UNR_NS_FORCING_LOW_WAVENUMBER) PetscCall(Sums(physics, ns, samples, u, n_bar, &sums));
  for (PetscInt s = 0; s < samples; s++) {
    const PetscInt p = s * UNR_NS_PARAMETERS + UNR_NS_AMPLITUDE;
    const size_t at = (size_t)s * stride;

    if (sums) {
      const double r = Over(par[p], sums[2 * s]);

      if (u_bar) Add(physics, ns, r, n_bar + at, u_bar + at);
      if (u_bar) Add(physics, ns, -2 * r * Over(sums[2 * s + 1], sums[2 * s]), u + at, u_bar + at);
      /* this rank's part of the sum over cells: that of its modes */
      if (par_bar)
        par_bar[p] += Over((double)physics->grid->total * Mean(physics, ns, n_bar + at, u + at), sums[2 * s]);
    } else if (par_bar) {
      par_bar[p] += WaveReverse(physics, ns, n_bar + at);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
