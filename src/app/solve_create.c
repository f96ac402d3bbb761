/* The solver that file and options describe: points, lengths, parameters from the file; options win. */
#include "app/solve.h"
#include "app/common.h"

#include <math.h>
#include <string.h>
#include "core/error.h"

/* -grid_points, where it is given, must say what the file says. */
static PetscErrorCode CheckPoints(const UnrSolve *solve)
{
  const PetscInt *n = solve->info.points;
  PetscInt points[UNR_MAX_DIM] = {1, 1, 1};
  int dim;

  PetscFunctionBeginUser;
  PetscCall(UnrGridPointsGet(&dim, points));
  UnrUserCheck(!dim || (dim == solve->info.dim && points[0] == n[0] && (dim < 2 || points[1] == n[1]) &&
                        (dim < 3 || points[2] == n[2])),
               "-grid_points contradicts %s; allowed: its %d-D %" PetscInt_FMT "x%" PetscInt_FMT
               "x%" PetscInt_FMT " points; try: leave it out",
               solve->input, solve->info.dim, n[0], n[1], n[2]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Without -physics_type the file says what its field is: the first physics that has it. */
static PetscErrorCode ChoosePhysics(const UnrSolve *solve)
{
  const char *name = UnrPhysicsFor(UnrWellField(solve->well), solve->info.dim);
  PetscBool is_set;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsHasName(NULL, NULL, "-physics_type", &is_set));
  if (!is_set && name) PetscCall(PetscOptionsSetValue(NULL, "-physics_type", name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The file may hold several fields: ours is the one that the physics names. */
static PetscErrorCode OpenField(UnrSolve *solve)
{
  const char *field = UnrPhysicsFieldName(solve->physics);

  PetscFunctionBeginUser;
  if (!strcmp(UnrWellField(solve->well), field)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(UnrWellClose(&solve->well));
  PetscCall(UnrWellOpen(solve->input, field, &solve->well));
  PetscCall(UnrWellInfoGet(solve->well, &solve->info));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Parameters of the sample: an option that is given, else the file's scalar of that name, else the option's
  default; and the file's lengths.  One that was said and contradicts the lengths is a user error; a default
  gives way.
*/
static PetscErrorCode SetParameters(UnrSolve *solve)
{
  const PetscInt parameters = UnrPhysicsParameters(solve->physics);
  double length[UNR_MAX_DIM], *said;
  bool *is_said;

  PetscFunctionBeginUser;
  PetscCall(PetscCalloc2(parameters + 1, &said, parameters + 1, &is_said));
  PetscCall(PetscMalloc1(parameters + 1, &solve->par));
  for (PetscInt p = 0; p < parameters; p++) {
    said[p] = UnrPhysicsParameterDefault(solve->physics, p);
    PetscCall(UnrPhysicsParameterGiven(solve->physics, p, &is_said[p]));
    if (!is_said[p])
      PetscCall(UnrWellScalar(solve->well, solve->sample, UnrPhysicsParameterName(solve->physics, p),
                              &said[p], &is_said[p]));
    PetscCall(UnrPhysicsParameterCheck(solve->physics, p, said[p], is_said[p] ? solve->input : "its option"));
    solve->par[p] = said[p];
  }
  PetscCall(UnrWellLength(solve->well, solve->sample, length));
  PetscCall(UnrPhysicsSetLength(solve->physics, length, solve->par));
  for (PetscInt p = 0; p < parameters; p++)
    UnrUserCheck(!is_said[p] || fabs(solve->par[p] - said[p]) <= 1e-5 * fabs(solve->par[p]),
                 "parameter %s (%g) contradicts the lengths in %s, which say %g; allowed: equal values; try: "
                 "leave it out",
                 UnrPhysicsParameterName(solve->physics, p), said[p], solve->input, solve->par[p]);
  PetscCall(PetscFree2(said, is_said));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrSolveCreate(UnrSolve *solve)
{
  UnrNeeds needs;
  PetscInt components;

  PetscFunctionBeginUser;
  PetscCall(UnrWellOpen(solve->input, NULL, &solve->well));
  PetscCall(UnrWellCheckRange(solve->well, solve->sample, solve->frame));
  PetscCall(UnrWellInfoGet(solve->well, &solve->info));
  PetscCall(CheckPoints(solve));
  PetscCall(ChoosePhysics(solve));
  PetscCall(UnrPhysicsDescribe(solve->info.dim, &needs, &components));
  PetscCall(
      UnrLayoutCreate(PETSC_COMM_WORLD, 1, solve->info.dim, solve->info.points, &needs, &solve->layout));
  PetscCall(UnrCommonMemory(&solve->layout, solve->info.points, components, 1, 5));
  PetscCall(UnrGridCreate(&solve->layout, solve->info.dim, solve->info.points, components, needs.stencil,
                          &solve->grid));
  PetscCall(UnrPhysicsCreate(solve->grid, &solve->physics));
  PetscCall(OpenField(solve));
  PetscCall(SetParameters(solve));
  PetscCall(UnrStepperCreate(solve->physics, NULL, &solve->stepper));
  UnrUserCheck(!solve->cotangent || UnrStepperHasAdjoint(solve->stepper),
               "-solve_cotangent with a stepper that has no adjoint (%s); allowed: one that has; try: "
               "-stepper_type etdrk",
               UnrStepperName(solve->stepper));
  PetscCall(UnrBatchCreate(solve->grid, 1, &solve->u0));
  PetscCall(UnrWellRead(solve->well, solve->sample, solve->frame, solve->u0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrSolveDestroy(UnrSolve *solve)
{
  PetscFunctionBeginUser;
  PetscCall(UnrBatchDestroy(&solve->u0));
  PetscCall(PetscFree(solve->par));
  PetscCall(UnrStepperDestroy(&solve->stepper));
  PetscCall(UnrPhysicsDestroy(&solve->physics));
  PetscCall(UnrGridDestroy(&solve->grid));
  PetscCall(UnrLayoutDestroy(&solve->layout));
  PetscCall(UnrWellClose(&solve->well));
  PetscFunctionReturn(PETSC_SUCCESS);
}
