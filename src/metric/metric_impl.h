/*
  For files in this folder only.  A metric is sums (and maxima) over the cells of one test in one frame, and
  what the record of them over all frames says.
*/
#pragma once

#include <math.h>
#include "metric/metric.h"

/* One test in one frame: this rank's n numbers [cell][component]. */
typedef struct {
  size_t n;
  const double *u, *reference;
  const double *previous, *previous_step; /* NULL in frame 0 */
} UnrMetricCells;

/* One metric's numbers of one test, reduced over the grid: [frame][sums, then maxima]; NaN from where the
   test is not live. */
typedef struct {
  PetscInt frames, window, bounded; /* bounded: the last live frame */
  double numbers;                   /* of the whole grid: points x components */
  PetscInt slots;
  const double *number;
} UnrMetricRecord;

static inline double UnrMetricAt(const UnrMetricRecord *record, PetscInt frame, PetscInt slot)
{
  return record->number[frame * record->slots + slot];
}

typedef struct {
  UNR_PLUGIN_HEAD;
  const char *value_name; /* NULL: as the metric */
  const char *words;      /* NULL: the value is a number */
  bool has_series, is_time;
  PetscInt sums, maxima;
  /* This rank's part, into zeroed sum[] and maximum[]. */
  void (*cells)(const UnrMetricCells *cells, double sum[], double maximum[]);
  /* series [frame] comes as NaN; NULL without has_series. */
  void (*finish)(const UnrMetricRecord *record, double series[], double *value);
} UnrMetricOps;

/* sum x y, sum (x - y)^2 */
static inline double UnrMetricDot(size_t n, const double x[], const double y[])
{
  double sum = 0;

  for (size_t i = 0; i < n; i++) sum += x[i] * y[i];
  return sum;
}

static inline double UnrMetricSquare(size_t n, const double x[], const double y[])
{
  double sum = 0;

  for (size_t i = 0; i < n; i++) sum += (x[i] - y[i]) * (x[i] - y[i]);
  return sum;
}

/* Mean of series[first .. last]: NaN if one of them is. */
static inline double UnrMetricMean(const double series[], PetscInt first, PetscInt last)
{
  double sum = 0;

  for (PetscInt k = first; k <= last; k++) sum += series[k];
  return sum / (double)(last - first + 1);
}

/* |u - S(previous)|^2 over the grid: shared by what looks at the one-step residual. */
enum { UNR_METRIC_DIVERGED = 500 };
static inline double UnrMetricResidual(const UnrMetricCells *cells)
{
  return cells->previous_step ? UnrMetricSquare(cells->n, cells->u, cells->previous_step) : 0;
}
/* First frame in which the sum `slot` exceeds UNR_METRIC_DIVERGED, or the test left its bounds; `frames` if
 * never. */
static inline PetscInt UnrMetricDivergence(const UnrMetricRecord *record, PetscInt slot)
{
  for (PetscInt k = 1; k <= record->frames; k++)
    if (k > record->bounded || UnrMetricAt(record, k, slot) > UNR_METRIC_DIVERGED) return k;
  return record->frames;
}
