/*
  Where states become tiles and back: double to -net_precision, normalisation, constant channels; and the
  reverse.  Batches are [sample][cell][component], tiles [sample][cell][channel] with ghosts; row by row.
  Maths: docs/method/network.md, eq. (1)
*/
#include "core/error.h"
#include "net/net_impl.h"

#define real float
#define NAME(function) function##Single
#include "net/convert_body.h"
#undef real
#undef NAME

#define real double
#define NAME(function) function##Double
#include "net/convert_body.h"
#undef real
#undef NAME

/* "a|b": the sample's parameters, for the message. */
static void ParameterNames(UnrPhysics physics, char names[], size_t room)
{
  size_t used = 0;

  names[0] = 0;
  for (PetscInt p = 0; p < UnrPhysicsParameters(physics) && used < room; p++) {
    used += (size_t)snprintf(names + used, room - used, "%s%s", p ? "|" : "",
                             UnrPhysicsParameterName(physics, p));
  }
}

/*
  UnrNetConvertCreate - which constants are fed; normalisation by 0, 1, 1.     Collective on the world.
  In      names     parameters of the sample
          divisor   [divisors], none: 1
  Errors  a user error for a name that the physics has not, or for another number of divisors than of names
*/
PetscErrorCode UnrNetConvertCreate(UnrNet net, PetscInt constants, const char *const names[],
                                   PetscInt divisors, const double divisor[])
{
  char known[256];

  PetscFunctionBeginUser;
  UnrUserCheck(!divisors || divisors == constants,
               "-net_constant_scale has (%" PetscInt_FMT ") numbers for %" PetscInt_FMT
               " names of -net_constants; allowed: none or one each; try: -net_constant_scale 1 for each",
               divisors, constants);
  net->constants = constants;
  PetscCall(PetscMalloc2(constants, &net->constant, constants, &net->constant_divisor));
  PetscCall(
      PetscMalloc3(net->components, &net->mean, net->components, &net->std, net->components, &net->scale));
  ParameterNames(net->physics, known, sizeof(known));
  for (PetscInt k = 0; k < constants; k++) {
    net->constant[k] = UnrPhysicsParameterIndex(net->physics, names[k]);
    UnrUserCheck(net->constant[k] >= 0,
                 "-net_constants (%s) is no parameter of physics %s; allowed: %s; try: %s", names[k],
                 UnrPhysicsName(net->physics), known, known);
    net->constant_divisor[k] = divisors ? divisor[k] : 1;
    UnrUserCheck(net->constant_divisor[k] != 0,
                 "-net_constant_scale of %s (0); allowed: any number but 0; try: 1", names[k]);
  }
  for (PetscInt k = 0; k < net->components; k++) {
    net->mean[k] = 0;
    net->std[k] = net->scale[k] = 1;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrNetConvertDestroy(UnrNet net)
{
  PetscFunctionBeginUser;
  PetscCall(PetscFree2(net->constant, net->constant_divisor));
  PetscCall(PetscFree3(net->mean, net->std, net->scale));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrNetNormalisationSet(UnrNet net, const double mean[], const double std[],
                                      const double scale[])
{
  PetscFunctionBeginUser;
  for (PetscInt k = 0; std && k < net->components; k++) {
    PetscCheck(std[k] > 0, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "std[%" PetscInt_FMT "] = %g", k,
               std[k]);
  }
  for (PetscInt k = 0; k < net->components; k++) {
    if (mean) net->mean[k] = mean[k];
    if (std) net->std[k] = std[k];
    if (scale) net->scale[k] = scale[k];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrNetNormalisationGet(UnrNet net, const double *mean[], const double *std[],
                                      const double *scale[])
{
  PetscFunctionBeginUser;
  *mean = net->mean;
  *std = net->std;
  *scale = net->scale;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Row r: its sample, its first number in a batch's data, its first number in a tile. */
static PetscInt RowSample(UnrNet net, size_t r)
{
  return (PetscInt)(r / (UnrTileRows(&net->tile[0].shape) / (size_t)net->samples));
}
static size_t RowInBatch(UnrNet net, size_t r)
{
  return r * (size_t)(net->tile[0].shape.count[2] * net->components);
}

/* The constant channels of a sample; par NULL: zeros. */
static void Constants(UnrNet net, const double par[], PetscInt sample, double c[])
{
  const PetscInt parameters = UnrPhysicsParameters(net->physics);

  for (PetscInt k = 0; k < net->constants; k++) {
    c[k] = par ? par[sample * parameters + net->constant[k]] / net->constant_divisor[k] : 0;
  }
}

static void Load(UnrNet net, const double par[], UnrBatch u, const double mean[], void *x)
{
  const UnrTileShape *shape = &net->tile[0].shape;
  double c[UNR_NET_CONSTANTS];

  for (size_t r = 0; r < UnrTileRows(shape); r++) {
    const double *row = u ? u->data + RowInBatch(net, r) : NULL;
    const size_t at = UnrTileRow(shape, r);

    Constants(net, par, RowSample(net, r), c);
    if (net->precision == UNR_SINGLE)
      LoadRowSingle(net, row, mean, c, (float *)x + at);
    else
      LoadRowDouble(net, row, mean, c, (double *)x + at);
  }
}

/* UnrNetLoad - interior of the input tile x = ((u - mean) / std, c).     Local. */
PetscErrorCode UnrNetLoad(UnrNet net, const double par[], UnrBatch u, void *x)
{
  PetscFunctionBeginUser;
  Load(net, par, u, net->mean, x);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* UnrNetLoadTangent - x_dot = (u_dot / std, c_dot); u_dot, par_dot NULL: zero.     Local. */
PetscErrorCode UnrNetLoadTangent(UnrNet net, const double par_dot[], UnrBatch u_dot, void *x_dot)
{
  PetscFunctionBeginUser;
  Load(net, par_dot, u_dot, NULL, x_dot);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  UnrNetLoadReverse - reverse of UnrNetLoad().     Local.
  In/out  u_bar     ADDED; NULL: not wanted
          par_bar   [sample][parameter], this rank's cells ADDED; NULL: not wanted
*/
PetscErrorCode UnrNetLoadReverse(UnrNet net, const void *x_bar, UnrBatch u_bar, double par_bar[])
{
  const UnrTileShape *shape = &net->tile[0].shape;
  const PetscInt parameters = UnrPhysicsParameters(net->physics);

  PetscFunctionBeginUser;
  for (size_t r = 0; r < UnrTileRows(shape); r++) {
    double *row = u_bar ? u_bar->data + RowInBatch(net, r) : NULL, c_bar[UNR_NET_CONSTANTS] = {0};
    const size_t at = UnrTileRow(shape, r);
    const PetscInt sample = RowSample(net, r);

    if (net->precision == UNR_SINGLE)
      LoadRowReverseSingle(net, (const float *)x_bar + at, row, par_bar ? c_bar : NULL);
    else
      LoadRowReverseDouble(net, (const double *)x_bar + at, row, par_bar ? c_bar : NULL);
    for (PetscInt k = 0; par_bar && k < net->constants; k++) {
      par_bar[sample * parameters + net->constant[k]] += c_bar[k] / net->constant_divisor[k];
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* UnrNetStore - out = scale y, from the output tile's interior.     Local.  Also its own tangent. */
PetscErrorCode UnrNetStore(UnrNet net, const void *y, UnrBatch out)
{
  const UnrTileShape *shape = &net->tile[net->nodes].shape;

  PetscFunctionBeginUser;
  for (size_t r = 0; r < UnrTileRows(shape); r++) {
    double *row = out->data + RowInBatch(net, r);

    if (net->precision == UNR_SINGLE)
      StoreRowSingle(net, (const float *)y + UnrTileRow(shape, r), row);
    else
      StoreRowDouble(net, (const double *)y + UnrTileRow(shape, r), row);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* UnrNetStoreReverse - y_bar = scale out_bar, the only part of the output tile's cotangent.     Local. */
PetscErrorCode UnrNetStoreReverse(UnrNet net, UnrBatch out_bar, void *y_bar)
{
  const UnrTileShape *shape = &net->tile[net->nodes].shape;

  PetscFunctionBeginUser;
  for (size_t r = 0; r < UnrTileRows(shape); r++) {
    const double *row = out_bar->data + RowInBatch(net, r);

    if (net->precision == UNR_SINGLE)
      StoreRowReverseSingle(net, row, (float *)y_bar + UnrTileRow(shape, r));
    else
      StoreRowReverseDouble(net, row, (double *)y_bar + UnrTileRow(shape, r));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
