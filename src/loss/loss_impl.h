/* For files in this folder only. */
#pragma once

#include "loss/loss.h"

/* l = sum over samples of factor x (sum of squared differences): a loss is its factors. */
typedef struct {
  UNR_PLUGIN_HEAD;
  /* factor[sample] of the batch, for a frame of weight 1.  Collective on the grid. */
  PetscErrorCode (*factors)(UnrBatch reference, PetscInt batch_samples, double weight_sum, double factor[]);
} UnrLossOps;

struct UnrLoss_ {
  const UnrLossOps *ops;
  double *factor; /* [room] kept from call to call */
  PetscInt room;
};
