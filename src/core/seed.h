/* The four seeds: -seed_data, -seed_weights, -seed_order, -seed_test. */
#pragma once

#include "core/options.h"

extern const UnrOption UnrSeedOptions[];
/* which: "data", "weights", "order" or "test".  Collective on the world. */
PetscErrorCode UnrSeedGet(const char *which, uint64_t *seed);
