/* A data set beside the case that uses it: is it of this physics and grid, and what are its parameters? */
#include "dataset/well_impl.h"

#include <math.h>
#include <string.h>
#include "core/error.h"

PetscErrorCode UnrWellCheckCase(UnrWell well, UnrPhysics physics)
{
  char message[UNR_WELL_MESSAGE] = "";

  PetscFunctionBeginUser;
  UnrUserCheck(
      !strcmp(well->facts.field, UnrPhysicsFieldName(physics)),
      "field '%s' in %s is not that of %s; allowed: '%s'; try: another -physics_type, or the data set "
      "of this case",
      well->facts.field, well->path, UnrPhysicsName(physics), UnrPhysicsFieldName(physics));
  UnrWellReadRefusal(well, &(UnrWellBlock){0, 1, 0, 1}, UnrPhysicsGrid(physics), message);
  UnrUserCheck(!message[0], "%s", message);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  UnrWellParameters - the parameters of a trajectory.     Collective on the world; ranks may ask for different
  trajectories.
  Out     par     [parameter]: the file's scalar of that name; else the value of its option where that is
                  given; else, of a parameter that is a length, what the file's coordinates say, and of
                  others the option's default
  Errors  user error where one is out of its option's range, or the file's lengths contradict it or
          -grid_length.  Coordinates may be of single precision
*/
PetscErrorCode UnrWellParameters(UnrWell well, UnrPhysics physics, PetscInt trajectory, double par[])
{
  const PetscInt parameters = UnrPhysicsParameters(physics);
  double length[UNR_MAX_DIM], *said;
  bool *is_said, *is_file;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc3(parameters + 1, &said, parameters + 1, &is_said, parameters + 1, &is_file));
  for (PetscInt p = 0; p < parameters; p++) {
    said[p] = UnrPhysicsParameterDefault(physics, p);
    PetscCall(UnrWellScalar(well, trajectory, UnrPhysicsParameterName(physics, p), &said[p], &is_file[p]));
    PetscCall(UnrPhysicsParameterGiven(physics, p, &is_said[p]));
    is_said[p] = is_said[p] || is_file[p];
    PetscCall(UnrPhysicsParameterCheck(physics, p, said[p], is_file[p] ? well->path : "its option"));
    par[p] = said[p];
  }
  PetscCall(UnrWellLength(well, trajectory, length));
  PetscCall(UnrPhysicsSetLength(physics, length, par));
  for (PetscInt p = 0; p < parameters; p++)
    UnrUserCheck(!is_said[p] || fabs(par[p] - said[p]) <= 1e-5 * fabs(par[p]),
                 "parameter %s (%g, from %s) contradicts the lengths of trajectory %" PetscInt_FMT
                 " in %s, which say %g; allowed: equal values; try: generate it anew, or leave the "
                 "option out",
                 UnrPhysicsParameterName(physics, p), said[p], is_file[p] ? "its scalar" : "its option",
                 trajectory, well->path, par[p]);
  PetscCall(PetscFree3(said, is_said, is_file));
  PetscFunctionReturn(PETSC_SUCCESS);
}
