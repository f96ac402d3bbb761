/*
  Explicit Runge-Kutta methods with the physics' projection P at every stage.   Maths: docs/method/rk.md.

      Y_i = P (u + dt sum_{j<i} a_ij k_j),   k_i = rhs(Y_i),   u' = P (u + dt sum_i b_i k_i)

  u = P u on entry, so that Y_0 = u.  The tape holds the stages Y_i of every sub-step.
*/
#include "stepper/stepper_impl.h"

#include <string.h>
#include "core/error.h"

enum { STAGES = 4 };

typedef struct {
  const char *name;
  int stages;
  double a[STAGES][STAGES], b[STAGES];
} Tableau;

/* Sources: Heun 1900 and Kutta 1901 (Hairer, Norsett & Wanner, Solving ODEs I, table 1.2 of II.1);
   Shu & Osher 1988, doi:10.1016/0021-9991(88)90177-5. */
static const Tableau tableaux[] = {
    {"euler", 1, {{0}}, {1}},
    {"midpoint", 2, {{0}, {1. / 2}}, {0, 1}},
    {"heun", 2, {{0}, {1}}, {1. / 2, 1. / 2}},
    {"ssp3", 3, {{0}, {1}, {1. / 4, 1. / 4}}, {1. / 6, 1. / 6, 2. / 3}},
    {"kutta3", 3, {{0}, {1. / 2}, {-1, 2}}, {1. / 6, 2. / 3, 1. / 6}},
    {"rk4", 4, {{0}, {1. / 2}, {0, 1. / 2}, {0, 0, 1}}, {1. / 6, 1. / 3, 1. / 3, 1. / 6}},
};
enum { TABLEAUX = sizeof tableaux / sizeof tableaux[0] };

static const UnrOption options[] = {
    {"-stepper_rk_type", UNR_WORD, "rk4", 0, 0, NULL, "explicit Runge-Kutta method",
     "euler|midpoint|heun|ssp3|kutta3|rk4"},
    {NULL, UNR_BOOL, NULL, 0, 0, NULL, NULL, NULL},
};

typedef struct {
  const Tableau *tableau;
  UnrScratch y, y_dot;                 /* a stage and its tangent; of the cotangents, y_dot */
  UnrScratch k[STAGES], k_dot[STAGES]; /* of the cotangents, k_dot */
  UnrScratch next;
} RK;

/* The batches of one call: all of the same number of samples. */
typedef struct {
  UnrBatch y, k[STAGES], y_dot, k_dot[STAGES];
} Work;

static PetscErrorCode UnrStepperCreate_RK(UnrStepper stepper)
{
  RK *rk;
  const char *name;

  PetscFunctionBeginUser;
  PetscCall(UnrOptionWord(options, stepper->prefix, "-stepper_rk_type", &name));
  PetscCall(PetscNew(&rk));
  for (int t = 0; t < TABLEAUX; t++) {
    if (!strcmp(name, tableaux[t].name)) rk->tableau = &tableaux[t];
  }
  PetscCheck(rk->tableau, PETSC_COMM_SELF, PETSC_ERR_PLIB, "option table allows '%s' that has no tableau",
             name);
  stepper->data = rk;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode UnrStepperDestroy_RK(UnrStepper stepper)
{
  RK *rk = stepper->data;

  PetscFunctionBeginUser;
  PetscCall(UnrScratchDestroy(&rk->y));
  PetscCall(UnrScratchDestroy(&rk->y_dot));
  PetscCall(UnrScratchDestroy(&rk->next));
  for (int i = 0; i < STAGES; i++) {
    PetscCall(UnrScratchDestroy(&rk->k[i]));
    PetscCall(UnrScratchDestroy(&rk->k_dot[i]));
  }
  PetscCall(PetscFree(stepper->data));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* forward, dotted: which of the two halves are needed. */
static PetscErrorCode WorkGet(UnrStepper stepper, PetscInt samples, bool forward, bool dotted, Work *w)
{
  RK *rk = stepper->data;
  const UnrGrid grid = UnrPhysicsGrid(stepper->physics);

  PetscFunctionBeginUser;
  PetscCall(UnrScratchGet(&rk->y, grid, samples, &w->y));
  if (dotted) PetscCall(UnrScratchGet(&rk->y_dot, grid, samples, &w->y_dot));
  for (int i = 0; i < rk->tableau->stages; i++) {
    if (forward) PetscCall(UnrScratchGet(&rk->k[i], grid, samples, &w->k[i]));
    if (dotted) PetscCall(UnrScratchGet(&rk->k_dot[i], grid, samples, &w->k_dot[i]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* y = P (u + dt sum_{j < terms} weight[j] k[j]);  y may be u. */
static PetscErrorCode Combine(UnrStepper stepper, const double par[], UnrBatch u, int terms,
                              const double weight[], UnrBatch k[], UnrBatch y)
{
  PetscFunctionBeginUser;
  PetscCall(UnrBatchCopy(u, y));
  for (int j = 0; j < terms; j++) {
    if (weight[j] != 0) PetscCall(UnrBatchAXPY(y, stepper->dt * weight[j], k[j]));
  }
  PetscCall(UnrPhysicsConstrain(stepper->physics, par, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static size_t Numbers(UnrBatch u)
{
  return (size_t)u->samples * u->stride;
}

/* One sub-step of u in place; stages NULL, or [stage][numbers of u] to be filled. */
static PetscErrorCode Step(UnrStepper stepper, const double par[], Work *w, UnrBatch u, double *stages)
{
  const Tableau *t = ((RK *)stepper->data)->tableau;

  PetscFunctionBeginUser;
  for (int i = 0; i < t->stages; i++) {
    UnrBatch y = i ? w->y : u;

    if (i) PetscCall(Combine(stepper, par, u, i, t->a[i], w->k, y));
    if (stages) PetscCall(PetscArraycpy(stages + (size_t)i * Numbers(u), y->data, Numbers(u)));
    PetscCall(UnrPhysicsRhs(stepper->physics, par, y, w->k[i]));
  }
  PetscCall(Combine(stepper, par, u, t->stages, t->b, w->k, u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Tape: [sub-step][stage][sample][cell][component]. */
static PetscErrorCode UnrStepperApply_RK(UnrStepper stepper, const double par[], UnrBatch u, UnrBatch u_next,
                                         UnrTape tape)
{
  const size_t step = (size_t)((RK *)stepper->data)->tableau->stages * Numbers(u);
  void *block = NULL;
  Work w;

  PetscFunctionBeginUser;
  PetscCall(WorkGet(stepper, u->samples, true, false, &w));
  if (tape) PetscCall(UnrTapeReserve(tape, (size_t)stepper->substeps * step * sizeof(double), &block));
  PetscCall(UnrBatchCopy(u, u_next));
  for (PetscInt n = 0; n < stepper->substeps; n++)
    PetscCall(Step(stepper, par, &w, u_next, block ? (double *)block + (size_t)n * step : NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One sub-step of u and its tangent u_dot in place. */
static PetscErrorCode StepJvp(UnrStepper stepper, const double par[], const double par_dot[], Work *w,
                              UnrBatch u, UnrBatch u_dot)
{
  const Tableau *t = ((RK *)stepper->data)->tableau;

  PetscFunctionBeginUser;
  for (int i = 0; i < t->stages; i++) {
    UnrBatch y = i ? w->y : u, y_dot = i ? w->y_dot : u_dot;

    if (i) PetscCall(Combine(stepper, par, u, i, t->a[i], w->k, y));
    if (i) PetscCall(Combine(stepper, par, u_dot, i, t->a[i], w->k_dot, y_dot));
    PetscCall(UnrPhysicsRhs(stepper->physics, par, y, w->k[i]));
    PetscCall(UnrPhysicsJvp(stepper->physics, par, y, y_dot, par_dot, w->k_dot[i]));
  }
  PetscCall(Combine(stepper, par, u, t->stages, t->b, w->k, u));
  PetscCall(Combine(stepper, par, u_dot, t->stages, t->b, w->k_dot, u_dot));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode UnrStepperJvp_RK(UnrStepper stepper, const double par[], UnrBatch u, UnrBatch u_dot,
                                       const double par_dot[], UnrBatch next, UnrBatch next_dot)
{
  RK *rk = stepper->data;
  Work w;

  PetscFunctionBeginUser;
  PetscCall(WorkGet(stepper, u->samples, true, true, &w));
  if (!next) PetscCall(UnrScratchGet(&rk->next, u->grid, u->samples, &next));
  PetscCall(UnrBatchCopy(u, next));
  if (u_dot)
    PetscCall(UnrBatchCopy(u_dot, next_dot));
  else
    PetscCall(UnrBatchZero(next_dot));
  for (PetscInt n = 0; n < stepper->substeps; n++)
    PetscCall(StepJvp(stepper, par, par_dot, &w, next, next_dot));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  StepVjp - reverse of Step() from its stages.     Collective on the grid.
  In      stages   [stage][numbers of u]
  In/out  bar      on entry dJ/du', on exit dJ/du: what reaches u by every stage stays in it
          par_bar  ADDED, or NULL
*/
static PetscErrorCode StepVjp(UnrStepper stepper, const double par[], Work *w, const double *stages,
                              UnrBatch bar, double par_bar[])
{
  const Tableau *t = ((RK *)stepper->data)->tableau;
  UnrBatch y_bar = w->y_dot, *k_bar = w->k_dot;

  PetscFunctionBeginUser;
  PetscCall(UnrPhysicsConstrainTranspose(stepper->physics, par, bar));
  for (int i = 0; i < t->stages; i++) { /* u' = P (u + dt sum_i b_i k_i) */
    PetscCall(UnrBatchZero(k_bar[i]));
    if (t->b[i] != 0) PetscCall(UnrBatchAXPY(k_bar[i], stepper->dt * t->b[i], bar));
  }
  for (int i = t->stages - 1; i >= 0; i--) {
    PetscCall(PetscArraycpy(w->y->data, stages + (size_t)i * Numbers(bar), Numbers(bar)));
    PetscCall(UnrBatchZero(y_bar));
    PetscCall(UnrPhysicsVjp(stepper->physics, par, w->y, k_bar[i], y_bar, par_bar)); /* k_i = rhs(Y_i) */
    if (i) PetscCall(UnrPhysicsConstrainTranspose(stepper->physics, par, y_bar));
    PetscCall(UnrBatchAXPY(bar, 1, y_bar)); /* Y_i = P (u + dt sum_{j<i} a_ij k_j) */
    for (int j = 0; j < i; j++) {
      if (t->a[i][j] != 0) PetscCall(UnrBatchAXPY(k_bar[j], stepper->dt * t->a[i][j], y_bar));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode UnrStepperVjp_RK(UnrStepper stepper, const double par[], UnrTape tape,
                                       UnrBatch next_bar, UnrBatch u_bar, double par_bar[])
{
  RK *rk = stepper->data;
  const size_t step = (size_t)rk->tableau->stages * Numbers(next_bar);
  const void *block;
  UnrBatch bar;
  Work w;

  PetscFunctionBeginUser;
  PetscCall(UnrTapeRead(tape, &block));
  PetscCall(WorkGet(stepper, next_bar->samples, false, true, &w));
  PetscCall(UnrScratchGet(&rk->next, next_bar->grid, next_bar->samples, &bar));
  PetscCall(UnrBatchCopy(next_bar, bar));
  for (PetscInt n = stepper->substeps - 1; n >= 0; n--)
    PetscCall(StepVjp(stepper, par, &w, (const double *)block + (size_t)n * step, bar, par_bar));
  if (u_bar) PetscCall(UnrBatchAXPY(u_bar, 1, bar));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const UnrStepperOps UnrStepperOps_RK = {
    .name = "rk",
    .summary = "explicit Runge-Kutta methods of orders 1 to 4, constraint at every stage, discrete adjoint",
    .options = options,
    .create = UnrStepperCreate_RK,
    .destroy = UnrStepperDestroy_RK,
    .apply = UnrStepperApply_RK,
    .jvp = UnrStepperJvp_RK,
    .vjp = UnrStepperVjp_RK,
};
