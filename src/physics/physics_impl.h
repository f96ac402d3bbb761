/* For files in this folder only: what a plugin fills in. */
#pragma once

#include "physics/physics.h"

enum { UNR_PHYSICS_PLUGIN_SLOTS = 16, UNR_PHYSICS_SLOTS = 20, UNR_PHYSICS_DIAGNOSTICS = 8 /* at most */ };

/* A field that follows from a state. */
typedef struct {
  const char *name; /* NULL ends the list */
  PetscInt (*components)(int dim);
  PetscErrorCode (*apply)(UnrPhysics, const double par[], UnrBatch u, UnrBatch out);
  PetscErrorCode (*jvp)(UnrPhysics, const double par[], UnrBatch u, UnrBatch u_dot, const double par_dot[],
                        UnrBatch out_dot);
  PetscErrorCode (*vjp)(UnrPhysics, const double par[], UnrBatch u, UnrBatch out_bar, UnrBatch u_bar,
                        double par_bar[]);
} UnrDiagnosticOps;

typedef struct {
  UNR_PLUGIN_HEAD;
  const char *field; /* name in files: "u"; a create() that adds fields to a state sets physics->field */
  int dim[2];        /* least and most it comes in */
  /* Parameters of the sample: the options that hold their defaults, NULL-terminated; a name is what follows
     "-physics_<family>_": "-physics_ks_domain_size" is "domain_size". */
  const char *const *parameters;
  double default_length; /* of every axis where neither -grid_length nor a file says it; 0: 2 pi */
  PetscErrorCode (*describe)(int dim, UnrNeeds *needs, PetscInt *components);
  PetscErrorCode (*dealias)(UnrPhysics, bool *dealias); /* are its transforms dealiased?  NULL: no */
  PetscErrorCode (*create)(UnrPhysics);
  PetscErrorCode (*destroy)(UnrPhysics);
  PetscErrorCode (*length)(UnrPhysics, const double par[], double length[]); /* NULL: -grid_length */
  PetscErrorCode (*set_length)(UnrPhysics, const double length[],
                               double par[]);                            /* NULL: -grid_length must agree */
  PetscErrorCode (*rhs)(UnrPhysics, const double[], UnrBatch, UnrBatch); /* these three NULL: made from the */
  PetscErrorCode (*jvp)(UnrPhysics, const double[], UnrBatch, UnrBatch, const double[],
                        UnrBatch); /* spectral form */
  PetscErrorCode (*vjp)(UnrPhysics, const double[], UnrBatch, UnrBatch, UnrBatch, double[]);
  PetscErrorCode (*jacobian)(UnrPhysics, const double[], Vec, Mat);
  PetscErrorCode (*symbol)(UnrPhysics, const double[], UnrComplex[], UnrComplex[]);
  PetscErrorCode (*nonlinear)(UnrPhysics, PetscInt, const double[], const UnrComplex[], UnrComplex[]);
  PetscErrorCode (*nonlinear_jvp)(UnrPhysics, PetscInt, const double[], const UnrComplex[],
                                  const UnrComplex[], const double[], UnrComplex[]);
  PetscErrorCode (*nonlinear_vjp)(UnrPhysics, PetscInt, const double[], const UnrComplex[],
                                  const UnrComplex[], UnrComplex[], double[]);
  PetscErrorCode (*constrain)(UnrPhysics, const double[], UnrBatch);
  PetscErrorCode (*constrain_transpose)(UnrPhysics, const double[],
                                        UnrBatch); /* NULL: constrain is symmetric */
  /* P on modes that dealiasing has left; where given, constrain is made from it. */
  PetscErrorCode (*constrain_modes)(UnrPhysics, PetscInt samples, const double par[], UnrComplex u[]);
  const UnrDiagnosticOps *diagnostics; /* ended by a NULL name; NULL: none */
  const char *integrals;               /* "energy|dissipation"; NULL: none */
  PetscErrorCode (*integrate)(UnrPhysics, const double par[], UnrBatch u, double value[]);
} UnrPhysicsOps;

struct UnrPhysics_ {
  const UnrPhysicsOps *ops;
  const char
      *field; /* ops->field, or "velocity|tracer": all but the first have one component, the last ones */
  UnrGrid grid;
  UnrFFT fft;                 /* made for physics with a symbol, else NULL */
  double length[UNR_MAX_DIM]; /* -grid_length, 0 where not given */
  PetscInt parameters;
  double *parameter_default;
  bool has_no_adjoint; /* create may say that these options have none: then jvp and vjp are never called */
  void *data;          /* the plugin's own */
  UnrGrid diagnostic_grid[UNR_PHYSICS_DIAGNOSTICS]; /* NULL: not asked for yet */
  void *scratch[UNR_PHYSICS_SLOTS];
  size_t scratch_bytes[UNR_PHYSICS_SLOTS];
};

/* In physics_diagnose.c. */
PetscErrorCode UnrPhysicsDiagnosticsDestroy(UnrPhysics physics);

/* Scratch of at least `bytes`, kept by the physics from call to call, 64-byte aligned; contents undefined.
   A plugin has slots 0 to UNR_PHYSICS_PLUGIN_SLOTS - 1; the others are spectral.c's, which calls the plugin.
 */
PetscErrorCode UnrPhysicsScratch(UnrPhysics physics, int slot, size_t bytes, void **block);
