/* The metrics of this build; those that are chosen and that the physics has. */
#include <string.h>
#include "core/error.h"
#include "core/memory.h"
#include "metric/metric_set.h"

#define UNR_METRIC(name, Name) extern const UnrMetricOps UnrMetricOps_##Name;
#include "metric/list.h"
#undef UNR_METRIC

#define UNR_METRIC(name, Name) &UnrMetricOps_##Name.plugin,
static const UnrPlugin *const plugins[] = {
#include "metric/list.h"
    NULL,
};
#undef UNR_METRIC
enum { MOST = sizeof plugins / sizeof plugins[0] };

#define UNR_METRIC(name, Name) "|" #name
static const char names[] =
#include "metric/list.h"
    ;
#undef UNR_METRIC

#define UNR_METRIC(name, Name) "," #name
static const char all[] =
#include "metric/list.h"
    ;
#undef UNR_METRIC

static const UnrOption options[] = {
    {"-metric_types", UNR_WORDS, &all[1], 0, 0, NULL,
     "what evaluate measures; the default leaves out what looks at something that the physics does not have",
     &names[1]},
    {NULL, UNR_BOOL, NULL, 0, 0, NULL, NULL, NULL},
};
static const UnrPluginClass class = {"metric", options, plugins};

PetscErrorCode UnrMetricRegister(void)
{
  PetscFunctionBeginUser;
  PetscCall(UnrPluginsRegister(&class, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrMetricList(UnrPluginVisit visit, void *context)
{
  PetscFunctionBeginUser;
  PetscCall(UnrPluginsVisit(&class, visit, context));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Add(UnrMetrics metrics, const UnrMetricOps *ops, bool is_asked_for)
{
  const char *looks_at = ops->integral ? ops->integral : ops->is_spectrum ? "transforms" : ops->diagnostic;
  bool has;

  PetscFunctionBeginUser;
  PetscCall(UnrMetricSourceHas(metrics->spec.physics, ops, &has));
  UnrUserCheck(
      has || !is_asked_for,
      "-metric_types (%s): physics %s has no %s; allowed: metrics of what it has; try: leave %s out, "
      "or the option, for all that it has",
      ops->name, UnrPhysicsName(metrics->spec.physics), looks_at, ops->name);
  if (has) metrics->metric[metrics->count++].ops = ops;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Those of -metric_types in the list's order, each once; of the default those that the physics has. */
static PetscErrorCode Choose(UnrMetrics metrics)
{
  const char *chosen[MOST];
  PetscInt count;
  bool is_given;

  PetscFunctionBeginUser;
  PetscCall(UnrOptionWords(options, NULL, "-metric_types", MOST, chosen, &count));
  PetscCall(UnrOptionGiven(options, NULL, "-metric_types", &is_given));
  for (const UnrPlugin *const *p = plugins; *p; p++)
    for (PetscInt i = 0; i < count; i++) {
      if (strcmp((*p)->name, chosen[i])) continue;
      PetscCall(Add(metrics, (const UnrMetricOps *)*p, is_given));
      break;
    }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All numbers that the metrics keep. */
static PetscErrorCode CheckMemory(UnrMetrics metrics)
{
  const UnrMetricSpec *spec = &metrics->spec;
  double numbers = 0;

  PetscFunctionBeginUser;
  for (PetscInt i = 0; i < metrics->count; i++) {
    const UnrMetricOps *ops = metrics->metric[i].ops;

    numbers += (double)(UnrMetricSlots(ops) + ops->columns);
  }
  PetscCall(UnrMemoryCheck(sizeof(double) * numbers * (double)spec->tests * ((double)spec->frames + 1),
                           "the metrics of all frames", "fewer -test_frames or -test_starts, or more ranks"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateMetric(UnrMetrics metrics, UnrMetric *metric)
{
  const UnrMetricOps *ops = metric->ops;
  const size_t frames = (size_t)metrics->spec.tests * (size_t)(metrics->spec.frames + 1);
  const size_t series = frames * (size_t)ops->columns;

  PetscFunctionBeginUser;
  metric->slots = UnrMetricSlots(ops);
  metrics->sums += ops->sums;
  metrics->maxima += ops->maxima;
  PetscCall(UnrMetricSourceAdd(&metrics->source, ops));
  PetscCall(PetscMalloc1(frames * (size_t)metric->slots, &metric->number));
  PetscCall(PetscMalloc1(metrics->spec.tests, &metric->value));
  if (!series) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(series, &metric->series));
  for (size_t i = 0; i < series; i++) metric->series[i] = NAN;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrMetricsCreate(const UnrMetricSpec *spec, UnrMetrics *metrics)
{
  UnrMetric room[MOST] = {{NULL}};
  struct UnrMetrics_ chosen = {.spec = *spec, .metric = room};
  const PetscInt tests = spec->tests;
  UnrMetrics m;

  PetscFunctionBeginUser;
  PetscCheck(1 <= spec->window && spec->window <= spec->reference_frames &&
                 spec->reference_frames <= spec->frames,
             PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "means over frames 1 .. %" PetscInt_FMT " of references of %" PetscInt_FMT
             " and roll-outs of %" PetscInt_FMT,
             spec->window, spec->reference_frames, spec->frames);
  PetscCall(Choose(&chosen));
  PetscCall(CheckMemory(&chosen));
  PetscCall(PetscNew(&m));
  *m = chosen;
  PetscCall(PetscMalloc1(m->count, &m->metric));
  PetscCall(PetscArraycpy(m->metric, room, m->count));
  m->source.spec = &m->spec;
  for (PetscInt i = 0; i < m->count; i++) PetscCall(CreateMetric(m, &m->metric[i]));
  PetscCall(PetscMalloc1(tests, &m->bounded));
  for (PetscInt t = 0; t < tests; t++) m->bounded[t] = spec->frames;
  PetscCall(PetscMalloc3(tests * m->sums, &m->sum, tests * m->maxima, &m->maximum,
                         tests * PetscMax(m->sums, m->maxima), &m->received));
  *metrics = m;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrMetricsDestroy(UnrMetrics *metrics)
{
  PetscFunctionBeginUser;
  if (!*metrics) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt i = 0; i < (*metrics)->count; i++) {
    PetscCall(PetscFree((*metrics)->metric[i].number));
    PetscCall(PetscFree((*metrics)->metric[i].series));
    PetscCall(PetscFree((*metrics)->metric[i].value));
  }
  PetscCall(UnrMetricSourceDestroy(&(*metrics)->source));
  PetscCall(PetscFree((*metrics)->metric));
  PetscCall(PetscFree((*metrics)->bounded));
  PetscCall(PetscFree3((*metrics)->sum, (*metrics)->maximum, (*metrics)->received));
  PetscCall(PetscFree(*metrics));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscInt UnrMetricsBounded(UnrMetrics metrics, PetscInt t)
{
  const PetscInt bounded = metrics->bounded[t];

  return bounded < 0 ? 0 : bounded;
}

bool UnrMetricsGet(UnrMetrics metrics, PetscInt i, UnrMetricView *view)
{
  if (i >= metrics->count) return false;
  const UnrMetric *m = &metrics->metric[i];
  *view = (UnrMetricView){.name = m->ops->name,
                          .value_name = m->ops->value_name ? m->ops->value_name : m->ops->name,
                          .words = m->ops->words,
                          .is_time = m->ops->is_time,
                          .frames = UnrMetricFrames(&metrics->spec, m->ops),
                          .columns = m->ops->columns,
                          .series = m->series,
                          .shells = m->ops->is_spectrum ? metrics->source.shells : 0,
                          .spectrum = metrics->source.spectrum[UNR_METRIC_OURS],
                          .spectrum_reference = metrics->source.spectrum[UNR_METRIC_REFERENCE],
                          .value = m->value};
  return true;
}
