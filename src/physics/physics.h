/*
  A physics: a PDE in ONE spatial discretisation, u_t = rhs(u; par).  It knows nothing of time.

  par is [sample][parameters]: the physical parameters of each sample; they vary inside a batch and have
  gradients. vjp ADDS to u_bar and par_bar; either may be NULL: not wanted.  par_bar is this rank's part: the
  gradient is its sum over the grid communicator.  jvp: u_dot or par_dot NULL is a zero tangent.
*/
#pragma once

#include "core/plugin.h"
#include "field/fft.h"
#include "field/halo.h"

typedef struct UnrPhysics_ *UnrPhysics;

/* The plugin's static facts. */
extern const char *const UnrPhysicsNames; /* "ks_spectral|ks_fd|..." */
PetscErrorCode UnrPhysicsRegister(void);
/* Calls visit for every physics of this build. */
PetscErrorCode UnrPhysicsList(UnrPluginVisit visit, void *context);
/* Of the physics named by -physics_type, before a grid exists: needs, components, parameter names. */
PetscErrorCode UnrPhysicsDescribe(int dim, UnrNeeds *needs, PetscInt *components);

/* The first physics of this build for a field and a dimension; NULL: there is none.  Local. */
const char *UnrPhysicsFor(const char *field, int dim);

PetscErrorCode UnrPhysicsCreate(UnrGrid grid, UnrPhysics *physics); /* reads -physics_type and its options */
PetscErrorCode UnrPhysicsDestroy(UnrPhysics *physics);
const char *UnrPhysicsName(UnrPhysics physics);
const char *UnrPhysicsFieldName(UnrPhysics physics); /* in files: "u", "velocity", "velocity|tracer" */
UnrGrid UnrPhysicsGrid(UnrPhysics physics);
/* Parameters: their number, the name of p, its value from the options, its index by name (-1 if none). */
PetscInt UnrPhysicsParameters(UnrPhysics physics);
const char *UnrPhysicsParameterName(UnrPhysics physics, PetscInt p);
double UnrPhysicsParameterDefault(UnrPhysics physics, PetscInt p);
/* Was it given by deck or command line?  A file's value gives way to it. */
/* A value from elsewhere than its option must lie in that option's range: a user error; `where` says where
 * from. Collective on the world. */
PetscErrorCode UnrPhysicsParameterCheck(UnrPhysics physics, PetscInt p, double value, const char *where);
PetscErrorCode UnrPhysicsParameterGiven(UnrPhysics physics, PetscInt p, bool *given);
PetscInt UnrPhysicsParameterIndex(UnrPhysics physics, const char *name);
/* Side lengths of one sample's domain: from its parameters where it has them, else -grid_length. */
PetscErrorCode UnrPhysicsLength(UnrPhysics physics, const double par[], double length[UNR_MAX_DIM]);
/* Sets what par says about the lengths that a file or the user gives; a contradiction is a user error. */
PetscErrorCode UnrPhysicsSetLength(UnrPhysics physics, const double length[UNR_MAX_DIM], double par[]);

/* Physical space; batches of any number of samples.  Collective on the grid. */
PetscErrorCode UnrPhysicsRhs(UnrPhysics physics, const double par[], UnrBatch u, UnrBatch rhs);
PetscErrorCode UnrPhysicsJvp(UnrPhysics physics, const double par[], UnrBatch u, UnrBatch u_dot,
                             const double par_dot[], UnrBatch rhs_dot);
PetscErrorCode UnrPhysicsVjp(UnrPhysics physics, const double par[], UnrBatch u, UnrBatch rhs_bar,
                             UnrBatch u_bar, double par_bar[]);
/* Assembled d rhs/du of one sample at u, for implicit PETSc integrators; see UnrPhysicsHas. */
PetscErrorCode UnrPhysicsJacobianCreate(UnrPhysics physics, Mat *J);
PetscErrorCode UnrPhysicsJacobian(UnrPhysics physics, const double par[], Vec u, Mat J);

/* What a physics offers besides rhs, jvp and vjp. */
typedef enum {
  UNR_PHYSICS_SYMBOL,
  UNR_PHYSICS_JACOBIAN,
  UNR_PHYSICS_CONSTRAIN,
  UNR_PHYSICS_CONSTRAIN_MODES, /* forward transform and UnrPhysicsConstrainModes() are all of P */
  UNR_PHYSICS_ADJOINT          /* jvp and vjp: a closure may have none */
} UnrPhysicsFeature;
bool UnrPhysicsHas(UnrPhysics physics, UnrPhysicsFeature feature);

/*
  Spectral form, rhs = L u + N(u) on modes: for exponential integrators.  samples, par, modes
  [sample][component][mode] are those of the FFT's work layout on this rank.  Cotangents as fft.h says.
*/
UnrFFT UnrPhysicsFFT(UnrPhysics physics);
/* symbol[component][mode]; symbol_par[parameter][component][mode] = d symbol/d par, or NULL. */
PetscErrorCode UnrPhysicsSymbol(UnrPhysics physics, const double par[], UnrComplex symbol[],
                                UnrComplex symbol_par[]);
PetscErrorCode UnrPhysicsNonlinear(UnrPhysics physics, PetscInt samples, const double par[],
                                   const UnrComplex u[], UnrComplex n[]);
PetscErrorCode UnrPhysicsNonlinearJvp(UnrPhysics physics, PetscInt samples, const double par[],
                                      const UnrComplex u[], const UnrComplex u_dot[], const double par_dot[],
                                      UnrComplex n_dot[]);
PetscErrorCode UnrPhysicsNonlinearVjp(UnrPhysics physics, PetscInt samples, const double par[],
                                      const UnrComplex u[], const UnrComplex n_bar[], UnrComplex u_bar[],
                                      double par_bar[]);

/*
  Fields that follow from a state: "pressure", "vorticity" ...  Batches on the grid that
  UnrPhysicsDiagnostic() gives: as many components as the field has, the blocks of the physics' own grid.  vjp
  ADDS.
*/
/* The grid of diagnostic `name`, owned by the physics; NULL if the physics has none of that name. */
PetscErrorCode UnrPhysicsDiagnostic(UnrPhysics physics, const char *name, UnrGrid *grid);
/* Name number i, NULL past the last: "pressure", "vorticity". */
const char *UnrPhysicsDiagnosticName(UnrPhysics physics, int i);
PetscErrorCode UnrPhysicsDiagnose(UnrPhysics physics, const char *name, const double par[], UnrBatch u,
                                  UnrBatch out);
PetscErrorCode UnrPhysicsDiagnoseJvp(UnrPhysics physics, const char *name, const double par[], UnrBatch u,
                                     UnrBatch u_dot, const double par_dot[], UnrBatch out_dot);
PetscErrorCode UnrPhysicsDiagnoseVjp(UnrPhysics physics, const char *name, const double par[], UnrBatch u,
                                     UnrBatch out_bar, UnrBatch u_bar, double par_bar[]);

/* Numbers that follow from a state, by the scheme's own operators: "energy|dissipation|divergence" ...; NULL
   if there are none. */
const char *UnrPhysicsIntegralNames(UnrPhysics physics);
/* value[sample][integral], the same on all ranks of the grid.  Collective on the grid. */
PetscErrorCode UnrPhysicsIntegrals(UnrPhysics physics, const double par[], UnrBatch u, double value[]);
/* Shells of the energy spectrum, of wavenumber 0, 1, 2 ... times 2 pi over the longest side, to the nearest;
   as many as the modes reach.  0 for a physics without transforms. */
PetscInt UnrPhysicsShells(UnrPhysics physics);
/* energy[sample][shell]: sum over a shell's modes of |u|^2/2 of the first field (a tracer is another), mean
   over the domain; the same on all ranks.  Collective on the grid. */
PetscErrorCode UnrPhysicsSpectrum(UnrPhysics physics, const double par[], UnrBatch u, double energy[]);

/* P on modes, in place, besides what dealiased transforms leave out: what the scheme represents; modes as
   UnrPhysicsNonlinear().  Symmetric, so its own transpose.  The identity where a physics has none.  For
   steppers that stay on modes: they apply P themselves where UnrPhysicsHas(UNR_PHYSICS_CONSTRAIN_MODES). */
PetscErrorCode UnrPhysicsConstrainModes(UnrPhysics physics, PetscInt samples, const double par[],
                                        UnrComplex u[]);

/* P: projection onto what the scheme represents, in place; the identity where a physics has none.  Its own
   transpose unless the plugin gives another. */
PetscErrorCode UnrPhysicsConstrain(UnrPhysics physics, const double par[], UnrBatch u);
PetscErrorCode UnrPhysicsConstrainTranspose(UnrPhysics physics, const double par[], UnrBatch u_bar);
