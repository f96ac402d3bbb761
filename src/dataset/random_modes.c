/*
  Random Fourier modes round a peak wavenumber, with a given rms, in any dimension and number of components:

      u_c(x) = A sum_m e_mc cos(2 pi (k_m . X + p_m)),   X = x/L per axis, k_m integer vectors, |k_m| <= 2
  peak

  k_m: a drawn direction times peak (1 + g/4), g normal, rounded, never 0.  e_m: normal numbers; for a physics
  with a constraint and one component an axis, the part normal to (k_ma / L_a), so that the field is
  solenoidal; components beside them are scalars with their own A. A makes mean |u|^2 = rms^2 exactly, from
  the modes' own coefficients: no sum over cells.
*/
#include "dataset/start_impl.h"

#include <math.h>
#include "core/error.h"

enum { MOST_MODES = 1024, MOST_COMPONENTS = 8 };

static const UnrOption options[] = {
    {"-start_modes", UNR_INT, "32", 1, MOST_MODES, "1", "random modes of a start state", NULL},
    {NULL, UNR_BOOL, NULL, 0, 0, NULL, NULL, NULL},
};

typedef struct {
  PetscInt k[UNR_MAX_DIM];
  double phase, e[MOST_COMPONENTS]; /* phase in turns */
} Mode;

static void DrawWavenumber(UnrRng rng, int dim, PetscInt peak, uint64_t *draw, PetscInt k[UNR_MAX_DIM])
{
  bool good = false;

  while (!good) {
    double g[UNR_MAX_DIM] = {0}, norm = 0;
    int64_t k2 = 0; /* peaks reach 2^20 */

    for (int a = 0; a < dim; a++) {
      g[a] = UnrRngNormal(rng, (*draw)++);
      norm += g[a] * g[a];
    }
    norm = (double)peak * (1 + 0.25 * UnrRngNormal(rng, (*draw)++)) / sqrt(norm);
    for (int a = 0; a < UNR_MAX_DIM; a++) {
      k[a] = (PetscInt)lround(PetscClipInterval(norm * g[a], -3.0 * (double)peak, 3.0 * (double)peak));
      k2 += (int64_t)k[a] * k[a];
    }
    good = k2 > 0 && k2 <= 4 * (int64_t)peak * peak;
  }
}

static void MakeSolenoidal(const double length[], int dim, Mode *mode)
{
  double along = 0, norm = 0;

  for (int a = 0; a < dim; a++) {
    const double q = (double)mode->k[a] / length[a];
    along += q * mode->e[a];
    norm += q * q;
  }
  for (int a = 0; a < dim; a++) mode->e[a] -= along / norm * (double)mode->k[a] / length[a];
}

/* Mean of |sum_m e_m cos|^2 over components first ... next - 1: waves of equal or opposite k are the only
 * ones that meet. */
static double MeanSquare(PetscInt modes, const Mode mode[], PetscInt first, PetscInt next)
{
  double sum = 0;

  for (PetscInt m = 0; m < modes; m++) {
    for (PetscInt l = 0; l < modes; l++) {
      double dot = 0, turns = 0;
      bool same = true, opposite = true;

      for (int a = 0; a < UNR_MAX_DIM; a++) {
        same = same && mode[m].k[a] == mode[l].k[a];
        opposite = opposite && mode[m].k[a] == -mode[l].k[a];
      }
      if (!same && !opposite) continue;
      turns = same ? mode[m].phase - mode[l].phase : mode[m].phase + mode[l].phase;
      for (PetscInt c = first; c < next; c++) dot += mode[m].e[c] * mode[l].e[c];
      sum += 0.5 * dot * cos(2 * PETSC_PI * turns);
    }
  }
  return sum;
}

static void AddMode(UnrGrid grid, const Mode *mode, const double scale[], double *cell)
{
  const PetscInt *start = grid->start, *count = grid->count, *n = grid->points;

  for (PetscInt x = start[0]; x < start[0] + count[0]; x++) {
    for (PetscInt y = start[1]; y < start[1] + count[1]; y++) {
      for (PetscInt z = start[2]; z < start[2] + count[2]; z++, cell += grid->components) {
        /* whole turns taken out in integers: the cosine of a small argument, the same for the same node */
        const double turns = (double)((PetscInt64)mode->k[0] * x % n[0]) / (double)n[0] +
                             (double)((PetscInt64)mode->k[1] * y % n[1]) / (double)n[1] +
                             (double)((PetscInt64)mode->k[2] * z % n[2]) / (double)n[2] + mode->phase;
        const double wave = cos(2 * PETSC_PI * turns);

        for (PetscInt c = 0; c < grid->components; c++) cell[c] += scale[c] * wave * mode->e[c];
      }
    }
  }
}

static PetscErrorCode Fill(UnrPhysics physics, uint64_t seed, PetscInt first, const double par[], UnrBatch u)
{
  const UnrGrid grid = u->grid;
  const bool is_solenoidal =
      UnrPhysicsHas(physics, UNR_PHYSICS_CONSTRAIN) && grid->dim > 1 && grid->components >= grid->dim;
  const PetscInt vector = is_solenoidal ? grid->dim : grid->components;
  const PetscInt parameters = UnrPhysicsParameters(physics);
  PetscInt modes, peak;
  double rms;
  Mode *mode;

  PetscFunctionBeginUser;
  PetscCall(UnrOptionInt(options, NULL, "-start_modes", &modes));
  PetscCall(UnrOptionInt(UnrStartOptions, NULL, "-start_peak", &peak));
  PetscCall(UnrOptionReal(UnrStartOptions, NULL, "-start_rms", &rms));
  for (int a = 0; a < grid->dim; a++)
    UnrUserCheck(4 * peak < grid->points[a],
                 "-start_peak (%" PetscInt_FMT ") for %" PetscInt_FMT
                 " points along axis %d; allowed: less than a quarter "
                 "of the points; try: -start_peak 1, or more points",
                 peak, grid->points[a], a);
  PetscCheck(grid->components <= MOST_COMPONENTS, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "%" PetscInt_FMT " components", grid->components);
  PetscCall(PetscMalloc1(modes, &mode));
  PetscCall(UnrBatchZero(u));
  for (PetscInt s = 0; s < u->samples; s++) {
    const UnrRng rng = {seed, UnrRngStream("start random_modes", (uint64_t)(first + s), 0)};
    uint64_t draw = 0;
    double length[UNR_MAX_DIM], scale[MOST_COMPONENTS];

    PetscCall(UnrPhysicsLength(physics, par + s * parameters, length));
    for (PetscInt m = 0; m < modes; m++) {
      DrawWavenumber(rng, grid->dim, peak, &draw, mode[m].k);
      mode[m].phase = UnrRngUniform(rng, draw++);
      for (PetscInt c = 0; c < grid->components; c++) mode[m].e[c] = UnrRngNormal(rng, draw++);
      if (is_solenoidal) MakeSolenoidal(length, grid->dim, &mode[m]);
    }
    scale[0] = rms / sqrt(MeanSquare(modes, mode, 0, vector));
    for (PetscInt c = 1; c < grid->components; c++)
      scale[c] = c < vector ? scale[0] : rms / sqrt(MeanSquare(modes, mode, c, c + 1));
    for (PetscInt m = 0; m < modes; m++) AddMode(grid, &mode[m], scale, u->data + (size_t)s * u->stride);
  }
  PetscCall(PetscFree(mode));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const UnrStartOps UnrStartOps_RandomModes = {
    .name = "random_modes",
    .summary = "random Fourier modes round a peak wavenumber, solenoidal where the physics asks for it",
    .options = options,
    .fill = Fill,
};
