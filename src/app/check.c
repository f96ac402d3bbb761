/* unroll check: every gradient of the configured case, on the present layout. */
#include "app/check_item.h"
#include "app/command.h"
#include "app/common.h"
#include "core/error.h"
#include "core/provenance.h"

static PetscInt failed_items;

static int status(void)
{
  return failed_items > 0 ? 1 : 0;
}

/* Taylor and differences need a smooth net: kinked activations become tanh. */
static PetscErrorCode smooth_items(UnrCheckList *list)
{
  UnrCase c;
  UnrProbe probe;

  PetscFunctionBeginUser;
  PetscCall(UnrCaseCreate(PETSC_COMM_WORLD, NULL, &c));
  if (c.net) PetscCall(UnrNetSmooth(c.net, true));
  PetscCall(UnrProbeCreate(&c, NULL, &probe));
  PetscCall(UnrCheckTaylor(&probe, list));
  PetscCall(UnrCheckDifference(&probe, list));
  PetscCall(UnrProbeDestroy(&probe));
  PetscCall(UnrCaseDestroy(&c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* They also need double precision; afterwards the deck's own is put back, which summary.json then tells. */
static PetscErrorCode smooth_items_in_double(UnrCheckList *list)
{
  char deck[16];
  PetscBool given;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetString(NULL, NULL, "-net_precision", deck, sizeof(deck), &given));
  PetscCall(PetscOptionsSetValue(NULL, "-net_precision", "double"));
  UnrOptionsHold(true);
  PetscCall(smooth_items(list));
  UnrOptionsHold(false);
  if (given)
    PetscCall(PetscOptionsSetValue(NULL, "-net_precision", deck));
  else
    PetscCall(PetscOptionsClearValue(NULL, "-net_precision"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode deck_items(const UnrCase *c, UnrCheckList *list)
{
  UnrProbe probe;

  PetscFunctionBeginUser;
  PetscCall(UnrProbeCreate(c, NULL, &probe));
  PetscCall(UnrCheckDot(&probe, list));
  PetscCall(UnrCheckCalls(&probe, list));
  PetscCall(UnrCheckRank(&probe, list));
  PetscCall(UnrProbeDestroy(&probe));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode write_summary(const char *out, const UnrLayout *layout, const UnrCheckList *list)
{
  char path[PETSC_MAX_PATH_LEN];
  UnrJson json;

  PetscFunctionBeginUser;
  PetscCall(UnrSummaryBegin(&json, "check", layout));
  PetscCall(UnrJsonBegin(json, "items", '['));
  for (PetscInt i = 0; i < list->count; i++) {
    const UnrCheckItem *item = &list->item[i];

    PetscCall(UnrJsonBegin(json, NULL, '{'));
    PetscCall(UnrJsonString(json, "name", item->name));
    PetscCall(UnrJsonString(json, "kind", UnrCheckKindName[item->kind]));
    PetscCall(UnrJsonReal(json, "value", item->value));
    PetscCall(UnrJsonReal(json, "bound", item->bound));
    PetscCall(UnrJsonBool(json, "pass", item->pass));
    PetscCall(UnrJsonEnd(json));
  }
  PetscCall(UnrJsonEnd(json));
  PetscCall(PetscSNPrintf(path, sizeof(path), "%s/summary.json", out));
  PetscCall(UnrSummaryEnd(&json, list->failed ? "check" : NULL, path));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  What the items will cost, from a step that is run; creates the plan, so that what it refuses is refused
  first. The items run some 150 rollouts forward, most of them for the differences.
*/
static PetscErrorCode tell_cost(const UnrCase *c)
{
  enum { ROLLOUTS = 150 };
  UnrPlan plan;
  UnrRollout rollout;
  UnrRolloutMemory memory;
  UnrWindow window;
  UnrBatch start;
  double seconds;

  PetscFunctionBeginUser;
  PetscCall(UnrPlanCreate(&plan));
  PetscCall(UnrRolloutCreate(c->model, c->loss, &plan, &rollout));
  PetscCall(UnrBatchCreate(c->grid, c->count, &start));
  PetscCall(UnrCaseStart(c, start));
  window = (UnrWindow){.batch_samples = c->samples, .par = c->par, .frame = &start};
  PetscCall(UnrRolloutMeasure(rollout, &window, &memory)); /* the first step makes coefficients and plans */
  seconds = -MPI_Wtime();
  PetscCall(UnrRolloutMeasure(rollout, &window, &memory));
  seconds = (seconds + MPI_Wtime()) * ROLLOUTS * (double)plan.steps;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
  PetscCall(UnrCaseTell(c, stdout));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "%" PetscInt_FMT " steps a rollout; %.3g MB of states and tapes on the fullest rank, "
                        "recompute factor %.3g; about %.1g s\n",
                        plan.steps, memory.held / 1e6, memory.recompute, seconds));
  PetscCall(UnrBatchDestroy(&start));
  PetscCall(UnrRolloutDestroy(&rollout));
  PetscCall(UnrPlanDestroy(&plan));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode run(int argc, char **argv)
{
  UnrCommon common;
  UnrCase c;
  UnrCheckList list = {0};

  PetscFunctionBeginUser;
  (void)argc, (void)argv;
  PetscCall(UnrCommonGet(&common));
  PetscCall(UnrCaseCreate(PETSC_COMM_WORLD, NULL, &c));
  if (common.out) PetscCall(UnrDirectoryMake(common.out));
  PetscCall(tell_cost(&c));
  if (!common.dry_run) {
    PetscCall(
        PetscPrintf(PETSC_COMM_WORLD,
                    "taylor and finite-difference items: double precision, kinked activations replaced by "
                    "tanh; the others as the deck says\n"));
    PetscCall(smooth_items_in_double(&list));
    PetscCall(deck_items(&c, &list));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%" PetscInt_FMT " of %" PetscInt_FMT " items failed\n",
                          list.failed, list.count));
    if (common.out) PetscCall(write_summary(common.out, &c.layout, &list));
    failed_items = list.failed;
  }
  PetscCall(UnrCaseDestroy(&c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const UnrCommand UnrCommand_Check = {
    .name = "check",
    .summary = "verifies every gradient of the configured case on the present layout",
    .run = run,
    .status = status};
