/* The mean of the squared difference over samples, points, components and weighted frames. */
#include "loss/loss_impl.h"

static PetscErrorCode UnrLossFactors_MSE(UnrBatch reference, PetscInt batch_samples, double weight_sum,
                                         double factor[])
{
  const double numbers = (double)reference->grid->total * (double)reference->grid->components;

  PetscFunctionBeginUser;
  for (PetscInt s = 0; s < reference->samples; s++)
    factor[s] = 1 / ((double)batch_samples * numbers * weight_sum);
  PetscFunctionReturn(PETSC_SUCCESS);
}

const UnrLossOps UnrLossOps_MSE = {
    .name = "mse",
    .summary = "mean square over samples, points, components and frames",
    .factors = UnrLossFactors_MSE,
};
