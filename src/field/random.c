#include "field/random.h"

PetscErrorCode UnrBatchFillRandom(UnrBatch batch, UnrRng rng, PetscInt first_sample)
{
  const UnrGrid g = batch->grid;
  double *value = batch->data;

  PetscFunctionBeginUser;
  for (PetscInt s = 0; s < batch->samples; s++)
    for (PetscInt x = g->start[0]; x < g->start[0] + g->count[0]; x++)
      for (PetscInt y = g->start[1]; y < g->start[1] + g->count[1]; y++)
        for (PetscInt z = g->start[2]; z < g->start[2] + g->count[2]; z++)
          for (PetscInt c = 0; c < g->components; c++) {
            const uint64_t cell =
                ((uint64_t)x * (uint64_t)g->points[1] + (uint64_t)y) * (uint64_t)g->points[2] + (uint64_t)z;
            const UnrRng keyed = {rng.seed,
                                  rng.stream + 0x9E3779B97F4A7C15u * (uint64_t)(first_sample + s + 1)};

            *value++ = UnrRngNormal(keyed, cell * (uint64_t)g->components + (uint64_t)c);
          }
  PetscFunctionReturn(PETSC_SUCCESS);
}
