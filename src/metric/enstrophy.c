/* The enstrophy of roll-out and reference. */
#include "metric/metric_impl.h"

const UnrMetricOps UnrMetricOps_Enstrophy = {
    .name = "enstrophy",
    .summary = "enstrophy, by frame; relative error of its mean",
    .value_name = "enstrophy_error",
    .columns = 2,
    .goes_on = true,
    .integral = "enstrophy",
    .finish = UnrMetricFinishIntegral,
};
