/*
  v = S'(u) over a fraction a of the frame, u' = v + (1 - a) N(v, c): the reference scheme does part of the
  frame, the network the rest.  The map of correct_sequential with another S and another scale.
*/
#include "model/model_impl.h"

static const UnrOption options[] = {
    {"-model_transition_fraction", UNR_REAL, "0.5", 1e-6, 1, "frame",
     "part of the frame that the reference scheme does", NULL},
    {NULL, UNR_REAL, NULL, 0, 0, NULL, NULL, NULL},
};

/* Shortens the sub-steps of the stepper: from now on it is this model's. */
static PetscErrorCode UnrModelCreate_Transition(UnrModel model)
{
  double fraction;

  PetscFunctionBeginUser;
  PetscCall(UnrOptionReal(options, NULL, "-model_transition_fraction", &fraction));
  PetscCall(UnrStepperScaleDt(model->stepper, fraction));
  model->scale = 1 - fraction;
  PetscFunctionReturn(PETSC_SUCCESS);
}

const UnrModelOps UnrModelOps_Transition = {
    .name = "transition",
    .summary = "v = reference scheme over a fraction a of the frame, u' = v + (1 - a) N(v, c)",
    .options = options,
    .wants = {.stepper = UNR_STEPPER_REFERENCE, .net = true},
    .create = UnrModelCreate_Transition,
    .apply = UnrModelApply_CorrectSequential,
    .jvp = UnrModelJvp_CorrectSequential,
    .vjp = UnrModelVjp_CorrectSequential,
};
