/* For files in this folder only: rhs, jvp, vjp of a physics that gives a symbol and a nonlinear term on
 * modes. */
#pragma once

#include "physics/physics_impl.h"

PetscErrorCode UnrPhysicsRhs_Spectral(UnrPhysics physics, const double par[], UnrBatch u, UnrBatch rhs);
PetscErrorCode UnrPhysicsJvp_Spectral(UnrPhysics physics, const double par[], UnrBatch u, UnrBatch u_dot,
                                      const double par_dot[], UnrBatch rhs_dot);
PetscErrorCode UnrPhysicsVjp_Spectral(UnrPhysics physics, const double par[], UnrBatch u, UnrBatch rhs_bar,
                                      UnrBatch u_bar, double par_bar[]);
/* P, made of the transforms and the plugin's constrain_modes. */
PetscErrorCode UnrPhysicsConstrain_Spectral(UnrPhysics physics, const double par[], UnrBatch u);
