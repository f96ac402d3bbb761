/* For files in this folder only: what Adam and AdamW share. */
#pragma once

#include "optim/optim_impl.h"

extern const UnrOption UnrAdamOptions[];
PetscErrorCode UnrOptimCreate_Adam(UnrOptim optim);
/* One update with both ways of decay: theta times l2 added to the gradient, theta times keep first. */
PetscErrorCode UnrAdamStep(UnrOptim optim, double rate, double factor, double l2, double keep,
                           const void *theta_bar, void *theta);
