/* A model: choosing it, and what all of them share - projection of the result, scratch, tapes. */
#include "model/model_impl.h"
#include "core/error.h"
#include "core/event.h"

#define UNR_MODEL(name, Name) extern const UnrModelOps UnrModelOps_##Name;
#include "model/list.h"
#undef UNR_MODEL

#define UNR_MODEL(name, Name) &UnrModelOps_##Name.plugin,
static const UnrPlugin *const plugins[] = {
#include "model/list.h"
    NULL,
};
#undef UNR_MODEL

#define UNR_MODEL(name, Name) "|" #name
static const char names[] =
#include "model/list.h"
    ;
#undef UNR_MODEL

static const UnrOption options[] = {
    {"-model_type", UNR_WORD, "correct_parallel", 0, 0, NULL, "the augmented step", &names[1]},
    {"-model_scale", UNR_REAL, NULL, 0, 1e6, "1", "factor of a correction N; unset: the model's own", NULL},
    {"-model_project", UNR_BOOL, "false", 0, 0, NULL,
     "project the augmented state onto what the scheme represents", NULL},
    {NULL, UNR_WORD, NULL, 0, 0, NULL, NULL, NULL},
};

static const UnrPluginClass class = {"model", options, plugins};

PetscErrorCode UnrModelRegister(void)
{
  PetscFunctionBeginUser;
  PetscCall(UnrPluginsRegister(&class, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrModelList(UnrPluginVisit visit, void *context)
{
  PetscFunctionBeginUser;
  PetscCall(UnrPluginsVisit(&class, visit, context));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrModelWants(UnrModelNeeds *wants)
{
  const UnrModelOps *ops;

  PetscFunctionBeginUser;
  PetscCall(UnrPluginChoose(&class, NULL, &ops));
  *wants = ops->wants;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  UnrModelCreate - the model of -model_type.     Collective on the world.
  In      physics, stepper, net  borrowed, must outlive the model; `transition` shortens its stepper's
  sub-steps
*/
PetscErrorCode UnrModelCreate(UnrPhysics physics, UnrStepper stepper, UnrNet net, UnrModel *model)
{
  UnrModel m;
  bool is_given;

  PetscFunctionBeginUser;
  PetscCall(PetscNew(&m));
  PetscCall(UnrPluginChoose(&class, NULL, &m->ops));
  m->physics = physics;
  m->stepper = m->ops->wants.stepper == UNR_STEPPER_NONE ? NULL : stepper;
  m->net = m->ops->wants.net ? net : NULL;
  PetscCheck(m->stepper || m->ops->wants.stepper == UNR_STEPPER_NONE, PETSC_COMM_SELF, PETSC_ERR_ARG_NULL,
             "model %s without a stepper", m->ops->name);
  PetscCheck(m->net || !m->ops->wants.net, PETSC_COMM_SELF, PETSC_ERR_ARG_NULL, "model %s without a net",
             m->ops->name);
  m->scale = 1;
  if (m->ops->create) PetscCall((*m->ops->create)(m));
  PetscCall(UnrOptionGiven(options, NULL, "-model_scale", &is_given));
  if (is_given) PetscCall(UnrOptionReal(options, NULL, "-model_scale", &m->scale));
  PetscCall(UnrOptionBool(options, NULL, "-model_project", &m->is_projected));
  *model = m;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* UnrModelDestroy - collective on the grid communicator; NULL is fine. */
PetscErrorCode UnrModelDestroy(UnrModel *model)
{
  PetscFunctionBeginUser;
  if (!*model) PetscFunctionReturn(PETSC_SUCCESS);
  for (int slot = 0; slot < UNR_MODEL_SCRATCHES; slot++)
    PetscCall(UnrScratchDestroy(&(*model)->scratch[slot]));
  PetscCall(PetscFree(*model));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const char *UnrModelName(UnrModel model)
{
  return model->ops->name;
}
UnrPhysics UnrModelPhysics(UnrModel model)
{
  return model->physics;
}
UnrStepper UnrModelStepper(UnrModel model)
{
  return model->stepper;
}
UnrNet UnrModelNet(UnrModel model)
{
  return model->net;
}
bool UnrModelHasAdjoint(UnrModel model)
{
  return !model->stepper || UnrStepperHasAdjoint(model->stepper);
}

static PetscErrorCode Project(UnrModel model, const double par[], UnrBatch u)
{
  PetscFunctionBeginUser;
  if (!model->is_projected) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(UnrEventBegin(UNR_EVENT_PROJECT));
  PetscCall(UnrPhysicsConstrain(model->physics, par, u));
  PetscCall(UnrEventEnd(UNR_EVENT_PROJECT));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  UnrModelApply - one augmented step.     Collective on the grid communicator.
  In      par   [sample][parameter]
          u     states, not changed; may not alias next
  Out     next  u' = P f(u), P the projection of -model_project or the identity
          tape  what vjp needs; NULL: forward only
*/
PetscErrorCode UnrModelApply(UnrModel model, const double par[], UnrBatch u, UnrBatch next, UnrTape tape)
{
  PetscFunctionBeginUser;
  PetscCall((*model->ops->apply)(model, par, u, next, tape));
  PetscCall(Project(model, par, next));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  UnrModelJvp - the step and its tangent.     Collective on the grid communicator.
  In      u_dot, par_dot, theta_dot  NULL: zero
  Maths   u'_dot = P f'(u) u_dot: P is linear and does not depend on the parameters
*/
PetscErrorCode UnrModelJvp(UnrModel model, const double par[], UnrBatch u, UnrBatch u_dot,
                           const double par_dot[], const void *theta_dot, UnrBatch next, UnrBatch next_dot)
{
  PetscFunctionBeginUser;
  PetscCall((*model->ops->jvp)(model, par, u, u_dot, par_dot, theta_dot, next, next_dot));
  PetscCall(Project(model, par, next));
  PetscCall(Project(model, par, next_dot));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  UnrModelVjp - reverse of one augmented step.     Collective on the grid communicator.
  In      tape      of the matching apply
          next_bar  dJ/du', not changed
  In/out  u_bar, par_bar, theta_bar  ADDED to; NULL: not wanted.  With u_bar and par_bar NULL neither the
  stepper's adjoint nor the net's input gradient is called.
*/
PetscErrorCode UnrModelVjp(UnrModel model, const double par[], UnrTape tape, UnrBatch next_bar,
                           UnrBatch u_bar, double par_bar[], void *theta_bar)
{
  UnrBatch projected = next_bar;

  PetscFunctionBeginUser;
  if (!u_bar && !par_bar && !theta_bar) PetscFunctionReturn(PETSC_SUCCESS);
  if (model->is_projected) {
    PetscCall(UnrModelScratch(model, UNR_MODEL_PROJECTED_BAR, next_bar, &projected));
    PetscCall(UnrBatchCopy(next_bar, projected));
    PetscCall(UnrEventBegin(UNR_EVENT_PROJECT));
    PetscCall(UnrPhysicsConstrainTranspose(model->physics, par, projected));
    PetscCall(UnrEventEnd(UNR_EVENT_PROJECT));
  }
  PetscCall((*model->ops->vjp)(model, par, tape, projected, u_bar, par_bar, theta_bar));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrModelScratch(UnrModel model, UnrModelSlot slot, UnrBatch u, UnrBatch *batch)
{
  PetscFunctionBeginUser;
  PetscCall(UnrScratchGet(&model->scratch[slot], u->grid, u->samples, batch));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrModelTapes(UnrTape tape, UnrTape *stepper, UnrTape *net)
{
  PetscFunctionBeginUser;
  if (stepper) *stepper = NULL;
  if (net) *net = NULL;
  if (tape && stepper) PetscCall(UnrTapeChild(tape, 0, stepper));
  if (tape && net) PetscCall(UnrTapeChild(tape, 1, net));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrModelCorrectionBar(UnrModel model, UnrBatch next_bar, UnrBatch *n_bar)
{
  PetscFunctionBeginUser;
  PetscCall(UnrModelScratch(model, UNR_MODEL_N, next_bar, n_bar));
  PetscCall(UnrBatchZero(*n_bar));
  PetscCall(UnrBatchAXPY(*n_bar, model->scale, next_bar));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrModelStepperJvp(UnrModel model, const double par[], UnrBatch u, UnrBatch u_dot,
                                  const double par_dot[], UnrBatch next, UnrBatch next_dot)
{
  PetscFunctionBeginUser;
  if (u_dot || par_dot) {
    PetscCall(UnrStepperJvp(model->stepper, par, u, u_dot, par_dot, next, next_dot));
  } else {
    PetscCall(UnrStepperApply(model->stepper, par, u, next, NULL));
    PetscCall(UnrBatchZero(next_dot));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
