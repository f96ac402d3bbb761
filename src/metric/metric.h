/*
  Metrics of a rolled-out trajectory against its reference, frame by frame, for a batch of tests.

  A metric gives one number a frame and a test (NaN where it has none), and one number a test out of that
  series. Numbers only: pictures are postprocess/'s.  Nothing is clipped; a test that left its bounds is
  told by the caller (is_live) and has no numbers from then on.  Definitions: docs/method/metrics.md
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
  UnrBatch u, reference;  /* at frame k */
  UnrBatch previous;      /* the roll-out at frame k - 1; NULL at k = 0 */
  UnrBatch previous_step; /* the reference scheme's step from `previous`: what a one-step residual compares
                             with; NULL at k = 0 */
  const bool *is_live;    /* [test] false: it left its bounds in this frame or before; NULL: none did */
} UnrMetricFrame;

/*
  UnrMetricsCreate - all metrics of -metric_types (default: all of the list).     Collective on the world.
  In   grid    of the batches; borrowed;  tests  of this replica;  frames  0 .. frames
       window  means over the first frames (rel, mse) are over 1 .. window; at most `frames`
*/
PetscErrorCode UnrMetricsCreate(UnrGrid grid, PetscInt tests, PetscInt frames, PetscInt window,
                                UnrMetrics *metrics);
PetscErrorCode UnrMetricsDestroy(UnrMetrics *metrics);
/* Adds a frame; frames come in order.  Collective on the grid communicator. */
PetscErrorCode UnrMetricsFrame(UnrMetrics metrics, const UnrMetricFrame *frame);
/* After the last frame: series and values.  Local. */
PetscErrorCode UnrMetricsFinish(UnrMetrics metrics);
/* Of test t: frames before it left its bounds, `frames` if it never did. */
PetscInt UnrMetricsBounded(UnrMetrics metrics, PetscInt t);

/* Metric i of those created, all borrowed. */
typedef struct {
  const char *name, *value_name; /* of the series, of the value: "correlation", "correlation_time" */
  const char *words;             /* what a value 0, 1 ... stands for: "a|b|c"; NULL: it is a number */
  bool is_time;                  /* a value in frames: `frames` where the event never came */
  const double *series;          /* [test][frames + 1]; NULL: none */
  const double *value;           /* [test]; NaN where a test has none: a mean is over those that have one */
} UnrMetricView;
/* false past the last. */
bool UnrMetricsGet(UnrMetrics metrics, PetscInt i, UnrMetricView *view);
