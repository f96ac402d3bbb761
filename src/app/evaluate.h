/* What the files of the command `evaluate` share: the test set's case, its references, and what was measured.
 */
#pragma once

#include "app/fine.h"
#include "app/output.h"
#include "app/test_set.h"
#include "core/summary.h"
#include "dataset/well.h"
#include "metric/metric.h"

/* Planes for pictures, of the first test of each group at some frames. */
enum { UNR_PLANES = 32 };
typedef struct {
  PetscInt count, frame[UNR_PLANES]; /* -evaluate_planes; 0 in 1-D */
  UnrBatch field;                    /* of the vorticity; NULL: the state is shown */
  float *plane[2];                   /* rank 0 of the world: [group][frame][x][y] of roll-out and reference */
} UnrEvaluatePlanes;

typedef struct {
  UnrTestSet set;
  PetscInt frames;       /* of a roll-out: set.frames, those of its reference, or more */
  PetscInt window, save; /* -evaluate_frames, within the reference; -evaluate_save, within the roll-out */
  double limit;          /* -evaluate_limit */
  const char *model_file, *mode;
  UnrCase c;
  UnrWell file;         /* -test_file, or NULL */
  PetscInt *trajectory; /* [test] in the file */
  UnrFine fine;         /* without a file: the reference scheme, its state and room for the next */
  UnrBatch state, next;
  UnrMetrics metrics;
  UnrEvaluatePlanes planes;
} UnrEvaluate;

/* Case, references, metrics; user errors where they cannot be had.  Collective on the world. */
PetscErrorCode UnrEvaluateCreate(UnrEvaluate *e);
PetscErrorCode UnrEvaluateDestroy(UnrEvaluate *e);

/* Opens -test_file and finds every test's trajectory in it; without one, makes the reference scheme.
 * Collective on the world. */
PetscErrorCode UnrReferenceOpen(UnrEvaluate *e);
PetscErrorCode UnrReferenceClose(UnrEvaluate *e);
/* Frame 0 of the own tests: the file's, or the start family's after `warmup` frames. */
PetscErrorCode UnrReferenceStart(UnrEvaluate *e, PetscInt warmup, UnrBatch reference);
/* Frame k, after frame k - 1. */
PetscErrorCode UnrReferenceNext(UnrEvaluate *e, PetscInt k, UnrBatch reference);

/* The files trajectory.h5 and reference.h5: the first test of each group; empty where -evaluate_save is 0. */
typedef struct {
  UnrWell trajectory, reference;
  UnrBatch state; /* of one sample */
} UnrEvaluateFiles;
PetscErrorCode UnrEvaluateFilesCreate(UnrEvaluate *e, const char *out, UnrEvaluateFiles *files);
/* Frame k, if it is to be kept; NaN where a test has left its bounds.  reference NULL: it has ended. */
PetscErrorCode UnrEvaluateFilesWrite(const UnrEvaluate *e, UnrEvaluateFiles *files, PetscInt k, UnrBatch u,
                                     UnrBatch reference, const bool is_live[]);
PetscErrorCode UnrEvaluateFilesCommit(UnrEvaluateFiles *files);

PetscErrorCode UnrEvaluatePlanesCreate(UnrEvaluate *e);
PetscErrorCode UnrEvaluatePlanesDestroy(UnrEvaluate *e);
/* As UnrEvaluateFilesWrite, of the frames that it keeps. */
PetscErrorCode UnrEvaluatePlanesKeep(UnrEvaluate *e, PetscInt k, UnrBatch u, UnrBatch reference,
                                     const bool is_live[]);
PetscErrorCode UnrEvaluatePlanesWrite(const UnrEvaluate *e, UnrOutput *out);

/* Rolls all tests out and measures them.  Collective on the world. */
PetscErrorCode UnrEvaluateRun(UnrEvaluate *e, UnrEvaluateFiles *files);
/* Seconds of one frame, and bytes of the states on the fullest rank. */
PetscErrorCode UnrEvaluateMeasure(UnrEvaluate *e, double *seconds, double *bytes);

/* Values of all tests, the same on every rank. */
typedef struct {
  PetscInt metrics;
  double **value;     /* [metric][test] */
  PetscInt *bounded;  /* [test] frames before it left its bounds */
  bool *has_diverged; /* [test] within -evaluate_frames */
} UnrResults;
PetscErrorCode UnrResultsCreate(const UnrEvaluate *e, UnrResults *results);
PetscErrorCode UnrResultsDestroy(UnrResults *results);

/* Which tests a row is about: group 0 ... of the set's values, then all that interpolate, extrapolate, all.
 */
PetscInt UnrGroups(const UnrEvaluate *e); /* with the three */
void UnrGroupName(const UnrEvaluate *e, PetscInt group, char name[64]);
/* "interpolation", "extrapolation"; NULL for `all`. */
const char *UnrGroupKind(const UnrEvaluate *e, PetscInt group);
bool UnrGroupHas(const UnrEvaluate *e, PetscInt group, PetscInt test);

/* One metric over the tests of a group that have a value of it; NaN where none has. */
typedef struct {
  PetscInt tests, diverged; /* of the group */
  PetscInt count, open;     /* with a value; of a time: whose event never came */
  double mean, deviation, median;
} UnrStatistics;
PetscErrorCode UnrGroupStatistics(const UnrEvaluate *e, const UnrResults *results, PetscInt group,
                                  PetscInt metric, UnrStatistics *statistics);
/* Tests of a group with word `word` (0 ...) of a metric of words. */
PetscInt UnrGroupWords(const UnrEvaluate *e, const UnrResults *results, PetscInt group, PetscInt metric,
                       PetscInt word);
/* Word i of "a|b|c"; false past the last. */
bool UnrWordGet(const char *words, PetscInt i, char word[32]);

/* The table on standard output, the entries of summary.json, metrics.h5. */
PetscErrorCode UnrEvaluateTable(const UnrEvaluate *e, const UnrResults *results);
PetscErrorCode UnrEvaluateJson(const UnrEvaluate *e, const UnrResults *results, UnrJson json);
PetscErrorCode UnrEvaluateWrite(const UnrEvaluate *e, const UnrResults *results, const char *path);
