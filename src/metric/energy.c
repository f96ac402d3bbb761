/* The energy of roll-out and reference: the first line of the energy budget. */
#include "metric/metric_impl.h"

const UnrMetricOps UnrMetricOps_Energy = {
    .name = "energy",
    .summary = "kinetic energy, by frame; relative error of its mean",
    .value_name = "energy_error",
    .columns = 2,
    .goes_on = true,
    .integral = "energy",
    .finish = UnrMetricFinishIntegral,
};
