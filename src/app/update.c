#include "app/update.h"
#include "core/block.h"
#include "core/count.h"
#include "core/event.h"
#include "core/signal.h"

PetscErrorCode UnrUpdaterCreate(const UnrCase *c, UnrUpdater *updater)
{
  enum { TENSORS = 4096 };
  size_t *end;
  PetscInt tensors = 0;

  PetscFunctionBeginUser;
  *updater = (UnrUpdater){.c = c};
  PetscCall(PetscMalloc1(TENSORS, &end));
  for (bool is_more = true; is_more;) { /* a view ends where the next begins, the last with the weights */
    const char *name;
    PetscInt rank, shape[5];
    size_t offset;

    PetscCall(UnrNetView(c->net, tensors, &name, &rank, shape, &offset));
    is_more = name != NULL;
    PetscCheck(tensors < TENSORS, PETSC_COMM_SELF, PETSC_ERR_SUP, "more than %d tensors", TENSORS);
    if (tensors) end[tensors - 1] = is_more ? offset : UnrNetParameters(c->net);
    tensors += is_more;
  }
  PetscCall(UnrGuardCreate(tensors, end, &updater->guard));
  PetscCall(PetscFree(end));
  PetscCall(UnrOptimCreate(UnrNetPrecision(c->net), UnrNetParameters(c->net), &updater->optim));
  PetscCall(UnrBlockReserve(&updater->theta_bar,
                            UnrNetParameters(c->net) * UnrPrecisionBytes(UnrNetPrecision(c->net))));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrUpdaterDestroy(UnrUpdater *updater)
{
  PetscFunctionBeginUser;
  PetscCall(UnrOptimDestroy(&updater->optim));
  PetscCall(UnrGuardDestroy(&updater->guard));
  PetscCall(UnrBlockFree(&updater->theta_bar));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrUpdaterStep(UnrUpdater *updater, UnrRollout rollout, const UnrWindow *window, double rate,
                              UnrUpdateResult *result)
{
  const UnrNet net = updater->c->net;
  const UnrPrecision precision = UnrNetPrecision(net);
  const size_t n = UnrNetParameters(net);
  const PetscInt64 failed = UnrCountGet(UNR_COUNT_SOLVER_FAILED);
  void *theta, *theta_bar = updater->theta_bar.data;
  UnrReduced sum = {0};
  double factor;

  PetscFunctionBeginUser;
  PetscCall(PetscMemzero(theta_bar, n * UnrPrecisionBytes(precision)));
  PetscCall(UnrRolloutGradient(rollout, window, &sum.loss, theta_bar, NULL, NULL));
  sum.failed_solves = (double)(UnrCountGet(UNR_COUNT_SOLVER_FAILED) - failed);
  sum.signals = UnrSignalCount();
  PetscCall(UnrStagePush(UNR_STAGE_ALLREDUCE));
  PetscCall(UnrGradientReduce(updater->c->layout.world, precision, n, theta_bar, &sum));
  PetscCall(UnrStagePop());
  PetscCall(UnrStagePush(UNR_STAGE_UPDATE));
  *result = (UnrUpdateResult){.loss = sum.loss, .is_stopping = sum.signals > 0};
  result->skip = UnrGuardJudge(&updater->guard, precision, theta_bar, sum.loss, (PetscInt64)sum.failed_solves,
                               &result->norm, &factor);
  if (result->skip == UNR_SKIP_NONE) {
    PetscCall(UnrNetTheta(net, &theta));
    PetscCall(UnrOptimStep(updater->optim, rate, factor, theta_bar, theta));
    PetscCall(UnrNetThetaChanged(net));
  }
  PetscCall(UnrStagePop());
  PetscFunctionReturn(PETSC_SUCCESS);
}
