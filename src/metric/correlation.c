/* The normalised cross-correlation with the reference, and the time for which it lasts. */
#include "metric/metric_impl.h"

#define LOST 0.2 /* correlation below which it is lost, */
enum { STAYS = 5 /* for as many frames */ };

static void UnrMetricCells_Correlation(const UnrMetricCells *cells, double sum[], double maximum[])
{
  (void)maximum;
  sum[0] = UnrMetricDot(cells->n, cells->u, cells->reference);
  sum[1] = UnrMetricDot(cells->n, cells->u, cells->u);
  sum[2] = UnrMetricDot(cells->n, cells->reference, cells->reference);
}

/* A state that is zero correlates with nothing; one out of bounds has lost its correlation for good. */
static void UnrMetricFinish_Correlation(const UnrMetricRecord *record, double series[], double *value)
{
  PetscInt below = 0;

  *value = (double)record->frames;
  for (PetscInt k = 0; k <= record->bounded; k++) {
    const double norms = sqrt(UnrMetricAt(record, k, 1)) * sqrt(UnrMetricAt(record, k, 2));

    series[k] = norms > 0 ? UnrMetricAt(record, k, 0) / norms : 0;
  }
  for (PetscInt k = 0; k <= record->frames; k++) {
    const bool is_out = k > record->bounded;

    below = is_out || series[k] < LOST ? below + 1 : 0;
    if (below < STAYS && !is_out) continue;
    *value = (double)(k - below + 1);
    break;
  }
}

const UnrMetricOps UnrMetricOps_Correlation = {
    .name = "correlation",
    .summary = "<u, reference>/(|u| |reference|), and the first frame from which it stays below 0.2",
    .value_name = "correlation_time",
    .columns = 1,
    .is_time = true,
    .sums = 3,
    .cells = UnrMetricCells_Correlation,
    .finish = UnrMetricFinish_Correlation,
};
