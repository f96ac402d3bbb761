/* For files in this folder only: the chosen metrics and what they have recorded. */
#pragma once

#include "metric/metric_source.h"

typedef struct {
  const UnrMetricOps *ops;
  PetscInt slots;
  double *number;         /* [test][frame][slot] */
  double *series, *value; /* [test][column][frame], or NULL; [test] */
} UnrMetric;

struct UnrMetrics_ {
  UnrMetricSpec spec;
  UnrMetricSource source;
  PetscInt next, count; /* frame that comes next; metrics */
  UnrMetric *metric;
  PetscInt *bounded;                /* [test] the last live frame */
  PetscInt sums, maxima;            /* of a test, all metrics */
  double *sum, *maximum, *received; /* [test][sums], [test][maxima]; the larger of the two */
};

static inline PetscInt UnrMetricSlots(const UnrMetricOps *ops)
{
  return ops->sums + ops->maxima + (ops->integral ? UNR_METRIC_BOTH : 0);
}
/* The last frame that a metric can say something about. */
static inline PetscInt UnrMetricFrames(const UnrMetricSpec *spec, const UnrMetricOps *ops)
{
  return ops->goes_on ? spec->frames : spec->reference_frames;
}
