/*
  For files in this folder only: what the files of the incompressible Navier-Stokes equations share.

  Fields are components apart, u, v [, w] [, tracer], on modes [sample][component][mode] and in cells
  [sample][component][cell].  Maths docs/physics/navier_stokes.md
*/
#pragma once

#include "physics/physics_impl.h"

enum {
  UNR_NS_VISCOSITY,
  UNR_NS_AMPLITUDE,
  UNR_NS_DRAG,
  UNR_NS_DIFFUSIVITY,
  UNR_NS_SMAGORINSKY,
  UNR_NS_PARAMETERS
};
typedef enum {
  UNR_NS_FORCING_NONE,
  UNR_NS_FORCING_KOLMOGOROV,
  UNR_NS_FORCING_LINEAR,
  UNR_NS_FORCING_LOW_WAVENUMBER
} UnrNavierStokesForcing;

typedef enum {
  UNR_NS_CLOSURE_NONE,
  UNR_NS_CLOSURE_SMAGORINSKY,
  UNR_NS_CLOSURE_DYNAMIC
} UnrNavierStokesClosure;

/* Slots of scratch. */
enum {
  UNR_NS_SLOT_CELLS,    /* fields in cells that products are made of */
  UNR_NS_SLOT_PRODUCTS, /* products in cells, or cotangents of the fields */
  UNR_NS_SLOT_MODES,    /* all of these on modes */
  UNR_NS_SLOT_OTHER,    /* one more set of modes */
  UNR_NS_SLOT_SUMS,     /* two numbers a sample */
  UNR_NS_SLOT_FILTERED, /* the dynamic closure's: what it filters, |S| S, its coefficient */
  UNR_NS_SLOT_FILTERED_CELLS,
  UNR_NS_SLOT_RATE,
  UNR_NS_SLOT_COEFFICIENT
};

/*
  Products of fields that the scheme transforms: u_i u_j, the last diagonal element taken off the diagonal (a
  gradient, which P drops, so one transform less), then u_j times the tracer.
*/
enum { UNR_NS_MOST_PRODUCTS = 9 };
typedef struct {
  int first, second; /* components; equal: less the square of component `last` */
} UnrNavierStokesPair;

typedef struct {
  int dim, components;
  bool has_tracer;
  int products; /* those of the velocity first */
  int stresses; /* of these, how many are of the velocity alone */
  UnrNavierStokesPair pair[UNR_NS_MOST_PRODUCTS];
  UnrNavierStokesClosure closure;
  int strains;  /* that a closure looks at: `stresses`, or 0 without one */
  double width; /* Delta of the closure: of the sharp filter that the kept modes are */
  UnrNavierStokesForcing forcing;
  PetscInt forcing_wavenumber;
  /* Tables of the modes for these lengths, made anew where a file changes them; 0: none yet. */
  double length[UNR_MAX_DIM];
  double
      *K[UNR_MAX_DIM]; /* [mode] 2 pi k / length; 0 for all axes at Nyquist modes, which the scheme drops */
  double *K2;          /* [mode] |K|^2 */
  double *inverse;     /* [mode] 1 / |K|^2, 0 at the mean and at Nyquist modes */
  PetscInt dropped, *dropped_at; /* Nyquist modes */
  PetscInt forced, *forced_at;   /* modes that the forcing acts on */
} UnrNavierStokes;

extern const UnrOption UnrNavierStokesOptions[];
extern const char *const UnrNavierStokesParameters[];
extern const UnrDiagnosticOps UnrNavierStokesDiagnostics[];
extern const char UnrNavierStokesIntegrals[];

/* In navier_stokes.c. */
PetscErrorCode UnrPhysicsCreate_NavierStokes(UnrPhysics physics);
PetscErrorCode UnrPhysicsDestroy_NavierStokes(UnrPhysics physics);
/* The physics' data, its tables for the lengths as they are now.     Not collective. */
PetscErrorCode UnrNavierStokesGet(UnrPhysics physics, const UnrNavierStokes **ns);

/* Scratch for so many fields. */
PetscErrorCode UnrNavierStokesCells(UnrPhysics physics, int slot, size_t fields, double **cells);
PetscErrorCode UnrNavierStokesModes(UnrPhysics physics, int slot, size_t fields, UnrComplex **modes);
/* A batch of any number of components, [sample][component][cell] and its modes, in scratch; back again. */
PetscErrorCode UnrNavierStokesLoad(UnrPhysics physics, UnrBatch u, int cells_slot, int modes_slot,
                                   double **cells, UnrComplex **modes);
PetscErrorCode UnrNavierStokesStore(UnrPhysics physics, const UnrComplex *modes, int cells_slot, UnrBatch u,
                                    InsertMode mode);

/* In navier_stokes_products.c.  u [component][cell] of one sample. */
void UnrNavierStokesProducts(const UnrNavierStokes *ns, size_t cells, const double u[], double product[]);
void UnrNavierStokesProductsJvp(const UnrNavierStokes *ns, size_t cells, const double u[],
                                const double u_dot[], double product_dot[]);
/* u_bar is SET. */
void UnrNavierStokesProductsVjp(const UnrNavierStokes *ns, size_t cells, const double u[],
                                const double product_bar[], double u_bar[]);
/* n = P(-div product) on the modes of one sample; its transpose. */
void UnrNavierStokesDivergence(const UnrNavierStokes *ns, size_t modes, const UnrComplex product[],
                               UnrComplex n[]);
void UnrNavierStokesDivergenceVjp(const UnrNavierStokes *ns, size_t modes, const UnrComplex n_bar[],
                                  UnrComplex product_bar[]);

/* In navier_stokes_forcing.c: the part that is not in the symbol.  ADD to n, n_dot, u_bar, par_bar. */
PetscErrorCode UnrNavierStokesForcingCheck(UnrPhysics physics);
/* Does it act on this mode?  k: wavenumbers. */
bool UnrNavierStokesForcingActs(UnrPhysics physics, const UnrNavierStokes *ns, PetscInt mode);
PetscErrorCode UnrNavierStokesForce(UnrPhysics physics, PetscInt samples, const double par[],
                                    const UnrComplex u[], UnrComplex n[]);
PetscErrorCode UnrNavierStokesForceJvp(UnrPhysics physics, PetscInt samples, const double par[],
                                       const UnrComplex u[], const UnrComplex u_dot[], const double par_dot[],
                                       UnrComplex n_dot[]);
PetscErrorCode UnrNavierStokesForceVjp(UnrPhysics physics, PetscInt samples, const double par[],
                                       const UnrComplex u[], const UnrComplex n_bar[], UnrComplex u_bar[],
                                       double par_bar[]);

/* In navier_stokes_pressure.c and navier_stokes_vorticity.c, as UnrDiagnosticOps has them. */
PetscInt UnrPressureComponents(int dim);
PetscErrorCode UnrPressureApply(UnrPhysics physics, const double par[], UnrBatch u, UnrBatch p);
PetscErrorCode UnrPressureJvp(UnrPhysics physics, const double par[], UnrBatch u, UnrBatch u_dot,
                              const double par_dot[], UnrBatch p_dot);
PetscErrorCode UnrPressureVjp(UnrPhysics physics, const double par[], UnrBatch u, UnrBatch p_bar,
                              UnrBatch u_bar, double par_bar[]);
PetscInt UnrVorticityComponents(int dim);
PetscErrorCode UnrVorticityApply(UnrPhysics physics, const double par[], UnrBatch u, UnrBatch omega);
PetscErrorCode UnrVorticityJvp(UnrPhysics physics, const double par[], UnrBatch u, UnrBatch u_dot,
                               const double par_dot[], UnrBatch omega_dot);
PetscErrorCode UnrVorticityVjp(UnrPhysics physics, const double par[], UnrBatch u, UnrBatch omega_bar,
                               UnrBatch u_bar, double par_bar[]);

/* In navier_stokes_integrals.c. */
PetscErrorCode UnrPhysicsIntegrate_NavierStokes(UnrPhysics physics, const double par[], UnrBatch u,
                                                double value[]);
