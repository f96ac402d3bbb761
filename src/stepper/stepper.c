/* Steppers by name: the list, options, and what all of them share: the constraint, counting, events. */
#include "stepper/stepper_impl.h"

#include "core/count.h"
#include "core/error.h"
#include "core/event.h"

#define UNR_STEPPER(name, Name) extern const UnrStepperOps UnrStepperOps_##Name;
#include "stepper/list.h"
#undef UNR_STEPPER

#define UNR_STEPPER(name, Name) &UnrStepperOps_##Name.plugin,
static const UnrPlugin *const plugins[] = {
#include "stepper/list.h"
    NULL,
};
#undef UNR_STEPPER

#define UNR_STEPPER(name, Name) "|" #name
static const char joined[] = ""
#include "stepper/list.h"
    ;
#undef UNR_STEPPER
const char *const UnrStepperNames = joined + 1;

static const UnrOption options[] = {
    {"-stepper_type", UNR_WORD, "etdrk", 0, 0, NULL, "time integrator of the solver", joined + 1},
    {"-stepper_dt", UNR_REAL, NULL, 1e-12, 1e12, "time", "sub-step of the solver; must be given", NULL},
    {"-stepper_substeps", UNR_INT, "1", 1, 1 << 20, "1", "sub-steps in one data frame", NULL},
    {NULL, UNR_BOOL, NULL, 0, 0, NULL, NULL, NULL},
};

static const UnrPluginClass class = {"stepper", options, plugins};

/* UnrStepperRegister - make the options of this room known, also with the prefix of the reference scheme. */
PetscErrorCode UnrStepperRegister(void)
{
  PetscFunctionBeginUser;
  PetscCall(UnrPluginsRegister(&class, "reference_"));
  for (const UnrPlugin *const *p = plugins; *p; p++) {
    const char *const *prefix = ((const UnrStepperOps *)*p)->solver_prefixes;

    for (; prefix && *prefix; prefix++) PetscCall(UnrOptionsPrefixDeclare(*prefix));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrStepperList(UnrPluginVisit visit, void *context)
{
  PetscFunctionBeginUser;
  PetscCall(UnrPluginsVisit(&class, visit, context));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  UnrStepperCreate - the stepper of -stepper_type for a physics.     Collective on the world.
  In      physics  borrowed, must outlive the stepper
          prefix   of its options, NULL for none; borrowed
  Errors  a user error if -stepper_dt is missing, or the stepper needs what the physics lacks
*/
PetscErrorCode UnrStepperCreate(UnrPhysics physics, const char *prefix, UnrStepper *stepper_out)
{
  UnrStepper stepper;
  bool given;

  PetscFunctionBeginUser;
  PetscCall(UnrOptionGiven(options, prefix, "-stepper_dt", &given));
  UnrUserCheck(given, "no -%sstepper_dt; allowed: the time of a sub-step, above 0; try: -%sstepper_dt 0.1",
               prefix ? prefix : "", prefix ? prefix : "");
  PetscCall(PetscNew(&stepper));
  PetscCall(UnrPluginChoose(&class, prefix, &stepper->ops));
  stepper->prefix = prefix;
  stepper->physics = physics;
  stepper->has_adjoint = stepper->ops->vjp && UnrPhysicsHas(physics, UNR_PHYSICS_ADJOINT);
  stepper->exactness = 1e-12;
  PetscCall(UnrOptionReal(options, prefix, "-stepper_dt", &stepper->dt));
  PetscCall(UnrOptionInt(options, prefix, "-stepper_substeps", &stepper->substeps));
  if (stepper->ops->create) PetscCall(stepper->ops->create(stepper));
  *stepper_out = stepper;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrStepperDestroy(UnrStepper *stepper)
{
  PetscFunctionBeginUser;
  if (!*stepper) PetscFunctionReturn(PETSC_SUCCESS);
  if ((*stepper)->ops->destroy) PetscCall((*stepper)->ops->destroy(*stepper));
  PetscCall(UnrScratchDestroy(&(*stepper)->constrained));
  PetscCall(UnrScratchDestroy(&(*stepper)->constrained_other));
  PetscCall(PetscFree(*stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const char *UnrStepperName(UnrStepper stepper)
{
  return stepper->ops->name;
}

UnrPhysics UnrStepperPhysics(UnrStepper stepper)
{
  return stepper->physics;
}

double UnrStepperDt(UnrStepper stepper)
{
  return stepper->dt;
}

PetscInt UnrStepperSubsteps(UnrStepper stepper)
{
  return stepper->substeps;
}

bool UnrStepperHasAdjoint(UnrStepper stepper)
{
  return stepper->has_adjoint;
}

double UnrStepperExactness(UnrStepper stepper)
{
  return stepper->exactness;
}

PetscErrorCode UnrStepperScaleDt(UnrStepper stepper, double factor)
{
  PetscFunctionBeginUser;
  PetscCheck(factor > 0, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "factor %g", factor);
  stepper->dt *= factor;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Is P left to this file? */
static bool IsConstrainedHere(UnrStepper stepper)
{
  return UnrPhysicsHas(stepper->physics, UNR_PHYSICS_CONSTRAIN) &&
         !(stepper->ops->constrains_modes && UnrPhysicsHas(stepper->physics, UNR_PHYSICS_CONSTRAIN_MODES));
}

/* *Pu = P u in scratch, or u itself where the physics has no constraint or the stepper applies it. */
static PetscErrorCode Constrained(UnrStepper stepper, const double par[], UnrBatch u, UnrScratch *scratch,
                                  UnrBatch *Pu)
{
  PetscFunctionBeginUser;
  *Pu = u;
  if (!u || !IsConstrainedHere(stepper)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(UnrScratchGet(scratch, u->grid, u->samples, Pu));
  PetscCall(UnrBatchCopy(u, *Pu));
  PetscCall(UnrPhysicsConstrain(stepper->physics, par, *Pu));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  UnrStepperApply - u_next = S(u) = steps(P u).     Collective on the grid.
  In      par     [sample][parameter], borrowed
          u       may not alias u_next
          tape    filled for UnrStepperVjp(); NULL: keep nothing
*/
PetscErrorCode UnrStepperApply(UnrStepper stepper, const double par[], UnrBatch u, UnrBatch u_next,
                               UnrTape tape)
{
  UnrBatch Pu;

  PetscFunctionBeginUser;
  PetscCheck(u != u_next, PETSC_COMM_SELF, PETSC_ERR_ARG_IDN, "u and u_next alias");
  PetscCall(UnrEventBegin(UNR_EVENT_STEP));
  PetscCall(Constrained(stepper, par, u, &stepper->constrained, &Pu));
  PetscCall(stepper->ops->apply(stepper, par, Pu, u_next, tape));
  UnrCountAdd(UNR_COUNT_SOLVER_APPLY, u->samples);
  PetscCall(UnrEventEnd(UNR_EVENT_STEP));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  UnrStepperJvp - next_dot = dS/du u_dot + dS/dpar par_dot.     Collective on the grid.
  P is linear and does not depend on the parameters.
*/
PetscErrorCode UnrStepperJvp(UnrStepper stepper, const double par[], UnrBatch u, UnrBatch u_dot,
                             const double par_dot[], UnrBatch next, UnrBatch next_dot)
{
  UnrBatch Pu, Pu_dot;

  PetscFunctionBeginUser;
  PetscCheck(stepper->ops->jvp, PETSC_COMM_SELF, PETSC_ERR_SUP, "stepper %s has no jvp", stepper->ops->name);
  PetscCall(Constrained(stepper, par, u, &stepper->constrained, &Pu));
  PetscCall(Constrained(stepper, par, u_dot, &stepper->constrained_other, &Pu_dot));
  PetscCall(stepper->ops->jvp(stepper, par, Pu, Pu_dot, par_dot, next, next_dot));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  UnrStepperVjp - reverse of the matching UnrStepperApply(): ADDS.     Collective on the grid.
  In      next_bar  borrowed, not changed
  In/out  u_bar     [sample]..., or NULL;  par_bar [sample][parameter], this rank's part, or NULL
*/
PetscErrorCode UnrStepperVjp(UnrStepper stepper, const double par[], UnrTape tape, UnrBatch next_bar,
                             UnrBatch u_bar, double par_bar[])
{
  const bool constrained = u_bar && IsConstrainedHere(stepper);
  UnrBatch Pu_bar = u_bar;

  PetscFunctionBeginUser;
  PetscCheck(stepper->has_adjoint, PETSC_COMM_SELF, PETSC_ERR_SUP, "stepper %s has no vjp",
             stepper->ops->name);
  PetscCall(UnrEventBegin(UNR_EVENT_STEP_VJP));
  if (constrained) {
    PetscCall(UnrScratchGet(&stepper->constrained_other, u_bar->grid, u_bar->samples, &Pu_bar));
    PetscCall(UnrBatchZero(Pu_bar));
  }
  PetscCall(stepper->ops->vjp(stepper, par, tape, next_bar, Pu_bar, par_bar));
  if (constrained) {
    PetscCall(UnrPhysicsConstrainTranspose(stepper->physics, par, Pu_bar));
    PetscCall(UnrBatchAXPY(u_bar, 1, Pu_bar));
  }
  UnrCountAdd(UNR_COUNT_SOLVER_VJP, next_bar->samples);
  PetscCall(UnrEventEnd(UNR_EVENT_STEP_VJP));
  PetscFunctionReturn(PETSC_SUCCESS);
}
