/*
  For files in this folder only: what a scalar spectral physics with the convective flux (u^2/2)_x [+
  (u^2/2)_y] and no parameter in it puts into its table as it stands.
*/
#pragma once

#include "physics/spectral_flux.h"

PetscErrorCode UnrConvectionNonlinear(UnrPhysics physics, PetscInt samples, const double par[],
                                      const UnrComplex u[], UnrComplex n[]);
PetscErrorCode UnrConvectionNonlinearJvp(UnrPhysics physics, PetscInt samples, const double par[],
                                         const UnrComplex u[], const UnrComplex u_dot[],
                                         const double par_dot[], UnrComplex n_dot[]);
PetscErrorCode UnrConvectionNonlinearVjp(UnrPhysics physics, PetscInt samples, const double par[],
                                         const UnrComplex u[], const UnrComplex n_bar[], UnrComplex u_bar[],
                                         double par_bar[]);
