/*
  Metrics of a rolled-out trajectory against its reference, frame by frame, for a batch of tests.

  A metric gives one number a frame and a test (NaN where it has none), and one number a test out of that
  series. Numbers only: pictures are postprocess/'s.  Nothing is clipped; a test that left its bounds is
  marked by the caller (UnrMetricTest) and counted, never averaged in.  Definitions: docs/method/metrics.md
*/
#pragma once

#include "core/plugin.h"
#include "stepper/stepper.h"

typedef struct UnrMetrics_ *UnrMetrics;

PetscErrorCode UnrMetricRegister(void);
PetscErrorCode UnrMetricList(UnrPluginVisit visit, void *context);

/* What a metric may look at in frame k (k = 0 is the start).  All batches have the replica's own tests. */
typedef struct {
  PetscInt frame;
  const double *par;     /* [test][parameter] */
  UnrBatch u, reference; /* at frame k */
  UnrBatch previous;     /* the roll-out at frame k - 1; NULL at k = 0 */
  UnrBatch
      previous_step; /* the reference scheme's step from `previous`: what a one-step residual compares with */
} UnrMetricFrame;

/* All metrics of -metric_types (default: all of the list) for `tests` tests over frames 0 .. frames.
   Collective on the world. */
PetscErrorCode UnrMetricsCreate(UnrPhysics physics, PetscInt tests, PetscInt frames, UnrMetrics *metrics);
PetscErrorCode UnrMetricsDestroy(UnrMetrics *metrics);
/* Adds a frame; frames come in order.  Collective on the grid communicator. */
PetscErrorCode UnrMetricsFrame(UnrMetrics metrics, const UnrMetricFrame *frame);
/* After the last frame: the per-test numbers.  Local. */
PetscErrorCode UnrMetricsFinish(UnrMetrics metrics);

/* Metric i: its name (NULL past the last); series [test][frames + 1] or NULL if it has none; value [test];
   words: what a value stands for ("unstable|static|recurring|regular"), NULL if it is a number.  Borrowed. */
PetscErrorCode UnrMetricsGet(UnrMetrics metrics, PetscInt i, const char **name, const double **series,
                             const double **value, const char **words);
