/*
  Random phases with a given energy spectrum, k the wavenumber in waves per longest side:

      k4     E(k) ~ k^4 exp(-2 (k/k0)^2)              ring   E(k) ~ exp(-(k - k0)^2 / (2 sigma^2))

  Mode k has mean square E(k) / k^(dim-1) times a constant, exactly; its phases, and in 3-D its direction
  normal to k, are drawn from (seed, sample, k): the same on any grid that has the mode.  The constant makes
  the mean of |u|^2 rms^2 over all modes, whether a grid has them or not.  Components beside a solenoidal
  vector are scalars of their own phases, each with this spectrum and rms.
  Source  Rogallo 1981, NASA TM-81315 (one vector normal to k, with random phases)
*/
#include "dataset/start_impl.h"

#include <math.h>
#include <string.h>
#include "core/error.h"

static const UnrOption options[] = {
    {"-start_spectrum", UNR_WORD, "k4", 0, 0, NULL,
     "energy of the spectrum: k^4 exp(-2 (k/peak)^2), or a ring of Gaussian section round the peak",
     "k4|ring"},
    {"-start_width", UNR_REAL, "1", 1e-3, 1e6, "waves per domain", "standard deviation of the ring", NULL},
    {NULL, UNR_BOOL, NULL, 0, 0, NULL, NULL, NULL},
};

enum { MOST_SCALARS = 5, DRAWS = 3 + MOST_SCALARS /* a mode has */, KEY_BITS = 20 };

typedef struct {
  int dim;
  PetscInt components, vector; /* of these, how many are a solenoidal vector: dim or 0 */
  double unit[UNR_MAX_DIM];    /* longest side / side */
  bool is_ring;
  double peak, width, cut; /* no energy above the cut, to rounding */
  double rms, scale;       /* scale: rms^2 / sum of the densities */
} Spectrum;

/* E(k) / k^(dim-1) but for a constant factor. */
static double Density(const Spectrum *s, double k)
{
  const double E = s->is_ring ? exp(-0.5 * PetscSqr((k - s->peak) / s->width))
                              : PetscSqr(PetscSqr(k / s->peak)) * exp(-2 * PetscSqr(k / s->peak));

  return k > 0 && k <= s->cut ? E / pow(k, s->dim - 1) : 0;
}

static double Length(const Spectrum *s, const double k[])
{
  double square = 0;

  for (int a = 0; a < s->dim; a++) square += PetscSqr(k[a] * s->unit[a]);
  return sqrt(square);
}

/* Sum of the densities over the modes of all grids. */
static double Sum(const Spectrum *s)
{
  PetscInt most[UNR_MAX_DIM] = {0};
  double sum = 0;

  for (int a = 0; a < s->dim; a++) most[a] = (PetscInt)(s->cut / s->unit[a]);
  for (PetscInt x = -most[0]; x <= most[0]; x++)
    for (PetscInt y = -most[1]; y <= most[1]; y++)
      for (PetscInt z = -most[2]; z <= most[2]; z++)
        sum += Density(s, Length(s, (const double[]){(double)x, (double)y, (double)z}));
  return sum;
}

/* Two vectors of length 1 in units of the domain, normal to each other and to k, from k alone. */
static void Normals(const Spectrum *s, const double k[], double e[2][UNR_MAX_DIM])
{
  const double K[UNR_MAX_DIM] = {k[0] * s->unit[0], k[1] * s->unit[1], k[2] * s->unit[2]};
  const double flat = hypot(K[0], K[1]), all = hypot(flat, K[2]);

  memset(e, 0, 2 * sizeof e[0]);
  e[0][0] = flat > 0 ? -K[1] / flat : 1;
  e[0][1] = flat > 0 ? K[0] / flat : 0;
  e[1][0] = -K[2] * e[0][1] / all;
  e[1][1] = K[2] * e[0][0] / all;
  e[1][2] = (K[0] * e[0][1] - K[1] * e[0][0]) / all;
}

static UnrComplex Turn(UnrRng rng, uint64_t draw)
{
  return cexp(2 * PETSC_PI * I * UnrRngUniform(rng, draw));
}

/* The mode's components.  Of k and -k the one whose first number is positive draws; the other is its
 * conjugate. */
static void Draw(const Spectrum *s, UnrRng rng, const double wavenumber[], UnrComplex mode[])
{
  const double amplitude = sqrt(s->scale * Density(s, Length(s, wavenumber)));
  double k[UNR_MAX_DIM] = {0}, e[2][UNR_MAX_DIM], sign = 0;
  uint64_t key = 0;

  for (int a = 0; a < s->dim && sign == 0; a++) sign = (wavenumber[a] > 0) - (wavenumber[a] < 0);
  for (int a = 0; a < s->dim; a++) k[a] = sign * wavenumber[a];
  for (int a = 0; a < UNR_MAX_DIM; a++)
    key = (key << KEY_BITS) + (uint64_t)((int64_t)k[a] + (1 << (KEY_BITS - 1)));
  key *= DRAWS;
  if (s->vector) {
    const double angle = s->dim == 3 ? 2 * PETSC_PI * UnrRngUniform(rng, key) : 0;
    const UnrComplex along[] = {cos(angle) * Turn(rng, key + 1), sin(angle) * Turn(rng, key + 2)};

    Normals(s, k, e);
    for (int c = 0; c < s->dim; c++) mode[c] = amplitude * (along[0] * e[0][c] + along[1] * e[1][c]);
  }
  for (PetscInt c = s->vector; c < s->components; c++)
    mode[c] = amplitude * Turn(rng, key + 3 + (uint64_t)(c - s->vector));
  for (PetscInt c = 0; sign < 0 && c < s->components; c++) mode[c] = conj(mode[c]);
}

static PetscErrorCode FromOptions(UnrPhysics physics, Spectrum *s)
{
  const UnrGrid grid = UnrPhysicsGrid(physics);
  const char *word;
  PetscInt peak;

  PetscFunctionBeginUser;
  memset(s, 0, sizeof *s);
  s->dim = grid->dim;
  s->components = grid->components;
  s->vector =
      UnrPhysicsHas(physics, UNR_PHYSICS_CONSTRAIN) && s->dim > 1 && s->components >= s->dim ? s->dim : 0;
  PetscCall(UnrOptionWord(options, NULL, "-start_spectrum", &word));
  PetscCall(UnrOptionReal(options, NULL, "-start_width", &s->width));
  PetscCall(UnrOptionInt(UnrStartOptions, NULL, "-start_peak", &peak));
  PetscCall(UnrOptionReal(UnrStartOptions, NULL, "-start_rms", &s->rms));
  s->is_ring = !strcmp(word, "ring");
  s->peak = (double)peak;
  s->cut = s->is_ring ? s->peak + 9 * s->width : 5 * s->peak; /* density below 1e-17 of the peak's */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What depends on the sides of a sample's domain; the sum only where they differ from those before. */
static void SetLength(const double length[], Spectrum *s)
{
  double longest = 0, unit[UNR_MAX_DIM] = {0};

  for (int a = 0; a < s->dim; a++) longest = PetscMax(longest, length[a]);
  for (int a = 0; a < s->dim; a++) unit[a] = longest / length[a];
  if (!memcmp(unit, s->unit, sizeof unit)) return;
  memcpy(s->unit, unit, sizeof unit);
  s->scale = PetscSqr(s->rms) / Sum(s) / (s->vector ? 1 : (double)s->components);
}

static PetscErrorCode Check(UnrPhysics physics)
{
  const UnrGrid grid = UnrPhysicsGrid(physics);
  PetscInt peak;

  PetscFunctionBeginUser;
  PetscCall(UnrOptionInt(UnrStartOptions, NULL, "-start_peak", &peak));
  UnrUserCheck(
      UnrPhysicsFFT(physics),
      "-start_type spectrum for physics %s; allowed: physics on modes; try: -start_type random_modes",
      UnrPhysicsName(physics));
  for (int a = 0; a < grid->dim; a++)
    UnrUserCheck(4 * peak < grid->points[a],
                 "-start_peak (%" PetscInt_FMT ") for %" PetscInt_FMT
                 " points along axis %d; allowed: less than a quarter of the points; try: -start_peak 1, or "
                 "more points",
                 peak, grid->points[a], a);
  PetscCheck(grid->components <= MOST_SCALARS, PETSC_COMM_SELF, PETSC_ERR_SUP, "%" PetscInt_FMT " components",
             grid->components);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Modes [component][mode] of one sample, as a forward transform gives them. */
static void FillModes(UnrFFT fft, const Spectrum *s, UnrRng rng, UnrComplex modes[])
{
  UnrComplex mode[MOST_SCALARS];

  for (PetscInt m = 0; m < fft->modes; m++) {
    const double k[] = {fft->k[0][m], fft->k[1][m], fft->k[2][m]};
    bool is_wave = Density(s, Length(s, k)) > 0;

    for (int a = 0; a < s->dim; a++) is_wave = is_wave && k[a] == fft->k_odd[a][m]; /* no Nyquist mode */
    if (is_wave) Draw(s, rng, k, mode);
    for (PetscInt c = 0; c < s->components; c++)
      modes[c * fft->modes + m] = is_wave ? (double)fft->grid->total * mode[c] : 0;
  }
}

static PetscErrorCode Fill(UnrPhysics physics, uint64_t seed, PetscInt first, const double par[], UnrBatch u)
{
  const UnrFFT fft = UnrPhysicsFFT(physics);
  const PetscInt components = u->grid->components, parameters = UnrPhysicsParameters(physics);
  PetscInt share, samples;
  double *work;
  UnrComplex *modes;
  Spectrum s;

  PetscFunctionBeginUser;
  PetscCall(Check(physics));
  PetscCall(FromOptions(physics, &s));
  UnrFFTShare(fft, u->samples, &share, &samples);
  PetscCall(PetscMalloc1(samples * components * fft->cells, &work));
  PetscCall(PetscMalloc1(samples * components * fft->modes, &modes));
  for (PetscInt i = 0; i < samples; i++) {
    const PetscInt sample = share + i;
    double length[UNR_MAX_DIM];

    PetscCall(UnrPhysicsLength(physics, par ? par + sample * parameters : NULL, length));
    SetLength(length, &s);
    FillModes(fft, &s, (UnrRng){seed, UnrRngStream("start spectrum", (uint64_t)(first + sample), 0)},
              modes + i * components * fft->modes);
  }
  PetscCall(UnrFFTBackward(fft, samples * components, modes, work));
  PetscCall(UnrFFTStore(fft, work, u, INSERT_VALUES));
  PetscCall(PetscFree(work));
  PetscCall(PetscFree(modes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const UnrStartOps UnrStartOps_Spectrum = {
    .name = "spectrum",
    .summary = "random phases with a given energy spectrum, solenoidal where the physics asks for it",
    .options = options,
    .fill = Fill,
};
