/* What the files of the command `solve` share: one start state, its solver, and what was measured. */
#pragma once

#include "dataset/well.h"
#include "stepper/stepper.h"

typedef struct {
  const char *input, *cotangent; /* paths; cotangent NULL: no vjp */
  PetscInt sample, frame, steps, save_every;
  double memory; /* bytes a rank may keep for the vjp; 0: any */
  UnrWell well;  /* input, open for reading */
  UnrWellInfo info;
  UnrLayout layout;
  UnrGrid grid;
  UnrPhysics physics;
  UnrStepper stepper;
  double *par; /* [parameter] of the sample */
  UnrBatch u0;
  UnrPrecision precision; /* of what is written */
} UnrSolve;

/* Input, layout, grid, physics with the sample's parameters, stepper.  Collective on the world. */
PetscErrorCode UnrSolveCreate(UnrSolve *solve);
PetscErrorCode UnrSolveDestroy(UnrSolve *solve);

/*
  UnrSolveVjp - cotangent of the start state and the parameters from that of the last frame.     Collective on
  the world. In/out  u_bar    in: dJ/du^N, destroyed;  out: dJ/du^0 Out     par_bar  [parameter], summed over
  the ranks seconds  forward and reverse, of the slowest rank;  recompute: frames run forward over N
*/
PetscErrorCode UnrSolveVjp(UnrSolve *solve, UnrBatch u_bar, double par_bar[], double *seconds,
                           double *recompute);

/* Frames between two kept states, so that states and tapes of `steps` frames take at most `memory` bytes, or
   as little as can be; `steps` where all tapes fit, or memory is 0. */
PetscInt UnrSolveSegment(PetscInt steps, double state_bytes, double tape_bytes, double memory);

/* Is frame k of 0 ... steps in trajectory.h5? */
bool UnrSolveIsSaved(const UnrSolve *solve, PetscInt k);
/* New files with all but the field's values.  Collective on the world. */
PetscErrorCode UnrSolveTrajectory(const UnrSolve *solve, const char *path, UnrWell *well);
PetscErrorCode UnrSolveGradientFile(const UnrSolve *solve, const char *path, const double par_bar[],
                                    UnrWell *well);
