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
  if (ops->is_spectrum) *has = UnrPhysicsShells(physics) > 0;
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

static PetscErrorCode AddSpectrum(UnrMetricSource *source)
{
  const PetscInt tests = source->spec->tests, shells = UnrPhysicsShells(source->spec->physics);

  PetscFunctionBeginUser;
  source->shells = shells;
  for (int which = 0; which < UNR_METRIC_BOTH; which++)
    PetscCall(PetscCalloc1(tests * shells, &source->spectrum[which]));
  PetscCall(PetscCalloc2(tests * shells, &source->energy, tests, &source->live));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrMetricSourceAdd(UnrMetricSource *source, const UnrMetricOps *ops)
{
  PetscFunctionBeginUser;
  if (ops->diagnostic) PetscCall(AddField(source, ops->diagnostic));
  if (ops->is_spectrum && !source->shells) PetscCall(AddSpectrum(source));
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
  for (int which = 0; which < UNR_METRIC_BOTH; which++) {
    PetscCall(PetscFree(source->integral[which]));
    PetscCall(PetscFree(source->spectrum[which]));
  }
  PetscCall(PetscFree2(source->energy, source->live));
  *source = (UnrMetricSource){0};
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Adds the spectrum of one of the states; is_live NULL: all tests are. */
static PetscErrorCode AddEnergy(UnrMetricSource *source, UnrBatch u, const bool is_live[], double sum[])
{
  PetscFunctionBeginUser;
  PetscCall(UnrPhysicsSpectrum(source->spec->physics, source->spec->par, u, source->energy));
  for (PetscInt t = 0; t < source->spec->tests; t++)
    for (PetscInt s = t * source->shells; s < (t + 1) * source->shells; s++)
      if (!is_live || is_live[t]) sum[s] += source->energy[s];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The start is the same for both: it would hide a difference. */
static PetscErrorCode SpectrumFrame(UnrMetricSource *source, const UnrMetricFrame *frame)
{
  PetscFunctionBeginUser;
  if (!source->shells || !frame->frame) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt t = 0; t < source->spec->tests; t++) source->live[t] += !frame->is_live || frame->is_live[t];
  PetscCall(AddEnergy(source, frame->u, frame->is_live, source->spectrum[UNR_METRIC_OURS]));
  if (frame->reference)
    PetscCall(AddEnergy(source, frame->reference, NULL, source->spectrum[UNR_METRIC_REFERENCE]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void UnrMetricSourceFinish(UnrMetricSource *source)
{
  for (PetscInt t = 0; t < source->spec->tests; t++)
    for (PetscInt s = t * source->shells; s < (t + 1) * source->shells; s++) {
      source->spectrum[UNR_METRIC_OURS][s] =
          source->live[t] ? source->spectrum[UNR_METRIC_OURS][s] / (double)source->live[t] : NAN;
      source->spectrum[UNR_METRIC_REFERENCE][s] /= (double)source->spec->reference_frames;
    }
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
  PetscCall(SpectrumFrame(source, frame));
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
