/* The body of convert.c, included once for each `real`; NAME() tells the two apart.  No include guard. */

/* Channels of one source in one row: x[cell][source's channels] = (u - mean) / std; u, mean NULL: zeros. */
static void NAME(LoadRow)(UnrNet net, const Source *s, const double *u, const double *mean, real *x)
{
  const PetscInt cells = net->tile[0].shape.count[2], components = s->components;

  x += s->channel;
  for (PetscInt p = 0; p < cells; p++, x += net->in) {
    for (PetscInt k = 0; k < components; k++) x[k] = 0;
    for (PetscInt k = 0; u && k < components; k++)
      x[k] = (real)((*u++ - (mean ? mean[s->channel + k] : 0)) / net->std[s->channel + k]);
  }
}

/* Reverse of LoadRow: u_bar += x_bar / std. */
static void NAME(LoadRowReverse)(UnrNet net, const Source *s, const real *x_bar, double *u_bar)
{
  const PetscInt cells = net->tile[0].shape.count[2], components = s->components;

  x_bar += s->channel;
  for (PetscInt p = 0; p < cells; p++, x_bar += net->in)
    for (PetscInt k = 0; k < components; k++) *u_bar++ += (double)x_bar[k] / net->std[s->channel + k];
}

/* Constant channels of one row, and their reverse: c_bar += sum over the cells. */
static void NAME(LoadConstants)(UnrNet net, const double *c, real *x)
{
  const PetscInt cells = net->tile[0].shape.count[2];

  x += net->fields;
  for (PetscInt p = 0; p < cells; p++, x += net->in)
    for (PetscInt k = 0; k < net->constants; k++) x[k] = (real)c[k];
}
static void NAME(LoadConstantsReverse)(UnrNet net, const real *x_bar, double *c_bar)
{
  const PetscInt cells = net->tile[0].shape.count[2];

  x_bar += net->fields;
  for (PetscInt p = 0; p < cells; p++, x_bar += net->in)
    for (PetscInt k = 0; k < net->constants; k++) c_bar[k] += (double)x_bar[k];
}

/* out = scale y, cells of one row. */
static void NAME(StoreRow)(UnrNet net, const real *y, double *out)
{
  const PetscInt cells = net->tile[0].shape.count[2], components = net->components;

  for (PetscInt p = 0; p < cells; p++) {
    for (PetscInt k = 0; k < components; k++)
      out[p * components + k] = net->scale[k] * (double)y[p * components + k];
  }
}

/* Reverse of StoreRow: y_bar = scale out_bar, where y_bar held nothing. */
static void NAME(StoreRowReverse)(UnrNet net, const double *out_bar, real *y_bar)
{
  const PetscInt cells = net->tile[0].shape.count[2], components = net->components;

  for (PetscInt p = 0; p < cells; p++) {
    for (PetscInt k = 0; k < components; k++) {
      y_bar[p * components + k] = (real)(net->scale[k] * out_bar[p * components + k]);
    }
  }
}
