/*
  The loss of ONE frame: value and gradient.  The rollout sums over frames with its weights.

  Each loss names its divisor, always global: mse: samples of the batch x points x components x sum of the
  weights; half-sum: samples; relative: samples x sum of the weights x |reference frame|^2.  So the sum over
  all ranks is plain: value is this rank's part, u_bar this rank's cells.
*/
#pragma once

#include "core/plugin.h"
#include "field/grid.h"

typedef struct UnrLoss_ *UnrLoss;

PetscErrorCode UnrLossRegister(void);
PetscErrorCode UnrLossCreate(UnrLoss *loss); /* reads -loss_type */
PetscErrorCode UnrLossDestroy(UnrLoss *loss);
const char *UnrLossName(UnrLoss loss);
/* Shows every loss of this build, for `info`. */
PetscErrorCode UnrLossList(UnrPluginVisit visit, void *context);
/*
  UnrLossFrame - *value += weight l(u, reference); u_bar += weight dl/du; either NULL: not wanted. Collective
  on the grid. In  batch_samples  samples of the whole batch, all replicas;  weight_sum  sum of the rollout's
  weights
*/
PetscErrorCode UnrLossFrame(UnrLoss loss, UnrBatch u, UnrBatch reference, PetscInt batch_samples,
                            double weight, double weight_sum, double *value, UnrBatch u_bar);
