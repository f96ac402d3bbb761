/* The one-step residual against the reference scheme: how well a roll-out obeys the equation, without a
 * reference trajectory. */
#include "metric/metric_impl.h"

static void UnrMetricCells_Residual(const UnrMetricCells *cells, double sum[], double maximum[])
{
  (void)maximum;
  sum[0] = UnrMetricResidual(cells);
}

static void UnrMetricFinish_Residual(const UnrMetricRecord *record, double series[], double *value)
{
  for (PetscInt k = 1; k <= record->frames; k++) series[k] = UnrMetricAt(record, k, 0) / record->numbers;
  *value = UnrMetricMean(series, 1, record->frames);
}

const UnrMetricOps UnrMetricOps_Residual = {
    .name = "residual",
    .summary = "mean square difference from the reference scheme's step, mean of all frames",
    .columns = 1,
    .goes_on = true,
    .sums = 1,
    .cells = UnrMetricCells_Residual,
    .finish = UnrMetricFinish_Residual,
};
