/* The callbacks by which PETSc's TS sees a physics.   Maths: docs/method/ts.md. */
#include "stepper/ts_impl.h"

#include <string.h>

/* Physics calls take batches; TS has plain Vecs with the numbers of a group of samples, in a batch's order.
 */
static PetscErrorCode BatchGet(UnrTS *t, UnrScratch *scratch, UnrBatch *batch)
{
  PetscFunctionBeginUser;
  PetscCall(UnrScratchGet(scratch, UnrPhysicsGrid(t->stepper->physics), t->samples, batch));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static size_t Numbers(UnrBatch batch)
{
  return (size_t)batch->samples * batch->stride;
}

/* The part-th group of numbers of v. */
static PetscErrorCode FromVec(Vec v, int part, UnrBatch batch)
{
  const PetscScalar *x;

  PetscFunctionBeginUser;
  PetscCall(VecGetArrayRead(v, &x));
  PetscCall(PetscArraycpy(batch->data, x + (size_t)part * Numbers(batch), Numbers(batch)));
  PetscCall(VecRestoreArrayRead(v, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ToVec(UnrBatch batch, int part, Vec v)
{
  PetscScalar *x;

  PetscFunctionBeginUser;
  PetscCall(VecGetArray(v, &x));
  PetscCall(PetscArraycpy(x + (size_t)part * Numbers(batch), batch->data, Numbers(batch)));
  PetscCall(VecRestoreArray(v, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* f(u) = P rhs(u). */
static PetscErrorCode Rhs(TS ts, PetscReal time, Vec u, Vec f, void *context)
{
  UnrTS *t = context;
  UnrBatch in, out;

  PetscFunctionBeginUser;
  (void)ts, (void)time;
  PetscCall(BatchGet(t, &t->in, &in));
  PetscCall(BatchGet(t, &t->out, &out));
  PetscCall(FromVec(u, 0, in));
  PetscCall(UnrPhysicsRhs(t->stepper->physics, t->par, in, out));
  PetscCall(UnrPhysicsConstrain(t->stepper->physics, t->par, out));
  PetscCall(ToVec(out, 0, f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* P J x, at the state of the last JacobianAt(). */
static PetscErrorCode JacobianMult(Mat J, Vec x, Vec y)
{
  UnrTS *t;
  UnrBatch at, in, out;

  PetscFunctionBeginUser;
  PetscCall(MatShellGetContext(J, &t));
  PetscCall(BatchGet(t, &t->at, &at));
  PetscCall(BatchGet(t, &t->in, &in));
  PetscCall(BatchGet(t, &t->out, &out));
  PetscCall(FromVec(x, 0, in));
  PetscCall(UnrPhysicsJvp(t->stepper->physics, t->par, at, in, NULL, out));
  PetscCall(UnrPhysicsConstrain(t->stepper->physics, t->par, out));
  PetscCall(ToVec(out, 0, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* J' P' x. */
static PetscErrorCode JacobianMultTranspose(Mat J, Vec x, Vec y)
{
  UnrTS *t;
  UnrBatch at, in, out;

  PetscFunctionBeginUser;
  PetscCall(MatShellGetContext(J, &t));
  PetscCall(BatchGet(t, &t->at, &at));
  PetscCall(BatchGet(t, &t->in, &in));
  PetscCall(BatchGet(t, &t->out, &out));
  PetscCall(FromVec(x, 0, in));
  PetscCall(UnrPhysicsConstrainTranspose(t->stepper->physics, t->par, in));
  PetscCall(UnrBatchZero(out));
  PetscCall(UnrPhysicsVjp(t->stepper->physics, t->par, at, in, out, NULL));
  PetscCall(ToVec(out, 0, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Assembly takes back the scale and shift that TS put on the shell for an earlier state. */
static PetscErrorCode JacobianAt(TS ts, PetscReal time, Vec u, Mat J, Mat B, void *context)
{
  UnrTS *t = context;
  UnrBatch at;

  PetscFunctionBeginUser;
  (void)ts, (void)time, (void)B;
  if (t->is_implicit) {
    PetscCall(UnrPhysicsJacobian(t->stepper->physics, t->par, u, J));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(BatchGet(t, &t->at, &at));
  PetscCall(FromVec(u, 0, at));
  PetscCall(MatAssemblyBegin(J, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(J, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* (d f/d par)' x: this rank's part, [sample][parameter]; every rank holds as many entries of the parameters'
   Vec. The implicit types want d F/d par of F = u_t - f: the other sign. */
static PetscErrorCode ParameterMultTranspose(Mat Jp, Vec x, Vec y)
{
  UnrTS *t;
  UnrBatch at, in;
  PetscScalar *par_bar;

  PetscFunctionBeginUser;
  PetscCall(MatShellGetContext(Jp, &t));
  PetscCall(BatchGet(t, &t->at, &at));
  PetscCall(BatchGet(t, &t->in, &in));
  PetscCall(FromVec(x, 0, in));
  PetscCall(UnrPhysicsConstrainTranspose(t->stepper->physics, t->par, in));
  PetscCall(VecZeroEntries(y));
  PetscCall(VecGetArray(y, &par_bar));
  PetscCall(UnrPhysicsVjp(t->stepper->physics, t->par, at, in, NULL, par_bar));
  PetscCall(VecRestoreArray(y, &par_bar));
  if (t->is_implicit) PetscCall(VecScale(y, -1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ParameterAt(TS ts, PetscReal time, Vec u, Mat Jp, void *context)
{
  UnrTS *t = context;
  UnrBatch at;

  PetscFunctionBeginUser;
  (void)ts, (void)time, (void)Jp;
  PetscCall(BatchGet(t, &t->at, &at));
  PetscCall(FromVec(u, 0, at));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ParameterImplicitAt(TS ts, PetscReal time, Vec u, Vec u_t, PetscReal shift, Mat Jp,
                                          void *context)
{
  PetscFunctionBeginUser;
  (void)u_t, (void)shift;
  PetscCall(ParameterAt(ts, time, u, Jp, context));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* f of [u, u_dot]: [P rhs(u), P (J u_dot + d rhs/d par par_dot)]. */
static PetscErrorCode RhsTangent(TS ts, PetscReal time, Vec u, Vec f, void *context)
{
  UnrTS *t = context;
  UnrBatch at, in, out;

  PetscFunctionBeginUser;
  PetscCall(Rhs(ts, time, u, f, context));
  PetscCall(BatchGet(t, &t->at, &at));
  PetscCall(BatchGet(t, &t->in, &in));
  PetscCall(BatchGet(t, &t->out, &out));
  PetscCall(FromVec(u, 0, at));
  PetscCall(FromVec(u, 1, in));
  PetscCall(UnrPhysicsJvp(t->stepper->physics, t->par, at, in, t->par_dot, out));
  PetscCall(UnrPhysicsConstrain(t->stepper->physics, t->par, out));
  PetscCall(ToVec(out, 1, f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The one column of Jp = -d f/d par par_dot; u_dot and par_dot NULL make jvp zero. */
static PetscErrorCode DirectionImplicitAt(TS ts, PetscReal time, Vec u, Vec u_t, PetscReal shift, Mat Jp,
                                          void *context)
{
  UnrTS *t = context;
  UnrBatch at, out;
  PetscScalar *column;

  PetscFunctionBeginUser;
  (void)ts, (void)time, (void)u_t, (void)shift;
  PetscCall(BatchGet(t, &t->at, &at));
  PetscCall(BatchGet(t, &t->out, &out));
  PetscCall(FromVec(u, 0, at));
  PetscCall(UnrPhysicsJvp(t->stepper->physics, t->par, at, NULL, t->par_dot, out));
  PetscCall(MatDenseGetArray(Jp, &column));
  for (size_t i = 0; i < Numbers(out); i++) column[i] = -out->data[i];
  PetscCall(MatDenseRestoreArray(Jp, &column));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A shell with the group's numbers along its rows. */
static PetscErrorCode ShellCreate(UnrTS *t, Vec u, Vec columns, Mat *shell)
{
  PetscInt m, n;

  PetscFunctionBeginUser;
  PetscCall(VecGetLocalSize(u, &m));
  PetscCall(VecGetLocalSize(columns, &n));
  PetscCall(
      MatCreateShell(PetscObjectComm((PetscObject)u), m, n, PETSC_DETERMINE, PETSC_DETERMINE, t, shell));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetJacobian(UnrTS *t, const UnrTSSolver *solver)
{
  Mat J;

  PetscFunctionBeginUser;
  if (t->is_implicit) {
    PetscCall(TSSetRHSJacobian(solver->ts, t->J, t->J, JacobianAt, t));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(ShellCreate(t, solver->u, solver->u, &J));
  PetscCall(MatShellSetOperation(J, MATOP_MULT, (void (*)(void))JacobianMult));
  PetscCall(MatShellSetOperation(J, MATOP_MULT_TRANSPOSE, (void (*)(void))JacobianMultTranspose));
  PetscCall(TSSetRHSJacobian(solver->ts, J, J, JacobianAt, t));
  PetscCall(MatDestroy(&J));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc's explicit adjoint asks for the parameters' Jacobian of the right-hand side, the implicit ones for
 * that of F. */
static PetscErrorCode SetParameterJacobian(UnrTS *t, const UnrTSSolver *solver)
{
  Mat Jp;

  PetscFunctionBeginUser;
  PetscCall(ShellCreate(t, solver->u, solver->mu, &Jp));
  PetscCall(MatShellSetOperation(Jp, MATOP_MULT_TRANSPOSE, (void (*)(void))ParameterMultTranspose));
  if (t->is_implicit)
    PetscCall(TSSetIJacobianP(solver->ts, Jp, ParameterImplicitAt, t));
  else
    PetscCall(TSSetRHSJacobianP(solver->ts, Jp, ParameterAt, t));
  PetscCall(MatDestroy(&Jp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetDirection(UnrTS *t, const UnrTSSolver *solver)
{
  Mat Jp;

  PetscFunctionBeginUser;
  PetscCall(MatDuplicate(solver->S, MAT_DO_NOT_COPY_VALUES, &Jp));
  PetscCall(TSSetIJacobianP(solver->ts, Jp, DirectionImplicitAt, t));
  PetscCall(MatDestroy(&Jp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrTSSetProblem(UnrTS *t, UnrTSSolver *solver)
{
  const bool is_pair = solver->kind == UNR_TS_TANGENT && !t->is_implicit;

  PetscFunctionBeginUser;
  PetscCall(TSSetRHSFunction(solver->ts, NULL, is_pair ? RhsTangent : Rhs, t));
  if (!is_pair) PetscCall(SetJacobian(t, solver));
  if (solver->mu) PetscCall(SetParameterJacobian(t, solver));
  if (solver->S) PetscCall(SetDirection(t, solver));
  PetscFunctionReturn(PETSC_SUCCESS);
}
