/* Random directions for gradient checks: functions of the global index, so the same on every layout. */
#pragma once

#include "core/rng.h"
#include "field/grid.h"

/* Normal numbers, keyed by (rng, number of the sample in the whole batch, global cell, component). */
PetscErrorCode UnrBatchFillRandom(UnrBatch batch, UnrRng rng, PetscInt first_sample);
