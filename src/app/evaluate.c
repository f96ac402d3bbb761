/* The command `evaluate`: rolls a model, or the bare solver, out from the test starts and measures it. */
#include "app/evaluate.h"

#include <stdio.h>
#include <string.h>
#include "app/command.h"
#include "app/common.h"
#include "core/error.h"
#include "core/provenance.h"

static const UnrOption options[] = {
    {"-evaluate_frames", UNR_INT, "12", 1, 1e9, "frames",
     "first frames of a roll-out that rel and mse are means of; a test that leaves its bounds in them has "
     "diverged",
     NULL},
    {"-evaluate_rollout_frames", UNR_INT, "0", 0, 1e9, "frames",
     "of a roll-out; it goes on behind the end of its reference (-test_frames) for the metrics that need "
     "none; 0: it ends with it",
     NULL},
    {"-evaluate_limit", UNR_REAL, "30", 1e-300, 1e300, "the field's",
     "bound on |u|: a roll-out that passes it, or is not finite, is not followed any further", NULL},
    {"-evaluate_save", UNR_INT, "200", 0, 1e9, "frames",
     "frames of trajectory.h5 and reference.h5, of one test for each value; 0: no such files", NULL},
    {"-evaluate_planes", UNR_INTS, NULL, 0, 1e9, "frames",
     "of which metrics.h5 keeps a plane of the vorticity (or of the state), of one test for each value; "
     "unset: "
     "five of the reference, and the last; 1-D has none",
     NULL},
    {NULL, UNR_BOOL, NULL, 0, 0, NULL, NULL, NULL},
};

static const char *const results_names[] = {
    "metrics.h5", "trajectory.h5", "trajectory.xmf", "reference.h5", "reference.xmf", "summary.json", NULL};

/* What would run, its memory and time. */
static PetscErrorCode Tell(UnrEvaluate *e)
{
  double seconds, bytes;

  PetscFunctionBeginUser;
  PetscCall(UnrEvaluateMeasure(e, &seconds, &bytes));
  PetscCall(PetscPrintf(
      PETSC_COMM_WORLD,
      "%" PetscInt_FMT " tests of %" PetscInt_FMT " frames; %.3g MB of states on the fullest "
      "rank; about %.1g s\n",
      e->c.samples, e->frames, bytes / 1e6, seconds * (double)(e->frames + (e->file ? 0 : e->set.warmup))));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Compute(UnrEvaluate *e, const char *out)
{
  char path[PETSC_MAX_PATH_LEN];
  UnrEvaluateFiles files;
  UnrResults results;
  UnrJson json;

  PetscFunctionBeginUser;
  PetscCall(UnrDirectoryMake(out));
  PetscCall(UnrCommonRemoveOld(out, results_names, 2, (const char *[]){e->set.file, e->model_file}));
  PetscCall(UnrEvaluateFilesCreate(e, out, &files));
  PetscCall(UnrEvaluateRun(e, &files));
  PetscCall(UnrEvaluateFilesCommit(&files));
  PetscCall(UnrResultsCreate(e, &results));
  snprintf(path, sizeof path, "%s/metrics.h5", out);
  PetscCall(UnrEvaluateWrite(e, &results, path));
  PetscCall(UnrEvaluateTable(e, &results));
  PetscCall(UnrSummaryBegin(&json, "evaluate", &e->c.layout));
  PetscCall(UnrEvaluateJson(e, &results, json));
  snprintf(path, sizeof path, "%s/summary.json", out);
  PetscCall(UnrSummaryEnd(&json, NULL, path));
  PetscCall(UnrResultsDestroy(&results));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Run(int argc, char **argv)
{
  UnrEvaluate e = {0};
  UnrCommon common;

  PetscFunctionBeginUser;
  (void)argc, (void)argv;
  PetscCall(UnrCommonGet(&common));
  UnrUserCheck(common.out || common.dry_run,
               "no -out; allowed: a directory for the results; try: -out runs/evaluate");
  PetscCall(UnrOptionInt(options, NULL, "-evaluate_frames", &e.window));
  PetscCall(UnrOptionInt(options, NULL, "-evaluate_rollout_frames", &e.frames));
  PetscCall(UnrOptionReal(options, NULL, "-evaluate_limit", &e.limit));
  PetscCall(UnrOptionInt(options, NULL, "-evaluate_save", &e.save));
  PetscCall(UnrOptionInts(options, NULL, "-evaluate_planes", UNR_PLANES, e.planes.frame, &e.planes.count));
  PetscCall(UnrEvaluateCreate(&e));
  PetscCall(UnrCaseTell(&e.c, stdout));
  if (common.dry_run)
    PetscCall(Tell(&e));
  else
    PetscCall(Compute(&e, common.out));
  PetscCall(UnrEvaluateDestroy(&e));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const UnrCommand UnrCommand_Evaluate = {
    .name = "evaluate",
    .summary = "rolls a model, or the bare solver, out from the test starts and measures it",
    .options = options,
    .run = Run,
};
