/* For files in this folder only. */
#pragma once

#include "loss/loss.h"

typedef struct {
  const char *name, *summary;
  const UnrOption *options;
  /* The factor of the sum of squared differences: a loss of another form sets `frame` instead. */
  double (*factor)(UnrGrid grid, PetscInt batch_samples, double weight_sum);
  PetscErrorCode (*frame)(UnrBatch u, UnrBatch reference, PetscInt batch_samples, double weight, double weight_sum,
                          double *value, UnrBatch u_bar);
} UnrLossOps;

struct UnrLoss_ {
  const UnrLossOps *ops;
};
