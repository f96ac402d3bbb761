/* Half the sum of squares over cells, components and frames; a mean over samples only. */
#include "loss/loss_impl.h"

static double Factor(UnrGrid grid, PetscInt batch_samples, double weight_sum)
{
  (void)grid;
  (void)weight_sum;
  return 0.5 / (double)batch_samples;
}

const UnrLossOps UnrLossOps_HalfSum = {
    .name = "half_sum",
    .summary = "half the sum of squares over cells, components and frames, mean over samples",
    .factor = Factor,
};
