/* A frame of all metrics: their sums reduced over the grid together, and kept; and what the record says. */
#include "core/call.h"
#include "metric/metric_set.h"

/* Over the grid, in place; the same bits on all its ranks: reduced to one and broadcast, as UnrBatchDot(). */
static PetscErrorCode Reduce(UnrMetrics metrics, PetscInt numbers, MPI_Op op, double number[])
{
  const UnrGrid g = UnrPhysicsGrid(metrics->spec.physics);
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
static void Keep(UnrMetrics metrics, const UnrMetricFrame *frame)
{
  const PetscInt k = frame->frame;

  for (PetscInt t = 0; t < metrics->spec.tests; t++) {
    const double *sum = metrics->sum + t * metrics->sums, *maximum = metrics->maximum + t * metrics->maxima;
    const bool is_out = k > metrics->bounded[t];

    for (PetscInt i = 0; i < metrics->count; i++) {
      const UnrMetric *m = &metrics->metric[i];
      double *at = m->number + (t * (metrics->spec.frames + 1) + k) * m->slots;

      for (PetscInt s = 0; s < m->ops->sums; s++) *at++ = is_out ? NAN : *sum++;
      for (PetscInt s = 0; s < m->ops->maxima; s++) *at++ = is_out ? NAN : *maximum++;
      if (!m->ops->integral) continue;
      at[UNR_METRIC_OURS] =
          is_out ? NAN : UnrMetricSourceIntegral(&metrics->source, m->ops, t, UNR_METRIC_OURS);
      at[UNR_METRIC_REFERENCE] =
          frame->reference ? UnrMetricSourceIntegral(&metrics->source, m->ops, t, UNR_METRIC_REFERENCE) : NAN;
    }
  }
}

/* This rank's sums and maxima of test t. */
static void Cells(UnrMetrics metrics, const UnrMetricFrame *frame, PetscInt t)
{
  double *sum = metrics->sum + t * metrics->sums, *maximum = metrics->maximum + t * metrics->maxima;

  for (PetscInt i = 0; i < metrics->count; i++) {
    const UnrMetricOps *ops = metrics->metric[i].ops;

    if (ops->cells && (frame->reference || ops->goes_on)) {
      const UnrMetricCells cells = UnrMetricSourceCells(&metrics->source, ops, frame, t);
      ops->cells(&cells, sum, maximum);
    }
    sum += ops->sums;
    maximum += ops->maxima;
  }
}

PetscErrorCode UnrMetricsFrame(UnrMetrics metrics, const UnrMetricFrame *frame)
{
  const UnrMetricSpec *spec = &metrics->spec;
  const PetscInt k = frame->frame;

  PetscFunctionBeginUser;
  PetscCheck(k == metrics->next && k <= spec->frames && !frame->previous == !k, PETSC_COMM_SELF,
             PETSC_ERR_ARG_OUTOFRANGE, "frame %" PetscInt_FMT " where %" PetscInt_FMT " is next", k,
             metrics->next);
  PetscCheck(!frame->reference == (k > spec->reference_frames), PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
             "a reference in frame %" PetscInt_FMT " of %" PetscInt_FMT, k, spec->reference_frames);
  metrics->next++;
  PetscCall(PetscArrayzero(metrics->sum, spec->tests * metrics->sums));
  PetscCall(PetscArrayzero(metrics->maximum, spec->tests * metrics->maxima));
  PetscCall(UnrMetricSourceFrame(&metrics->source, frame));
  for (PetscInt t = 0; t < spec->tests; t++) {
    if (frame->is_live && !frame->is_live[t]) metrics->bounded[t] = PetscMin(metrics->bounded[t], k - 1);
    Cells(metrics, frame, t);
  }
  PetscCall(Reduce(metrics, spec->tests * metrics->sums, MPI_SUM, metrics->sum));
  PetscCall(Reduce(metrics, spec->tests * metrics->maxima, MPI_MAX, metrics->maximum));
  Keep(metrics, frame);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the record of test t says, in one metric. */
static void FinishTest(UnrMetrics metrics, const UnrMetric *m, PetscInt t)
{
  const UnrMetricSpec *spec = &metrics->spec;
  const UnrGrid grid = UnrMetricSourceGrid(&metrics->source, m->ops);
  const PetscInt length = spec->frames + 1, frames = UnrMetricFrames(spec, m->ops);
  UnrMetricRecord record = {.frames = frames,
                            .reference = spec->reference_frames,
                            .window = spec->window,
                            .bounded = PetscMin(metrics->bounded[t], frames),
                            .numbers = (double)grid->total * (double)grid->components,
                            .slots = m->slots,
                            .number = m->number + t * length * m->slots};

  for (int which = 0; m->ops->is_spectrum && which < UNR_METRIC_BOTH; which++) {
    record.shells = metrics->source.shells;
    record.spectrum[which] = metrics->source.spectrum[which] + t * record.shells;
  }
  m->value[t] = NAN;
  m->ops->finish(&record, m->series ? m->series + t * m->ops->columns * length : NULL, &m->value[t]);
}

PetscErrorCode UnrMetricsFinish(UnrMetrics metrics)
{
  PetscFunctionBeginUser;
  PetscCheck(metrics->next == metrics->spec.frames + 1, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONGSTATE,
             "%" PetscInt_FMT " frames of %" PetscInt_FMT, metrics->next, metrics->spec.frames + 1);
  UnrMetricSourceFinish(&metrics->source);
  for (PetscInt i = 0; i < metrics->count; i++)
    for (PetscInt t = 0; t < metrics->spec.tests; t++) FinishTest(metrics, &metrics->metric[i], t);
  PetscFunctionReturn(PETSC_SUCCESS);
}
