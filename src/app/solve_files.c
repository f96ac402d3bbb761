/* The files of `solve`: one trajectory each, with the parameters as scalars. */
#include "app/solve.h"

#include <stdio.h>

bool UnrSolveIsSaved(const UnrSolve *solve, PetscInt k)
{
  return k == solve->steps || (solve->save_every && k % solve->save_every == 0);
}

/*
  A file of one trajectory, with the parameters as scalars, and behind them the gradients by them.
  In      frames, time  [frame];  par_bar  NULL: a trajectory, not a gradient
*/
static PetscErrorCode CreateFile(const UnrSolve *solve, const char *path, PetscInt frames,
                                 const double time[], const double par_bar[], UnrWell *well)
{
  const PetscInt parameters = UnrPhysicsParameters(solve->physics),
                 scalars = par_bar ? 2 * parameters : parameters;
  const char *source[] = {solve->input, solve->cotangent, NULL}, *field = UnrPhysicsFieldName(solve->physics);
  double length[UNR_MAX_DIM], *scalar;
  char(*gradient)[80];
  const char **name;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc3(scalars + 1, &name, scalars + 1, &scalar, parameters + 1, &gradient));
  for (PetscInt p = 0; p < parameters; p++) {
    name[p] = UnrPhysicsParameterName(solve->physics, p);
    scalar[p] = solve->par[p];
    if (!par_bar) continue;
    snprintf(gradient[p], sizeof gradient[p], "grad_%s", name[p]);
    name[parameters + p] = gradient[p];
    scalar[parameters + p] = par_bar[p];
  }
  PetscCall(UnrPhysicsLength(solve->physics, solve->par, length));
  const UnrWellSpec spec = {
      .dataset_name = UnrPhysicsName(solve->physics),
      .field = field,
      .grid = solve->grid,
      .trajectories = 1,
      .frames = frames,
      .time = time,
      .precision = solve->precision,
      .length = length,
      .scalars = scalars,
      .scalar_name = name,
      .scalar = scalar,
      .source = source,
  };
  PetscCall(UnrWellCreate(path, &spec, well));
  PetscCall(PetscFree3(name, scalar, gradient));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrSolveTrajectory(const UnrSolve *solve, const char *path, UnrWell *well)
{
  const double step = UnrStepperDt(solve->stepper) * (double)UnrStepperSubsteps(solve->stepper);
  PetscInt frames = 0;
  double begin, *time;

  PetscFunctionBeginUser;
  for (PetscInt k = 0; k <= solve->steps; k++) frames += UnrSolveIsSaved(solve, k);
  PetscCall(PetscMalloc1(frames, &time));
  PetscCall(UnrWellTime(solve->well, solve->frame, &begin));
  frames = 0;
  for (PetscInt k = 0; k <= solve->steps; k++) {
    if (UnrSolveIsSaved(solve, k)) time[frames++] = begin + (double)k * step;
  }
  PetscCall(CreateFile(solve, path, frames, time, NULL, well));
  PetscCall(PetscFree(time));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrSolveGradientFile(const UnrSolve *solve, const char *path, const double par_bar[],
                                    UnrWell *well)
{
  double time;

  PetscFunctionBeginUser;
  PetscCall(UnrWellTime(solve->well, solve->frame, &time));
  PetscCall(CreateFile(solve, path, 1, &time, par_bar, well));
  PetscFunctionReturn(PETSC_SUCCESS);
}
