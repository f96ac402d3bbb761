/* The time for which a roll-out stays near what the reference scheme would do. */
#include "metric/metric_impl.h"

static void UnrMetricCells_DivergenceTime(const UnrMetricCells *cells, double sum[], double maximum[])
{
  (void)maximum;
  sum[0] = UnrMetricResidual(cells);
}

static void UnrMetricFinish_DivergenceTime(const UnrMetricRecord *record, double series[], double *value)
{
  (void)series;
  *value = (double)UnrMetricDivergence(record, 0);
}

const UnrMetricOps UnrMetricOps_DivergenceTime = {
    .name = "divergence_time",
    .summary = "first frame whose squared one-step residual, summed over the grid, exceeds 500",
    .is_time = true,
    .goes_on = true,
    .sums = 1,
    .cells = UnrMetricCells_DivergenceTime,
    .finish = UnrMetricFinish_DivergenceTime,
};
