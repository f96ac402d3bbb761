/*
  For files in this folder only.  A metric is sums (and maxima) over the cells of one test in one frame, one
  of the physics' integrals, or its spectrum, and what the record of them over all frames says.
*/
#pragma once

#include <math.h>
#include "metric/metric.h"

/* The roll-out, and its reference. */
enum { UNR_METRIC_OURS, UNR_METRIC_REFERENCE, UNR_METRIC_BOTH };

/* One test in one frame: this rank's n numbers [cell][component]. */
typedef struct {
  size_t n;
  const double *u;
  const double *reference;                /* NULL behind its end, for a metric that goes on */
  const double *previous, *previous_step; /* NULL in frame 0, and for a diagnostic field */
} UnrMetricCells;

/* One metric's numbers of one test, reduced over the grid: [frame][sums, then maxima, then the integral of
   the roll-out and of the reference]; NaN from where the test is not live, the reference's only behind its
   end. */
typedef struct {
  PetscInt frames;            /* those of the reference, or of the roll-out for a metric that goes on */
  PetscInt reference, window; /* frames of the reference; and of means */
  PetscInt bounded;           /* the last live frame, at most `frames` */
  double numbers;             /* of the whole grid: points x components of what the metric looks at */
  PetscInt slots;
  const double *number;
  PetscInt shells;
  const double
      *spectrum[UNR_METRIC_BOTH]; /* [shell], mean over the frames 1 .. bounded, and 1 .. reference */
} UnrMetricRecord;

static inline double UnrMetricAt(const UnrMetricRecord *record, PetscInt frame, PetscInt slot)
{
  return record->number[frame * record->slots + slot];
}

typedef struct {
  UNR_PLUGIN_HEAD;
  const char *value_name; /* NULL: as the metric */
  const char *words;      /* NULL: the value is a number */
  bool is_time;
  bool goes_on;     /* needs no reference: frames behind its end count too */
  PetscInt columns; /* of the series, as UnrMetricView says */
  /* What it looks at, by the physics' name; a physics without it has no such metric.  Both NULL: the states.
   */
  const char *diagnostic; /* a field of both states */
  const char *integral;   /* a number of both states; then there are no cells */
  bool is_spectrum;       /* the energy spectrum of both states */
  PetscInt sums, maxima;
  /* This rank's part, into zeroed sum[] and maximum[]. */
  void (*cells)(const UnrMetricCells *cells, double sum[], double maximum[]);
  /* series [column][frames + 1] comes as NaN; NULL without columns. */
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

/* A metric of an integral: both as series, and how far the mean over the reference's frames (behind the
   start) is off, relative to the reference's; none where that is 0. */
static inline void UnrMetricBoth(const UnrMetricRecord *record, double series[])
{
  for (PetscInt k = 0; k <= record->frames; k++) {
    series[k] = UnrMetricAt(record, k, UNR_METRIC_OURS);
    series[record->frames + 1 + k] = UnrMetricAt(record, k, UNR_METRIC_REFERENCE);
  }
}
static inline void UnrMetricFinishIntegral(const UnrMetricRecord *record, double series[], double *value)
{
  double mean[UNR_METRIC_BOTH];

  UnrMetricBoth(record, series);
  for (int c = 0; c < UNR_METRIC_BOTH; c++)
    mean[c] = UnrMetricMean(series + c * (record->frames + 1), 1, record->reference);
  *value =
      mean[UNR_METRIC_REFERENCE] != 0 ? fabs(mean[UNR_METRIC_OURS] / mean[UNR_METRIC_REFERENCE] - 1) : NAN;
}
