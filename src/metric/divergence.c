/* How far a roll-out is from what the scheme calls solenoidal: a network need not know of it. */
#include "metric/metric_impl.h"

static void UnrMetricFinish_Divergence(const UnrMetricRecord *record, double series[], double *value)
{
  UnrMetricBoth(record, series);
  for (PetscInt k = 0; k <= record->bounded; k++) *value = k ? fmax(*value, series[k]) : series[k];
}

const UnrMetricOps UnrMetricOps_Divergence = {
    .name = "divergence",
    .summary = "root mean square divergence by the solver's own operator, by frame; the largest",
    .value_name = "divergence_rms",
    .columns = 2,
    .goes_on = true,
    .integral = "divergence",
    .finish = UnrMetricFinish_Divergence,
};
