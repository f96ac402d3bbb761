/* Weights and constants of a net as arrays of a file, and -model_file. */
#include "checkpoint/model_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "checkpoint/state_impl.h"
#include "core/error.h"

const UnrOption UnrModelFileOptions[] = {
    {"-model_file", UNR_PATH, NULL, 0, 0, NULL,
     "model.h5 of train: its weights, and its options where not given", NULL},
    {NULL, UNR_BOOL, NULL, 0, 0, NULL, NULL, NULL},
};

static const char kind[] = "model";

static PetscErrorCode Append(PetscInt room, PetscInt *arrays, UnrArray array[], const UnrArray *next,
                             const char *prefix, const char *name)
{
  PetscFunctionBeginUser;
  PetscCheck(*arrays < room, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ, "more than %" PetscInt_FMT " arrays", room);
  array[*arrays] = *next;
  const int length = snprintf(array[*arrays].name, sizeof next->name, "%s%s", prefix, name);
  PetscCheck(length < (int)sizeof next->name, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ, "%s%s is too long a name",
             prefix, name);
  ++*arrays;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  UnrModelArrays - a net's numbers for a state file.     Local.
  In      theta      flat, of the net's precision, borrowed; NULL: the net's own weights
          constants  also normalisation/mean, std, scale: float64, the net's own
  In/out  array      [room], those from *arrays on are filled; their data is borrowed from theta and the net
*/
PetscErrorCode UnrModelArrays(UnrNet net, const char *prefix, void *theta, bool constants, PetscInt room,
                              PetscInt *arrays, UnrArray array[])
{
  static const char *const names[] = {"mean", "std", "scale"};
  const size_t bytes = UnrPrecisionBytes(UnrNetPrecision(net));
  const double *value[3];
  const char *name;
  PetscInt shape[5];
  size_t offset;

  PetscFunctionBeginUser;
  if (!theta) PetscCall(UnrNetTheta(net, &theta));
  for (PetscInt i = 0;; i++) {
    UnrArray next = {.type = UnrNetPrecision(net) == UNR_SINGLE ? UNR_FLOAT32 : UNR_FLOAT64};

    PetscCall(UnrNetView(net, i, &name, &next.rank, shape, &offset));
    if (!name) break;
    for (PetscInt a = 0; a < next.rank; a++) next.shape[a] = shape[a];
    next.data = (char *)theta + offset * bytes;
    PetscCall(Append(room, arrays, array, &next, prefix, name));
  }
  if (!constants) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(UnrNetNormalisationGet(net, &value[0], &value[1], &value[2]));
  for (int k = 0; k < 3; k++) {
    const UnrArray next = {.type = UNR_FLOAT64,
                           .rank = 1,
                           .shape = {k < 2 ? UnrNetFields(net) : UnrNetComponents(net)},
                           .data = (void *)(uintptr_t)value[k]};

    PetscCall(Append(room, arrays, array, &next, "normalisation/", names[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All arrays of the model file; *array is the caller's. */
static PetscErrorCode Arrays(UnrNet net, void *theta, PetscInt *arrays, UnrArray **array)
{
  PetscInt views = 0, rank, shape[5];
  const char *name;
  size_t offset;

  PetscFunctionBeginUser;
  do PetscCall(UnrNetView(net, views++, &name, &rank, shape, &offset));
  while (name);
  *arrays = 0;
  PetscCall(PetscMalloc1((size_t)views + 3, array));
  PetscCall(UnrModelArrays(net, "weights/", theta, true, views + 3, arrays, *array));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrModelFileWrite(const char *path, UnrNet net, const void *theta)
{
  PetscInt arrays;
  UnrArray *array;
  PetscErrorCode code;

  PetscFunctionBeginUser;
  PetscCall(Arrays(net, (void *)(uintptr_t)theta, &arrays, &array));
  code = UnrStateFileWrite(path, kind, arrays, array);
  PetscCall(PetscFree(array));
  PetscCall(code);
  PetscFunctionReturn(PETSC_SUCCESS);
}

bool UnrModelArrayIsUsable(const UnrArray *array)
{
  const size_t numbers = UnrStateArrayBytes(array) / (array->type == UNR_FLOAT32 ? 4 : 8);
  const bool is_divisor = !strcmp(array->name, "normalisation/std");

  for (size_t i = 0; i < numbers; i++) {
    const double x =
        array->type == UNR_FLOAT32 ? ((const float *)array->data)[i] : ((const double *)array->data)[i];
    if (!isfinite(x) || (is_divisor && x <= 0)) return false;
  }
  return true;
}

static PetscErrorCode CountWeights(const UnrArray *array, void *context)
{
  PetscFunctionBeginUser;
  if (!strncmp(array->name, "weights/", 8)) ++*(PetscInt *)context;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Into the arrays, and whether they can be a net's. */
static PetscErrorCode Read(const char *path, PetscInt arrays, const UnrArray array[])
{
  PetscInt weights = 0;

  PetscFunctionBeginUser;
  PetscCall(UnrStateFileRead(path, kind, arrays, array));
  PetscCall(UnrStateFileArrays(path, kind, CountWeights, &weights));
  UnrUserCheck(weights == arrays - 3,
               "the model %s has %" PetscInt_FMT " arrays of weights; allowed: %" PetscInt_FMT
               ", of the net that the options describe; try: the -net_ options that it was made with",
               path, weights, arrays - 3);
  for (PetscInt i = 0; i < arrays; i++)
    UnrUserCheck(
        UnrModelArrayIsUsable(&array[i]),
        "array '%s' of the model %s holds numbers that cannot be used; allowed: finite numbers of the "
        "net's precision, std above 0; try: an earlier model",
        array[i].name, path);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrModelFileLoad(UnrNet net, bool *is_loaded)
{
  const char *path;
  PetscInt arrays;
  UnrArray *array;
  PetscErrorCode code;

  PetscFunctionBeginUser;
  *is_loaded = false;
  PetscCall(UnrOptionWord(UnrModelFileOptions, NULL, "-model_file", &path));
  if (!path) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Arrays(net, NULL, &arrays, &array));
  code = Read(path, arrays, array);
  PetscCall(PetscFree(array));
  PetscCall(code);
  PetscCall(UnrNetThetaChanged(net));
  *is_loaded = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}
