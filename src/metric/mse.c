/* The mean square error. */
#include "metric/metric_impl.h"

static void UnrMetricCells_MSE(const UnrMetricCells *cells, double sum[], double maximum[])
{
  (void)maximum;
  sum[0] = UnrMetricSquare(cells->n, cells->u, cells->reference);
}

static void UnrMetricFinish_MSE(const UnrMetricRecord *record, double series[], double *value)
{
  for (PetscInt k = 0; k <= record->frames; k++) series[k] = UnrMetricAt(record, k, 0) / record->numbers;
  *value = UnrMetricMean(series, 1, record->window);
}

const UnrMetricOps UnrMetricOps_MSE = {
    .name = "mse",
    .summary = "mean square error, mean of the first frames",
    .columns = 1,
    .sums = 1,
    .cells = UnrMetricCells_MSE,
    .finish = UnrMetricFinish_MSE,
};
