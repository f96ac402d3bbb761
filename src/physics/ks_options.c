/* The domain size of the Kuramoto-Sivashinsky equation: its option, and the length it stands for. */
#include "physics/ks_options.h"

#include <float.h>

const UnrOption UnrKSOptions[] = {
    {"-physics_ks_domain_size", UNR_REAL, "8", DBL_MIN, DBL_MAX, "1",
     "domain size s of the Kuramoto-Sivashinsky equation: the length is 2 pi s", NULL},
    {NULL, UNR_BOOL, NULL, 0, 0, NULL, NULL, NULL},
};
const char *const UnrKSParameters[] = {"-physics_ks_domain_size", NULL};

PetscErrorCode UnrPhysicsLength_KS(UnrPhysics physics, const double par[], double length[UNR_MAX_DIM])
{
  PetscFunctionBeginUser;
  (void)physics;
  length[0] = 2 * PETSC_PI * par[0];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A domain size that agrees to the precision of a file's coordinates stays: it has more digits than they
 * have. */
PetscErrorCode UnrPhysicsSetLength_KS(UnrPhysics physics, const double length[UNR_MAX_DIM], double par[])
{
  const double s = length[0] / (2 * PETSC_PI);

  PetscFunctionBeginUser;
  (void)physics;
  if (!(PetscAbsReal(par[0] - s) <= 1e-5 * s)) par[0] = s; /* NaN: nothing is known */
  PetscFunctionReturn(PETSC_SUCCESS);
}
