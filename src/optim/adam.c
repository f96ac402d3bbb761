/* Adam; a weight decay is a part of the gradient.  Maths: docs/method/optim.md, eq. (1)-(4) */
#include "optim/adam_step.h"

static PetscErrorCode UnrOptimStep_Adam(UnrOptim optim, double rate, double factor, const void *theta_bar,
                                        void *theta)
{
  PetscFunctionBeginUser;
  PetscCall(UnrAdamStep(optim, rate, factor, optim->weight_decay, 1, theta_bar, theta));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const UnrOptimOps UnrOptimOps_Adam = {
    .name = "adam",
    .summary = "Adam, weight decay in the gradient",
    .options = UnrAdamOptions,
    .moment = {"first_moment", "second_moment"},
    .create = UnrOptimCreate_Adam,
    .step = UnrOptimStep_Adam,
};
