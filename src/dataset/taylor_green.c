/*
  The Taylor-Green vortex, with X = 2 pi x / L_x and so on, on a mean flow U:

      2-D   u = U + a sin X cos Y,         v = V - a (L_y/L_x) cos X sin Y
      3-D   u = U + a sin X cos Y cos Z,   v = V - a (L_y/L_x) cos X sin Y cos Z,   w = W

  In 2-D it decays and is carried along, no more: an exact solution.  A scalar beside it is a wave along x,
  cos X.      Source  Taylor & Green 1937, doi:10.1098/rspa.1937.0036
*/
#include "dataset/start_impl.h"

#include <math.h>
#include "core/error.h"

static const UnrOption options[] = {
    {"-start_amplitude", UNR_REAL, "1", 0, 0, "velocity", "of the Taylor-Green vortex", NULL},
    {"-start_mean_velocity", UNR_REALS, NULL, 0, 0, "velocity",
     "mean flow that carries the Taylor-Green vortex, one number an axis (unset: at rest)", NULL},
    {NULL, UNR_BOOL, NULL, 0, 0, NULL, NULL, NULL},
};

typedef struct {
  double amplitude[2], mean[UNR_MAX_DIM];
} Vortex;

/* Of index i of n. */
static double Phase(PetscInt i, PetscInt n)
{
  return 2 * PETSC_PI * (double)i / (double)n;
}

static void FillSample(UnrGrid grid, const Vortex *vortex, double *cell)
{
  const PetscInt *start = grid->start, *count = grid->count, *n = grid->points;

  for (PetscInt x = start[0]; x < start[0] + count[0]; x++)
    for (PetscInt y = start[1]; y < start[1] + count[1]; y++)
      for (PetscInt z = start[2]; z < start[2] + count[2]; z++, cell += grid->components) {
        const double X = Phase(x, n[0]), Y = Phase(y, n[1]), of_z = cos(Phase(z, n[2])); /* 1 in 2-D */

        cell[0] = vortex->mean[0] + vortex->amplitude[0] * sin(X) * cos(Y) * of_z;
        cell[1] = vortex->mean[1] - vortex->amplitude[1] * cos(X) * sin(Y) * of_z;
        if (grid->dim == 3) cell[2] = vortex->mean[2];
        for (PetscInt c = grid->dim; c < grid->components; c++) cell[c] = cos(X);
      }
}

static PetscErrorCode Fill(UnrPhysics physics, uint64_t seed, PetscInt first, const double par[], UnrBatch u)
{
  const UnrGrid grid = u->grid;
  const PetscInt parameters = UnrPhysicsParameters(physics);
  double amplitude;
  PetscInt count;
  Vortex vortex = {.mean = {0}};

  PetscFunctionBeginUser;
  (void)seed;
  (void)first;
  UnrUserCheck(grid->dim >= 2 && grid->components >= grid->dim,
               "-start_type taylor_green for physics %s in %d-D; allowed: a velocity in 2-D or 3-D; try: "
               "-physics_type navier_stokes_spectral",
               UnrPhysicsName(physics), grid->dim);
  PetscCall(UnrOptionReal(options, NULL, "-start_amplitude", &amplitude));
  PetscCall(UnrOptionReals(options, NULL, "-start_mean_velocity", UNR_MAX_DIM, vortex.mean, &count));
  UnrUserCheck(count == 0 || count == grid->dim,
               "-start_mean_velocity has %d numbers (grid: %d-D); allowed: one an axis; try: as many as "
               "-grid_points",
               (int)count, grid->dim);
  for (PetscInt s = 0; s < u->samples; s++) {
    double length[UNR_MAX_DIM];

    PetscCall(UnrPhysicsLength(physics, par ? par + s * parameters : NULL, length));
    vortex.amplitude[0] = amplitude;
    vortex.amplitude[1] = amplitude * length[1] / length[0];
    FillSample(grid, &vortex, u->data + (size_t)s * u->stride);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

const UnrStartOps UnrStartOps_TaylorGreen = {
    .name = "taylor_green",
    .summary = "the Taylor-Green vortex, on a mean flow, 2-D and 3-D",
    .options = options,
    .fill = Fill,
};
