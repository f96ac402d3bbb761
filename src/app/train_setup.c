/* What `unroll train` needs before its first update. */
#include "app/train.h"
#include "checkpoint/model_file.h"
#include "core/error.h"
#include "core/summary.h"
#include "dataset/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const UnrOption options[] = {
    {"-dataset_normalise", UNR_WORD, "none", 0, 0, NULL,
     "what the net sees: the state itself; (u - mean) / std, its output times std; u / rms, its output times "
     "rms",
     "none|standard|rms"},
    {NULL, UNR_BOOL, NULL, 0, 0, NULL, NULL, NULL},
};

/* The data set, or how to make it. */
static PetscErrorCode OpenData(UnrTrain *t)
{
  const char *path, *deck = UnrOptionsDeck();
  struct stat about;

  PetscFunctionBeginUser;
  PetscCall(UnrOptionWord(UnrDatasetOptions, NULL, "-dataset_file", &path));
  UnrUserCheck(path,
               "no data to train on (-dataset_file is not given); allowed: a file that generate makes; try: "
               "-dataset_file runs/data/train.h5");
  UnrUserCheck(!stat(path, &about),
               "no such data set (-dataset_file %s); allowed: a file in the layout of docs/data-format.md; "
               "try: unroll "
               "generate %s%s -dataset_file %s",
               path, deck ? "-options_file " : "", deck ? deck : "", path);
  PetscCall(UnrWellOpen(path, UnrPhysicsFieldName(t->c.physics), &t->well));
  PetscCall(UnrCaseCheckTime(&t->c, t->well, path));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The constants of a new model: by the data's statistics; diagnostic channels stay as they are. */
static PetscErrorCode Normalise(UnrTrain *t, UnrFrames frames)
{
  const PetscInt n = t->c.grid->components, fields = UnrNetFields(t->c.net);
  const char *word;
  double *mean, *std, *rms;

  PetscFunctionBeginUser;
  PetscCall(UnrOptionWord(options, NULL, "-dataset_normalise", &word));
  if (!strcmp(word, "none")) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscCalloc3(fields, &mean, fields, &std, n, &rms));
  PetscCall(UnrStatistics(t->well, t->c.grid, &t->c.layout, frames, mean, std, rms));
  if (!strcmp(word, "rms")) {
    PetscCall(PetscArrayzero(mean, n));
    PetscCall(PetscArraycpy(std, rms, n));
  }
  for (PetscInt k = 0; k < n; k++)
    UnrUserCheck(std[k] > 0,
                 "component %" PetscInt_FMT
                 " of the data does not vary (-dataset_normalise %s); allowed: none, standard, "
                 "rms where it varies; try: -dataset_normalise none",
                 k, word);
  for (PetscInt k = n; k < fields; k++) std[k] = 1;
  PetscCall(UnrNetNormalisationSet(t->c.net, mean, std, std));
  PetscCall(PetscFree3(mean, std, rms));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrTrainRegister(void)
{
  PetscFunctionBeginUser;
  PetscCall(UnrOptionsRegister("train: curriculum", UnrCurriculumOptions, NULL));
  PetscCall(UnrOptionsRegister("train: validation", UnrValidationOptions, NULL));
  PetscCall(UnrOptionsRegister("train: normalisation", options, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrTrainCreate(UnrTrain *t)
{
  UnrFrames training, validation;
  bool is_loaded;

  PetscFunctionBeginUser;
  *t = (UnrTrain){.written = -1};
  PetscCall(UnrCommonGet(&t->common));
  UnrUserCheck(t->common.out || t->common.dry_run,
               "no place for the model (-out is not given); allowed: a directory; try: -out runs/train");
  PetscCall(UnrModelFileDescribe());
  PetscCall(UnrCaseCreate(PETSC_COMM_WORLD, NULL, &t->c));
  UnrUserCheck(t->c.net,
               "-model_type %s has no network to train; allowed: the other models; try: -model_type "
               "correct_parallel",
               UnrModelName(t->c.model));
  PetscCall(OpenData(t));
  PetscCall(UnrFramesSplit(t->well, &training, &validation));
  PetscCall(UnrModelFileLoad(t->c.net, &is_loaded));
  if (!is_loaded) PetscCall(Normalise(t, training));
  PetscCall(UnrCurriculumCreate(&t->c, t->well, training, &t->curriculum));
  for (PetscInt k = 0; k < t->curriculum.count;
       k++) { /* what its options refuse is refused before the work */
    UnrRate rate;

    PetscCall(UnrCurriculumRate(&t->curriculum, k, &rate));
  }
  PetscCall(UnrValidationCreate(&t->c, t->well, validation, &t->validation));
  PetscCall(UnrUpdaterCreate(&t->c, &t->updater));
  PetscCall(UnrTrainStateCreate(&t->updater, &t->state));
  PetscCall(UnrCheckpointInterval(&t->checkpoint_interval));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A stage of another beginning would end elsewhere than the curriculum does. */
static PetscErrorCode CheckPlace(const UnrTrain *t, const char *path)
{
  const UnrTrainState *s = &t->state;
  const UnrCurriculum *all = &t->curriculum;
  PetscInt64 begin = 0;

  PetscFunctionBeginUser;
  for (PetscInt64 k = 0; k < PetscMin(s->stage, all->count); k++) begin += all->stage[k].updates;
  UnrUserCheck(s->stage >= all->count || s->update == begin + s->stage_update,
               "%s is of update %lld, its stage %lld began after %lld, and here begins after %lld; allowed: "
               "the stages that it was trained with; try: their -stage_updates or -stage_epochs, or "
               "-model_file to start from its weights",
               path, (long long)s->update, (long long)s->stage + 1, (long long)(s->update - s->stage_update),
               (long long)begin);
  UnrUserCheck(
      s->stage < all->count && s->stage_update <= all->stage[s->stage].updates,
      "%s is of update %lld in stage %lld, beyond the end of this training (%lld updates in %lld stages); "
      "allowed: a longer training; try: a larger -train_updates, or the stages that it was trained with",
      path, (long long)s->update, (long long)s->stage + 1, (long long)all->updates, (long long)all->count);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The state of a checkpoint, which must be of this training. */
static PetscErrorCode Resume(UnrTrain *t, const char *path)
{
  UnrTrainState *s = &t->state;

  PetscFunctionBeginUser;
  PetscCall(UnrTrainStateRead(s, &t->updater, path));
  PetscCall(CheckPlace(t, path));
  const PetscInt64 batches = UnrSamplerBatches(t->curriculum.stage[s->stage].sampler);
  UnrUserCheck(
      s->batches == batches,
      "%s was trained with %lld batches an epoch, this data set and batch give %lld; allowed: the same "
      "-dataset_file and -train_batch; try: -restart none, or -model_file to start from its weights",
      path, (long long)s->batches, (long long)batches);
  t->start_update = t->written = s->update;
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "resumed from %s: update %lld of %lld\n", path,
                        (long long)s->update, (long long)t->curriculum.updates));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrTrainOpen(UnrTrain *t)
{
  static const char *const files[] = {"model.h5", "model-stage*.h5", "history.csv", "summary.json", NULL};
  char path[PETSC_MAX_PATH_LEN];

  PetscFunctionBeginUser;
  PetscCall(UnrDirectoryMake(t->common.out));
  PetscCall(UnrCheckpointFind(t->common.out, path));
  if (path[0]) {
    PetscCall(Resume(t, path));
  } else {
    PetscCall(UnrCheckpointRetire(t->common.out, files));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "begins at update 0: no checkpoint to go on from\n"));
  }
  PetscCall(UnrCommonRemoveOld(t->common.out, (const char *[]){"summary.json", NULL}, 0, NULL));
  t->state.total = t->curriculum.updates;
  PetscCall(UnrHistoryOpen(t->common.out, t->state.update, &t->history));
  PetscCall(PetscMalloc1((size_t)(t->curriculum.updates - t->state.update) + 1, &t->seconds));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrTrainDestroy(UnrTrain *t)
{
  PetscFunctionBeginUser;
  PetscCall(UnrHistoryClose(&t->history));
  PetscCall(PetscFree(t->seconds));
  PetscCall(UnrTrainStateDestroy(&t->state));
  PetscCall(UnrUpdaterDestroy(&t->updater));
  PetscCall(UnrValidationDestroy(&t->validation));
  PetscCall(UnrCurriculumDestroy(&t->curriculum));
  PetscCall(UnrWellClose(&t->well));
  PetscCall(UnrCaseDestroy(&t->c));
  PetscFunctionReturn(PETSC_SUCCESS);
}
