/* The error of the first frame relative to the reference: what one augmented step gets wrong. */
#include "metric/metric_impl.h"

static void UnrMetricCells_OneFrame(const UnrMetricCells *cells, double sum[], double maximum[])
{
  (void)maximum;
  sum[0] = UnrMetricSquare(cells->n, cells->u, cells->reference);
  sum[1] = UnrMetricDot(cells->n, cells->reference, cells->reference);
}

static void UnrMetricFinish_OneFrame(const UnrMetricRecord *record, double series[], double *value)
{
  (void)series;
  *value = sqrt(UnrMetricAt(record, 1, 0) / UnrMetricAt(record, 1, 1));
}

const UnrMetricOps UnrMetricOps_OneFrame = {
    .name = "one_frame",
    .summary = "root mean square error of frame 1 over the reference's root mean square",
    .sums = 2,
    .cells = UnrMetricCells_OneFrame,
    .finish = UnrMetricFinish_OneFrame,
};
