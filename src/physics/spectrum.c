/* The energy spectrum by shells of the wavenumber, for every physics that has transforms. */
#include "physics/physics_impl.h"

#include "core/call.h"

/* spectrum.c shares spectral.c's slots: neither calls the other. */
enum { SLOT_WORK = UNR_PHYSICS_PLUGIN_SLOTS, SLOT_MODES };

/* Wavenumber 1 along each axis, in units of 2 pi over the longest side: all sides are alike where no length
   was given, and where it is a parameter of the sample, the only one. */
static void Units(UnrPhysics physics, double unit[UNR_MAX_DIM])
{
  double longest = 0;

  for (int a = 0; a < physics->grid->dim; a++) longest = PetscMax(longest, physics->length[a]);
  for (int a = 0; a < UNR_MAX_DIM; a++) unit[a] = physics->length[a] > 0 ? longest / physics->length[a] : 1;
}

/* The nearest shell of |k|. */
static PetscInt Shell(const double unit[UNR_MAX_DIM], double kx, double ky, double kz)
{
  return (PetscInt)(PetscSqrtReal(PetscSqr(unit[0] * kx) + PetscSqr(unit[1] * ky) + PetscSqr(unit[2] * kz)) +
                    0.5);
}

PetscInt UnrPhysicsShells(UnrPhysics physics)
{
  const UnrFFT fft = physics->fft;
  double unit[UNR_MAX_DIM];

  if (!fft) return 0;
  Units(physics, unit);
  return 1 + Shell(unit, (double)fft->cut[0], (double)fft->cut[1], (double)fft->cut[2]);
}

/* Components of the state's first field, "velocity" of "velocity|tracer": the others have one each. */
static PetscInt FirstField(UnrPhysics physics)
{
  PetscInt components = physics->grid->components;

  for (const char *c = physics->field; *c; c++) components -= *c == '|';
  return components;
}

/* Adds the energy of one field's modes to its shells. */
static void AddField(UnrFFT fft, const double unit[UNR_MAX_DIM], const UnrComplex u[], double energy[])
{
  const double scale = 0.5 / ((double)fft->grid->total * (double)fft->grid->total);

  for (PetscInt m = 0; m < fft->modes; m++)
    energy[Shell(unit, fft->k[0][m], fft->k[1][m], fft->k[2][m])] +=
        scale * fft->weight[m] * (PetscSqr(creal(u[m])) + PetscSqr(cimag(u[m])));
}

/*
  UnrPhysicsSpectrum - energy of the state's first field by shells.     Collective on the grid.
  Out     energy  [sample][shell] sum of |u|^2/2 over the shell's modes, mean over the domain: the sum over
                  shells is the energy of what the scheme represents; the same bits on all ranks of the grid
  Errors  PETSC_ERR_SUP for a physics without transforms
*/
PetscErrorCode UnrPhysicsSpectrum(UnrPhysics physics, const double par[], UnrBatch u, double energy[])
{
  const UnrFFT fft = physics->fft;
  const PetscInt components = physics->grid->components;
  const PetscInt shells = UnrPhysicsShells(physics);
  PetscInt first, samples;
  PetscMPIInt count;
  double unit[UNR_MAX_DIM], *work;
  UnrComplex *modes;

  PetscFunctionBeginUser;
  (void)par;
  PetscCheck(fft, PETSC_COMM_SELF, PETSC_ERR_SUP, "physics %s has no transforms", physics->ops->name);
  Units(physics, unit);
  UnrFFTShare(fft, u->samples, &first, &samples);
  const size_t fields = (size_t)samples * (size_t)components;
  PetscCall(
      UnrPhysicsScratch(physics, SLOT_WORK, fields * (size_t)fft->cells * sizeof(double), (void **)&work));
  PetscCall(UnrPhysicsScratch(physics, SLOT_MODES, fields * (size_t)fft->modes * sizeof(UnrComplex),
                              (void **)&modes));
  PetscCall(UnrFFTLoad(fft, u, work));
  PetscCall(UnrFFTForward(fft, (PetscInt)fields, work, modes));
  PetscCall(PetscArrayzero(energy, u->samples * shells));
  for (PetscInt s = 0; s < samples; s++)
    for (PetscInt c = 0; c < FirstField(physics); c++)
      AddField(fft, unit, modes + (size_t)(s * components + c) * (size_t)fft->modes,
               energy + (first + s) * shells);
  if (physics->grid->size == 1) PetscFunctionReturn(PETSC_SUCCESS);
  /* to one and from there to all: an allreduce need not promise the same bits */
  PetscCall(UnrMPICount((size_t)u->samples * (size_t)shells, &count));
  PetscCallMPI(MPI_Reduce(physics->grid->rank ? energy : MPI_IN_PLACE, energy, count, MPI_DOUBLE, MPI_SUM, 0,
                          physics->grid->comm));
  PetscCallMPI(MPI_Bcast(energy, count, MPI_DOUBLE, 0, physics->grid->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}
