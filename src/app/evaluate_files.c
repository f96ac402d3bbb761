/* trajectory.h5 and reference.h5 of `evaluate`: the first test of each group. */
#include "app/evaluate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Parameters and lengths of the first test of each group; par of all tests. */
static PetscErrorCode Describe(const UnrEvaluate *e, double scalar[], double length[])
{
  const UnrCase *c = &e->c;
  const PetscInt n = UnrPhysicsParameters(c->physics);
  double *par, side[UNR_MAX_DIM];

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc1(c->samples * n + 1, &par));
  PetscCall(UnrCaseParameters(c, par));
  for (PetscInt g = 0; g < e->set.values; g++) {
    const double *first = par + g * e->set.starts * n;

    PetscCall(PetscArraycpy(scalar + g * n, first, n));
    PetscCall(UnrPhysicsLength(c->physics, first, side));
    PetscCall(PetscArraycpy(length + g * c->grid->dim, side, c->grid->dim));
  }
  PetscCall(PetscFree(par));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrEvaluateFilesCreate(UnrEvaluate *e, const char *out, UnrEvaluateFiles *files)
{
  const UnrPhysics physics = e->c.physics;
  const PetscInt n = UnrPhysicsParameters(physics), groups = e->set.values;
  const char *field = UnrPhysicsFieldName(physics), *precision, **name, *source[3] = {NULL};
  char path[PETSC_MAX_PATH_LEN];
  double *scalar, *length;
  int sources = 0;

  PetscFunctionBeginUser;
  *files = (UnrEvaluateFiles){NULL, NULL, NULL};
  if (!e->save) PetscFunctionReturn(PETSC_SUCCESS);
  if (e->model_file) source[sources++] = e->model_file;
  if (e->file) source[sources++] = e->set.file;
  PetscCall(UnrOptionWord(UnrDatasetOptions, NULL, "-dataset_precision", &precision));
  PetscCall(PetscMalloc3(n + 1, &name, groups * n + 1, &scalar, groups * UNR_MAX_DIM, &length));
  for (PetscInt p = 0; p < n; p++) name[p] = UnrPhysicsParameterName(physics, p);
  PetscCall(Describe(e, scalar, length));
  UnrWellSpec spec = {
      .dataset_name = UnrPhysicsName(physics),
      .field = field,
      .grid = e->c.grid,
      .trajectories = groups,
      .frames = e->save + 1,
      .frame_time = UnrStepperDt(e->c.reference) * (double)UnrStepperSubsteps(e->c.reference),
      .precision = strcmp(precision, "double") ? UNR_SINGLE : UNR_DOUBLE,
      .length = length,
      .scalars = n,
      .scalar_name = name,
      .scalar = scalar,
      .source = source,
  };
  snprintf(path, sizeof path, "%s/trajectory.h5", out);
  PetscCall(UnrWellCreate(path, &spec, &files->trajectory));
  snprintf(path, sizeof path, "%s/reference.h5", out);
  spec.frames = PetscMin(e->save, e->set.frames) + 1;
  PetscCall(UnrWellCreate(path, &spec, &files->reference));
  PetscCall(UnrBatchCreate(e->c.grid, 1, &files->state));
  PetscCall(PetscFree3(name, scalar, length));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrEvaluateFilesWrite(const UnrEvaluate *e, UnrEvaluateFiles *files, PetscInt k, UnrBatch u,
                                     UnrBatch reference, const bool is_live[])
{
  PetscFunctionBeginUser;
  if (!files->trajectory || k > e->save) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt g = 0; g < e->set.values; g++) {
    const PetscInt test = g * e->set.starts - e->c.first;
    const bool is_mine = test >= 0 && test < e->c.count;

    for (size_t i = 0; is_mine && i < u->stride; i++)
      files->state->data[i] = is_live[test] ? u->data[(size_t)test * u->stride + i] : NAN;
    PetscCall(UnrWellWrite(files->trajectory, g, k, is_mine ? files->state : NULL, 0));
    if (!reference) continue;
    PetscCall(UnrWellWrite(files->reference, g, k, is_mine ? reference : NULL, is_mine ? test : 0));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrEvaluateFilesCommit(UnrEvaluateFiles *files)
{
  PetscFunctionBeginUser;
  PetscCall(UnrBatchDestroy(&files->state));
  if (!files->trajectory) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(UnrWellCommit(&files->trajectory));
  PetscCall(UnrWellCommit(&files->reference));
  PetscFunctionReturn(PETSC_SUCCESS);
}
