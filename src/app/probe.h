/*
  A probe: one case with its window, plan and random directions, on which `check` measures gradients.
  Quantities are probed one at a time; a quantity the case lacks has no items.
*/
#pragma once

#include "app/case.h"

typedef enum { UNR_WEIGHTS, UNR_START, UNR_PARAMETERS, UNR_QUANTITIES } UnrQuantity;
extern const char *const UnrQuantityName[UNR_QUANTITIES];

/* A point or a direction in the space of (weights, start states, parameters): this rank's part. */
typedef struct {
  void *theta; /* net's precision, [weights]; NULL without a net */
  UnrBatch u0;
  double *par; /* [count][parameters] */
} UnrPoint;

typedef struct {
  const UnrCase *c;
  UnrPlan plan;
  UnrRollout rollout;
  UnrWindow window;
  UnrBatch *state; /* [steps + 1] states of the unperturbed rollout at the cuts; NULL elsewhere */
  UnrPoint direction, gradient;
  double value; /* of the loss, global */
} UnrProbe;

/* window NULL: drawn from the start family; else its frames are copied (for comparing layouts). */
PetscErrorCode UnrProbeCreate(const UnrCase *c, const UnrWindow *window, UnrProbe *probe);
PetscErrorCode UnrProbeDestroy(UnrProbe *probe);
/* Has the case this quantity, and a gradient with respect to it? */
bool UnrProbeHas(const UnrProbe *probe, UnrQuantity q);
/* Loss and gradient at the probe's point into probe->value, probe->gradient. */
PetscErrorCode UnrProbeGradient(UnrProbe *probe);
/* <gradient, direction> in one quantity, global; and its scale |gradient| |direction|. */
PetscErrorCode UnrProbeSlope(const UnrProbe *probe, UnrQuantity q, double *slope, double *scale);
/* The same slope from the tangent rollout. */
PetscErrorCode UnrProbeTangent(UnrProbe *probe, UnrQuantity q, double *slope);
/* Loss at point + eps direction in one quantity; beyond a cut the unperturbed state is kept, as the mode
 * means it. */
PetscErrorCode UnrProbeValue(UnrProbe *probe, UnrQuantity q, double eps, double *value);
/* Sum over the probe's world. */
PetscErrorCode UnrProbeSum(const UnrProbe *probe, double local, double *sum);
