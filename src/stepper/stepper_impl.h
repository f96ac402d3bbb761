/* For files in this folder only: what a stepper fills in.  stepper.c does constraint, counting and events. */
#pragma once

#include "field/scratch.h"
#include "stepper/stepper.h"

typedef struct {
  UNR_PLUGIN_HEAD;
  bool constrains_modes; /* it stays on modes and applies P there itself, where the physics has it there */
  const char *const *solver_prefixes; /* of PETSc's own options, NULL-terminated; NULL: there are none */
  PetscErrorCode (*create)(
      UnrStepper); /* user error if the physics lacks what is needed, by name, with the remedy */
  PetscErrorCode (*destroy)(UnrStepper);
  PetscErrorCode (*apply)(UnrStepper, const double[], UnrBatch, UnrBatch, UnrTape);
  PetscErrorCode (*jvp)(UnrStepper, const double[], UnrBatch, UnrBatch, const double[], UnrBatch, UnrBatch);
  PetscErrorCode (*vjp)(UnrStepper, const double[], UnrTape, UnrBatch, UnrBatch,
                        double[]); /* NULL: no adjoint */
} UnrStepperOps;

struct UnrStepper_ {
  const UnrStepperOps *ops;
  const char *prefix;
  UnrPhysics physics;
  double dt;
  PetscInt substeps;
  bool has_adjoint;                          /* ops->vjp is given and the physics has one; create may clear it */
  double exactness;                          /* 1e-12; create may loosen it */
  UnrScratch constrained, constrained_other; /* stepper.c's: P u; P u_dot or the cotangent of P u */
  void *data;
};

/* For messages: "-%sstepper_type" names the option that was meant, of this scheme or of the reference. */
static inline const char *UnrStepperPrefix(UnrStepper stepper)
{
  return stepper->prefix ? stepper->prefix : "";
}
