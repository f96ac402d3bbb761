/*
  The configured case, assembled once for every command: layout, grid, physics, steppers, net, model, loss,
  and this replica's share of the batch with its parameters.
*/
#pragma once

#include "dataset/well.h"
#include "rollout/rollout.h"

typedef struct {
  UnrLayout layout;
  UnrGrid grid;
  UnrPhysics physics;
  UnrStepper stepper;   /* S; NULL if the model wants none */
  UnrStepper reference; /* the reference scheme, options -reference_stepper_... */
  UnrNet net;           /* NULL if the model wants none */
  UnrModel model;
  UnrLoss loss;
  PetscInt samples, first, count; /* of the batch; this replica's share */
  PetscInt warmup;                /* frames dropped after a start state */
  double *par;                    /* [count][parameters] */
  const char *seed;               /* of the start states: "data", "test" */
} UnrCase;

enum { UNR_CASE_VALUES = 256 };

/* What a command wants besides the options; a zeroed one is what `check` takes. */
typedef struct {
  bool alone; /* every rank builds the whole case for itself, as if there were one rank (for comparisons) */
  PetscInt samples; /* 0: -train_batch */
  PetscInt values;  /* of the parameter -sample_parameter; 0: those of -sample_values */
  const double *value;
  PetscInt each;    /* samples in a row with the same value; 0: 1, so that samples take the values in turn */
  const char *seed; /* of the start states; NULL: "data" */
} UnrCaseSpec;

PetscErrorCode UnrCaseRegister(void);
/* UnrCaseCreate - build what the options describe; spec NULL: a zeroed one.     Collective on the world. */
PetscErrorCode UnrCaseCreate(MPI_Comm world, const UnrCaseSpec *spec, UnrCase *c);
/* -sample_parameter (NULL: none) and the values of -sample_values. */
PetscErrorCode UnrCaseValues(const char **parameter, double value[UNR_CASE_VALUES], PetscInt *values);
PetscErrorCode UnrCaseDestroy(UnrCase *c);
/* One line that says what runs on what: "ks_spectral 48 points, etdrk, correct_parallel, resnet 33125 weights
 * ...". */
PetscErrorCode UnrCaseTell(const UnrCase *c, FILE *file);

/* Frames of a file must be those that a step of the case makes, or a user error.  Collective on the world. */
PetscErrorCode UnrCaseCheckTime(const UnrCase *c, UnrWell well, const char *path);
/* par [sample][parameter] of the whole batch, of which each replica knows its own.  Collective on the world.
 */
PetscErrorCode UnrCaseParameters(const UnrCase *c, double par[]);
/* Start states of this replica's samples, as the deck's family draws them.  Collective on the world. */
PetscErrorCode UnrCaseStart(const UnrCase *c, UnrBatch u);
/* A window made from the deck's start family by the reference scheme: frames 0 .. steps after -start_warmup
   frames. Owned by the caller: UnrCaseWindowDestroy. */
PetscErrorCode UnrCaseWindow(const UnrCase *c, PetscInt steps, UnrWindow *window);
PetscErrorCode UnrCaseWindowDestroy(PetscInt steps, UnrWindow *window);
