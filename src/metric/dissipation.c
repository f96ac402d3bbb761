/* What leaves the energy budget. */
#include "metric/metric_impl.h"

const UnrMetricOps UnrMetricOps_Dissipation = {
    .name = "dissipation",
    .summary = "dissipation of energy, by frame; relative error of its mean",
    .value_name = "dissipation_error",
    .columns = 2,
    .goes_on = true,
    .integral = "dissipation",
    .finish = UnrMetricFinishIntegral,
};
