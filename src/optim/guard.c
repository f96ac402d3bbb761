/* Norms, clipping and the decision to skip.  Maths: docs/method/optim.md, eq. (11)-(13) */
#include "optim/guard.h"
#include "optim/optim_impl.h"

#include <math.h>

enum { LANES = 16 }; /* of a sum: fixed, so that its bits do not depend on the processor */

#define real float
#define NAME(function) function##Single
#include "optim/guard_body.h"
#undef real
#undef NAME

#define real double
#define NAME(function) function##Double
#include "optim/guard_body.h"
#undef real
#undef NAME

const char *const UnrSkipName[UNR_SKIPS] = {"none", "nonfinite", "norm", "solver"};

const UnrOption UnrGuardOptions[] = {
    {"-optim_clip", UNR_REAL, "0", 0, 1e300, "1",
     "largest norm of the whole gradient, which is scaled down to it; 0: no clipping", NULL},
    {"-optim_skip_factor", UNR_REAL, "100", 0, 1e300, "1",
     "an update is skipped where a tensor's gradient exceeds this times its running mean; 0: never", NULL},
    {"-optim_skip_after", UNR_INT, "100", 1, 2e9, "updates", "updates before the running mean counts", NULL},
    {NULL, UNR_BOOL, NULL, 0, 0, NULL, NULL, NULL},
};

PetscErrorCode UnrGuardCreate(PetscInt tensors, const size_t end[], UnrGuard *guard)
{
  PetscFunctionBeginUser;
  *guard = (UnrGuard){.tensors = tensors};
  PetscCall(UnrOptionReal(UnrGuardOptions, NULL, "-optim_clip", &guard->clip));
  PetscCall(UnrOptionReal(UnrGuardOptions, NULL, "-optim_skip_factor", &guard->skip_factor));
  PetscCall(UnrOptionInt(UnrGuardOptions, NULL, "-optim_skip_after", &guard->skip_after));
  PetscCall(PetscMalloc3(tensors, &guard->end, tensors, &guard->mean, tensors, &guard->norm));
  for (PetscInt t = 0; t < tensors; t++) guard->end[t] = end[t];
  UnrGuardReset(guard);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrGuardDestroy(UnrGuard *guard)
{
  PetscFunctionBeginUser;
  PetscCall(PetscFree3(guard->end, guard->mean, guard->norm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void UnrGuardReset(UnrGuard *guard)
{
  guard->accepted = 0;
  for (PetscInt t = 0; t < guard->tensors; t++) guard->mean[t] = 0;
}

/* guard->norm of each tensor; the norm of all. */
static double Norms(UnrGuard *guard, UnrPrecision precision, const void *theta_bar)
{
  double sum = 0;
  size_t start = 0;

  for (PetscInt t = 0; t < guard->tensors; start = guard->end[t++]) {
    const size_t n = guard->end[t] - start;
    const double part = precision == UNR_SINGLE ? SumOfSquaresSingle(n, (const float *)theta_bar + start)
                                                : SumOfSquaresDouble(n, (const double *)theta_bar + start);

    guard->norm[t] = sqrt(part);
    sum += part;
  }
  return sqrt(sum);
}

/* A tensor that had no gradient so far has no typical one. */
static bool IsOutsized(const UnrGuard *guard)
{
  if (guard->skip_factor <= 0 || guard->accepted < guard->skip_after) return false;
  for (PetscInt t = 0; t < guard->tensors; t++)
    if (guard->mean[t] > 0 && guard->norm[t] > guard->skip_factor * guard->mean[t]) return true;
  return false;
}

/* The plain mean of the first norms, then one that forgets: it follows a gradient that falls by decades.  An
   outsized norm counts as no more than its limit, so that one that stays is let through after a few updates:
   its weights do not change while it is skipped, and neither would it. */
static void Follow(UnrGuard *guard, bool is_skipped)
{
  const double memory = 100; /* updates */
  double share;

  if (!is_skipped) guard->accepted++;
  share = 1 / PetscMin((double)guard->accepted, memory);
  for (PetscInt t = 0; t < guard->tensors; t++) {
    const double limit = is_skipped && guard->mean[t] > 0 ? guard->skip_factor * guard->mean[t] : INFINITY;

    guard->mean[t] += share * (PetscMin(guard->norm[t], limit) - guard->mean[t]);
  }
}

UnrSkip UnrGuardJudge(UnrGuard *guard, UnrPrecision precision, const void *theta_bar, double loss,
                      PetscInt64 failed_solves, double *norm, double *factor)
{
  UnrSkip skip = UNR_SKIP_NONE;

  *norm = Norms(guard, precision, theta_bar);
  *factor = guard->clip > 0 && *norm > guard->clip ? guard->clip / *norm : 1;
  if (failed_solves > 0) /* first: it is the cause of what is not finite then */
    skip = UNR_SKIP_SOLVER;
  else if (!isfinite(loss) || !isfinite(*norm))
    skip = UNR_SKIP_NONFINITE;
  else if (IsOutsized(guard))
    skip = UNR_SKIP_NORM;
  if (skip == UNR_SKIP_NONE || skip == UNR_SKIP_NORM) Follow(guard, skip == UNR_SKIP_NORM);
  guard->skipped[skip]++;
  return skip;
}
