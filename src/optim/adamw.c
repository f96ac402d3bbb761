/* AdamW: Adam whose weight decay passes the moments by.  Maths: docs/method/optim.md, eq. (1)-(4) */
#include "optim/adam_step.h"

static PetscErrorCode UnrOptimStep_AdamW(UnrOptim optim, double rate, double factor, const void *theta_bar,
                                         void *theta)
{
  PetscFunctionBeginUser;
  PetscCall(UnrAdamStep(optim, rate, factor, 0, 1 - rate * optim->weight_decay, theta_bar, theta));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const UnrOptimOps UnrOptimOps_AdamW = {
    .name = "adamw",
    .summary = "Adam with weight decay beside the moments",
    .options = UnrAdamOptions,
    .moment = {"first_moment", "second_moment"},
    .weight_decay = 0.01,
    .create = UnrOptimCreate_Adam,
    .step = UnrOptimStep_AdamW,
};
