/* One row of an exponential Runge-Kutta scheme: forward, tangent, reverse. */
#include "stepper/etdrk_row.h"

/* How many N the row reads: the step reads all, stage i those before it. */
static int Columns(const UnrEtdrkRow *row)
{
  return row->row;
}

/* y += f x, and its reverse x_bar += conj(f) y_bar. */
static void MultiplyAdd(size_t n, const UnrComplex f[], const UnrComplex x[], UnrComplex y[])
{
  for (size_t m = 0; m < n; m++) y[m] += f[m] * x[m];
}

static void MultiplyAdd_reverse(size_t n, const UnrComplex f[], const UnrComplex y_bar[], UnrComplex x_bar[])
{
  for (size_t m = 0; m < n; m++) x_bar[m] += conj(f[m]) * y_bar[m];
}

/* out = f_p u + sum_j f_j n_j, with the values F or with their slopes. */
static void Sum(const UnrEtdrkRow *row, UnrComplex *const f[], const UnrComplex u[], const UnrComplex n[],
                UnrComplex out[])
{
  const UnrEtdrkTableau *tableau = row->tableau;
  const UnrComplex *propagator = f[tableau->propagator[row->row]];

  for (size_t m = 0; m < row->modes; m++) out[m] = propagator[m] * u[m];
  for (int j = 0; j < Columns(row); j++) {
    const int w = tableau->weight[row->row][j];

    if (w) MultiplyAdd(row->modes, f[w], n + (size_t)j * row->stage_stride, out);
  }
}

void UnrEtdrkRowForward(const UnrEtdrkRow *row, const UnrComplex u[], const UnrComplex n[], UnrComplex out[])
{
  Sum(row, row->coefficients->value, u, n, out);
}

/* out_dot = F_p u_dot + sum_j F_j n_dot_j + (sum_p dL/dpar_p par_dot_p) (F'_p u + sum_j F'_j n_j). */
void UnrEtdrkRowTangent(const UnrEtdrkRow *row, const UnrComplex u[], const UnrComplex n[],
                        const UnrComplex u_dot[], const UnrComplex n_dot[], const double par_dot[],
                        UnrComplex out_dot[])
{
  if (par_dot) Sum(row, row->coefficients->slope, u, n, row->slope);
  Sum(row, row->coefficients->value, u_dot, n_dot, out_dot);
  for (PetscInt p = 0; par_dot && p < row->parameters; p++) {
    const UnrComplex *dL = row->coefficients->symbol_par + (size_t)p * row->modes;

    for (size_t m = 0; m < row->modes; m++) out_dot[m] += par_dot[p] * dL[m] * row->slope[m];
  }
}

/* par_bar_p += sum_m weight Re(conj(out_bar) dL/dpar_p slope) / points. */
static void ParameterReverse(const UnrEtdrkRow *row, const UnrComplex out_bar[], double par_bar[])
{
  const size_t modes = (size_t)row->fft->modes;
  const double scale = 1.0 / (double)row->fft->grid->total;

  for (PetscInt p = 0; p < row->parameters; p++) {
    const UnrComplex *dL = row->coefficients->symbol_par + (size_t)p * row->modes;
    double sum = 0;

    for (size_t c = 0; c < (size_t)row->components; c++) {
      for (size_t k = 0; k < modes; k++) {
        const size_t m = c * modes + k;

        sum += row->fft->weight[k] * creal(conj(out_bar[m]) * dL[m] * row->slope[m]);
      }
    }
    par_bar[p] += scale * sum;
  }
}

void UnrEtdrkRowReverse(const UnrEtdrkRow *row, const UnrComplex u[], const UnrComplex n[],
                        const UnrComplex out_bar[], UnrComplex u_bar[], UnrComplex n_bar[], double par_bar[])
{
  const UnrEtdrkTableau *tableau = row->tableau;
  UnrComplex *const *f = row->coefficients->value;

  /* out = F_p u + sum_j F_j n_j */
  MultiplyAdd_reverse(row->modes, f[tableau->propagator[row->row]], out_bar, u_bar);
  for (int j = 0; j < Columns(row); j++) {
    const int w = tableau->weight[row->row][j];

    if (w) MultiplyAdd_reverse(row->modes, f[w], out_bar, n_bar + (size_t)j * row->stage_stride);
  }
  if (!par_bar) return;
  Sum(row, row->coefficients->slope, u, n, row->slope);
  ParameterReverse(row, out_bar, par_bar);
}
