/*
  What became of a roll-out, in one word.  It looks at three numbers a frame that no translation changes: the
  means of u^2, u^4 and of the squared change since the frame before.  A trajectory that repeats, in place or
  shifted, repeats them; that costs no memory of states and no message of its own.
*/
#include "metric/metric_impl.h"

enum { ENERGY, QUARTIC, CHANGE, RESIDUAL, SLOTS };
enum {
  OBSERVED = 3,
  LAST = 10,
  REPEATS = 3
};                    /* frames that `static` looks at; periods that `recurring` wants */
#define STILL 1e-3    /* change relative to the state, or an observed number's spread to its mean: none */
#define AWAY 0.5      /* distance, 1 for unrelated times: it has gone somewhere else */
#define RETURNED 0.02 /* and has come back */

enum { UNSTABLE, STATIC, RECURRING, REGULAR };

static void UnrMetricCells_Label(const UnrMetricCells *cells, double sum[], double maximum[])
{
  (void)maximum;
  for (size_t i = 0; i < cells->n; i++) {
    const double square = cells->u[i] * cells->u[i];

    sum[ENERGY] += square;
    sum[QUARTIC] += square * square;
  }
  if (cells->previous) sum[CHANGE] = UnrMetricSquare(cells->n, cells->u, cells->previous);
  sum[RESIDUAL] = UnrMetricResidual(cells);
}

static bool IsStatic(const UnrMetricRecord *record)
{
  double change = 0, energy = 0;

  for (PetscInt k = PetscMax(1, record->frames - LAST + 1); k <= record->frames; k++) {
    change += UnrMetricAt(record, k, CHANGE);
    energy += UnrMetricAt(record, k, ENERGY);
  }
  return change <= STILL * STILL * energy;
}

/* Variance of an observed number over frames first .. last; 0 where its spread is rounding beside its mean.
 */
static double Variance(const UnrMetricRecord *record, PetscInt slot, PetscInt first, PetscInt last)
{
  double mean = 0, variance = 0;

  for (PetscInt k = first; k <= last; k++) mean += UnrMetricAt(record, k, slot);
  mean /= (double)(last - first + 1);
  for (PetscInt k = first; k <= last; k++)
    variance += (UnrMetricAt(record, k, slot) - mean) * (UnrMetricAt(record, k, slot) - mean);
  variance /= (double)(last - first + 1);
  return variance > STILL * STILL * mean * mean ? variance : 0;
}

/*
  Distances of times `lag` frames apart, and of lag to lag + 1, since a period need not be whole frames: means
  over frames first + lag + 1 .. last, and over the observed numbers that vary, of (a + w b)^2 / (2 variance),
  a = s^k - s^(k - lag),  b = s^(k - lag) - s^(k - lag - 1);  w = 0, and the least for w in [0, 1].
*/
static void Distances(const UnrMetricRecord *record, const double variance[], PetscInt lag, PetscInt first,
                      PetscInt last, double *whole, double *least)
{
  double aa = 0, ab = 0, bb = 0, scale, w;
  int varying = 0;

  for (int s = 0; s < OBSERVED; s++) {
    if (variance[s] <= 0) continue;
    varying++;
    for (PetscInt k = first + lag + 1; k <= last; k++) {
      const double then = UnrMetricAt(record, k - lag, s);
      const double a = UnrMetricAt(record, k, s) - then, b = then - UnrMetricAt(record, k - lag - 1, s);

      aa += a * a / variance[s];
      ab += a * b / variance[s];
      bb += b * b / variance[s];
    }
  }
  scale = 2 * varying * (double)(last - first - lag);
  w = bb > 0 ? fmin(fmax(-ab / bb, 0), 1) : 0;
  *whole = aa / scale;
  *least = (aa + 2 * w * ab + w * w * bb) / scale;
}

/* Over the second half: none of the numbers changes (a wave that travels), or they leave and come back, at
 * least REPEATS times. */
static bool IsRecurring(const UnrMetricRecord *record)
{
  const PetscInt first = record->frames / 2 + 1, last = record->frames, most = (last - first) / REPEATS;
  double variance[OBSERVED], sum = 0;
  bool is_away = false;

  if (most < 2) return false; /* too short to tell */
  for (int s = 0; s < OBSERVED; s++) sum += variance[s] = Variance(record, s, first, last);
  if (sum <= 0) return true;
  for (PetscInt lag = 1; lag <= most; lag++) {
    double whole, least;

    Distances(record, variance, lag, first, last, &whole, &least);
    is_away = is_away || whole > AWAY;
    if (is_away && least < RETURNED) return true;
  }
  return false;
}

static void UnrMetricFinish_Label(const UnrMetricRecord *record, double series[], double *value)
{
  (void)series;
  if (record->bounded < record->frames || UnrMetricDivergence(record, RESIDUAL) < record->frames)
    *value = UNSTABLE;
  else if (IsStatic(record))
    *value = STATIC;
  else
    *value = IsRecurring(record) ? RECURRING : REGULAR;
}

const UnrMetricOps UnrMetricOps_Label = {
    .name = "label",
    .summary = "unstable, static, recurring or regular",
    .words = "unstable|static|recurring|regular",
    .goes_on = true,
    .sums = SLOTS,
    .cells = UnrMetricCells_Label,
    .finish = UnrMetricFinish_Label,
};
