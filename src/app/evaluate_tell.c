/* What `evaluate` tells: the table on the terminal, the entries of summary.json. */
#include "app/evaluate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Columns of the table: those whose metric is measured. */
typedef struct {
  const char *title, *value_name;
  bool is_median;
  int width;
} Column;
static const Column columns[] = {
    {"rel mean", "rel", false, 10},
    {"median", "rel", true, 10},
    {"one frame", "one_frame", false, 10},
    {"correlation", "correlation_time", false, 12},
    {"divergence", "divergence_time", false, 11},
    {"mse mean", "mse", false, 10},
    {"vorticity", "vorticity_correlation_time", false, 11},
    {"energy", "energy_error", false, 10},
    {NULL, NULL, false, 0},
};

/* Number of the metric with that value, -1 if it is not measured. */
static PetscInt FindMetric(const UnrEvaluate *e, const char *value_name, UnrMetricView *view)
{
  for (PetscInt i = 0; UnrMetricsGet(e->metrics, i, view); i++)
    if (!strcmp(view->value_name, value_name)) return i;
  return -1;
}

static PetscErrorCode TellCell(const UnrEvaluate *e, const UnrResults *results, PetscInt group,
                               const Column *column)
{
  char text[32] = "-";
  UnrMetricView view;
  UnrStatistics s;
  const PetscInt metric = FindMetric(e, column->value_name, &view);

  PetscFunctionBeginUser;
  if (metric < 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(UnrGroupStatistics(e, results, group, metric, &s));
  const double x = column->is_median ? s.median : s.mean;
  if (isfinite(x)) snprintf(text, sizeof text, view.is_time ? "%s%.1f" : "%s%.3g", s.open ? ">" : "", x);
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%*s", column->width, text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* "unstable 9, regular 1" */
static PetscErrorCode TellWords(const UnrEvaluate *e, const UnrResults *results, PetscInt group)
{
  UnrMetricView view;
  char word[32];

  PetscFunctionBeginUser;
  for (PetscInt i = 0; UnrMetricsGet(e->metrics, i, &view); i++) {
    const char *gap = "  ";

    for (PetscInt w = 0; view.words && UnrWordGet(view.words, w, word); w++) {
      const PetscInt count = UnrGroupWords(e, results, group, i, w);
      if (!count) continue;
      PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s%s %" PetscInt_FMT, gap, word, count));
      gap = ", ";
    }
  }
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrEvaluateTable(const UnrEvaluate *e, const UnrResults *results)
{
  enum { NAME = 20 };
  UnrMetricView view;
  UnrStatistics s;
  char name[64], text[32];

  PetscFunctionBeginUser;
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "\n%-*s %6s %9s", NAME, "tests of", "count", "diverged"));
  for (const Column *c = columns; c->title; c++)
    if (FindMetric(e, c->value_name, &view) >= 0)
      PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%*s", c->width, c->title));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "  labels\n"));
  for (PetscInt g = 0; g < UnrGroups(e); g++) {
    PetscCall(UnrGroupStatistics(e, results, g, 0, &s));
    if (!s.tests) continue;
    UnrGroupName(e, g, name);
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%-*s %6" PetscInt_FMT " %9" PetscInt_FMT, NAME, name, s.tests,
                          s.diverged));
    for (const Column *c = columns; c->title; c++) PetscCall(TellCell(e, results, g, c));
    PetscCall(TellWords(e, results, g));
  }
  snprintf(text, sizeof text, "%g", e->limit); /* PETSc's own %g would say "30." */
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "diverged: |u| above %s within %" PetscInt_FMT
                        " frames; rel: of the others; times in "
                        "frames, at most %" PetscInt_FMT "; >: some tests never came to it\n",
                        text, e->window, e->frames));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* {"unstable": 3, ...} */
static PetscErrorCode JsonWords(const UnrEvaluate *e, const UnrResults *results, PetscInt group,
                                PetscInt metric, const UnrMetricView *view, UnrJson json)
{
  char word[32];

  PetscFunctionBeginUser;
  snprintf(word, sizeof word, "%.30ss", view->value_name);
  PetscCall(UnrJsonBegin(json, word, '{'));
  for (PetscInt w = 0; UnrWordGet(view->words, w, word); w++)
    PetscCall(UnrJsonInt(json, word, UnrGroupWords(e, results, group, metric, w)));
  PetscCall(UnrJsonEnd(json));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Mean, median and standard deviation; of a time also how many tests never came to it. */
static PetscErrorCode JsonNumbers(const UnrStatistics *s, const UnrMetricView *view, UnrJson json)
{
  const struct {
    const char *ending;
    double value;
  } part[] = {{"", s->mean}, {"_median", s->median}, {"_std", s->deviation}};
  char key[64];

  PetscFunctionBeginUser;
  for (int i = 0; i < 3; i++) {
    snprintf(key, sizeof key, "%s%s", view->value_name, part[i].ending);
    PetscCall(UnrJsonReal(json, key, part[i].value));
  }
  snprintf(key, sizeof key, "%s_never", view->value_name);
  if (view->is_time) PetscCall(UnrJsonInt(json, key, s->open));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode JsonGroup(const UnrEvaluate *e, const UnrResults *results, PetscInt group,
                                const char *key, UnrJson json)
{
  const char *kind = UnrGroupKind(e, group);
  UnrMetricView view;
  UnrStatistics s;
  char name[64];

  PetscFunctionBeginUser;
  UnrGroupName(e, group, name);
  PetscCall(UnrGroupStatistics(e, results, group, 0, &s));
  PetscCall(UnrJsonBegin(json, key, '{'));
  PetscCall(UnrJsonString(json, "name", name));
  if (kind) PetscCall(UnrJsonString(json, "kind", kind));
  PetscCall(UnrJsonInt(json, "count", s.tests));
  PetscCall(UnrJsonInt(json, "diverged", s.diverged));
  for (PetscInt i = 0; UnrMetricsGet(e->metrics, i, &view); i++) {
    PetscCall(UnrGroupStatistics(e, results, group, i, &s));
    if (view.words)
      PetscCall(JsonWords(e, results, group, i, &view, json));
    else
      PetscCall(JsonNumbers(&s, &view, json));
  }
  PetscCall(UnrJsonEnd(json));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrEvaluateJson(const UnrEvaluate *e, const UnrResults *results, UnrJson json)
{
  PetscFunctionBeginUser;
  PetscCall(UnrJsonString(json, "model", UnrModelName(e->c.model)));
  PetscCall(UnrJsonString(json, "mode", e->mode));
  PetscCall(UnrJsonInt(json, "parameters", e->c.net ? (PetscInt64)UnrNetParameters(e->c.net) : 0));
  PetscCall(UnrJsonInt(json, "frames", e->frames));
  PetscCall(UnrJsonInt(json, "reference_frames", e->set.frames));
  PetscCall(UnrJsonBegin(json, "tests", '['));
  for (PetscInt g = 0; g < e->set.values; g++) PetscCall(JsonGroup(e, results, g, NULL, json));
  PetscCall(UnrJsonEnd(json));
  for (PetscInt g = e->set.values; g < UnrGroups(e); g++) {
    char name[64];

    UnrGroupName(e, g, name);
    PetscCall(JsonGroup(e, results, g, name, json));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
