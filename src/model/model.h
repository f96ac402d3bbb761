/*
  A model: the augmented step u' of -model_type from a stepper S and a network N, either of which it may not
  need. Contract as stepper.h and net.h: apply fills the tape, vjp reads only the tape and ADDS, NULL is not
  wanted.
*/
#pragma once

#include "net/net.h"
#include "stepper/stepper.h"

typedef struct UnrModel_ *UnrModel;

PetscErrorCode UnrModelRegister(void);
/* What -model_type needs, before anything exists: which scheme as its stepper, and a net or not. */
typedef enum { UNR_STEPPER_NONE, UNR_STEPPER_SOLVER, UNR_STEPPER_REFERENCE } UnrModelStepperKind;
typedef struct {
  UnrModelStepperKind stepper;
  bool net;
} UnrModelNeeds;
PetscErrorCode UnrModelWants(UnrModelNeeds *wants);
/* Shows every model of this build, for `info`. */
PetscErrorCode UnrModelList(UnrPluginVisit visit, void *context);
/* stepper, net are borrowed; NULL where the type does not want them.  Reads -model_type, -model_scale,
 * -model_project. */
PetscErrorCode UnrModelCreate(UnrPhysics physics, UnrStepper stepper, UnrNet net, UnrModel *model);
PetscErrorCode UnrModelDestroy(UnrModel *model);
const char *UnrModelName(UnrModel model);
UnrPhysics UnrModelPhysics(UnrModel model);
UnrStepper UnrModelStepper(UnrModel model); /* may be NULL */
UnrNet UnrModelNet(UnrModel model);         /* may be NULL */
/* false where vjp to u_bar would need an adjoint that the stepper lacks. */
bool UnrModelHasAdjoint(UnrModel model);

PetscErrorCode UnrModelApply(UnrModel model, const double par[], UnrBatch u, UnrBatch next, UnrTape tape);
PetscErrorCode UnrModelJvp(UnrModel model, const double par[], UnrBatch u, UnrBatch u_dot,
                           const double par_dot[], const void *theta_dot, UnrBatch next, UnrBatch next_dot);
PetscErrorCode UnrModelVjp(UnrModel model, const double par[], UnrTape tape, UnrBatch next_bar,
                           UnrBatch u_bar, double par_bar[], void *theta_bar);
