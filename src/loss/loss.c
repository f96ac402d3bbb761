/* The loss of one frame: a factor times the sum of squares, and its gradient. */
#include "loss/loss_impl.h"
#include "core/event.h"

#define UNR_LOSS(name, Name) extern const UnrLossOps UnrLossOps_##Name;
#include "loss/list.h"
#undef UNR_LOSS

#define UNR_LOSS(name, Name) &UnrLossOps_##Name.plugin,
static const UnrPlugin *const plugins[] = {
#include "loss/list.h"
    NULL,
};
#undef UNR_LOSS

#define UNR_LOSS(name, Name) "|" #name
static const char names[] =
#include "loss/list.h"
    ;
#undef UNR_LOSS

static const UnrOption options[] = {
    {"-loss_type", UNR_WORD, "mse", 0, 0, NULL, "loss of one frame", &names[1]},
    {NULL, UNR_WORD, NULL, 0, 0, NULL, NULL, NULL},
};

static const UnrPluginClass class = {"loss", options, plugins};

PetscErrorCode UnrLossRegister(void)
{
  PetscFunctionBeginUser;
  PetscCall(UnrPluginsRegister(&class, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrLossList(UnrPluginVisit visit, void *context)
{
  PetscFunctionBeginUser;
  PetscCall(UnrPluginsVisit(&class, visit, context));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* UnrLossCreate - the loss of -loss_type.     Collective on the world. */
PetscErrorCode UnrLossCreate(UnrLoss *loss)
{
  PetscFunctionBeginUser;
  PetscCall(PetscNew(loss));
  PetscCall(UnrPluginChoose(&class, NULL, &(*loss)->ops));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrLossDestroy(UnrLoss *loss)
{
  PetscFunctionBeginUser;
  PetscCall(PetscFree(*loss));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const char *UnrLossName(UnrLoss loss)
{
  return loss->ops->name;
}

/*
  UnrLossFrame - value and gradient of one frame.     Not collective.
  In      u, reference   [sample][cell][component], of equal shape
          batch_samples  of the whole batch: all replicas, all chunks
          weight         of this frame;  weight_sum  of all frames
  In/out  value          this rank's part, ADDED; NULL: not wanted
          u_bar          dJ/du, ADDED; NULL: not wanted
  Maths   l = c sum (u - r)^2,  dl/du = 2 c (u - r),  c the loss's factor
*/
PetscErrorCode UnrLossFrame(UnrLoss loss, UnrBatch u, UnrBatch reference, PetscInt batch_samples,
                            double weight, double weight_sum, double *value, UnrBatch u_bar)
{
  double c, sum = 0;
  size_t n = (size_t)u->samples * u->stride;

  PetscFunctionBeginUser;
  PetscCheck(reference->samples == u->samples && reference->stride == u->stride, PETSC_COMM_SELF,
             PETSC_ERR_ARG_SIZ, "frame of %" PetscInt_FMT " samples, reference of %" PetscInt_FMT, u->samples,
             reference->samples);
  PetscCall(UnrEventBegin(UNR_EVENT_LOSS));
  c = weight * loss->ops->factor(u->grid, batch_samples, weight_sum);
  if (value) {
    for (size_t i = 0; i < n; i++) {
      double difference = u->data[i] - reference->data[i];

      sum += difference * difference;
    }
    *value += c * sum;
  }
  if (u_bar) {
    for (size_t i = 0; i < n; i++) u_bar->data[i] += 2 * c * (u->data[i] - reference->data[i]);
  }
  PetscCall(UnrEventEnd(UNR_EVENT_LOSS));
  PetscFunctionReturn(PETSC_SUCCESS);
}
