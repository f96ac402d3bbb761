/*
  Incompressible Navier-Stokes, Fourier spectral:  u_t = P(-u . grad u + f) + nu Laplace u - drag u,
  div u = 0, periodic, 2-D and 3-D; with a passive scalar  s_t + u . grad s = kappa Laplace s  if asked for.

  Products are formed in cells, 2 or 5 of the velocity; everything else is on modes.  Maths
  docs/physics/navier_stokes.md      Source  Canuto, Hussaini, Quarteroni & Zang 2007,
  doi:10.1007/978-3-540-30728-0, 3.3 (P, divergence form)
*/
#include "physics/navier_stokes_closure.h"

static PetscErrorCode UnrPhysicsDescribe_NavierStokesSpectral(int dim, UnrNeeds *needs, PetscInt *components)
{
  bool has_tracer;

  PetscFunctionBeginUser;
  PetscCall(UnrOptionBool(UnrNavierStokesOptions, NULL, "-physics_navier_stokes_tracer", &has_tracer));
  for (int a = 1; a < dim; a++) {
    needs->split[a] = false; /* slabs of x */
    needs->who[a] = "navier_stokes_spectral";
  }
  *components = dim + has_tracer;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode UnrPhysicsDealias_NavierStokesSpectral(UnrPhysics physics, bool *dealias)
{
  PetscFunctionBeginUser;
  (void)physics;
  PetscCall(UnrOptionBool(UnrNavierStokesOptions, NULL, "-physics_navier_stokes_dealias", dealias));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* -nu |K|^2 - drag, of the linear forcing + A but for the mean; of the tracer -kappa |K|^2. */
static PetscErrorCode UnrPhysicsSymbol_NavierStokesSpectral(UnrPhysics physics, const double par[],
                                                            UnrComplex symbol[], UnrComplex symbol_par[])
{
  const size_t modes = (size_t)physics->fft->modes;
  const UnrNavierStokes *ns;

  PetscFunctionBeginUser;
  PetscCall(UnrNavierStokesGet(physics, &ns));
  const size_t stride = (size_t)ns->components * modes;
  if (symbol_par) PetscCall(PetscArrayzero(symbol_par, UNR_NS_PARAMETERS * stride));
  for (int c = 0; c < ns->components; c++) {
    const bool is_tracer = c == ns->dim;
    UnrComplex *L = symbol + (size_t)c * modes, *L_par = symbol_par ? symbol_par + (size_t)c * modes : NULL;

    for (size_t m = 0; m < modes; m++) {
      const double K2 = ns->K2[m], is_forced = ns->forcing == UNR_NS_FORCING_LINEAR && K2 > 0;

      if (is_tracer) {
        L[m] = -par[UNR_NS_DIFFUSIVITY] * K2;
        if (L_par) L_par[UNR_NS_DIFFUSIVITY * stride + m] = -K2;
        continue;
      }
      L[m] = -par[UNR_NS_VISCOSITY] * K2 - par[UNR_NS_DRAG] + is_forced * par[UNR_NS_AMPLITUDE];
      if (!L_par) continue;
      L_par[UNR_NS_VISCOSITY * stride + m] = -K2;
      L_par[UNR_NS_AMPLITUDE * stride + m] = is_forced;
      L_par[UNR_NS_DRAG * stride + m] = -1;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What a call works on; sizes of one sample. */
typedef struct {
  const UnrNavierStokes *ns;
  UnrFFT fft;
  size_t cells, modes;              /* of a field */
  size_t fields, strains, products; /* of a sample: the state, what a closure looks at, what is transformed */
  size_t inputs;                    /* fields + strains: what products and stresses are made of */
} Work;

static PetscErrorCode WorkSet(UnrPhysics physics, Work *w)
{
  PetscFunctionBeginUser;
  PetscCall(UnrNavierStokesGet(physics, &w->ns));
  w->fft = physics->fft;
  w->cells = (size_t)w->fft->cells;
  w->modes = (size_t)w->fft->modes;
  w->fields = (size_t)w->ns->components;
  w->strains = (size_t)w->ns->strains;
  w->inputs = w->fields + w->strains;
  w->products = (size_t)w->ns->products;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* v = fields and strains in cells, [sample][input][cell].  Work on modes goes into `slot`. */
static PetscErrorCode Inputs(UnrPhysics physics, const Work *w, size_t count, const UnrComplex u[], int slot,
                             double v[])
{
  const UnrComplex *from = u;

  PetscFunctionBeginUser;
  if (w->strains) {
    UnrComplex *modes;

    PetscCall(UnrNavierStokesModes(physics, slot, count * w->inputs, &modes));
    for (size_t s = 0; s < count; s++) {
      UnrComplex *to = modes + s * w->inputs * w->modes;

      PetscCall(PetscArraycpy(to, u + s * w->fields * w->modes, w->fields * w->modes));
      UnrClosureStrain(w->ns, w->modes, to, to + w->fields * w->modes);
    }
    from = modes;
  }
  PetscCall(UnrFFTBackward(w->fft, (PetscInt)(count * w->inputs), from, v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* N = P(-div(u u + tau)) + f. */
static PetscErrorCode UnrPhysicsNonlinear_NavierStokesSpectral(UnrPhysics physics, PetscInt samples,
                                                               const double par[], const UnrComplex u[],
                                                               UnrComplex n[])
{
  double *v, *product;
  UnrComplex *flux;
  Work w;

  PetscFunctionBeginUser;
  PetscCall(WorkSet(physics, &w));
  const size_t count = (size_t)samples, stride = w.inputs * w.cells;
  PetscCall(UnrNavierStokesCells(physics, UNR_NS_SLOT_CELLS, count * w.inputs, &v));
  PetscCall(UnrNavierStokesCells(physics, UNR_NS_SLOT_PRODUCTS, count * w.products, &product));
  PetscCall(UnrNavierStokesModes(physics, UNR_NS_SLOT_MODES, count * w.products, &flux));
  PetscCall(Inputs(physics, &w, count, u, UNR_NS_SLOT_OTHER, v));
  for (size_t s = 0; s < count; s++) {
    double *p = product + s * w.products * w.cells;

    UnrNavierStokesProducts(w.ns, w.cells, v + s * stride, p);
    if (w.ns->closure == UNR_NS_CLOSURE_SMAGORINSKY)
      UnrSmagorinskyStress(w.ns, w.cells, par[s * UNR_NS_PARAMETERS + UNR_NS_SMAGORINSKY],
                           v + s * stride + w.fields * w.cells, p);
  }
  PetscCall(UnrFFTForward(w.fft, (PetscInt)(count * w.products), product, flux));
  if (w.ns->closure == UNR_NS_CLOSURE_DYNAMIC)
    PetscCall(UnrDynamicStress(physics, samples, u, v + w.fields * w.cells, stride, flux));
  for (size_t s = 0; s < count; s++)
    UnrNavierStokesDivergence(w.ns, w.modes, flux + s * w.products * w.modes, n + s * w.fields * w.modes);
  PetscCall(UnrNavierStokesForce(physics, samples, par, u, n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* N_dot = P(-div(u u_dot + u_dot u + tau_dot)) + f_dot. */
static PetscErrorCode UnrPhysicsNonlinearJvp_NavierStokesSpectral(UnrPhysics physics, PetscInt samples,
                                                                  const double par[], const UnrComplex u[],
                                                                  const UnrComplex u_dot[],
                                                                  const double par_dot[], UnrComplex n_dot[])
{
  double *v, *v_dot, *product_dot;
  UnrComplex *flux_dot;
  Work w;

  PetscFunctionBeginUser;
  PetscCall(WorkSet(physics, &w));
  const size_t count = (size_t)samples;
  PetscCall(PetscArrayzero(n_dot, count * w.fields * w.modes));
  if (u_dot || (par_dot && w.strains)) {
    const size_t stride = w.inputs * w.cells;

    PetscCall(UnrNavierStokesCells(physics, UNR_NS_SLOT_CELLS, 2 * count * w.inputs, &v));
    PetscCall(UnrNavierStokesCells(physics, UNR_NS_SLOT_PRODUCTS, count * w.products, &product_dot));
    PetscCall(UnrNavierStokesModes(physics, UNR_NS_SLOT_MODES, count * w.products, &flux_dot));
    v_dot = v + count * stride;
    PetscCall(Inputs(physics, &w, count, u, UNR_NS_SLOT_OTHER, v));
    if (u_dot)
      PetscCall(Inputs(physics, &w, count, u_dot, UNR_NS_SLOT_OTHER, v_dot));
    else
      PetscCall(PetscArrayzero(v_dot, count * stride));
    for (size_t s = 0; s < count; s++) {
      double *p_dot = product_dot + s * w.products * w.cells;
      const size_t constant = s * UNR_NS_PARAMETERS + UNR_NS_SMAGORINSKY,
                   strains = s * stride + w.fields * w.cells;

      UnrNavierStokesProductsJvp(w.ns, w.cells, v + s * stride, v_dot + s * stride, p_dot);
      if (w.strains)
        UnrSmagorinskyStressJvp(w.ns, w.cells, par[constant], par_dot ? par_dot[constant] : 0, v + strains,
                                v_dot + strains, p_dot);
    }
    PetscCall(UnrFFTForward(w.fft, (PetscInt)(count * w.products), product_dot, flux_dot));
    for (size_t s = 0; s < count; s++)
      UnrNavierStokesDivergence(w.ns, w.modes, flux_dot + s * w.products * w.modes,
                                n_dot + s * w.fields * w.modes);
  }
  PetscCall(UnrNavierStokesForceJvp(physics, samples, par, u, u_dot, par_dot, n_dot));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Reverse, with the inputs and the products' cotangents in one transform:  product_bar = -(P div)^T n_bar. */
static PetscErrorCode ConvectionVjp(UnrPhysics physics, const Work *w, size_t count, const double par[],
                                    const UnrComplex u[], const UnrComplex n_bar[], UnrComplex u_bar[],
                                    double par_bar[])
{
  const size_t both = w->inputs + w->products, fields = w->fields * w->modes;
  double *v, *v_bar;
  UnrComplex *modes;

  PetscFunctionBeginUser;
  PetscCall(UnrNavierStokesCells(physics, UNR_NS_SLOT_CELLS, count * both, &v));
  PetscCall(UnrNavierStokesCells(physics, UNR_NS_SLOT_PRODUCTS, count * w->inputs, &v_bar));
  PetscCall(UnrNavierStokesModes(physics, UNR_NS_SLOT_MODES, count * both, &modes));
  for (size_t s = 0; s < count; s++) {
    UnrComplex *to = modes + s * both * w->modes;

    PetscCall(PetscArraycpy(to, u + s * fields, fields));
    UnrClosureStrain(w->ns, w->modes, to, to + fields);
    /* UnrNavierStokesDivergence(flux, n) */
    UnrNavierStokesDivergenceVjp(w->ns, w->modes, n_bar + s * fields, to + w->inputs * w->modes);
  }
  PetscCall(UnrFFTBackward(w->fft, (PetscInt)(count * both), modes, v));
  for (size_t s = 0; s < count; s++) {
    const double *vs = v + s * both * w->cells, *product_bar = vs + w->inputs * w->cells;
    double *to = v_bar + s * w->inputs * w->cells;
    const size_t constant = s * UNR_NS_PARAMETERS + UNR_NS_SMAGORINSKY;

    /* UnrSmagorinskyStress(strain, product) */
    if (w->strains)
      UnrSmagorinskyStressVjp(w->ns, w->cells, par[constant], vs + w->fields * w->cells, product_bar,
                              to + w->fields * w->cells, par_bar ? &par_bar[constant] : NULL);
    /* UnrNavierStokesProducts(v, product) */
    UnrNavierStokesProductsVjp(w->ns, w->cells, vs, product_bar, to);
  }
  if (!u_bar) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(UnrFFTForward(w->fft, (PetscInt)(count * w->inputs), v_bar, modes));
  for (size_t s = 0; s < count; s++) {
    const UnrComplex *from = modes + s * w->inputs * w->modes;

    for (size_t m = 0; m < fields; m++) u_bar[s * fields + m] += from[m];
    /* UnrClosureStrain(u, strain) */
    UnrClosureStrainVjp(w->ns, w->modes, from + fields, u_bar + s * fields);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode UnrPhysicsNonlinearVjp_NavierStokesSpectral(UnrPhysics physics, PetscInt samples,
                                                                  const double par[], const UnrComplex u[],
                                                                  const UnrComplex n_bar[],
                                                                  UnrComplex u_bar[], double par_bar[])
{
  Work w;

  PetscFunctionBeginUser;
  PetscCall(WorkSet(physics, &w));
  if (u_bar || (par_bar && w.strains))
    PetscCall(ConvectionVjp(physics, &w, (size_t)samples, par, u, n_bar, u_bar, par_bar));
  PetscCall(UnrNavierStokesForceVjp(physics, samples, par, u, n_bar, u_bar, par_bar));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* P: no Nyquist modes, no divergence; the mean stays. */
static PetscErrorCode UnrPhysicsConstrainModes_NavierStokesSpectral(UnrPhysics physics, PetscInt samples,
                                                                    const double par[], UnrComplex u[])
{
  const size_t modes = (size_t)physics->fft->modes;
  const UnrNavierStokes *ns;

  PetscFunctionBeginUser;
  (void)par;
  PetscCall(UnrNavierStokesGet(physics, &ns));
  for (PetscInt s = 0; s < samples; s++, u += (size_t)ns->components * modes) {
    for (size_t m = 0; m < modes; m++) {
      UnrComplex along = 0;

      for (int a = 0; a < ns->dim; a++) along += ns->K[a][m] * u[(size_t)a * modes + m];
      along *= ns->inverse[m];
      for (int a = 0; a < ns->dim; a++) u[(size_t)a * modes + m] -= ns->K[a][m] * along;
    }
    for (int c = 0; c < ns->components; c++)
      for (PetscInt d = 0; d < ns->dropped; d++) u[(size_t)c * modes + (size_t)ns->dropped_at[d]] = 0;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

const UnrPhysicsOps UnrPhysicsOps_NavierStokesSpectral = {
    .name = "navier_stokes_spectral",
    .summary = "incompressible Navier-Stokes equations, Fourier spectral, 2-D and 3-D",
    .field = "velocity",
    .dim = {2, 3},
    .options = UnrNavierStokesOptions,
    .parameters = UnrNavierStokesParameters,
    .describe = UnrPhysicsDescribe_NavierStokesSpectral,
    .dealias = UnrPhysicsDealias_NavierStokesSpectral,
    .create = UnrPhysicsCreate_NavierStokes,
    .destroy = UnrPhysicsDestroy_NavierStokes,
    .symbol = UnrPhysicsSymbol_NavierStokesSpectral,
    .nonlinear = UnrPhysicsNonlinear_NavierStokesSpectral,
    .nonlinear_jvp = UnrPhysicsNonlinearJvp_NavierStokesSpectral,
    .nonlinear_vjp = UnrPhysicsNonlinearVjp_NavierStokesSpectral,
    .constrain_modes = UnrPhysicsConstrainModes_NavierStokesSpectral,
    .diagnostics = UnrNavierStokesDiagnostics,
    .integrals = UnrNavierStokesIntegrals,
    .integrate = UnrPhysicsIntegrate_NavierStokes,
};
