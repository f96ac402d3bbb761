/* The mean of the squared difference over samples, points, components and weighted frames. */
#include "loss/loss_impl.h"

static double Factor(UnrGrid grid, PetscInt batch_samples, double weight_sum)
{
  return 1.0 / ((double)batch_samples * (double)grid->total * (double)grid->components * weight_sum);
}

const UnrLossOps UnrLossOps_MSE = {
    .name = "mse",
    .summary = "mean square over samples, points, components and frames",
    .factor = Factor,
};
