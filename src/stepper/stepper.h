/*
  A stepper makes S, one data frame of a physics: `-stepper_substeps` sub-steps of `-stepper_dt`, and S's
  adjoint. apply writes what vjp needs into the caller's tape (NULL: forward only); vjp reads only the tape
  and ADDS. No hidden state: the same input gives the same bits.  All calls are collective on the grid
  communicator.
*/
#pragma once

#include "core/tape.h"
#include "physics/physics.h"

typedef struct UnrStepper_ *UnrStepper;

extern const char *const UnrStepperNames; /* "etdrk|rk|..." */
PetscErrorCode UnrStepperRegister(void);
/* Calls visit for every stepper of this build. */
PetscErrorCode UnrStepperList(UnrPluginVisit visit, void *context);
/* prefix NULL, or "reference_" for the reference scheme: options by core/options.h's rule.  physics is
 * borrowed. */
PetscErrorCode UnrStepperCreate(UnrPhysics physics, const char *prefix, UnrStepper *stepper);
PetscErrorCode UnrStepperDestroy(UnrStepper *stepper);
const char *UnrStepperName(UnrStepper stepper);
UnrPhysics UnrStepperPhysics(UnrStepper stepper);
double UnrStepperDt(UnrStepper stepper); /* of a sub-step */
PetscInt UnrStepperSubsteps(UnrStepper stepper);
/* dt times a factor from now on: `transition` covers a fraction of the frame. */
PetscErrorCode UnrStepperScaleDt(UnrStepper stepper, double factor);
/* false: `wig` must be refused by name. */
bool UnrStepperHasAdjoint(UnrStepper stepper);
/* What <J v, w> = <v, J' w> holds to, relative to |J v| |w|: 1e-12 for hand-written adjoints, looser where
   iterative solves or differences are involved. */
double UnrStepperExactness(UnrStepper stepper);

/* u_next = S(u); u and u_next may not alias. */
PetscErrorCode UnrStepperApply(UnrStepper stepper, const double par[], UnrBatch u, UnrBatch u_next,
                               UnrTape tape);
/* u_next_dot: tangent at u; u_dot or par_dot may be NULL.  next may be NULL. */
PetscErrorCode UnrStepperJvp(UnrStepper stepper, const double par[], UnrBatch u, UnrBatch u_dot,
                             const double par_dot[], UnrBatch next, UnrBatch next_dot);
/* next_bar is borrowed, not changed; u_bar and par_bar [sample][parameter] are ADDED to; each may be NULL. */
PetscErrorCode UnrStepperVjp(UnrStepper stepper, const double par[], UnrTape tape, UnrBatch next_bar,
                             UnrBatch u_bar, double par_bar[]);
