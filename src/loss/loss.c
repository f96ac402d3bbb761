/* The loss of one frame: a factor a sample times the sum of squares, and its gradient. */
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
  if (*loss) PetscCall(PetscFree((*loss)->factor));
  PetscCall(PetscFree(*loss));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const char *UnrLossName(UnrLoss loss)
{
  return loss->ops->name;
}

/* value += c |u - r|^2, u_bar += 2 c (u - r) on the n numbers of one sample; either may be NULL. */
static void AddSample(double c, size_t n, const double u[], const double r[], double *value, double u_bar[])
{
  double sum = 0;

  if (value) {
    for (size_t i = 0; i < n; i++) sum += (u[i] - r[i]) * (u[i] - r[i]);
    *value += c * sum;
  }
  if (u_bar) {
    for (size_t i = 0; i < n; i++) u_bar[i] += 2 * c * (u[i] - r[i]);
  }
}

/*
  UnrLossFrame - value and gradient of one frame.     Collective on the grid.
  In      u, reference   [sample][cell][component], of equal shape
          batch_samples  of the whole batch: all replicas, all chunks
          weight         of this frame;  weight_sum  of all frames
  In/out  value          this rank's part, ADDED; NULL: not wanted
          u_bar          dJ/du, ADDED; NULL: not wanted
  Maths   l = sum_s c_s |u_s - r_s|^2,  dl/du_s = 2 c_s (u_s - r_s),  c_s the loss's factors
*/
PetscErrorCode UnrLossFrame(UnrLoss loss, UnrBatch u, UnrBatch reference, PetscInt batch_samples,
                            double weight, double weight_sum, double *value, UnrBatch u_bar)
{
  const size_t n = u->stride;

  PetscFunctionBeginUser;
  PetscCheck(reference->samples == u->samples && reference->stride == u->stride, PETSC_COMM_SELF,
             PETSC_ERR_ARG_SIZ, "frame of %" PetscInt_FMT " samples, reference of %" PetscInt_FMT, u->samples,
             reference->samples);
  PetscCall(UnrEventBegin(UNR_EVENT_LOSS));
  if (u->samples > loss->room) {
    PetscCall(PetscFree(loss->factor));
    PetscCall(PetscMalloc1(u->samples, &loss->factor));
    loss->room = u->samples;
  }
  PetscCall(loss->ops->factors(reference, batch_samples, weight_sum, loss->factor));
  for (PetscInt s = 0; s < u->samples; s++) {
    const size_t skip = (size_t)s * n;

    AddSample(weight * loss->factor[s], n, u->data + skip, reference->data + skip, value,
              u_bar ? u_bar->data + skip : NULL);
  }
  PetscCall(UnrEventEnd(UNR_EVENT_LOSS));
  PetscFunctionReturn(PETSC_SUCCESS);
}
