/* u' = S(u) + s N(u, c), s the solver's sub-step: solver and network side by side, as in the paper's KS case.
 */
#include "model/model_impl.h"

/* The network learns a rate of change, in units of the sub-step. */
static PetscErrorCode UnrModelCreate_CorrectParallel(UnrModel model)
{
  PetscFunctionBeginUser;
  model->scale = UnrStepperDt(model->stepper);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode UnrModelApply_CorrectParallel(UnrModel model, const double par[], UnrBatch u,
                                                    UnrBatch next, UnrTape tape)
{
  UnrTape stepper, net;
  UnrBatch n;

  PetscFunctionBeginUser;
  PetscCall(UnrModelTapes(tape, &stepper, &net));
  PetscCall(UnrModelScratch(model, UNR_MODEL_N, u, &n));
  PetscCall(UnrStepperApply(model->stepper, par, u, next, stepper));
  PetscCall(UnrNetApply(model->net, par, u, n, net));
  PetscCall(UnrBatchAXPY(next, model->scale, n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode UnrModelJvp_CorrectParallel(UnrModel model, const double par[], UnrBatch u,
                                                  UnrBatch u_dot, const double par_dot[],
                                                  const void *theta_dot, UnrBatch next, UnrBatch next_dot)
{
  UnrBatch n, n_dot;

  PetscFunctionBeginUser;
  PetscCall(UnrModelScratch(model, UNR_MODEL_N, u, &n));
  PetscCall(UnrModelScratch(model, UNR_MODEL_N_DOT, u, &n_dot));
  PetscCall(UnrModelStepperJvp(model, par, u, u_dot, par_dot, next, next_dot));
  PetscCall(UnrNetJvp(model->net, par, u, u_dot, par_dot, theta_dot, n, n_dot));
  PetscCall(UnrBatchAXPY(next, model->scale, n));
  PetscCall(UnrBatchAXPY(next_dot, model->scale, n_dot));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* u_bar += S'^T next_bar + N'^T (s next_bar). */
static PetscErrorCode UnrModelVjp_CorrectParallel(UnrModel model, const double par[], UnrTape tape,
                                                  UnrBatch next_bar, UnrBatch u_bar, double par_bar[],
                                                  void *theta_bar)
{
  UnrTape stepper, net;
  UnrBatch n_bar;

  PetscFunctionBeginUser;
  PetscCall(UnrModelTapes(tape, &stepper, &net));
  PetscCall(UnrModelCorrectionBar(model, next_bar, &n_bar));
  PetscCall(UnrNetVjp(model->net, par, net, n_bar, u_bar, par_bar, theta_bar));
  if (u_bar || par_bar) PetscCall(UnrStepperVjp(model->stepper, par, stepper, next_bar, u_bar, par_bar));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const UnrModelOps UnrModelOps_CorrectParallel = {
    .name = "correct_parallel",
    .summary = "u' = S(u) + dt N(u, c), dt the solver's sub-step",
    .wants = {.stepper = UNR_STEPPER_SOLVER, .net = true},
    .create = UnrModelCreate_CorrectParallel,
    .apply = UnrModelApply_CorrectParallel,
    .jvp = UnrModelJvp_CorrectParallel,
    .vjp = UnrModelVjp_CorrectParallel,
};
