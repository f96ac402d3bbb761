#include "metric/metric_source.h"

#include <string.h>

/* Number of `name` in "a|b|c", and how many there are; -1 if it is not there. */
static PetscInt FindIntegral(UnrPhysics physics, const char *name, PetscInt *count)
{
  const size_t length = strlen(name);
  PetscInt found = -1;

  *count = 0;
  for (const char *at = UnrPhysicsIntegralNames(physics); at; ++*count) {
    const size_t own = strcspn(at, "|");

    if (own == length && !strncmp(at, name, own)) found = *count;
    at = at[own] ? at + own + 1 : NULL;
  }
  return found;
}

/* Number of a field that is there, `fields` if it is not. */
static int FindField(const UnrMetricSource *source, const char *name)
{
  int i = 0;

  while (i < source->fields && strcmp(source->field[i].name, name)) i++;
  return i;
}

PetscErrorCode UnrMetricSourceHas(UnrPhysics physics, const UnrMetricOps *ops, bool *has)
{
  PetscInt count;

  PetscFunctionBeginUser;
  *has = !ops->integral || FindIntegral(physics, ops->integral, &count) >= 0;
  if (ops->diagnostic) {
    const char *name;

    *has = false;
    for (int i = 0; (name = UnrPhysicsDiagnosticName(physics, i)); i++)
      *has = *has || !strcmp(name, ops->diagnostic);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode AddField(UnrMetricSource *source, const char *name)
{
  const UnrMetricSpec *spec = source->spec;
  const int i = source->fields;
  UnrGrid grid;

  PetscFunctionBeginUser;
  if (FindField(source, name) < i) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscRealloc(sizeof *source->field * ((size_t)i + 1), &source->field));
  PetscCall(UnrPhysicsDiagnostic(spec->physics, name, &grid));
  source->field[i].name = name;
  PetscCall(UnrBatchCreate(grid, spec->tests, &source->field[i].u));
  PetscCall(UnrBatchCreate(grid, spec->tests, &source->field[i].reference));
  source->fields++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrMetricSourceAdd(UnrMetricSource *source, const UnrMetricOps *ops)
{
  PetscFunctionBeginUser;
  if (ops->diagnostic) PetscCall(AddField(source, ops->diagnostic));
  if (ops->integral && !source->integrals) {
    FindIntegral(source->spec->physics, ops->integral, &source->integrals);
    for (int which = 0; which < UNR_METRIC_BOTH; which++)
      PetscCall(PetscMalloc1(source->spec->tests * source->integrals, &source->integral[which]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrMetricSourceDestroy(UnrMetricSource *source)
{
  PetscFunctionBeginUser;
  for (int i = 0; i < source->fields; i++) {
    PetscCall(UnrBatchDestroy(&source->field[i].u));
    PetscCall(UnrBatchDestroy(&source->field[i].reference));
  }
  PetscCall(PetscFree(source->field));
  for (int which = 0; which < UNR_METRIC_BOTH; which++) PetscCall(PetscFree(source->integral[which]));
  *source = (UnrMetricSource){0};
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrMetricSourceFrame(UnrMetricSource *source, const UnrMetricFrame *frame)
{
  const UnrPhysics physics = source->spec->physics;
  const double *par = source->spec->par;

  PetscFunctionBeginUser;
  for (int i = 0; i < source->fields; i++) {
    const char *name = source->field[i].name;

    PetscCall(UnrPhysicsDiagnose(physics, name, par, frame->u, source->field[i].u));
    if (frame->reference)
      PetscCall(UnrPhysicsDiagnose(physics, name, par, frame->reference, source->field[i].reference));
  }
  if (!source->integrals) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(UnrPhysicsIntegrals(physics, par, frame->u, source->integral[UNR_METRIC_OURS]));
  if (frame->reference)
    PetscCall(UnrPhysicsIntegrals(physics, par, frame->reference, source->integral[UNR_METRIC_REFERENCE]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

UnrGrid UnrMetricSourceGrid(const UnrMetricSource *source, const UnrMetricOps *ops)
{
  if (!ops->diagnostic) return UnrPhysicsGrid(source->spec->physics);
  return source->field[FindField(source, ops->diagnostic)].u->grid;
}

UnrMetricCells UnrMetricSourceCells(const UnrMetricSource *source, const UnrMetricOps *ops,
                                    const UnrMetricFrame *frame, PetscInt t)
{
  UnrBatch u = frame->u, reference = frame->reference;

  if (ops->diagnostic) {
    const int i = FindField(source, ops->diagnostic);

    u = source->field[i].u;
    reference = frame->reference ? source->field[i].reference : NULL;
  }
  const size_t skip = (size_t)t * u->stride;
  const bool is_first = ops->diagnostic || !frame->previous;
  return (UnrMetricCells){.n = u->stride,
                          .u = u->data + skip,
                          .reference = reference ? reference->data + skip : NULL,
                          .previous = is_first ? NULL : frame->previous->data + skip,
                          .previous_step = is_first ? NULL : frame->previous_step->data + skip};
}

double UnrMetricSourceIntegral(const UnrMetricSource *source, const UnrMetricOps *ops, PetscInt t, int which)
{
  PetscInt count, i = FindIntegral(source->spec->physics, ops->integral, &count);

  return source->integral[which][t * count + i];
}
