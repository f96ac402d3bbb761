/* The square of the error over the square of the reference's largest value: the paper's "rellinf". */
#include "metric/metric_impl.h"

static void UnrMetricCells_Rel(const UnrMetricCells *cells, double sum[], double maximum[])
{
  sum[0] = UnrMetricSquare(cells->n, cells->u, cells->reference);
  for (size_t i = 0; i < cells->n; i++) maximum[0] = fmax(maximum[0], fabs(cells->reference[i]));
}

/* The scale is that of frames 0 .. window, for the later frames too. */
static void UnrMetricFinish_Rel(const UnrMetricRecord *record, double series[], double *value)
{
  double scale = 0;

  for (PetscInt k = 0; k <= record->window; k++) scale = fmax(scale, UnrMetricAt(record, k, 1));
  for (PetscInt k = 0; k <= record->frames; k++)
    series[k] = UnrMetricAt(record, k, 0) / (record->numbers * scale * scale);
  *value = UnrMetricMean(series, 1, record->window);
}

const UnrMetricOps UnrMetricOps_Rel = {
    .name = "rel",
    .summary = "mean square error over max|reference|^2, mean of the first frames",
    .columns = 1,
    .sums = 1,
    .maxima = 1,
    .cells = UnrMetricCells_Rel,
    .finish = UnrMetricFinish_Rel,
};
