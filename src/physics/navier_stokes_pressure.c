/*
  Pressure over density, of mean 0: what makes the momentum equation keep div u = 0,

      Laplace p = -div div(u u):   p = -K_i K_j (u_i u_j) / |K|^2 on modes;

  the forces have no divergence.  With the products of navier_stokes_products.c, which lack w^2 on the
  diagonal, p = -K_i K_j product_ij / |K|^2 - w^2.      Maths   docs/physics/navier_stokes.md eq. (8)
*/
#include "physics/navier_stokes.h"

/* Sizes of one sample. */
typedef struct {
  UnrNavierStokes ns; /* without the tracer's products */
  size_t cells, modes, samples;
  size_t fields, products; /* w^2 is the last product */
} Work;

PetscInt UnrPressureComponents(int dim)
{
  (void)dim;
  return 1;
}

static PetscErrorCode WorkSet(UnrPhysics physics, UnrBatch u, Work *w)
{
  const UnrNavierStokes *ns;

  PetscFunctionBeginUser;
  PetscCall(UnrNavierStokesGet(physics, &ns));
  w->ns = *ns;
  w->ns.products = ns->stresses;
  w->cells = (size_t)physics->fft->cells;
  w->modes = (size_t)physics->fft->modes;
  w->samples = (size_t)u->samples;
  w->fields = (size_t)ns->components;
  w->products = (size_t)ns->stresses + 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* K_i K_j over |K|^2, twice that off the diagonal; 1 for w^2, but not for modes without a wavenumber. */
static double Factor(const UnrNavierStokes *ns, int q, size_t m)
{
  const int i = ns->pair[q].first, j = ns->pair[q].second;

  if (q == ns->stresses) return ns->inverse[m] > 0;
  return (i == j ? 1 : 2) * ns->K[i][m] * ns->K[j][m] * ns->inverse[m];
}

/* p = -sum over products of their factor; its transpose. */
static void Gather(const Work *w, const UnrComplex product[], UnrComplex p[])
{
  for (size_t m = 0; m < w->modes; m++) p[m] = 0;
  for (int q = 0; q < (int)w->products; q++)
    for (size_t m = 0; m < w->modes; m++) p[m] -= Factor(&w->ns, q, m) * product[(size_t)q * w->modes + m];
}
static void GatherVjp(const Work *w, const UnrComplex p_bar[], UnrComplex product_bar[])
{
  for (int q = 0; q < (int)w->products; q++)
    for (size_t m = 0; m < w->modes; m++)
      product_bar[(size_t)q * w->modes + m] = -Factor(&w->ns, q, m) * p_bar[m];
}

/* v [sample][field][cell]: the state as the scheme sees it. */
static PetscErrorCode Fields(UnrPhysics physics, const Work *w, UnrBatch u, double *v)
{
  double *cells;
  UnrComplex *modes;

  PetscFunctionBeginUser;
  PetscCall(UnrNavierStokesLoad(physics, u, UNR_NS_SLOT_PRODUCTS, UNR_NS_SLOT_OTHER, &cells, &modes));
  PetscCall(UnrFFTBackward(physics->fft, (PetscInt)(w->samples * w->fields), modes, v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* From products in cells to the batch of pressures. */
static PetscErrorCode Finish(UnrPhysics physics, const Work *w, const double *product, UnrBatch p)
{
  UnrComplex *flux, *modes;

  PetscFunctionBeginUser;
  PetscCall(UnrNavierStokesModes(physics, UNR_NS_SLOT_MODES, w->samples * w->products, &flux));
  PetscCall(UnrNavierStokesModes(physics, UNR_NS_SLOT_OTHER, w->samples, &modes));
  PetscCall(UnrFFTForward(physics->fft, (PetscInt)(w->samples * w->products), product, flux));
  for (size_t s = 0; s < w->samples; s++) Gather(w, flux + s * w->products * w->modes, modes + s * w->modes);
  PetscCall(UnrNavierStokesStore(physics, modes, UNR_NS_SLOT_CELLS, p, INSERT_VALUES));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrPressureApply(UnrPhysics physics, const double par[], UnrBatch u, UnrBatch p)
{
  double *v, *product;
  Work w;

  PetscFunctionBeginUser;
  (void)par;
  PetscCall(WorkSet(physics, u, &w));
  PetscCall(UnrNavierStokesCells(physics, UNR_NS_SLOT_CELLS, w.samples * w.fields, &v));
  PetscCall(Fields(physics, &w, u, v));
  PetscCall(UnrNavierStokesCells(physics, UNR_NS_SLOT_PRODUCTS, w.samples * w.products, &product));
  for (size_t s = 0; s < w.samples; s++) {
    const double *vs = v + s * w.fields * w.cells, *last = vs + (size_t)(w.ns.dim - 1) * w.cells;
    double *ps = product + s * w.products * w.cells, *square = ps + (w.products - 1) * w.cells;

    UnrNavierStokesProducts(&w.ns, w.cells, vs, ps);
    for (size_t i = 0; i < w.cells; i++) square[i] = last[i] * last[i];
  }
  PetscCall(Finish(physics, &w, product, p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrPressureJvp(UnrPhysics physics, const double par[], UnrBatch u, UnrBatch u_dot,
                              const double par_dot[], UnrBatch p_dot)
{
  double *v, *v_dot, *product_dot;
  Work w;

  PetscFunctionBeginUser;
  (void)par;
  (void)par_dot;
  if (!u_dot) {
    PetscCall(UnrBatchZero(p_dot));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(WorkSet(physics, u, &w));
  PetscCall(UnrNavierStokesCells(physics, UNR_NS_SLOT_CELLS, 2 * w.samples * w.fields, &v));
  v_dot = v + w.samples * w.fields * w.cells;
  PetscCall(Fields(physics, &w, u, v));
  PetscCall(Fields(physics, &w, u_dot, v_dot));
  PetscCall(UnrNavierStokesCells(physics, UNR_NS_SLOT_PRODUCTS, w.samples * w.products, &product_dot));
  for (size_t s = 0; s < w.samples; s++) {
    const size_t at = s * w.fields * w.cells, last = at + (size_t)(w.ns.dim - 1) * w.cells;
    double *ps = product_dot + s * w.products * w.cells, *square = ps + (w.products - 1) * w.cells;

    UnrNavierStokesProductsJvp(&w.ns, w.cells, v + at, v_dot + at, ps);
    for (size_t i = 0; i < w.cells; i++) square[i] = 2 * v[last + i] * v_dot[last + i];
  }
  PetscCall(Finish(physics, &w, product_dot, p_dot));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrPressureVjp(UnrPhysics physics, const double par[], UnrBatch u, UnrBatch p_bar,
                              UnrBatch u_bar, double par_bar[])
{
  double *v, *v_bar, *product_bar, *cells;
  UnrComplex *modes, *flux_bar;
  Work w;

  PetscFunctionBeginUser;
  (void)par;
  (void)par_bar;
  if (!u_bar) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(WorkSet(physics, u, &w));
  const PetscInt fields = (PetscInt)(w.samples * w.fields), products = (PetscInt)(w.samples * w.products);
  /* v, and after it the products' cotangents */
  PetscCall(UnrNavierStokesCells(physics, UNR_NS_SLOT_CELLS, (size_t)(fields + products), &v));
  product_bar = v + (size_t)fields * w.cells;
  PetscCall(Fields(physics, &w, u, v));
  PetscCall(UnrNavierStokesLoad(physics, p_bar, UNR_NS_SLOT_PRODUCTS, UNR_NS_SLOT_OTHER, &cells, &modes));
  PetscCall(UnrNavierStokesModes(physics, UNR_NS_SLOT_MODES, (size_t)products, &flux_bar));
  for (size_t s = 0; s < w.samples; s++)
    GatherVjp(&w, modes + s * w.modes, flux_bar + s * w.products * w.modes);
  PetscCall(UnrFFTBackward(physics->fft, products, flux_bar, product_bar));
  PetscCall(UnrNavierStokesCells(physics, UNR_NS_SLOT_PRODUCTS, (size_t)fields, &v_bar));
  for (size_t s = 0; s < w.samples; s++) {
    const size_t at = s * w.fields * w.cells, last = at + (size_t)(w.ns.dim - 1) * w.cells;
    const double *ps = product_bar + s * w.products * w.cells, *square = ps + (w.products - 1) * w.cells;

    UnrNavierStokesProductsVjp(&w.ns, w.cells, v + at, ps, v_bar + at);
    for (size_t i = 0; i < w.cells; i++) v_bar[last + i] += 2 * v[last + i] * square[i];
  }
  PetscCall(UnrNavierStokesModes(physics, UNR_NS_SLOT_MODES, (size_t)fields, &modes));
  PetscCall(UnrFFTForward(physics->fft, fields, v_bar, modes));
  PetscCall(UnrNavierStokesStore(physics, modes, UNR_NS_SLOT_CELLS, u_bar, ADD_VALUES));
  PetscFunctionReturn(PETSC_SUCCESS);
}
