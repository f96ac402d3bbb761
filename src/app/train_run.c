/* The loop of `unroll train`: stages, updates, validations, checkpoints. */
#include "app/train.h"
#include "checkpoint/model_file.h"
#include "core/event.h"

#include <math.h>

enum { MOST_IN_A_ROW = 100 }; /* skipped updates after which nothing better is to be expected */

/* model.h5 = the best weights of the present stage. */
static PetscErrorCode WriteModel(UnrTrain *t, const char *name)
{
  char path[PETSC_MAX_PATH_LEN];

  PetscFunctionBeginUser;
  PetscCall(PetscSNPrintf(path, sizeof(path), "%s/%s", t->common.out, name));
  PetscCall(UnrModelFileWrite(path, t->c.net, t->state.best_theta.data));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* History first: it must never end before the update that a checkpoint goes on from. */
static PetscErrorCode Checkpoint(UnrTrain *t)
{
  void *theta;

  PetscFunctionBeginUser;
  if (t->written == t->state.update) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(UnrStagePush(UNR_STAGE_IO));
  PetscCall(UnrNetTheta(t->c.net, &theta));
  PetscCall(UnrWeightsAgree(t->c.layout.world, UnrNetPrecision(t->c.net), UnrNetParameters(t->c.net), theta));
  PetscCall(UnrHistoryFlush(t->history));
  PetscCall(WriteModel(t, "model.h5"));
  PetscCall(UnrTrainStateWrite(&t->state, &t->updater, t->common.out));
  PetscCall(UnrStagePop());
  t->written = t->state.update;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode KeepIfBest(UnrTrain *t, double error)
{
  PetscFunctionBeginUser;
  if (error < t->state.best || !isfinite(t->state.best)) {
    t->state.best = error;
    PetscCall(UnrTrainStateKeepBest(&t->state, t->c.net));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  After an update: every interval the error counts, for the best weights and for the rate; at the end of a
  stage it is only told.  There it counts when nothing follows (FinishStage): a longer training that goes on
  from here must not know that this one ended.
*/
static PetscErrorCode Validate(UnrTrain *t, const UnrTrainStage *stage, double *error)
{
  UnrTrainState *s = &t->state;
  const PetscInt64 interval = t->validation.interval ? t->validation.interval : s->batches;
  const bool is_due = s->stage_update % interval == 0;

  PetscFunctionBeginUser;
  *error = NAN;
  if (!is_due && s->stage_update < stage->updates) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(UnrValidationError(&t->validation, error));
  if (!is_due) PetscFunctionReturn(PETSC_SUCCESS);
  UnrRateValidated(&s->rate, *error);
  PetscCall(KeepIfBest(t, *error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode FinishStage(UnrTrain *t)
{
  double error;

  PetscFunctionBeginUser;
  PetscCall(UnrValidationError(&t->validation, &error));
  PetscCall(KeepIfBest(t, error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Step(UnrTrain *t, const UnrTrainStage *stage, UnrUpdateResult *result, double *rate)
{
  UnrTrainState *s = &t->state;
  const PetscInt64 batches = s->batches;
  PetscInt samples, first;
  const double *par;
  UnrBatch *frame;
  UnrWindow window;

  PetscFunctionBeginUser;
  PetscCall(UnrStagePush(UNR_STAGE_DATA));
  PetscCall(UnrSamplerRead(stage->sampler, stage->epoch + s->stage_update / batches,
                           s->stage_update % batches, &samples, &first, &par, &frame));
  PetscCall(UnrStagePop());
  window = (UnrWindow){.batch_samples = samples, .par = par, .frame = frame};
  *rate = UnrRateAt(&s->rate, s->stage_update);
  PetscCall(UnrUpdaterStep(&t->updater, stage->rollout, &window, *rate, result));
  s->update++;
  s->stage_update++;
  if (result->skip != UNR_SKIP_NONE) {
    t->in_a_row++;
  } else {
    t->in_a_row = 0;
    s->loss_last = result->loss;
  }
  if (s->update == 1) s->loss_first = result->loss;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The line of history.csv, and the one on the terminal. */
static PetscErrorCode Tell(UnrTrain *t, const UnrTrainStage *stage, const UnrUpdateResult *result,
                           double rate, double validation)
{
  const UnrTrainState *s = &t->state;
  const UnrHistoryRow row = {.update = s->update,
                             .stage = (PetscInt)s->stage + 1,
                             .epoch = (double)stage->epoch + (double)s->stage_update / (double)s->batches,
                             .loss = result->loss,
                             .validation = validation,
                             .rate = rate,
                             .norm = result->norm,
                             .skipped = UnrSkipName[result->skip],
                             .seconds = s->seconds};
  char note[128];

  PetscFunctionBeginUser;
  PetscCall(UnrHistoryAdd(t->history, &row));
  snprintf(note, sizeof(note), "loss %.3e  validation %.3e  rate %.2e", result->loss, s->best, rate);
  UnrProgressStep(&t->progress, s->update - t->start_update, note);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* From the state's place in the stage to its end, or to a signal. */
static PetscErrorCode RunStage(UnrTrain *t, const UnrTrainStage *stage, UnrTrainEnd *end)
{
  UnrTrainState *s = &t->state;

  PetscFunctionBeginUser;
  while (s->stage_update < stage->updates && *end == UNR_TRAIN_DONE) {
    const double begun = MPI_Wtime();
    double rate = 0, validation, taken;
    UnrUpdateResult result;

    PetscCall(Step(t, stage, &result, &rate));
    taken = MPI_Wtime() - begun;
    t->seconds[s->update - t->start_update - 1] = (float)taken;
    PetscCall(Validate(t, stage, &validation));
    s->seconds += MPI_Wtime() - begun;
    PetscCall(Tell(t, stage, &result, rate, validation));
    if (result.is_stopping) *end = UNR_TRAIN_STOPPED;
    if (t->in_a_row >= MOST_IN_A_ROW) *end = UNR_TRAIN_HOPELESS;
    if (t->checkpoint_interval && s->update % t->checkpoint_interval == 0) PetscCall(Checkpoint(t));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The weights stay, or the best ones return; moments, running limits and the best begin anew. */
static PetscErrorCode BeginStage(UnrTrain *t, PetscInt64 stage)
{
  UnrTrainState *s = &t->state;

  PetscFunctionBeginUser;
  if (t->curriculum.takes_best) PetscCall(UnrTrainStateTakeBest(s, t->c.net));
  s->stage = stage;
  s->stage_update = 0;
  s->best = INFINITY;
  PetscCall(UnrTrainStateKeepBest(s, t->c.net));
  PetscCall(UnrOptimReset(t->updater.optim));
  UnrGuardReset(&t->updater.guard);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrTrainRun(UnrTrain *t, UnrTrainEnd *end)
{
  UnrTrainState *s = &t->state;
  const UnrCurriculum *curriculum = &t->curriculum;
  double kept[UNR_RATE_STATE];
  char name[64];

  PetscFunctionBeginUser;
  *end = UNR_TRAIN_DONE;
  UnrProgressBegin(&t->progress, "train", curriculum->updates - s->update);
  while (*end == UNR_TRAIN_DONE) {
    const UnrTrainStage *stage = &curriculum->stage[s->stage];

    PetscCall(PetscArraycpy(kept, s->rate.state, UNR_RATE_STATE));
    PetscCall(UnrCurriculumRate(curriculum, s->stage, &s->rate));
    if (s->stage_update) PetscCall(PetscArraycpy(s->rate.state, kept, UNR_RATE_STATE));
    s->batches = UnrSamplerBatches(stage->sampler);
    PetscCall(RunStage(t, stage, end));
    if (*end != UNR_TRAIN_DONE || s->stage + 1 == curriculum->count) break;
    PetscCall(FinishStage(t));
    snprintf(name, sizeof(name), "model-stage%lld.h5", (long long)s->stage + 1);
    PetscCall(WriteModel(t, name));
    PetscCall(BeginStage(t, s->stage + 1));
  }
  PetscCall(Checkpoint(t));
  if (*end == UNR_TRAIN_DONE) {
    PetscCall(FinishStage(t));
    PetscCall(WriteModel(t, "model.h5"));
  }
  UnrProgressEnd(&t->progress, s->update - t->start_update,
                 *end == UNR_TRAIN_STOPPED ? "stopped by a signal" : NULL);
  PetscFunctionReturn(PETSC_SUCCESS);
}
