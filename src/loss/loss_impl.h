/* For files in this folder only. */
#pragma once

#include "loss/loss.h"

/* l = factor x sum of squared differences of this rank's cells: a loss is its factor. */
typedef struct {
  UNR_PLUGIN_HEAD;
  double (*factor)(UnrGrid grid, PetscInt batch_samples, double weight_sum);
} UnrLossOps;

struct UnrLoss_ {
  const UnrLossOps *ops;
};
