/* For ts*.c only: one frame of one group of samples as a problem of PETSc's TS. */
#pragma once

#include "stepper/stepper_impl.h"

/* What a TS is for; each kind has one of its own. */
typedef enum {
  UNR_TS_STATE,       /* u -> u' */
  UNR_TS_TANGENT,     /* with u_dot: explicit types on [u, u_dot], implicit types by forward sensitivity */
  UNR_TS_ADJOINT,     /* with its trajectory, then back: dJ/du */
  UNR_TS_ADJOINT_PAR, /* the same with dJ/dpar */
  UNR_TS_KINDS
} UnrTSKind;

/* A TS and what it works on; fields that a kind does not need are NULL. */
typedef struct {
  UnrTSKind kind;
  PetscInt samples; /* it was made for */
  bool is_spent;    /* after a failure: not to be used again */
  TS ts;
  Vec u;      /* the group's numbers in a batch's order; [u, u_dot] for explicit tangents */
  Mat S;      /* u_dot as one dense column */
  Vec lambda; /* dJ/du */
  Vec mu;     /* dJ/dpar: [sample][parameter] on every rank, its own part */
} UnrTSSolver;

typedef struct {
  UnrStepper stepper;
  const char *type;       /* a TSType */
  bool is_implicit;       /* then a group is one sample: a Newton iteration must not depend on the batch */
  const char *prefix;     /* of PETSc's own options */
  Mat J;                  /* assembled d rhs/du, implicit types only */
  UnrScratch at, in, out; /* where the Jacobian is taken; argument and result of a physics call */
  UnrScratch next;        /* jvp's own where the caller wants none */
  UnrTSSolver solver[UNR_TS_KINDS];
  /* Of the solve at hand, borrowed: */
  PetscInt samples;            /* in the group */
  const double *par, *par_dot; /* [samples][parameter]; par_dot may be NULL */
} UnrTS;

/* Makes the physics the problem of solver->ts: right-hand side, Jacobians with respect to state and
 * parameters. */
PetscErrorCode UnrTSSetProblem(UnrTS *t, UnrTSSolver *solver);

/* The solver of this kind for t->samples samples, at time 0 with nothing of an earlier solve in it. Borrowed.
 */
PetscErrorCode UnrTSSolverGet(UnrTS *t, UnrTSKind kind, UnrTSSolver **solver);
PetscErrorCode UnrTSSolverDestroy(UnrTSSolver *solver);
