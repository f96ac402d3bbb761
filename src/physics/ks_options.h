/* For files in this folder only: what the discretisations of the Kuramoto-Sivashinsky equation share. */
#pragma once

#include "physics/physics_impl.h"

/* Parameter 0 is the domain size s: x runs over [0, 2 pi s). */
extern const UnrOption UnrKSOptions[];
extern const char *const UnrKSParameters[];

PetscErrorCode UnrPhysicsLength_KS(UnrPhysics physics, const double par[], double length[UNR_MAX_DIM]);
PetscErrorCode UnrPhysicsSetLength_KS(UnrPhysics physics, const double length[UNR_MAX_DIM], double par[]);
