/* The numbers of all tests, gathered, and what they say of a group of tests. */
#include "app/evaluate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "core/call.h"

enum { INTERPOLATION, EXTRAPOLATION, ALL, WIDER }; /* rows behind the groups of one value */

PetscErrorCode UnrResultsCreate(const UnrEvaluate *e, UnrResults *results)
{
  const UnrCase *c = &e->c;
  UnrMetricView view;
  PetscMPIInt tests;

  PetscFunctionBeginUser;
  *results = (UnrResults){0};
  PetscCall(UnrMPICount((size_t)c->samples, &tests));
  while (UnrMetricsGet(e->metrics, results->metrics, &view)) results->metrics++;
  PetscCall(PetscMalloc1(results->metrics, &results->value));
  for (PetscInt i = 0; UnrMetricsGet(e->metrics, i, &view); i++) {
    PetscCall(PetscCalloc1(c->samples, &results->value[i]));
    if (!c->grid->rank) PetscCall(PetscArraycpy(results->value[i] + c->first, view.value, c->count));
    PetscCallMPI(
        MPI_Allreduce(MPI_IN_PLACE, results->value[i], tests, MPI_DOUBLE, MPI_SUM, PETSC_COMM_WORLD));
  }
  PetscCall(PetscCalloc2(c->samples, &results->bounded, c->samples, &results->has_diverged));
  for (PetscInt t = 0; !c->grid->rank && t < c->count; t++)
    results->bounded[c->first + t] = UnrMetricsBounded(e->metrics, t);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, results->bounded, tests, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD));
  for (PetscInt t = 0; t < c->samples; t++) results->has_diverged[t] = results->bounded[t] < e->window;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrResultsDestroy(UnrResults *results)
{
  PetscFunctionBeginUser;
  for (PetscInt i = 0; i < results->metrics; i++) PetscCall(PetscFree(results->value[i]));
  PetscCall(PetscFree(results->value));
  PetscCall(PetscFree2(results->bounded, results->has_diverged));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscInt UnrGroups(const UnrEvaluate *e)
{
  return e->set.values + WIDER;
}

void UnrGroupName(const UnrEvaluate *e, PetscInt group, char name[64])
{
  static const char *const wider[] = {"interpolation", "extrapolation", "all"};

  if (group >= e->set.values)
    snprintf(name, 64, "%s", wider[group - e->set.values]);
  else if (e->set.parameter)
    snprintf(name, 64, "%.40s=%.10g", e->set.parameter, e->set.value[group]);
  else
    snprintf(name, 64, "%.60s", UnrPhysicsName(e->c.physics));
}

const char *UnrGroupKind(const UnrEvaluate *e, PetscInt group)
{
  const PetscInt wider = group - e->set.values;
  const bool is_inside = wider < 0 ? e->set.is_inside[group] : wider == INTERPOLATION;

  if (wider == ALL) return NULL;
  return is_inside ? "interpolation" : "extrapolation";
}

bool UnrGroupHas(const UnrEvaluate *e, PetscInt group, PetscInt test)
{
  const PetscInt own = test / e->set.starts;

  if (group < e->set.values) return own == group;
  return group == e->set.values + ALL || e->set.is_inside[own] == (group == e->set.values + INTERPOLATION);
}

static int Compare(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;

  return (x > y) - (x < y);
}

PetscErrorCode UnrGroupStatistics(const UnrEvaluate *e, const UnrResults *results, PetscInt group,
                                  PetscInt metric, UnrStatistics *statistics)
{
  double *value, sum = 0, squares = 0;
  PetscInt n = 0;
  UnrMetricView view;

  PetscFunctionBeginUser;
  *statistics = (UnrStatistics){.mean = NAN, .deviation = NAN, .median = NAN};
  const bool is_time = UnrMetricsGet(e->metrics, metric, &view) && view.is_time;
  PetscCall(PetscMalloc1(e->c.samples, &value));
  for (PetscInt t = 0; t < e->c.samples; t++) {
    if (!UnrGroupHas(e, group, t)) continue;
    const double x = metric < results->metrics ? results->value[metric][t] : NAN;

    statistics->tests++;
    statistics->diverged += results->has_diverged[t];
    statistics->open += is_time && x >= (double)view.frames;
    if (isnan(x)) continue;
    sum += x;
    value[n++] = x;
  }
  statistics->count = n;
  if (n) {
    statistics->mean = sum / (double)n;
    qsort(value, (size_t)n, sizeof *value, Compare);
    statistics->median = (value[(n - 1) / 2] + value[n / 2]) / 2;
    for (PetscInt i = 0; i < n; i++) squares += (value[i] - statistics->mean) * (value[i] - statistics->mean);
    if (n > 1) statistics->deviation = sqrt(squares / (double)(n - 1));
  }
  PetscCall(PetscFree(value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscInt UnrGroupWords(const UnrEvaluate *e, const UnrResults *results, PetscInt group, PetscInt metric,
                       PetscInt word)
{
  PetscInt count = 0;

  for (PetscInt t = 0; t < e->c.samples; t++)
    count += UnrGroupHas(e, group, t) && results->value[metric][t] == (double)word;
  return count;
}

bool UnrWordGet(const char *words, PetscInt i, char word[32])
{
  for (; i; i--) {
    words += strcspn(words, "|");
    if (!*words++) return false;
  }
  snprintf(word, 32, "%.*s", (int)strcspn(words, "|"), words);
  return true;
}
