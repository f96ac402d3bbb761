/*
  For files in this folder only: what a scalar spectral physics with the convective flux (u^2/2)_x [+
  (u^2/2)_y] and no parameter in it puts into its table as it stands.  physics->data is the dealiasing mask,
  NULL where not dealiased.
*/
#pragma once

#include "physics/spectral_flux.h"

/* create with a mask of two thirds of the modes; a plugin that does not dealias leaves create out. */
PetscErrorCode UnrConvectionCreateMask(UnrPhysics physics);
PetscErrorCode UnrConvectionDestroyMask(UnrPhysics physics);
PetscErrorCode UnrConvectionNonlinear(UnrPhysics physics, PetscInt samples, const double par[],
                                      const UnrComplex u[], UnrComplex n[]);
PetscErrorCode UnrConvectionNonlinearJvp(UnrPhysics physics, PetscInt samples, const double par[],
                                         const UnrComplex u[], const UnrComplex u_dot[],
                                         const double par_dot[], UnrComplex n_dot[]);
PetscErrorCode UnrConvectionNonlinearVjp(UnrPhysics physics, PetscInt samples, const double par[],
                                         const UnrComplex u[], const UnrComplex n_bar[], UnrComplex u_bar[],
                                         double par_bar[]);
PetscErrorCode UnrConvectionConstrain(UnrPhysics physics, const double par[], UnrBatch u);
