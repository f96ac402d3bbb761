/* unroll train: one network, from new weights, from -model_file, or from a checkpoint. */
#include "app/command.h"
#include "app/train.h"
#include "core/error.h"
#include "core/provenance.h"
#include "core/signal.h"

#include <math.h>
#include <stdlib.h>

enum { STATUS_FAILED = 1 };
static int exit_status;

static int status(void)
{
  return exit_status;
}

static int Compare(const void *a, const void *b)
{
  const float x = *(const float *)a, y = *(const float *)b;

  return (x > y) - (x < y);
}

/* Reorders. */
static double Median(size_t n, float x[])
{
  if (!n) return 0;
  qsort(x, n, sizeof(*x), Compare);
  return x[n / 2];
}

static PetscErrorCode WeightsNorm(UnrNet net, double *norm)
{
  void *theta;

  PetscFunctionBeginUser;
  *norm = 0;
  PetscCall(UnrNetTheta(net, &theta));
  for (size_t i = 0; i < UnrNetParameters(net); i++) {
    const double x = UnrNetPrecision(net) == UNR_SINGLE ? ((float *)theta)[i] : ((double *)theta)[i];
    *norm += x * x;
  }
  *norm = sqrt(*norm);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode WriteSummary(UnrTrain *t, const char *reason)
{
  const UnrTrainState *s = &t->state;
  const UnrTrainStage *stage = &t->curriculum.stage[s->stage];
  char path[PETSC_MAX_PATH_LEN];
  double norm;
  UnrJson json;

  PetscFunctionBeginUser;
  PetscCall(WeightsNorm(t->c.net, &norm));
  PetscCall(UnrSummaryBegin(&json, "train", &t->c.layout));
  PetscCall(UnrJsonString(json, "mode", stage->mode));
  PetscCall(UnrJsonString(json, "model", UnrModelName(t->c.model)));
  PetscCall(UnrJsonInt(json, "parameters", (PetscInt64)UnrNetParameters(t->c.net)));
  PetscCall(UnrJsonInt(json, "start_update", t->start_update));
  PetscCall(UnrJsonInt(json, "updates", s->update));
  PetscCall(UnrJsonReal(json, "loss_first", s->loss_first));
  PetscCall(UnrJsonReal(json, "loss_last", s->loss_last));
  PetscCall(UnrJsonReal(json, "validation_best", s->best));
  PetscCall(UnrJsonReal(json, "weights_norm", norm));
  PetscCall(
      UnrJsonReal(json, "seconds_per_update", Median((size_t)(s->update - t->start_update), t->seconds)));
  PetscCall(UnrJsonReal(json, "seconds_trained", s->seconds));
  PetscCall(UnrJsonBegin(json, "skipped", '{'));
  for (int k = UNR_SKIP_NONE + 1; k < UNR_SKIPS; k++)
    PetscCall(UnrJsonInt(json, UnrSkipName[k], t->updater.guard.skipped[k]));
  PetscCall(UnrJsonEnd(json));
  PetscCall(UnrJsonReal(json, "recompute_factor", UnrRolloutRecompute(stage->rollout)));
  PetscCall(PetscSNPrintf(path, sizeof(path), "%s/summary.json", t->common.out));
  PetscCall(UnrSummaryEnd(&json, reason, path));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What is about to be done, and from how much. */
static PetscErrorCode TellPlan(const UnrTrain *t)
{
  PetscFunctionBeginUser;
  PetscCall(UnrCaseTell(&t->c, stdout));
  for (PetscInt k = 0; k < t->curriculum.count; k++) {
    const UnrTrainStage *stage = &t->curriculum.stage[k];

    PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                          "stage %" PetscInt_FMT ": mode %s, %" PetscInt_FMT
                          " steps; %lld windows, %lld updates an epoch; %lld updates\n",
                          k + 1, stage->mode, stage->steps, (long long)UnrSamplerWindows(stage->sampler),
                          (long long)UnrSamplerBatches(stage->sampler), (long long)stage->updates));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A few updates that are thrown away, for the estimate. */
static PetscErrorCode Estimate(UnrTrain *t)
{
  enum { TRIALS = 3 };
  double seconds = 0, recompute = 1, peak = (double)UnrMemoryPeak();

  PetscFunctionBeginUser;
  for (PetscInt k = 0; k < t->curriculum.count; k++) {
    const UnrTrainStage *stage = &t->curriculum.stage[k];
    double best = INFINITY;

    for (int i = 0; i < TRIALS; i++) {
      PetscInt samples, first;
      UnrWindow window;
      UnrUpdateResult result;
      const double begun = MPI_Wtime();

      PetscCall(UnrSamplerRead(stage->sampler, 0, 0, &samples, &first, &window.par, &window.frame));
      window.batch_samples = samples;
      PetscCall(UnrUpdaterStep(&t->updater, stage->rollout, &window, 0, &result));
      best = PetscMin(best, MPI_Wtime() - begun);
    }
    seconds += best * (double)stage->updates;
    recompute = PetscMax(recompute, UnrRolloutRecompute(stage->rollout));
  }
  peak = PetscMax(peak, (double)UnrMemoryPeak());
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &peak, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "%lld updates, about %.3g s; %.3g MB on the fullest rank, recompute factor %.3g\n",
                        (long long)t->curriculum.updates, seconds, peak / 1e6, recompute));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Train(UnrTrain *t)
{
  UnrTrainEnd end;

  PetscFunctionBeginUser;
  PetscCall(UnrTrainOpen(t));
  PetscCall(UnrOptionsListUnused(PETSC_COMM_WORLD));
  PetscCall(UnrSignalInstall());
  PetscCall(UnrTrainRun(t, &end));
  if (end == UNR_TRAIN_STOPPED) {
    exit_status = UNR_STATUS_REQUEUE;
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "stopped at update %lld of %lld; to go on: -restart auto\n",
                          (long long)t->state.update, (long long)t->curriculum.updates));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(WriteSummary(t, end == UNR_TRAIN_HOPELESS ? "skipped" : NULL));
  if (end == UNR_TRAIN_HOPELESS) {
    exit_status = STATUS_FAILED;
    PetscCall(
        PetscPrintf(PETSC_COMM_WORLD,
                    "given up: the last %lld updates were all skipped; history.csv says why; try: a smaller "
                    "-optim_lr, or -optim_clip\n",
                    (long long)t->in_a_row));
  } else {
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "best validation error %.4g; model: %s/model.h5\n", t->state.best,
                          t->common.out));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode run(int argc, char **argv)
{
  UnrTrain train;

  PetscFunctionBeginUser;
  (void)argc, (void)argv;
  PetscCall(UnrTrainCreate(&train));
  PetscCall(TellPlan(&train));
  if (train.common.dry_run)
    PetscCall(Estimate(&train));
  else
    PetscCall(Train(&train));
  PetscCall(UnrTrainDestroy(&train));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const UnrCommand UnrCommand_Train = {.name = "train",
                                     .summary = "trains a network by unrolling it with the solver",
                                     .run = run,
                                     .status = status};
