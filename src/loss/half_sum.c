/* Half the sum of squares over cells, components and frames; a mean over samples only. */
#include "loss/loss_impl.h"

static PetscErrorCode UnrLossFactors_HalfSum(UnrBatch reference, PetscInt batch_samples, double weight_sum,
                                             double factor[])
{
  PetscFunctionBeginUser;
  (void)weight_sum;
  for (PetscInt s = 0; s < reference->samples; s++) factor[s] = 0.5 / (double)batch_samples;
  PetscFunctionReturn(PETSC_SUCCESS);
}

const UnrLossOps UnrLossOps_HalfSum = {
    .name = "half_sum",
    .summary = "half the sum of squares over cells, components and frames, mean over samples",
    .factors = UnrLossFactors_HalfSum,
};
