/* u' = S(u): the solver alone, as a baseline and for making data. */
#include "model/model_impl.h"

static PetscErrorCode UnrModelApply_Solver(UnrModel model, const double par[], UnrBatch u, UnrBatch next,
                                           UnrTape tape)
{
  UnrTape stepper;

  PetscFunctionBeginUser;
  PetscCall(UnrModelTapes(tape, &stepper, NULL));
  PetscCall(UnrStepperApply(model->stepper, par, u, next, stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* No weights: theta_dot and theta_bar have nothing to say. */
static PetscErrorCode UnrModelJvp_Solver(UnrModel model, const double par[], UnrBatch u, UnrBatch u_dot,
                                         const double par_dot[], const void *theta_dot, UnrBatch next,
                                         UnrBatch next_dot)
{
  PetscFunctionBeginUser;
  (void)theta_dot;
  PetscCall(UnrModelStepperJvp(model, par, u, u_dot, par_dot, next, next_dot));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode UnrModelVjp_Solver(UnrModel model, const double par[], UnrTape tape, UnrBatch next_bar,
                                         UnrBatch u_bar, double par_bar[], void *theta_bar)
{
  UnrTape stepper;

  PetscFunctionBeginUser;
  (void)theta_bar;
  PetscCall(UnrModelTapes(tape, &stepper, NULL));
  if (u_bar || par_bar) PetscCall(UnrStepperVjp(model->stepper, par, stepper, next_bar, u_bar, par_bar));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const UnrModelOps UnrModelOps_Solver = {
    .name = "solver",
    .summary = "u' = S(u)",
    .wants = {.stepper = UNR_STEPPER_SOLVER, .net = false},
    .apply = UnrModelApply_Solver,
    .jvp = UnrModelJvp_Solver,
    .vjp = UnrModelVjp_Solver,
};
