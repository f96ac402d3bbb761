/*
  The Kuramoto-Sivashinsky starts of the paper's kind, with X = x/L and drawn phases p, q, r:

      u = cos(2 pi X + p) + a cos(2 pi X + q) (1 + b sin(2 pi X + r)),   a in [-0.3, 0.3), b in [-0.5, 0.5)

  The paper has six fixed pairs (a, b) in this range and no phases; any smooth family lands on the same
  attractor. Source  List, Chen, Bali & Thuerey 2025, arXiv:2402.12971, its code
*/
#include "dataset/start_impl.h"

#include <math.h>
#include "core/error.h"

/* 2 pi (X + shift) at node i. */
static double Phase(PetscInt i, PetscInt points, double shift)
{
  return 2 * PETSC_PI * ((double)i / (double)points + shift);
}

static PetscErrorCode Fill(UnrPhysics physics, uint64_t seed, PetscInt first, const double par[], UnrBatch u)
{
  const UnrGrid grid = u->grid;

  PetscFunctionBeginUser;
  (void)physics;
  (void)par;
  UnrUserCheck(grid->dim == 1,
               "-start_type cosine on a grid of dimension %d; allowed: 1; try: -start_type random_modes",
               grid->dim);
  for (PetscInt s = 0; s < u->samples; s++) {
    const UnrRng rng = {seed, UnrRngStream("start cosine", (uint64_t)(first + s), 0)};
    const double a = 0.6 * UnrRngUniform(rng, 0) - 0.3, b = UnrRngUniform(rng, 1) - 0.5;
    const double p = UnrRngUniform(rng, 2), q = UnrRngUniform(rng, 3), r = UnrRngUniform(rng, 4);
    double *cell = u->data + (size_t)s * u->stride;

    for (PetscInt i = grid->start[0]; i < grid->start[0] + grid->count[0]; i++, cell += grid->components) {
      const PetscInt n = grid->points[0];
      const double value = cos(Phase(i, n, p)) + a * cos(Phase(i, n, q)) * (1 + b * sin(Phase(i, n, r)));

      for (PetscInt c = 0; c < grid->components; c++) cell[c] = value;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

const UnrStartOps UnrStartOps_Cosine = {
    .name = "cosine",
    .summary = "one cosine, disturbed by a second one and its harmonic (1-D)",
    .fill = Fill,
};
