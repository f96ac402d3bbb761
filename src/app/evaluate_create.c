/* The case of `evaluate`: the test set, the model with its weights, references, metrics. */
#include "app/evaluate.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "checkpoint/model_file.h"
#include "core/error.h"

/* A net without weights measures nothing; the bare solver, where it is asked for, needs no file. */
static PetscErrorCode CheckModel(UnrEvaluate *e)
{
  const char *deck = UnrOptionsDeck();
  UnrModelNeeds wants;
  PetscBool is_given;
  PetscMPIInt rank;
  int verdict = 0;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsHasName(NULL, NULL, "-model_type", &is_given));
  PetscCall(UnrModelWants(&wants));
  if (is_given && !wants.net) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(UnrOptionWord(UnrModelFileOptions, NULL, "-model_file", &e->model_file));
  UnrUserCheck(!wants.net || e->model_file,
               "the model has a network without weights (-model_file unset); allowed: a file that train "
               "made, or -model_type solver; try: unroll train %s%s -out runs/train, then -model_file "
               "runs/train/model.h5",
               deck ? "-options_file " : "", deck ? deck : "");
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  if (!rank && e->model_file && access(e->model_file, R_OK)) verdict = errno;
  UnrUserCheck(!verdict,
               "no model file (%s): %s; allowed: a file that train made; try: unroll train %s%s -out "
               "runs/train, then -model_file runs/train/model.h5",
               e->model_file, strerror(verdict), deck ? "-options_file " : "", deck ? deck : "");
  PetscCall(UnrModelFileDescribe());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The network's training mode, as the options in its file tell it: that of the last stage, where all stages
   name theirs. */
typedef struct {
  char mode[32];
  bool is_plain;
} Mode;

static PetscErrorCode VisitMode(const char *name, const char *value, void *context)
{
  Mode *m = context;
  const char *last = strrchr(value, ',');

  PetscFunctionBeginUser;
  const bool is_plain = !strcmp(name, "-rollout_mode");
  if (!is_plain && (m->is_plain || strcmp(name, "-stage_mode"))) PetscFunctionReturn(PETSC_SUCCESS);
  snprintf(m->mode, sizeof m->mode, "%s", last ? last + 1 : value);
  m->is_plain = is_plain;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrEvaluateCreate(UnrEvaluate *e)
{
  static Mode mode;
  bool is_loaded;
  UnrCaseSpec spec;

  PetscFunctionBeginUser;
  PetscCall(CheckModel(e));
  PetscCall(UnrTestSetGet(&e->set));
  UnrUserCheck(!e->frames || e->frames >= e->set.frames,
               "-evaluate_rollout_frames (%" PetscInt_FMT
               ") ends before the reference does; allowed: 0, or at least -test_frames (%" PetscInt_FMT
               "); try: -test_frames %" PetscInt_FMT,
               e->frames, e->set.frames, e->frames);
  if (!e->frames) e->frames = e->set.frames;
  e->window = PetscMin(e->window, e->set.frames);
  e->save = PetscMin(e->save, e->frames);
  spec = UnrTestSetSpec(&e->set);
  PetscCall(UnrCaseCreate(PETSC_COMM_WORLD, &spec, &e->c));
  mode = (Mode){"", false};
  if (e->c.net) {
    PetscCall(UnrModelFileLoad(e->c.net, &is_loaded));
    PetscCall(UnrStateFileOptions(e->model_file, "model", VisitMode, &mode));
  } else
    e->model_file = NULL;
  e->mode = mode.mode;
  PetscCall(UnrReferenceOpen(e));
  const UnrMetricSpec metrics = {.physics = e->c.physics,
                                 .par = e->c.par,
                                 .tests = e->c.count,
                                 .frames = e->frames,
                                 .reference_frames = e->set.frames,
                                 .window = e->window};
  PetscCall(UnrMetricsCreate(&metrics, &e->metrics));
  PetscCall(UnrEvaluatePlanesCreate(e));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrEvaluateDestroy(UnrEvaluate *e)
{
  PetscFunctionBeginUser;
  PetscCall(UnrEvaluatePlanesDestroy(e));
  PetscCall(UnrMetricsDestroy(&e->metrics));
  PetscCall(UnrReferenceClose(e));
  PetscCall(UnrCaseDestroy(&e->c));
  PetscFunctionReturn(PETSC_SUCCESS);
}
