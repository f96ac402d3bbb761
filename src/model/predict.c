/* u' = N(u, c): the network alone. */
#include "model/model_impl.h"

static PetscErrorCode UnrModelApply_Predict(UnrModel model, const double par[], UnrBatch u, UnrBatch next,
                                            UnrTape tape)
{
  UnrTape net;

  PetscFunctionBeginUser;
  PetscCall(UnrModelTapes(tape, NULL, &net));
  PetscCall(UnrNetApply(model->net, par, u, next, net));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode UnrModelJvp_Predict(UnrModel model, const double par[], UnrBatch u, UnrBatch u_dot,
                                          const double par_dot[], const void *theta_dot, UnrBatch next,
                                          UnrBatch next_dot)
{
  PetscFunctionBeginUser;
  PetscCall(UnrNetJvp(model->net, par, u, u_dot, par_dot, theta_dot, next, next_dot));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode UnrModelVjp_Predict(UnrModel model, const double par[], UnrTape tape, UnrBatch next_bar,
                                          UnrBatch u_bar, double par_bar[], void *theta_bar)
{
  UnrTape net;

  PetscFunctionBeginUser;
  PetscCall(UnrModelTapes(tape, NULL, &net));
  PetscCall(UnrNetVjp(model->net, par, net, next_bar, u_bar, par_bar, theta_bar));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const UnrModelOps UnrModelOps_Predict = {
    .name = "predict",
    .summary = "u' = N(u, c)",
    .wants = {.stepper = UNR_STEPPER_NONE, .net = true},
    .apply = UnrModelApply_Predict,
    .jvp = UnrModelJvp_Predict,
    .vjp = UnrModelVjp_Predict,
};
