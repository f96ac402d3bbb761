/* The squared difference relative to each frame's own reference, |u - r|^2 / |r|^2; a mean over samples and
 * weighted frames. */
#include "loss/loss_impl.h"

/* A reference that is zero everywhere gives a loss that is not finite. */
static PetscErrorCode UnrLossFactors_Relative(UnrBatch reference, PetscInt batch_samples, double weight_sum,
                                              double factor[])
{
  PetscFunctionBeginUser;
  for (PetscInt s = 0; s < reference->samples; s++) {
    const double *r = reference->data + (size_t)s * reference->stride;

    factor[s] = 0;
    for (size_t i = 0; i < reference->stride; i++) factor[s] += r[i] * r[i];
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, factor, (PetscMPIInt)reference->samples, MPI_DOUBLE, MPI_SUM,
                             reference->grid->comm));
  for (PetscInt s = 0; s < reference->samples; s++)
    factor[s] = 1 / (factor[s] * (double)batch_samples * weight_sum);
  PetscFunctionReturn(PETSC_SUCCESS);
}

const UnrLossOps UnrLossOps_Relative = {
    .name = "relative",
    .summary =
        "square of the difference over the square of the reference frame, mean over samples and frames",
    .factors = UnrLossFactors_Relative,
};
