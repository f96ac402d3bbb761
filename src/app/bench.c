/*
  unroll bench: times updates of the configured case, by phase.

  No data set: windows of a trajectory from the start family.  Two passes over the same windows, one without
  and one with PETSc's log, since reading the clock at every event takes time itself.
*/
#include <stdlib.h>

#include "app/bench_report.h"
#include "app/command.h"
#include "app/common.h"
#include "app/update.h"
#include "core/count.h"
#include "core/error.h"
#include "core/event.h"
#include "core/file.h"
#include "layer/peak.h"
#include "optim/rate.h"

static const UnrOption options[] = {
    {"-bench_updates", UNR_INT, "0", 0, 1e6, "updates",
     "timed in each of two passes; 0: as many as take about two seconds", NULL},
    {"-bench_warmup", UNR_INT, "5", 1, 1e6, "updates", "before the first pass, not timed", NULL},
    {NULL, UNR_BOOL, NULL, 0, 0, NULL, NULL, NULL},
};

enum { WINDOWS = 4 }; /* that take turns, each a frame later than the one before */

typedef struct {
  UnrCase c;
  UnrPlan plan;
  UnrRollout rollout;
  UnrUpdater updater;
  UnrRate rate;
  UnrWindow window, trajectory; /* frames 0 .. steps; and WINDOWS - 1 more */
  PetscInt64 done;
} Bench;

static PetscErrorCode Create(Bench *b)
{
  PetscFunctionBeginUser;
  PetscCall(UnrCaseCreate(PETSC_COMM_WORLD, NULL, &b->c));
  UnrUserCheck(b->c.net,
               "bench times updates of weights, of which model %s has none (-model_type %s); allowed: models "
               "with a network; try: -model_type correct_parallel, or the command solve",
               UnrModelName(b->c.model), UnrModelName(b->c.model));
  PetscCall(UnrPlanCreate(&b->plan));
  PetscCall(UnrRolloutCreate(b->c.model, b->c.loss, &b->plan, &b->rollout));
  PetscCall(UnrUpdaterCreate(&b->c, &b->updater));
  PetscCall(UnrRateCreate(&(UnrRateStage){.updates = 1, .epoch = 1, .warmup = -1}, &b->rate));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Destroy(Bench *b)
{
  PetscFunctionBeginUser;
  PetscCall(UnrUpdaterDestroy(&b->updater));
  PetscCall(UnrRolloutDestroy(&b->rollout));
  PetscCall(UnrPlanDestroy(&b->plan));
  PetscCall(UnrCaseDestroy(&b->c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What a sampler does from memory: the next window's frames, copied. */
static PetscErrorCode NextWindow(Bench *b)
{
  const PetscInt first = (PetscInt)(b->done++ % WINDOWS);

  PetscFunctionBeginUser;
  PetscCall(UnrStagePush(UNR_STAGE_DATA));
  for (PetscInt k = 0; k <= b->plan.steps; k++)
    PetscCall(UnrBatchCopy(b->trajectory.frame[first + k], b->window.frame[k]));
  PetscCall(UnrStagePop());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Seconds of each update on this rank. */
static PetscErrorCode Pass(Bench *b, PetscInt updates, double seconds[])
{
  UnrUpdateResult result;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  for (PetscInt i = 0; i < updates; i++) {
    const double start = MPI_Wtime();

    PetscCall(NextWindow(b));
    PetscCall(UnrUpdaterStep(&b->updater, b->rollout, &b->window, UnrRateAt(&b->rate, b->done), &result));
    seconds[i] = MPI_Wtime() - start;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The first updates allocate and make coefficients and plans; the last one says how many fit into the time.
 */
static PetscErrorCode WarmUp(Bench *b, PetscInt warmup, PetscInt *updates)
{
  const double time = 2;
  double seconds;

  PetscFunctionBeginUser;
  for (PetscInt i = 0; i < warmup; i++) PetscCall(Pass(b, 1, &seconds));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
  if (!*updates) *updates = (PetscInt)PetscMin(PetscMax(time / seconds, 5), 5000);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static int Compare(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Without the log: the median and the least of what the slowest rank took. */
static PetscErrorCode TimePlain(Bench *b, UnrBenchResult *r, double seconds[])
{
  PetscFunctionBeginUser;
  PetscCall(Pass(b, r->updates, seconds));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, seconds, (int)r->updates, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
  qsort(seconds, (size_t)r->updates, sizeof(*seconds), Compare);
  r->fastest = seconds[0];
  r->seconds = (seconds[r->updates / 2] + seconds[(r->updates - 1) / 2]) / 2;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* With the log: phases, means over updates and ranks; what is in no phase is `other`. */
static PetscErrorCode TimePhases(Bench *b, UnrBenchResult *r, double seconds[])
{
  double before[UNR_PHASES], after[UNR_PHASES], mean[UNR_PHASES + 1] = {0};
  int size;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(PetscLogDefaultBegin());
  PetscCall(UnrPhaseRead(before));
  PetscCall(Pass(b, r->updates, seconds));
  PetscCall(UnrPhaseRead(after));
  for (PetscInt i = 0; i < r->updates; i++) mean[UNR_PHASES] += seconds[i];
  for (int p = 0; p < UNR_PHASES; p++) mean[p] = after[p] - before[p];
  PetscCallMPI(MPI_Allreduce(mean, r->phase, UNR_PHASES + 1, MPI_DOUBLE, MPI_SUM, PETSC_COMM_WORLD));
  for (int p = 0; p <= UNR_PHASES; p++) r->phase[p] /= (double)size * (double)r->updates;
  r->logged = r->phase[UNR_PHASES];
  for (int p = 0; p < UNR_PHASES; p++) r->phase[UNR_PHASES] -= r->phase[p];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All ranks at once, as they compute: they share clock and power. */
static PetscErrorCode Peak(const Bench *b, double *gflops)
{
  double mine;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  mine = UnrFmaPeak(UnrNetPrecision(b->c.net), "auto");
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_DOUBLE, MPI_SUM, PETSC_COMM_WORLD));
  *gflops = PetscMax(*gflops, mine);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of the convolutions, from the calls that were counted: all ranks, one update. */
static PetscErrorCode Flops(const Bench *b, PetscInt updates, double *flops)
{
  const UnrGrid g = b->c.grid;
  double forward, input;

  PetscFunctionBeginUser;
  UnrNetFlops(b->c.net, &forward, &input);
  *flops = (double)UnrCountGet(UNR_COUNT_NET_APPLY) * forward +
           (double)UnrCountGet(UNR_COUNT_NET_VJP) * (2 * forward - input) +
           (double)UnrCountGet(UNR_COUNT_NET_INPUT_VJP) * input;
  *flops *= (double)g->local / (double)g->total / (double)updates;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, flops, 1, MPI_DOUBLE, MPI_SUM, PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Measure(Bench *b, UnrBenchResult *r)
{
  double *seconds;

  PetscFunctionBeginUser;
  PetscCall(UnrCaseWindow(&b->c, b->plan.steps + WINDOWS - 1, &b->trajectory));
  PetscCall(UnrCaseWindow(&b->c, b->plan.steps, &b->window));
  PetscCall(WarmUp(b, r->warmup, &r->updates));
  PetscCall(PetscMalloc1(r->updates, &seconds));
  PetscCall(Peak(b, &r->peak));
  UnrCountReset();
  PetscCall(TimePlain(b, r, seconds));
  PetscCall(Flops(b, r->updates, &r->flops));
  PetscCall(TimePhases(b, r, seconds));
  PetscCall(Peak(b, &r->peak));
  r->steps = b->plan.steps;
  r->recompute = UnrRolloutRecompute(b->rollout);
  for (int skip = UNR_SKIP_NONE + 1; skip < UNR_SKIPS; skip++) r->skipped += b->updater.guard.skipped[skip];
  PetscCall(PetscFree(seconds));
  PetscCall(UnrCaseWindowDestroy(b->plan.steps, &b->window));
  PetscCall(UnrCaseWindowDestroy(b->plan.steps + WINDOWS - 1, &b->trajectory));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* From a step that is run: its reverse takes about twice as long. */
static PetscErrorCode TellCost(const Bench *b, const UnrBenchResult *r)
{
  UnrRolloutMemory memory;
  UnrWindow window;
  UnrBatch start;
  double seconds; /* of an update */

  PetscFunctionBeginUser;
  PetscCall(UnrBatchCreate(b->c.grid, b->c.count, &start));
  PetscCall(UnrCaseStart(&b->c, start));
  window = (UnrWindow){.batch_samples = b->c.samples, .par = b->c.par, .frame = &start};
  PetscCall(
      UnrRolloutMeasure(b->rollout, &window, &memory)); /* the first step makes coefficients and plans */
  seconds = -MPI_Wtime();
  PetscCall(UnrRolloutMeasure(b->rollout, &window, &memory));
  seconds = (2 + memory.recompute) * (double)b->plan.steps * (seconds + MPI_Wtime());
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "%" PetscInt_FMT " steps a window; %.3g MB of states and tapes on the fullest rank, "
                        "recompute factor %.3g; about %.1g s\n",
                        b->plan.steps, memory.held / 1e6, memory.recompute,
                        r->updates ? seconds * (double)(r->warmup + 2 * r->updates) : 4 + 15 * seconds));
  PetscCall(UnrBatchDestroy(&start));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode run(int argc, char **argv)
{
  UnrCommon common;
  UnrBenchResult result = {0};
  Bench b = {0};

  PetscFunctionBeginUser;
  (void)argc, (void)argv;
  PetscCall(UnrCommonGet(&common));
  PetscCall(UnrOptionInt(options, NULL, "-bench_updates", &result.updates));
  PetscCall(UnrOptionInt(options, NULL, "-bench_warmup", &result.warmup));
  PetscCall(Create(&b));
  if (common.out) PetscCall(UnrDirectoryMake(common.out));
  PetscCall(UnrCaseTell(&b.c, stdout));
  if (common.dry_run) {
    PetscCall(TellCost(&b, &result));
  } else {
    if (common.out)
      PetscCall(UnrCommonRemoveOld(common.out, (const char *[]){"summary.json", NULL}, 0, NULL));
    PetscCall(Measure(&b, &result));
    PetscCall(UnrBenchPrint(&result));
    if (common.out) PetscCall(UnrBenchWrite(&b.c, &result, common.out));
  }
  PetscCall(Destroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const UnrCommand UnrCommand_Bench = {.name = "bench",
                                     .summary = "times updates of the configured case, by phase",
                                     .options = options,
                                     .run = run};
