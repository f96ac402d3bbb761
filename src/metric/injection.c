/* What enters the energy budget. */
#include "metric/metric_impl.h"

const UnrMetricOps UnrMetricOps_Injection = {
    .name = "injection",
    .summary = "power of the forcing, by frame; relative error of its mean",
    .value_name = "injection_error",
    .columns = 2,
    .goes_on = true,
    .integral = "injection",
    .finish = UnrMetricFinishIntegral,
};
