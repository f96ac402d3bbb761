#include "app/train_state.h"
#include "core/error.h"

#include <math.h>
#include <string.h>

enum { ARRAYS = 8192 };

/* A vector of numbers of the state, by name. */
static UnrArray Vector(const char *name, UnrNumberType type, size_t n, void *data)
{
  UnrArray array = {.type = type, .rank = 1, .shape = {(PetscInt64)n}, .data = data};

  snprintf(array.name, sizeof(array.name), "%s", name);
  return array;
}

PetscErrorCode UnrTrainStateCreate(const UnrUpdater *updater, UnrTrainState *state)
{
  const UnrNet net = updater->c->net;

  PetscFunctionBeginUser;
  *state = (UnrTrainState){.best = INFINITY};
  PetscCall(
      UnrBlockReserve(&state->best_theta, UnrNetParameters(net) * UnrPrecisionBytes(UnrNetPrecision(net))));
  PetscCall(UnrTrainStateKeepBest(state, net));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrTrainStateDestroy(UnrTrainState *state)
{
  PetscFunctionBeginUser;
  PetscCall(UnrBlockFree(&state->best_theta));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrTrainStateKeepBest(UnrTrainState *state, UnrNet net)
{
  void *theta;

  PetscFunctionBeginUser;
  PetscCall(UnrNetTheta(net, &theta));
  memcpy(state->best_theta.data, theta, UnrNetParameters(net) * UnrPrecisionBytes(UnrNetPrecision(net)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrTrainStateTakeBest(const UnrTrainState *state, UnrNet net)
{
  void *theta;

  PetscFunctionBeginUser;
  PetscCall(UnrNetTheta(net, &theta));
  memcpy(theta, state->best_theta.data, UnrNetParameters(net) * UnrPrecisionBytes(UnrNetPrecision(net)));
  PetscCall(UnrNetThetaChanged(net));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Every number of the state, in place. */
static PetscErrorCode Arrays(UnrTrainState *s, UnrUpdater *u, PetscInt *arrays, UnrArray array[])
{
  const UnrNet net = u->c->net;
  const UnrNumberType real = UnrNetPrecision(net) == UNR_SINGLE ? UNR_FLOAT32 : UNR_FLOAT64;
  const char *name;
  void *theta, *moment;
  PetscInt n = 0;

  PetscFunctionBeginUser;
  PetscCall(UnrNetTheta(net, &theta));
  PetscCall(UnrModelArrays(net, "weights/", theta, true, ARRAYS, &n, array));
  PetscCall(UnrModelArrays(net, "best/", s->best_theta.data, false, ARRAYS, &n, array));
  for (PetscInt i = 0;; i++) {
    char path[64];

    PetscCall(UnrOptimMoment(u->optim, i, &name, &moment));
    if (!name) break;
    snprintf(path, sizeof(path), "moments/%s", name);
    array[n++] = Vector(path, real, UnrNetParameters(net), moment);
  }
  array[n++] = Vector("moments/count", UNR_INT64, 1, UnrOptimCount(u->optim));
  array[n++] = Vector("update", UNR_INT64, 1, &s->update);
  array[n++] = Vector("total", UNR_INT64, 1, &s->total);
  array[n++] = Vector("stage", UNR_INT64, 1, &s->stage);
  array[n++] = Vector("stage_update", UNR_INT64, 1, &s->stage_update);
  array[n++] = Vector("batches", UNR_INT64, 1, &s->batches);
  array[n++] = Vector("rate_state", UNR_FLOAT64, UNR_RATE_STATE, s->rate.state);
  array[n++] = Vector("best_validation", UNR_FLOAT64, 1, &s->best);
  array[n++] = Vector("loss_first", UNR_FLOAT64, 1, &s->loss_first);
  array[n++] = Vector("loss_last", UNR_FLOAT64, 1, &s->loss_last);
  array[n++] = Vector("seconds", UNR_FLOAT64, 1, &s->seconds);
  array[n++] = Vector("guard/mean", UNR_FLOAT64, (size_t)u->guard.tensors, u->guard.mean);
  array[n++] = Vector("guard/accepted", UNR_INT64, 1, &u->guard.accepted);
  array[n++] = Vector("guard/skipped", UNR_INT64, UNR_SKIPS, u->guard.skipped);
  *arrays = n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrTrainStateWrite(UnrTrainState *state, UnrUpdater *updater, const char *directory)
{
  UnrArray *array;
  PetscInt arrays;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc1(ARRAYS, &array));
  PetscCall(Arrays(state, updater, &arrays, array));
  PetscCall(UnrCheckpointWrite(directory, state->update, arrays, array));
  PetscCall(PetscFree(array));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Counts are counts, and weights are finite. */
static PetscErrorCode CheckNumbers(const char *path, PetscInt arrays, const UnrArray array[])
{
  PetscFunctionBeginUser;
  for (PetscInt i = 0; i < arrays; i++) {
    const UnrArray *a = &array[i];
    const bool is_model = !strncmp(a->name, "weights/", 8) || !strncmp(a->name, "best/", 5) ||
                          !strncmp(a->name, "normalisation/", 14);
    bool is_usable = !is_model || UnrModelArrayIsUsable(a);

    for (PetscInt64 k = 0; a->type == UNR_INT64 && k < a->shape[0]; k++)
      is_usable = is_usable && ((const PetscInt64 *)a->data)[k] >= 0;
    UnrUserCheck(is_usable,
                 "array '%s' of the checkpoint %s holds numbers that cannot be used; allowed: those of a "
                 "training; try: an earlier checkpoint",
                 a->name, path);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrTrainStateRead(UnrTrainState *state, UnrUpdater *updater, const char *path)
{
  UnrArray *array;
  PetscInt arrays;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc1(ARRAYS, &array));
  PetscCall(Arrays(state, updater, &arrays, array));
  PetscCall(UnrStateFileRead(path, "checkpoint", arrays, array));
  PetscCall(CheckNumbers(path, arrays, array));
  PetscCall(PetscFree(array));
  PetscCall(UnrNetThetaChanged(updater->c->net));
  PetscFunctionReturn(PETSC_SUCCESS);
}
