/* The body of convert.c, included once for each `real`; NAME() tells the two apart.  No include guard. */

/* x[cell] = ((u - mean) / std, c), cells of one row of one sample; u NULL: zeros. */
static void NAME(LoadRow)(UnrNet net, const double *u, const double *mean, const double *c, real *x)
{
  const PetscInt cells = net->tile[0].shape.count[2], components = net->components,
                 constants = net->constants;

  for (PetscInt p = 0; p < cells; p++, x += net->in) {
    for (PetscInt k = 0; k < components; k++) {
      x[k] = (real)(u ? (u[p * components + k] - (mean ? mean[k] : 0)) / net->std[k] : 0);
    }
    for (PetscInt k = 0; k < constants; k++) x[components + k] = (real)c[k];
  }
}

/* Reverse of LoadRow: u_bar += x_bar / std, c_bar += sum over the cells; either may be NULL. */
static void NAME(LoadRowReverse)(UnrNet net, const real *x_bar, double *u_bar, double *c_bar)
{
  const PetscInt cells = net->tile[0].shape.count[2], components = net->components,
                 constants = net->constants;

  for (PetscInt p = 0; p < cells; p++, x_bar += net->in) {
    for (PetscInt k = 0; u_bar && k < components; k++)
      u_bar[p * components + k] += (double)x_bar[k] / net->std[k];
    for (PetscInt k = 0; c_bar && k < constants; k++) c_bar[k] += (double)x_bar[components + k];
  }
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
