/* Pearson's correlation of the vorticities: what the papers on turbulence tell how long a roll-out is right
   by. The threshold is that of Kochkov et al. 2021, doi:10.1073/pnas.2101784118. */
#include "metric/metric_impl.h"

#define ALIKE 0.95

enum { PRODUCT, OURS, REFERENCE, MEAN_OURS, MEAN_REFERENCE, SLOTS };

static void UnrMetricCells_VorticityCorrelation(const UnrMetricCells *cells, double sum[], double maximum[])
{
  (void)maximum;
  sum[PRODUCT] = UnrMetricDot(cells->n, cells->u, cells->reference);
  sum[OURS] = UnrMetricDot(cells->n, cells->u, cells->u);
  sum[REFERENCE] = UnrMetricDot(cells->n, cells->reference, cells->reference);
  for (size_t i = 0; i < cells->n; i++) {
    sum[MEAN_OURS] += cells->u[i];
    sum[MEAN_REFERENCE] += cells->reference[i];
  }
}

/* Covariance of two fields over the grid from the sum of their product and their own sums. */
static double Covariance(const UnrMetricRecord *record, PetscInt frame, int product, int x, int y)
{
  return UnrMetricAt(record, frame, product) / record->numbers -
         UnrMetricAt(record, frame, x) / record->numbers * UnrMetricAt(record, frame, y) / record->numbers;
}

/* A constant field correlates with nothing. */
static void UnrMetricFinish_VorticityCorrelation(const UnrMetricRecord *record, double series[],
                                                 double *value)
{
  for (PetscInt k = 0; k <= record->bounded; k++) {
    const double ours = Covariance(record, k, OURS, MEAN_OURS, MEAN_OURS);
    const double theirs = Covariance(record, k, REFERENCE, MEAN_REFERENCE, MEAN_REFERENCE);

    series[k] = 0;
    if (ours > 0 && theirs > 0)
      series[k] = Covariance(record, k, PRODUCT, MEAN_OURS, MEAN_REFERENCE) / (sqrt(ours) * sqrt(theirs));
  }
  *value = (double)record->frames;
  for (PetscInt k = 0; k <= record->frames; k++) {
    if (k <= record->bounded && series[k] >= ALIKE) continue;
    *value = (double)k;
    break;
  }
}

const UnrMetricOps UnrMetricOps_VorticityCorrelation = {
    .name = "vorticity_correlation",
    .summary = "Pearson's correlation of the vorticity, and the first frame in which it is below 0.95",
    .value_name = "vorticity_correlation_time",
    .columns = 1,
    .is_time = true,
    .diagnostic = "vorticity",
    .sums = SLOTS,
    .cells = UnrMetricCells_VorticityCorrelation,
    .finish = UnrMetricFinish_VorticityCorrelation,
};
