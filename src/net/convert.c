/*
  Where states become tiles and back: double to -net_precision, normalisation, diagnostic and constant
  channels; and the reverse.  Batches are [sample][cell][component], tiles [sample][cell][channel] with
  ghosts; row by row.
  Maths: docs/method/network.md, eq. (1)
*/
#include "net/net_impl.h"

/* Where some of the input's channels come from: the state, or one diagnostic field. */
typedef struct {
  PetscInt channel, components;
  double *data; /* [sample][cell][component], NULL: zeros, or not wanted */
} Source;

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

/* UnrNetConvertCreate - normalisation by 0, 1, 1, of net->fields.     Local. */
PetscErrorCode UnrNetConvertCreate(UnrNet net)
{
  PetscFunctionBeginUser;
  PetscCall(PetscCalloc3(net->fields, &net->mean, net->fields, &net->std, net->components, &net->scale));
  for (PetscInt k = 0; k < net->fields; k++) net->std[k] = 1;
  for (PetscInt k = 0; k < net->components; k++) net->scale[k] = 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrNetConvertDestroy(UnrNet net)
{
  PetscFunctionBeginUser;
  PetscCall(PetscFree(net->constant));
  PetscCall(PetscFree3(net->mean, net->std, net->scale));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrNetNormalisationSet(UnrNet net, const double mean[], const double std[],
                                      const double scale[])
{
  PetscFunctionBeginUser;
  for (PetscInt k = 0; std && k < net->fields; k++) {
    PetscCheck(std[k] > 0, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "std[%" PetscInt_FMT "] = %g", k,
               std[k]);
  }
  if (mean) PetscCall(PetscArraycpy(net->mean, mean, net->fields));
  if (std) PetscCall(PetscArraycpy(net->std, std, net->fields));
  if (scale) PetscCall(PetscArraycpy(net->scale, scale, net->components));
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

/* Row r's sample. */
static PetscInt RowSample(UnrNet net, size_t r)
{
  return (PetscInt)(r / (UnrTileRows(&net->tile[0].shape) / (size_t)net->samples));
}
/* Row r in a batch of so many components, and in a source. */
static size_t RowInBatch(UnrNet net, size_t r, PetscInt components)
{
  return r * (size_t)(net->tile[0].shape.count[2] * components);
}
static double *RowInSource(UnrNet net, size_t r, const Source *s)
{
  return s->data ? s->data + RowInBatch(net, r, s->components) : NULL;
}

/* Source i: the state u, NULL: zeros; then the diagnostics' batches. */
static Source SourceAt(UnrNet net, PetscInt i, UnrBatch u)
{
  const UnrNetDiagnostic *d = i ? &net->diagnostic[i - 1] : NULL;

  if (!d) return (Source){0, net->components, u ? u->data : NULL};
  return (Source){d->channel, d->grid->components, d->batch->data};
}

static void LoadFields(UnrNet net, UnrBatch u, const double mean[], void *x)
{
  const UnrTileShape *shape = &net->tile[0].shape;

  for (PetscInt i = 0; i <= net->diagnostics; i++) {
    const Source s = SourceAt(net, i, u);

    for (size_t r = 0; r < UnrTileRows(shape); r++) {
      if (net->precision == UNR_SINGLE)
        LoadRowSingle(net, &s, RowInSource(net, r, &s), mean, (float *)x + UnrTileRow(shape, r));
      else
        LoadRowDouble(net, &s, RowInSource(net, r, &s), mean, (double *)x + UnrTileRow(shape, r));
    }
  }
}

/* The constant channels of a row. */
static void LoadConstants(UnrNet net, size_t r, const double c[], void *x)
{
  const size_t at = UnrTileRow(&net->tile[0].shape, r);

  if (net->precision == UNR_SINGLE)
    LoadConstantsSingle(net, c, (float *)x + at);
  else
    LoadConstantsDouble(net, c, (double *)x + at);
}

/* UnrNetLoad - interior of the input tile x = ((u - mean) / std, diagnostics likewise, c).     Collective on
 * the grid. */
PetscErrorCode UnrNetLoad(UnrNet net, const double par[], UnrBatch u, void *x)
{
  double c[UNR_NET_CONSTANTS];

  PetscFunctionBeginUser;
  PetscCall(UnrNetDiagnose(net, par, u));
  LoadFields(net, u, net->mean, x);
  for (size_t r = 0; net->constants && r < UnrTileRows(&net->tile[0].shape); r++) {
    PetscCall(UnrNetConstants(net, par, RowSample(net, r), c));
    LoadConstants(net, r, c, x);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* UnrNetLoadTangent - x_dot of UnrNetLoad(); u_dot, par_dot NULL: zero.     Collective on the grid. */
PetscErrorCode UnrNetLoadTangent(UnrNet net, const double par[], UnrBatch u, UnrBatch u_dot,
                                 const double par_dot[], void *x_dot)
{
  double c_dot[UNR_NET_CONSTANTS];

  PetscFunctionBeginUser;
  PetscCall(UnrNetDiagnoseTangent(net, par, u, u_dot, par_dot));
  LoadFields(net, u_dot, NULL, x_dot);
  for (size_t r = 0; net->constants && r < UnrTileRows(&net->tile[0].shape); r++) {
    PetscCall(UnrNetConstantsTangent(net, par, par_dot, RowSample(net, r), c_dot));
    LoadConstants(net, r, c_dot, x_dot);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  UnrNetLoadReverse - reverse of UnrNetLoad().     Collective on the grid.
  In      state     that the net saw, where it has diagnostics
  In/out  u_bar     ADDED; NULL: not wanted
          par_bar   [sample][parameter], this rank's cells ADDED; NULL: not wanted
*/
PetscErrorCode UnrNetLoadReverse(UnrNet net, const double par[], const double *state, const void *x_bar,
                                 UnrBatch u_bar, double par_bar[])
{
  const UnrTileShape *shape = &net->tile[0].shape;

  PetscFunctionBeginUser;
  for (PetscInt k = 0; k < net->diagnostics; k++) PetscCall(UnrBatchZero(net->diagnostic[k].batch));
  for (PetscInt i = u_bar ? 0 : 1; i <= net->diagnostics; i++) {
    const Source s = SourceAt(net, i, u_bar);

    for (size_t r = 0; r < UnrTileRows(shape); r++) {
      if (net->precision == UNR_SINGLE)
        LoadRowReverseSingle(net, &s, (const float *)x_bar + UnrTileRow(shape, r), RowInSource(net, r, &s));
      else
        LoadRowReverseDouble(net, &s, (const double *)x_bar + UnrTileRow(shape, r), RowInSource(net, r, &s));
    }
  }
  PetscCall(UnrNetDiagnoseReverse(net, par, state, u_bar, par_bar));
  for (size_t r = 0; par_bar && net->constants && r < UnrTileRows(shape); r++) {
    double c_bar[UNR_NET_CONSTANTS] = {0};

    if (net->precision == UNR_SINGLE)
      LoadConstantsReverseSingle(net, (const float *)x_bar + UnrTileRow(shape, r), c_bar);
    else
      LoadConstantsReverseDouble(net, (const double *)x_bar + UnrTileRow(shape, r), c_bar);
    PetscCall(UnrNetConstantsReverse(net, par, RowSample(net, r), c_bar, par_bar));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* UnrNetStore - out = scale y, from the output tile's interior.     Local.  Also its own tangent. */
PetscErrorCode UnrNetStore(UnrNet net, const void *y, UnrBatch out)
{
  const UnrTileShape *shape = &net->tile[net->nodes].shape;

  PetscFunctionBeginUser;
  for (size_t r = 0; r < UnrTileRows(shape); r++) {
    double *row = out->data + RowInBatch(net, r, net->components);

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
    double *row = out_bar->data + RowInBatch(net, r, net->components);

    if (net->precision == UNR_SINGLE)
      StoreRowReverseSingle(net, row, (float *)y_bar + UnrTileRow(shape, r));
    else
      StoreRowReverseDouble(net, row, (double *)y_bar + UnrTileRow(shape, r));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
