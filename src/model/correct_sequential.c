/* v = S(u), u' = v + s N(v, c): the network corrects the solver's result, as in the paper's KOLM case. */
#include "model/model_impl.h"

PetscErrorCode UnrModelApply_CorrectSequential(UnrModel model, const double par[], UnrBatch u, UnrBatch next,
                                               UnrTape tape)
{
  UnrTape stepper, net;
  UnrBatch n, v = next;

  PetscFunctionBeginUser;
  PetscCall(UnrModelTapes(tape, &stepper, &net));
  PetscCall(UnrModelScratch(model, UNR_MODEL_N, u, &n));
  PetscCall(UnrStepperApply(model->stepper, par, u, v, stepper));
  PetscCall(UnrNetApply(model->net, par, v, n, net));
  PetscCall(UnrBatchAXPY(next, model->scale, n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrModelJvp_CorrectSequential(UnrModel model, const double par[], UnrBatch u, UnrBatch u_dot,
                                             const double par_dot[], const void *theta_dot, UnrBatch next,
                                             UnrBatch next_dot)
{
  UnrBatch n, n_dot, v = next, v_dot = u_dot || par_dot ? next_dot : NULL;

  PetscFunctionBeginUser;
  PetscCall(UnrModelScratch(model, UNR_MODEL_N, u, &n));
  PetscCall(UnrModelScratch(model, UNR_MODEL_N_DOT, u, &n_dot));
  PetscCall(UnrModelStepperJvp(model, par, u, u_dot, par_dot, v, next_dot));
  PetscCall(UnrNetJvp(model->net, par, v, v_dot, par_dot, theta_dot, n, n_dot));
  PetscCall(UnrBatchAXPY(next, model->scale, n));
  PetscCall(UnrBatchAXPY(next_dot, model->scale, n_dot));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* v_bar = next_bar + N'^T (s next_bar), u_bar += S'^T v_bar; v_bar is needed for u_bar or the solver's
 * par_bar only. */
PetscErrorCode UnrModelVjp_CorrectSequential(UnrModel model, const double par[], UnrTape tape,
                                             UnrBatch next_bar, UnrBatch u_bar, double par_bar[],
                                             void *theta_bar)
{
  UnrTape stepper, net;
  UnrBatch n_bar, v_bar = NULL;

  PetscFunctionBeginUser;
  PetscCall(UnrModelTapes(tape, &stepper, &net));
  PetscCall(UnrModelCorrectionBar(model, next_bar, &n_bar));
  if (u_bar || par_bar) {
    PetscCall(UnrModelScratch(model, UNR_MODEL_V_BAR, next_bar, &v_bar));
    PetscCall(UnrBatchCopy(next_bar, v_bar));
  }
  PetscCall(UnrNetVjp(model->net, par, net, n_bar, v_bar, par_bar, theta_bar));
  if (v_bar) PetscCall(UnrStepperVjp(model->stepper, par, stepper, v_bar, u_bar, par_bar));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const UnrModelOps UnrModelOps_CorrectSequential = {
    .name = "correct_sequential",
    .summary = "v = S(u), u' = v + N(v, c)",
    .wants = {.stepper = UNR_STEPPER_SOLVER, .net = true},
    .apply = UnrModelApply_CorrectSequential,
    .jvp = UnrModelJvp_CorrectSequential,
    .vjp = UnrModelVjp_CorrectSequential,
};
