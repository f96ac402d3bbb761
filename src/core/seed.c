#include "core/seed.h"

#include <stdio.h>

#include "core/rng.h"

const UnrOption UnrSeedOptions[] = {
    {"-seed_data", UNR_INT, "1", 0, PETSC_MAX_INT, "1", "seed of the training data's start states", NULL},
    {"-seed_weights", UNR_INT, "1", 0, PETSC_MAX_INT, "1", "seed of the network's initial weights", NULL},
    {"-seed_order", UNR_INT, "1", 0, PETSC_MAX_INT, "1", "seed of the order of samples in an epoch", NULL},
    {"-seed_test", UNR_INT, "1", 0, PETSC_MAX_INT, "1", "seed of the test data's start states", NULL},
    {0},
};

/* The word is mixed in: equal numbers for data and tests must not give equal start states. */
PetscErrorCode UnrSeedGet(const char *which, uint64_t *seed)
{
  char name[32];
  PetscInt value;

  PetscFunctionBeginUser;
  snprintf(name, sizeof(name), "-seed_%s", which);
  PetscCall(UnrOptionInt(UnrSeedOptions, NULL, name, &value));
  *seed = UnrRngStream(which, (uint64_t)value, 0);
  PetscFunctionReturn(PETSC_SUCCESS);
}
