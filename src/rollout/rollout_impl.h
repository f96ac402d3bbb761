/* For files in this folder only. */
#pragma once

#include "field/scratch.h"
#include "rollout/rollout.h"
#include "rollout/schedule.h"

/* The segment that begins with step start + 1 holds steps start + 1 .. end. */
PetscInt UnrPlanSegmentEnd(const UnrPlan *plan, PetscInt start);
/* Its steps up to the last one with a loss: those that are run in reverse; 0 for a warm-up step. */
PetscInt UnrPlanGraded(const UnrPlan *plan, PetscInt start, PetscInt end);
PetscInt UnrPlanLongest(const UnrPlan *plan);
PetscErrorCode UnrPlanCopy(const UnrPlan *from, UnrPlan *to);
extern const UnrOption UnrPlanOptions[];

struct UnrRollout_ {
  UnrModel model;
  UnrLoss loss;
  UnrPlan plan;         /* a copy */
  PetscInt chunk;       /* samples at once; 0: all of this replica's */
  double memory;        /* bytes of a rank for a segment's tapes and states; 0: no bound */
  PetscInt longest;     /* steps of the longest segment */
  UnrSchedule schedule; /* of the longest segment */
  PetscInt samples;     /* for which it was chosen */
  UnrTape *tape;        /* [longest]: of a block's steps */
  UnrScratch *state;    /* [longest + 1]: in hand, then the results of a block's steps */
  UnrBatch *u;          /* [longest + 1]: the same, in the order of the steps */
  UnrScratch *slot;     /* [longest]: kept states */
  UnrScratch end;       /* last state of a segment of several blocks, for the next one */
  UnrScratch bar[2];    /* cotangents of a step's result and start; bar[0] of a frame's loss in the tangent */
  UnrScratch dot[2];    /* tangents of a step's start and result */
  PetscInt64 steps_run, steps_least; /* of the last gradient */
};

/* A chunk of a window on its way: samples [first, first + samples). */
typedef struct {
  UnrRollout rollout;
  const UnrWindow *window;
  PetscInt first, samples;
  const double *par;
} UnrChunk;

/* The chunk from sample `first` on. */
UnrChunk UnrChunkOf(UnrRollout rollout, const UnrWindow *window, PetscInt first);
/* A batch of the chunk's samples. */
PetscErrorCode UnrChunkScratch(const UnrChunk *chunk, UnrScratch *scratch, UnrBatch *batch);
/* The chunk's start states, copied into scratch: the caller's are never written. */
PetscErrorCode UnrChunkStart(const UnrChunk *chunk, UnrScratch *scratch, UnrBatch *u);
/* Adds the loss of frame k and its gradient, either NULL: not wanted; nothing where its weight is 0. */
PetscErrorCode UnrChunkLoss(const UnrChunk *chunk, PetscInt k, UnrBatch u, double *value, UnrBatch u_bar);

/* What the gradient of a chunk adds to; NULL: not wanted. */
typedef struct {
  UnrBatch u0_bar;
  double *par_bar;
  void *theta_bar;
} UnrBars;

/*
  UnrSegmentGradient - forward and reverse of the steps start + 1 .. start + steps.     Collective on the grid
  In/out  u[0]   in: u^start;  out: u^{start + steps}, if the plan goes on behind it
          value  the frames' losses are ADDED, in their order
          to     ADDED to; u0_bar by the first segment only
*/
PetscErrorCode UnrSegmentGradient(const UnrChunk *chunk, PetscInt start, PetscInt steps, const UnrBars *to,
                                  double *value);
/* u[0] goes from frame `first` to frame `last` without tapes; value NULL: the losses are in it already. */
PetscErrorCode UnrSegmentAdvance(const UnrChunk *chunk, PetscInt first, PetscInt last, double *value);

/* Chooses the schedule for a window of a larger batch than any before.  Collective on the world then. */
PetscErrorCode UnrRolloutBudget(UnrRollout rollout, const UnrWindow *window);
