/* What the files of the command `solve` share: one start state, its solver, and what was measured. */
#pragma once

#include "dataset/well.h"
#include "rollout/schedule.h"
#include "stepper/stepper.h"

typedef struct {
  const char *input, *cotangent; /* paths; cotangent NULL: no vjp */
  PetscInt sample, frame, steps, save_every;
  double memory; /* bytes of a rank for the vjp; 0: any */
  bool is_given; /* by the user, who is told where it is too small */
  UnrWell well;  /* input, open for reading */
  UnrWellInfo info;
  UnrLayout layout;
  UnrGrid grid;
  UnrPhysics physics;
  UnrStepper stepper;
  double *par; /* [parameter] of the sample */
  UnrBatch u0;
  UnrPrecision precision; /* of what is written */
  UnrSchedule schedule;   /* of the vjp */
  double held;            /* bytes of the fullest rank for it */
} UnrSolve;

/* What summary.json says; NaN is null. */
typedef struct {
  double seconds_forward, seconds_vjp, energy_first, energy_last, divergence, gradient_norm, recompute;
  PetscInt steps; /* with finite states */
  const char *reason;
} UnrSolveOutcome;

/* Input, layout, grid, physics with the sample's parameters, stepper.  Collective on the world. */
PetscErrorCode UnrSolveCreate(UnrSolve *solve);
PetscErrorCode UnrSolveDestroy(UnrSolve *solve);

/*
  UnrSolveForward - N frames from the start state into the open file.     Collective on the world.
  Divergence is an outcome: it ends at the first state that is not finite, and the file is thrown away by the
  caller.
*/
PetscErrorCode UnrSolveForward(UnrSolve *solve, UnrWell well, UnrSolveOutcome *outcome);

/* Chooses what the vjp keeps within -rollout_memory, by running one frame.  Collective on the world; a user
 * error where that is too little. */
PetscErrorCode UnrSolvePlan(UnrSolve *solve);
/*
  UnrSolveVjp - cotangent of the start state and the parameters from that of the last frame.     Collective on
  the world.
  In/out  u_bar    in: dJ/du^N, destroyed;  out: dJ/du^0
  Out     par_bar  [parameter], summed over the ranks
          seconds  forward and reverse, of the slowest rank
*/
PetscErrorCode UnrSolveVjp(UnrSolve *solve, UnrBatch u_bar, double par_bar[], double *seconds);

/* Is frame k of 0 ... steps in trajectory.h5? */
bool UnrSolveIsSaved(const UnrSolve *solve, PetscInt k);
/* New files with all but the field's values.  Collective on the world. */
PetscErrorCode UnrSolveTrajectory(const UnrSolve *solve, const char *path, UnrWell *well);
PetscErrorCode UnrSolveGradientFile(const UnrSolve *solve, const char *path, const double par_bar[],
                                    UnrWell *well);
