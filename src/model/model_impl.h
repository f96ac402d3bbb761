/*
  For files in this folder only: what a model fills in, and what models share.
  model.c projects, keeps the scratch and calls vjp only where something is wanted; a model is three
  equations.
*/
#pragma once

#include "field/scratch.h"
#include "model/model.h"

typedef struct {
  UNR_PLUGIN_HEAD;
  UnrModelNeeds wants;
  PetscErrorCode (*create)(UnrModel); /* NULL: scale 1 */
  PetscErrorCode (*apply)(UnrModel, const double par[], UnrBatch u, UnrBatch next, UnrTape tape);
  PetscErrorCode (*jvp)(UnrModel, const double par[], UnrBatch u, UnrBatch u_dot, const double par_dot[],
                        const void *theta_dot, UnrBatch next, UnrBatch next_dot);
  PetscErrorCode (*vjp)(UnrModel, const double par[], UnrTape tape, UnrBatch next_bar, UnrBatch u_bar,
                        double par_bar[], void *theta_bar);
} UnrModelOps;

/* Scratch batches by what they hold. */
typedef enum {
  UNR_MODEL_N,
  UNR_MODEL_N_DOT,
  UNR_MODEL_V_BAR,
  UNR_MODEL_PROJECTED_BAR,
  UNR_MODEL_SCRATCHES
} UnrModelSlot;

struct UnrModel_ {
  const UnrModelOps *ops;
  UnrPhysics physics;
  UnrStepper stepper;
  UnrNet net;
  double scale; /* the factor of a correction N */
  bool is_projected;
  UnrScratch scratch[UNR_MODEL_SCRATCHES];
};

/* A batch of u's samples, contents undefined, valid until the slot's next use. */
PetscErrorCode UnrModelScratch(UnrModel model, UnrModelSlot slot, UnrBatch u, UnrBatch *batch);
/* The tapes of stepper and net inside the model's; NULL for a NULL tape. */
PetscErrorCode UnrModelTapes(UnrTape tape, UnrTape *stepper, UnrTape *net);
/* n_bar = scale next_bar: what the net of a correction gets. */
PetscErrorCode UnrModelCorrectionBar(UnrModel model, UnrBatch next_bar, UnrBatch *n_bar);
/* next = S(u) with its tangent; the stepper's jvp is called only if there is a tangent, so that any solver
 * will do. */
PetscErrorCode UnrModelStepperJvp(UnrModel model, const double par[], UnrBatch u, UnrBatch u_dot,
                                  const double par_dot[], UnrBatch next, UnrBatch next_dot);

/* v = S(u), u' = v + scale N(v, c), in correct_sequential.c: `transition` is the same map of another S and
 * scale. */
PetscErrorCode UnrModelApply_CorrectSequential(UnrModel, const double[], UnrBatch, UnrBatch, UnrTape);
PetscErrorCode UnrModelJvp_CorrectSequential(UnrModel, const double[], UnrBatch, UnrBatch, const double[],
                                             const void *, UnrBatch, UnrBatch);
PetscErrorCode UnrModelVjp_CorrectSequential(UnrModel, const double[], UnrTape, UnrBatch, UnrBatch, double[],
                                             void *);
