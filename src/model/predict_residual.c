/* u' = u + N(u, c): the network predicts the change over a frame. */
#include "model/model_impl.h"

static PetscErrorCode UnrModelApply_PredictResidual(UnrModel model, const double par[], UnrBatch u,
                                                    UnrBatch next, UnrTape tape)
{
  UnrTape net;

  PetscFunctionBeginUser;
  PetscCall(UnrModelTapes(tape, NULL, &net));
  PetscCall(UnrNetApply(model->net, par, u, next, net));
  PetscCall(UnrBatchAXPY(next, 1, u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode UnrModelJvp_PredictResidual(UnrModel model, const double par[], UnrBatch u,
                                                  UnrBatch u_dot, const double par_dot[],
                                                  const void *theta_dot, UnrBatch next, UnrBatch next_dot)
{
  PetscFunctionBeginUser;
  PetscCall(UnrNetJvp(model->net, par, u, u_dot, par_dot, theta_dot, next, next_dot));
  PetscCall(UnrBatchAXPY(next, 1, u));
  if (u_dot) PetscCall(UnrBatchAXPY(next_dot, 1, u_dot));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode UnrModelVjp_PredictResidual(UnrModel model, const double par[], UnrTape tape,
                                                  UnrBatch next_bar, UnrBatch u_bar, double par_bar[],
                                                  void *theta_bar)
{
  UnrTape net;

  PetscFunctionBeginUser;
  PetscCall(UnrModelTapes(tape, NULL, &net));
  PetscCall(UnrNetVjp(model->net, par, net, next_bar, u_bar, par_bar, theta_bar));
  if (u_bar) PetscCall(UnrBatchAXPY(u_bar, 1, next_bar));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const UnrModelOps UnrModelOps_PredictResidual = {
    .name = "predict_residual",
    .summary = "u' = u + N(u, c)",
    .wants = {.stepper = UNR_STEPPER_NONE, .net = true},
    .apply = UnrModelApply_PredictResidual,
    .jvp = UnrModelJvp_PredictResidual,
    .vjp = UnrModelVjp_PredictResidual,
};
