/* The chosen metrics: their sums a frame reduced over the grid together, kept, and read at the end. */
#include <string.h>
#include "core/call.h"
#include "core/memory.h"
#include "metric/metric_impl.h"

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
    {"-metric_types", UNR_WORDS, &all[1], 0, 0, NULL, "what evaluate measures", &names[1]},
    {NULL, UNR_BOOL, NULL, 0, 0, NULL, NULL, NULL},
};
static const UnrPluginClass class = {"metric", options, plugins};

typedef struct {
  const UnrMetricOps *ops;
  double *number;         /* [test][frame][sums, then maxima] */
  double *series, *value; /* [test][frame], or NULL; [test] */
} Metric;

struct UnrMetrics_ {
  UnrGrid grid; /* borrowed */
  PetscInt tests, frames, window, next, count;
  Metric metric[MOST];
  PetscInt *bounded;                /* [test] the last live frame */
  PetscInt sums, maxima;            /* of a test, all metrics */
  double *sum, *maximum, *received; /* [test][sums], [test][maxima]; the larger of the two */
};

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

/* Those of -metric_types in the list's order, each once. */
static PetscErrorCode Choose(UnrMetrics metrics)
{
  const char *chosen[MOST];
  PetscInt count;

  PetscFunctionBeginUser;
  PetscCall(UnrOptionWords(options, NULL, "-metric_types", MOST, chosen, &count));
  for (const UnrPlugin *const *p = plugins; *p; p++)
    for (PetscInt i = 0; i < count; i++) {
      if (strcmp((*p)->name, chosen[i])) continue;
      metrics->metric[metrics->count++].ops = (const UnrMetricOps *)*p;
      break;
    }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All numbers that the metrics keep. */
static PetscErrorCode CheckMemory(UnrMetrics metrics)
{
  double numbers = 0;

  PetscFunctionBeginUser;
  for (PetscInt i = 0; i < metrics->count; i++) {
    const UnrMetricOps *ops = metrics->metric[i].ops;

    numbers += (double)(ops->sums + ops->maxima + ops->has_series);
  }
  PetscCall(UnrMemoryCheck(sizeof(double) * numbers * (double)metrics->tests * ((double)metrics->frames + 1),
                           "the metrics of all frames", "fewer -test_frames or -test_starts, or more ranks"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateMetric(UnrMetrics metrics, Metric *metric)
{
  const UnrMetricOps *ops = metric->ops;
  const size_t series = (size_t)metrics->tests * (size_t)(metrics->frames + 1);

  PetscFunctionBeginUser;
  metrics->sums += ops->sums;
  metrics->maxima += ops->maxima;
  PetscCall(PetscMalloc1(series * (size_t)(ops->sums + ops->maxima), &metric->number));
  PetscCall(PetscMalloc1(metrics->tests, &metric->value));
  if (!ops->has_series) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(series, &metric->series));
  for (size_t i = 0; i < series; i++) metric->series[i] = NAN;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrMetricsCreate(UnrGrid grid, PetscInt tests, PetscInt frames, PetscInt window,
                                UnrMetrics *metrics)
{
  struct UnrMetrics_ chosen = {.grid = grid, .tests = tests, .frames = frames, .window = window};
  UnrMetrics m;

  PetscFunctionBeginUser;
  PetscCheck(1 <= window && window <= frames, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "means over frames 1 .. %" PetscInt_FMT " of %" PetscInt_FMT, window, frames);
  PetscCall(Choose(&chosen));
  PetscCall(CheckMemory(&chosen));
  PetscCall(PetscNew(&m));
  *m = chosen;
  for (PetscInt i = 0; i < m->count; i++) PetscCall(CreateMetric(m, &m->metric[i]));
  PetscCall(PetscMalloc1(tests, &m->bounded));
  for (PetscInt t = 0; t < tests; t++) m->bounded[t] = frames;
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
  PetscCall(PetscFree((*metrics)->bounded));
  PetscCall(PetscFree3((*metrics)->sum, (*metrics)->maximum, (*metrics)->received));
  PetscCall(PetscFree(*metrics));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of test t, with nothing in frame 0 that a frame before would be needed for. */
static UnrMetricCells CellsOf(const UnrMetricFrame *frame, PetscInt t)
{
  const size_t skip = (size_t)t * frame->u->stride;
  const bool is_first = !frame->previous;

  return (UnrMetricCells){.n = frame->u->stride,
                          .u = frame->u->data + skip,
                          .reference = frame->reference->data + skip,
                          .previous = is_first ? NULL : frame->previous->data + skip,
                          .previous_step = is_first ? NULL : frame->previous_step->data + skip};
}

/* Over the grid, in place; the same bits on all its ranks: reduced to one and broadcast, as UnrBatchDot(). */
static PetscErrorCode Reduce(UnrMetrics metrics, PetscInt numbers, MPI_Op op, double number[])
{
  const UnrGrid g = metrics->grid;
  PetscMPIInt count;

  PetscFunctionBeginUser;
  if (g->size == 1 || !numbers) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(UnrMPICount((size_t)numbers, &count));
  PetscCallMPI(MPI_Reduce(number, metrics->received, count, MPI_DOUBLE, op, 0, g->comm));
  if (!g->rank) PetscCall(PetscArraycpy(number, metrics->received, numbers));
  PetscCallMPI(MPI_Bcast(number, count, MPI_DOUBLE, 0, g->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The reduced numbers of this frame into the records; none for a test out of bounds. */
static void Keep(UnrMetrics metrics, PetscInt frame)
{
  for (PetscInt t = 0; t < metrics->tests; t++) {
    const double *sum = metrics->sum + t * metrics->sums, *maximum = metrics->maximum + t * metrics->maxima;
    const bool is_out = frame > metrics->bounded[t];

    for (PetscInt i = 0; i < metrics->count; i++) {
      const Metric *m = &metrics->metric[i];
      double *at = m->number + (t * (metrics->frames + 1) + frame) * (m->ops->sums + m->ops->maxima);

      for (PetscInt s = 0; s < m->ops->sums; s++) *at++ = is_out ? NAN : *sum++;
      for (PetscInt s = 0; s < m->ops->maxima; s++) *at++ = is_out ? NAN : *maximum++;
    }
  }
}

PetscErrorCode UnrMetricsFrame(UnrMetrics metrics, const UnrMetricFrame *frame)
{
  const PetscInt k = frame->frame;

  PetscFunctionBeginUser;
  PetscCheck(k == metrics->next && k <= metrics->frames && !frame->previous == !k, PETSC_COMM_SELF,
             PETSC_ERR_ARG_OUTOFRANGE, "frame %" PetscInt_FMT " where %" PetscInt_FMT " is next", k,
             metrics->next);
  metrics->next++;
  PetscCall(PetscArrayzero(metrics->sum, metrics->tests * metrics->sums));
  PetscCall(PetscArrayzero(metrics->maximum, metrics->tests * metrics->maxima));
  for (PetscInt t = 0; t < metrics->tests; t++) {
    double *sum = metrics->sum + t * metrics->sums, *maximum = metrics->maximum + t * metrics->maxima;
    const UnrMetricCells cells = CellsOf(frame, t);

    if (frame->is_live && !frame->is_live[t]) metrics->bounded[t] = PetscMin(metrics->bounded[t], k - 1);
    for (PetscInt i = 0; i < metrics->count; i++) {
      const UnrMetricOps *ops = metrics->metric[i].ops;

      ops->cells(&cells, sum, maximum);
      sum += ops->sums;
      maximum += ops->maxima;
    }
  }
  PetscCall(Reduce(metrics, metrics->tests * metrics->sums, MPI_SUM, metrics->sum));
  PetscCall(Reduce(metrics, metrics->tests * metrics->maxima, MPI_MAX, metrics->maximum));
  Keep(metrics, k);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrMetricsFinish(UnrMetrics metrics)
{
  const UnrGrid g = metrics->grid;

  PetscFunctionBeginUser;
  PetscCheck(metrics->next == metrics->frames + 1, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONGSTATE,
             "%" PetscInt_FMT " frames of %" PetscInt_FMT, metrics->next, metrics->frames + 1);
  for (PetscInt i = 0; i < metrics->count; i++) {
    const Metric *m = &metrics->metric[i];
    const PetscInt slots = m->ops->sums + m->ops->maxima, length = metrics->frames + 1;

    for (PetscInt t = 0; t < metrics->tests; t++) {
      const UnrMetricRecord record = {.frames = metrics->frames,
                                      .window = metrics->window,
                                      .bounded = metrics->bounded[t],
                                      .numbers = (double)g->total * (double)g->components,
                                      .slots = slots,
                                      .number = m->number + t * length * slots};

      m->ops->finish(&record, m->series ? m->series + t * length : NULL, &m->value[t]);
    }
  }
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
  const Metric *m = &metrics->metric[i];
  *view = (UnrMetricView){.name = m->ops->name,
                          .value_name = m->ops->value_name ? m->ops->value_name : m->ops->name,
                          .words = m->ops->words,
                          .is_time = m->ops->is_time,
                          .series = m->series,
                          .value = m->value};
  return true;
}
