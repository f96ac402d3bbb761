/* The parameters of a trajectory, from the file's scalars and lengths. */
#include "dataset/well.h"

#include <math.h>
#include "core/error.h"

/*
  UnrWellParameters - the parameters of a trajectory: the file's scalars of their names, which must lie in the
  options' ranges and agree with the file's lengths; else the options' values.     Collective on the world;
  ranks may ask for different trajectories.
*/
PetscErrorCode UnrWellParameters(UnrWell well, UnrPhysics physics, PetscInt trajectory, double par[])
{
  const PetscInt parameters = UnrPhysicsParameters(physics);
  double length[UNR_MAX_DIM];

  PetscFunctionBeginUser;
  PetscCall(UnrWellLength(well, trajectory, length));
  for (PetscInt p = 0; p < parameters; p++) par[p] = NAN;
  PetscCall(UnrPhysicsSetLength(physics, length, par));
  for (PetscInt p = 0; p < parameters; p++) {
    const char *name = UnrPhysicsParameterName(physics, p);
    const double by_length = par[p]; /* NaN where lengths do not determine it */
    bool found;

    if (isnan(by_length)) par[p] = UnrPhysicsParameterDefault(physics, p);
    PetscCall(UnrWellScalar(well, trajectory, name, &par[p], &found));
    PetscCall(UnrPhysicsParameterCheck(physics, p, par[p], "the data file"));
    /* coordinates may be of single precision */
    UnrUserCheck(
        !found || isnan(by_length) || fabs(par[p] - by_length) <= 1e-5 * fabs(by_length),
        "scalar %s (%g) of trajectory %" PetscInt_FMT
        " contradicts the lengths in its file, which say %g; allowed: equal values; try: generate it anew",
        name, par[p], trajectory, by_length);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
