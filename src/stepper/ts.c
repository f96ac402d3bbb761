/*
  A frame by PETSc's TS: explicit Runge-Kutta on any physics, theta methods where the physics assembles its
  Jacobian. Derivatives by PETSc's discrete adjoint and tangent.   Maths: docs/method/ts.md.

  The tape holds u^n.  A solve that fails (Newton or its linear solves diverge) gives NaN, as an explicit
  method that blows up does; -info tells PETSc's reason.
*/
#include "stepper/ts_impl.h"

#include <math.h>
#include <string.h>
#include "core/count.h"
#include "core/error.h"

static const UnrOption options[] = {
    {"-stepper_ts_type", UNR_WORD, "rk", 0, 0, NULL,
     "PETSc's integrator; its own options have the prefix -frame_: -frame_ts_rk_type, -frame_snes_rtol ...",
     "rk|theta|cn|beuler|ssp"},
    {NULL, UNR_BOOL, NULL, 0, 0, NULL, NULL, NULL},
};

/* Of PETSc's own options, for the frame's scheme and the reference scheme. */
static const char *const prefixes[] = {"frame_", "reference_frame_", NULL};

/* Those whose adjoint PETSc 3.18 has, and one without: any integrator may be trained around with nog. */
static const struct {
  const char *name; /* TSType */
  bool is_implicit, has_adjoint;
} types[] = {
    {TSRK, false, true},    {TSTHETA, true, true}, {TSCN, true, true},
    {TSBEULER, true, true}, {TSSSP, false, false},
};
enum { TYPES = sizeof types / sizeof types[0] };

static size_t Numbers(const struct UnrBatch_ *u)
{
  return (size_t)u->samples * u->stride;
}

/* An unknown or foreign PETSc option shows at creation, not in the first step. */
static PetscErrorCode CheckType(UnrTS *t)
{
  char problem[UNR_ERROR_TEXT];
  PetscErrorCode code;
  UnrTSSolver *solver;
  TSType type;
  PetscBool is_same;

  PetscFunctionBeginUser;
  t->samples = 1;
  PetscCall(UnrErrorCaptureBegin(problem));
  code = UnrTSSolverGet(t, UNR_TS_STATE, &solver);
  PetscCall(UnrErrorCaptureEnd(code, problem));
  UnrUserCheck(!code, "PETSc refuses an option of prefix -%s (%s); allowed: PETSc's own; try: without it",
               t->prefix, problem);
  PetscCall(TSGetType(solver->ts, &type));
  PetscCall(PetscStrcmp(type, t->type, &is_same));
  UnrUserCheck(is_same, "-%sts_type %s; allowed: the value of -stepper_ts_type (%s); try: -stepper_ts_type",
               t->prefix, type, t->type);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode UnrStepperCreate_TS(UnrStepper stepper)
{
  const UnrPhysics physics = stepper->physics;
  const char *name;
  UnrTS *t;

  PetscFunctionBeginUser;
  PetscCall(PetscNew(&t));
  stepper->data = t;
  t->stepper = stepper;
  PetscCall(UnrOptionWord(options, stepper->prefix, "-stepper_ts_type", &name));
  for (int i = 0; i < TYPES; i++) {
    if (strcmp(name, types[i].name)) continue;
    t->type = types[i].name;
    t->is_implicit = types[i].is_implicit;
    stepper->has_adjoint = types[i].has_adjoint;
  }
  t->prefix = stepper->prefix ? prefixes[1] : prefixes[0];
  UnrUserCheck(
      !t->is_implicit || !UnrPhysicsHas(physics, UNR_PHYSICS_CONSTRAIN),
      "-%sstepper_ts_type %s with the constraint of physics %s; allowed: rk, ssp; try: -%sstepper_type rk",
      UnrStepperPrefix(stepper), t->type, UnrPhysicsName(physics), UnrStepperPrefix(stepper));
  UnrUserCheck(
      !t->is_implicit || UnrPhysicsHas(physics, UNR_PHYSICS_JACOBIAN),
      "-%sstepper_ts_type %s needs the assembled Jacobian that physics %s lacks; allowed: rk, ssp; try: "
      "-%sstepper_ts_type rk, or a physics on a stencil such as ks_fd or burgers_fv",
      UnrStepperPrefix(stepper), t->type, UnrPhysicsName(physics), UnrStepperPrefix(stepper));
  if (t->is_implicit) PetscCall(UnrPhysicsJacobianCreate(physics, &t->J));
  PetscCall(CheckType(t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode UnrStepperDestroy_TS(UnrStepper stepper)
{
  UnrTS *t = stepper->data;

  PetscFunctionBeginUser;
  for (int kind = 0; kind < UNR_TS_KINDS; kind++) PetscCall(UnrTSSolverDestroy(&t->solver[kind]));
  PetscCall(MatDestroy(&t->J));
  PetscCall(UnrScratchDestroy(&t->at));
  PetscCall(UnrScratchDestroy(&t->in));
  PetscCall(UnrScratchDestroy(&t->out));
  PetscCall(UnrScratchDestroy(&t->next));
  PetscCall(PetscFree(stepper->data));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The samples [first, first + size) of one solve: all of them, or one for implicit types. */
static PetscInt GroupSize(const UnrTS *t, UnrBatch u)
{
  return t->is_implicit ? 1 : u->samples;
}

static void GroupSet(UnrTS *t, const double par[], const double par_dot[], PetscInt first, PetscInt size)
{
  const PetscInt skip = first * UnrPhysicsParameters(t->stepper->physics);

  t->samples = size;
  t->par = par + skip;
  t->par_dot = par_dot ? par_dot + skip : NULL;
}

/* The part-th of the Vec's parts, each with the numbers of `group`. */
static PetscErrorCode VecSetPart(Vec v, int part, const struct UnrBatch_ *group)
{
  PetscScalar *x;

  PetscFunctionBeginUser;
  PetscCall(VecGetArray(v, &x));
  PetscCall(PetscArraycpy(x + (size_t)part * Numbers(group), group->data, Numbers(group)));
  PetscCall(VecRestoreArray(v, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode VecGetPart(Vec v, int part, const struct UnrBatch_ *group)
{
  const PetscScalar *x;

  PetscFunctionBeginUser;
  PetscCall(VecGetArrayRead(v, &x));
  PetscCall(PetscArraycpy(group->data, x + (size_t)part * Numbers(group), Numbers(group)));
  PetscCall(VecRestoreArrayRead(v, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void FillNaN(const struct UnrBatch_ *group)
{
  for (size_t i = 0; i < Numbers(group); i++) group->data[i] = NAN;
}

/* false after a solve that failed: its reason goes to -info, and its TS is not used again. */
static PetscErrorCode Succeeded(UnrTSSolver *solver, bool *succeeded)
{
  TSConvergedReason reason;

  PetscFunctionBeginUser;
  PetscCall(TSGetConvergedReason(solver->ts, &reason));
  *succeeded = reason > 0;
  if (*succeeded) PetscFunctionReturn(PETSC_SUCCESS);
  UnrCountAdd(UNR_COUNT_SOLVER_FAILED, 1);
  PetscCall(PetscInfo(solver->ts, "frame failed: %s\n", TSConvergedReasons[reason]));
  solver->is_spent = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* In place on the group. */
static PetscErrorCode Solve(UnrTS *t, struct UnrBatch_ group)
{
  UnrTSSolver *solver;
  bool succeeded;

  PetscFunctionBeginUser;
  PetscCall(UnrTSSolverGet(t, UNR_TS_STATE, &solver));
  PetscCall(VecSetPart(solver->u, 0, &group));
  PetscCall(TSSolve(solver->ts, solver->u));
  PetscCall(Succeeded(solver, &succeeded));
  if (succeeded)
    PetscCall(VecGetPart(solver->u, 0, &group));
  else
    FillNaN(&group);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Tape: u^n, [sample][cell][component]. */
static PetscErrorCode UnrStepperApply_TS(UnrStepper stepper, const double par[], UnrBatch u, UnrBatch u_next,
                                         UnrTape tape)
{
  UnrTS *t = stepper->data;
  const PetscInt size = GroupSize(t, u);

  PetscFunctionBeginUser;
  if (tape) {
    void *block;

    PetscCall(UnrTapeReserve(tape, Numbers(u) * sizeof(double), &block));
    PetscCall(PetscArraycpy((double *)block, u->data, Numbers(u)));
  }
  PetscCall(UnrBatchCopy(u, u_next));
  for (PetscInt s = 0; s < u->samples; s += size) {
    GroupSet(t, par, NULL, s, size);
    PetscCall(Solve(t, UnrBatchView(u_next, s, size)));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The one column of S. */
static PetscErrorCode ColumnCopy(Mat S, const struct UnrBatch_ *group, bool to_column)
{
  PetscScalar *column;

  PetscFunctionBeginUser;
  PetscCall(MatDenseGetArray(S, &column));
  PetscCall(
      PetscArraycpy(to_column ? column : group->data, to_column ? group->data : column, Numbers(group)));
  PetscCall(MatDenseRestoreArray(S, &column));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  SolveTangent - state and tangent of a frame, both in place.     Collective on the grid.
  Explicit types: the same method on [u, u_dot].  Implicit types: PETSc's forward sensitivity of one column.
*/
static PetscErrorCode SolveTangent(UnrTS *t, struct UnrBatch_ u, struct UnrBatch_ u_dot)
{
  UnrTSSolver *solver;
  bool succeeded;

  PetscFunctionBeginUser;
  PetscCall(UnrTSSolverGet(t, UNR_TS_TANGENT, &solver));
  PetscCall(VecSetPart(solver->u, 0, &u));
  if (solver->S)
    PetscCall(ColumnCopy(solver->S, &u_dot, true));
  else
    PetscCall(VecSetPart(solver->u, 1, &u_dot));
  PetscCall(TSSolve(solver->ts, solver->u));
  PetscCall(Succeeded(solver, &succeeded));
  if (!succeeded) {
    FillNaN(&u);
    FillNaN(&u_dot);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(VecGetPart(solver->u, 0, &u));
  if (solver->S)
    PetscCall(ColumnCopy(solver->S, &u_dot, false));
  else
    PetscCall(VecGetPart(solver->u, 1, &u_dot));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode UnrStepperJvp_TS(UnrStepper stepper, const double par[], UnrBatch u, UnrBatch u_dot,
                                       const double par_dot[], UnrBatch next, UnrBatch next_dot)
{
  UnrTS *t = stepper->data;
  const PetscInt size = GroupSize(t, u);

  PetscFunctionBeginUser;
  if (!next) PetscCall(UnrScratchGet(&t->next, u->grid, u->samples, &next));
  PetscCall(UnrBatchCopy(u, next));
  if (u_dot)
    PetscCall(UnrBatchCopy(u_dot, next_dot));
  else
    PetscCall(UnrBatchZero(next_dot));
  for (PetscInt s = 0; s < u->samples; s += size) {
    GroupSet(t, par, par_dot, s, size);
    PetscCall(SolveTangent(t, UnrBatchView(next, s, size), UnrBatchView(next_dot, s, size)));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* v += the Vec's numbers, or NaN. */
static PetscErrorCode AddNumbers(Vec from, bool succeeded, double v[])
{
  const PetscScalar *x;
  PetscInt n;

  PetscFunctionBeginUser;
  PetscCall(VecGetLocalSize(from, &n));
  PetscCall(VecGetArrayRead(from, &x));
  for (PetscInt i = 0; i < n; i++) v[i] += succeeded ? x[i] : NAN;
  PetscCall(VecRestoreArrayRead(from, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  SolveAdjoint - the frame again with its trajectory, and back.     Collective on the grid.
  In      state    u^n;  next_bar  dJ/du^{n+1}
  In/out  u_bar    dJ/du^n, ADDED; data NULL: not wanted
          par_bar  [sample][parameter] of the group, ADDED; NULL: not wanted
*/
static PetscErrorCode SolveAdjoint(UnrTS *t, struct UnrBatch_ state, struct UnrBatch_ next_bar,
                                   double u_bar[], double par_bar[])
{
  UnrTSSolver *solver;
  bool succeeded;

  PetscFunctionBeginUser;
  PetscCall(UnrTSSolverGet(t, par_bar ? UNR_TS_ADJOINT_PAR : UNR_TS_ADJOINT, &solver));
  PetscCall(VecSetPart(solver->u, 0, &state));
  PetscCall(VecSetPart(solver->lambda, 0, &next_bar));
  if (solver->mu) PetscCall(VecZeroEntries(solver->mu));
  PetscCall(TSSolve(solver->ts, solver->u));
  PetscCall(Succeeded(solver, &succeeded));
  if (succeeded) {
    PetscCall(TSAdjointSolve(solver->ts));
    PetscCall(Succeeded(solver, &succeeded));
  }
  if (u_bar) PetscCall(AddNumbers(solver->lambda, succeeded, u_bar));
  if (par_bar) PetscCall(AddNumbers(solver->mu, succeeded, par_bar));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode UnrStepperVjp_TS(UnrStepper stepper, const double par[], UnrTape tape,
                                       UnrBatch next_bar, UnrBatch u_bar, double par_bar[])
{
  UnrTS *t = stepper->data;
  const PetscInt size = GroupSize(t, next_bar), parameters = UnrPhysicsParameters(stepper->physics);
  const void *block;

  PetscFunctionBeginUser;
  PetscCall(UnrTapeRead(tape, &block));
  for (PetscInt s = 0; s < next_bar->samples; s += size) {
    const size_t skip = (size_t)s * next_bar->stride;
    struct UnrBatch_ bar = UnrBatchView(next_bar, s, size), state = bar;

    state.data = (double *)block + skip;
    GroupSet(t, par, NULL, s, size);
    PetscCall(SolveAdjoint(t, state, bar, u_bar ? u_bar->data + skip : NULL,
                           par_bar && parameters ? par_bar + s * parameters : NULL));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

const UnrStepperOps UnrStepperOps_TS = {
    .name = "ts",
    .summary = "PETSc TS: explicit Runge-Kutta, theta, Crank-Nicolson, backward Euler, with TSAdjoint",
    .options = options,
    .solver_prefixes = prefixes,
    .create = UnrStepperCreate_TS,
    .destroy = UnrStepperDestroy_TS,
    .apply = UnrStepperApply_TS,
    .jvp = UnrStepperJvp_TS,
    .vjp = UnrStepperVjp_TS,
};
