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

/* Mean over frames first + lag .. last of (s^k - s^(k - lag))^2 / (2 variance), and over the observed numbers
 * that vary. */
static double Distance(const UnrMetricRecord *record, const double variance[], PetscInt lag, PetscInt first,
                       PetscInt last)
{
  double distance = 0;
  int varying = 0;

  for (int s = 0; s < OBSERVED; s++) {
    double sum = 0;

    if (variance[s] <= 0) continue;
    varying++;
    for (PetscInt k = first + lag; k <= last; k++) {
      const double step = UnrMetricAt(record, k, s) - UnrMetricAt(record, k - lag, s);

      sum += step * step;
    }
    distance += sum / (2 * variance[s] * (double)(last - first - lag + 1));
  }
  return distance / varying;
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
    const double distance = Distance(record, variance, lag, first, last);

    if (is_away && distance < RETURNED) return true;
    is_away = is_away || distance > AWAY;
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
    .sums = SLOTS,
    .cells = UnrMetricCells_Label,
    .finish = UnrMetricFinish_Label,
};
