/* For files in this folder only: what metrics look at besides the states, made once a frame for all of them.
 */
#pragma once

#include "metric/metric_impl.h"

typedef struct {
  const UnrMetricSpec *spec; /* borrowed */
  struct {
    const char *name;
    UnrBatch u, reference;
  } * field;
  int fields;
  PetscInt integrals;                /* that the physics has; 0 until a metric wants one */
  double *integral[UNR_METRIC_BOTH]; /* [test][integral] of roll-out and reference in this frame */
  PetscInt shells;                   /* that the physics has; 0 until a metric wants them */
  double *
      spectrum[UNR_METRIC_BOTH]; /* [test][shell], sum over the frames behind the start, at last their mean */
  double *energy;                /* [test][shell] in this frame */
  PetscInt *live;                /* [test] frames behind the start in which it was */
} UnrMetricSource;

/* Has the physics what a metric looks at? */
PetscErrorCode UnrMetricSourceHas(UnrPhysics physics, const UnrMetricOps *ops, bool *has);
/* Prepares for a metric that it has.  Collective on the grid. */
PetscErrorCode UnrMetricSourceAdd(UnrMetricSource *source, const UnrMetricOps *ops);
PetscErrorCode UnrMetricSourceDestroy(UnrMetricSource *source);
/* All that was prepared for, of this frame.  Collective on the grid. */
PetscErrorCode UnrMetricSourceFrame(UnrMetricSource *source, const UnrMetricFrame *frame);
/* After the last frame: sums become means. */
void UnrMetricSourceFinish(UnrMetricSource *source);
/* The grid of what a metric looks at. */
UnrGrid UnrMetricSourceGrid(const UnrMetricSource *source, const UnrMetricOps *ops);
/* Of test t, with nothing in frame 0 that a frame before would be needed for. */
UnrMetricCells UnrMetricSourceCells(const UnrMetricSource *source, const UnrMetricOps *ops,
                                    const UnrMetricFrame *frame, PetscInt t);
/* A metric's integral of test t: of the roll-out, or of the reference. */
double UnrMetricSourceIntegral(const UnrMetricSource *source, const UnrMetricOps *ops, PetscInt t, int which);
