/*
  Metrics of a rolled-out trajectory against its reference, frame by frame, for a batch of tests.

  A metric gives one number a frame and a test (NaN where it has none), and one number a test out of that
  series. Numbers only: pictures are postprocess/'s.  Nothing is clipped; a test that left its bounds is
  told by the caller (is_live) and has no numbers from then on.  A roll-out may go on when its reference has
  ended: metrics that need one end with it.  Definitions: docs/method/metrics.md
*/
#pragma once

#include "physics/physics.h"

typedef struct UnrMetrics_ *UnrMetrics;

PetscErrorCode UnrMetricRegister(void);
PetscErrorCode UnrMetricList(UnrPluginVisit visit, void *context);

/* What a metric may look at in frame k (k = 0 is the start).  All batches have the replica's own tests. */
typedef struct {
  PetscInt frame;
  UnrBatch u;
  UnrBatch reference;     /* NULL behind its last frame */
  UnrBatch previous;      /* the roll-out at frame k - 1; NULL at k = 0 */
  UnrBatch previous_step; /* the reference scheme's step from `previous`: what a one-step residual compares
                             with; NULL at k = 0 */
  const bool *is_live;    /* [test] false: it left its bounds in this frame or before; NULL: none did */
} UnrMetricFrame;

/* What is measured. */
typedef struct {
  UnrPhysics physics;        /* of the states; borrowed */
  const double *par;         /* [test][parameter] of the replica's own tests; borrowed */
  PetscInt tests;            /* of this replica */
  PetscInt frames;           /* of the roll-outs: 0 .. frames */
  PetscInt reference_frames; /* of their references: 0 .. reference_frames, at most `frames` */
  PetscInt window; /* means over the first frames (rel, mse) are over 1 .. window; at most reference_frames */
} UnrMetricSpec;

/*
  UnrMetricsCreate - all metrics of -metric_types (default: all that the physics has).     Collective on the
  world. Errors  a metric asked for that looks at what the physics does not have is a user error
*/
PetscErrorCode UnrMetricsCreate(const UnrMetricSpec *spec, UnrMetrics *metrics);
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
  PetscInt frames;               /* the last that it can say something about */
  PetscInt columns; /* of the series: 0 none; 1 `name`; 2 also `name`_reference, of the reference itself */
  const double *series;                        /* [test][column][all frames of the roll-out + 1] */
  PetscInt shells;                             /* of the spectrum, 0: it has none */
  const double *spectrum, *spectrum_reference; /* [test][shell], means of the frames behind the start */
  const double *value; /* [test]; NaN where a test has none: a mean is over those that have one */
} UnrMetricView;
/* false past the last. */
bool UnrMetricsGet(UnrMetrics metrics, PetscInt i, UnrMetricView *view);
