/*
  What happens to a gradient between the sum over ranks and the optimiser: its norms, clipping, and the
  decision to skip.  Every rank decides alike, from the same bits.  A skip is counted by cause and leaves
  weights and moments as they were.
*/
#pragma once

#include "core/options.h"

typedef enum { UNR_SKIP_NONE, UNR_SKIP_NONFINITE, UNR_SKIP_NORM, UNR_SKIP_SOLVER, UNR_SKIPS } UnrSkip;
extern const char *const UnrSkipName[UNR_SKIPS]; /* "none", "nonfinite", "norm", "solver" */

typedef struct {
  double clip;         /* -optim_clip: largest norm of the whole gradient; 0: no clipping */
  double skip_factor;  /* -optim_skip_factor: a tensor's norm above this times its running mean; 0: never */
  PetscInt skip_after; /* -optim_skip_after: updates before the running mean counts */
  PetscInt tensors;
  size_t *end;                   /* [tensor] number behind its last */
  double *mean;                  /* [tensor] running mean of norms, an outsized one at its limit: checkpointed */
  double *norm;                  /* [tensor] of the gradient judged last */
  PetscInt64 accepted;           /* updates in it: checkpointed */
  PetscInt64 skipped[UNR_SKIPS]; /* counts: checkpointed */
} UnrGuard;

extern const UnrOption UnrGuardOptions[];
/* end[tensor]: where each of the named tensors of theta ends, in order.  Collective on the world. */
PetscErrorCode UnrGuardCreate(PetscInt tensors, const size_t end[], UnrGuard *guard);
PetscErrorCode UnrGuardDestroy(UnrGuard *guard);
/* A new stage: the running mean begins anew, the counts go on. */
void UnrGuardReset(UnrGuard *guard);
/*
  UnrGuardJudge - norm of a summed gradient, verdict, factor to clip by.     Local.
  In      theta_bar  flat, of the precision;  loss  summed;  failed_solves  of all ranks
  Out     norm       of the whole gradient (may be NaN);  factor  1, or clip / norm
*/
UnrSkip UnrGuardJudge(UnrGuard *guard, UnrPrecision precision, const void *theta_bar, double loss,
                      PetscInt64 failed_solves, double *norm, double *factor);
