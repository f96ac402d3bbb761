/*
  Numbers that follow from a state, means over the domain, by the scheme's own operators:

      energy       |u|^2 / 2                        enstrophy   |curl u|^2 / 2
      dissipation  nu |grad u|^2 + drag |u|^2       injection   f . u      divergence   rms of div u

  so that d energy/dt = injection - dissipation.      Maths   docs/physics/navier_stokes.md
*/
#include "core/call.h"
#include "physics/navier_stokes.h"

enum { ENERGY, ENSTROPHY, DISSIPATION, INJECTION, DIVERGENCE, INTEGRALS };
const char UnrNavierStokesIntegrals[] = "energy|enstrophy|dissipation|injection|divergence";

/* This rank's part of one sample; f: the forces that are not in the symbol. */
static void Sum(UnrPhysics physics, const UnrNavierStokes *ns, const double par[], const UnrComplex u[],
                const UnrComplex f[], double value[])
{
  const UnrFFT fft = physics->fft;
  const PetscInt modes = fft->modes;

  for (int i = 0; i < INTEGRALS; i++) value[i] = 0;
  for (PetscInt m = 0; m < modes; m++) {
    double square = 0, work = 0, K_kept = 0;
    UnrComplex along = 0;

    for (int a = 0; a < ns->dim; a++) {
      const UnrComplex ua = u[a * modes + m];

      square += creal(conj(ua) * ua);
      work += creal(conj(ua) * f[a * modes + m]);
      along += ns->K[a][m] * ua;
      K_kept += PetscSqr(ns->K[a][m]);
    }
    if (ns->forcing == UNR_NS_FORCING_LINEAR && ns->K2[m] > 0) work += par[UNR_NS_AMPLITUDE] * square;
    const double divergence = creal(conj(along) * along);
    value[ENERGY] += 0.5 * fft->weight[m] * square;
    value[ENSTROPHY] += 0.5 * fft->weight[m] * (K_kept * square - divergence); /* |K x u|^2 */
    value[DISSIPATION] += fft->weight[m] * (par[UNR_NS_VISCOSITY] * ns->K2[m] + par[UNR_NS_DRAG]) * square;
    value[INJECTION] += fft->weight[m] * work;
    value[DIVERGENCE] += fft->weight[m] * divergence;
  }
}

PetscErrorCode UnrPhysicsIntegrate_NavierStokes(UnrPhysics physics, const double par[], UnrBatch u,
                                                double value[])
{
  const double scale = 1 / PetscSqr((double)physics->grid->total);
  const UnrNavierStokes *ns;
  double *cells;
  UnrComplex *state, *force;

  PetscFunctionBeginUser;
  PetscCall(UnrNavierStokesGet(physics, &ns));
  const size_t stride = (size_t)ns->components * (size_t)physics->fft->modes;
  PetscCall(UnrNavierStokesLoad(physics, u, UNR_NS_SLOT_CELLS, UNR_NS_SLOT_MODES, &cells, &state));
  PetscCall(UnrNavierStokesModes(physics, UNR_NS_SLOT_OTHER, (size_t)(u->samples * ns->components), &force));
  PetscCall(PetscArrayzero(force, (size_t)u->samples * stride));
  PetscCall(UnrNavierStokesForce(physics, u->samples, par, state, force));
  for (PetscInt s = 0; s < u->samples; s++)
    Sum(physics, ns, par + s * UNR_NS_PARAMETERS, state + (size_t)s * stride, force + (size_t)s * stride,
        value + s * INTEGRALS);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, value, (PetscMPIInt)(u->samples * INTEGRALS), MPI_DOUBLE, MPI_SUM,
                             physics->grid->comm));
  for (PetscInt s = 0; s < u->samples; s++) {
    double *v = value + s * INTEGRALS;

    for (int i = 0; i < INTEGRALS; i++) v[i] *= scale;
    v[DIVERGENCE] = PetscSqrtReal(v[DIVERGENCE]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
