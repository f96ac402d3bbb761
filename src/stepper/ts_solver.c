/*
  PETSc's TS, one of each kind, kept from solve to solve and set back before each: its bits do not depend on
  what was solved before (tests/test_ts.c).  Making one costs some hundred microseconds, and in parallel many
  small collectives.
*/
#include "stepper/ts_impl.h"

/*
  Defaults of the implicit solves, below PETSc's own options: Newton to rounding without a line search (which
  fails there), and direct solves, so that the transposed solves of the adjoint are exact.  In parallel every
  rank factors the whole matrix: MUMPS scales further, but its bits may differ from run to run.
*/
static PetscErrorCode SetNewton(TS ts)
{
  SNES snes;
  SNESLineSearch search;
  KSP ksp;
  PC pc;
  int size;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)ts), &size));
  PetscCall(TSGetSNES(ts, &snes));
  PetscCall(SNESSetTolerances(snes, PETSC_DEFAULT, 1e-14, 1e-13, 50, PETSC_DEFAULT));
  PetscCall(SNESGetLineSearch(snes, &search));
  PetscCall(SNESLineSearchSetType(search, SNESLINESEARCHBASIC));
  PetscCall(SNESGetKSP(snes, &ksp));
  PetscCall(KSPSetType(ksp, KSPPREONLY));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, size == 1 ? PCLU : PCREDUNDANT));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sub-steps are all of the given length: adaptive steps would depend on the state, and their derivative be
 * lost. */
static PetscErrorCode SetSteps(TS ts)
{
  TSAdapt adapt;

  PetscFunctionBeginUser;
  PetscCall(TSGetAdapt(ts, &adapt));
  PetscCall(TSAdaptSetType(adapt, TSADAPTNONE));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_STEPOVER));
  PetscCall(TSSetErrorIfStepFails(ts, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetTrajectory(TS ts)
{
  TSTrajectory trajectory;

  PetscFunctionBeginUser;
  PetscCall(TSSetSaveTrajectory(ts));
  PetscCall(TSGetTrajectory(ts, &trajectory));
  PetscCall(TSTrajectorySetType(trajectory, ts, TSTRAJECTORYMEMORY));
  PetscCall(TSTrajectorySetSolutionOnly(trajectory, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The Vecs and matrices of a kind, for t->samples samples. */
static PetscErrorCode WorkCreate(UnrTS *t, UnrTSSolver *solver)
{
  const UnrGrid grid = UnrPhysicsGrid(t->stepper->physics);
  const PetscInt numbers = t->samples * grid->local * grid->components;
  const bool is_tangent = solver->kind == UNR_TS_TANGENT, is_pair = is_tangent && !t->is_implicit;

  PetscFunctionBeginUser;
  PetscCall(VecCreateMPI(grid->comm, is_pair ? 2 * numbers : numbers, PETSC_DETERMINE, &solver->u));
  if (is_tangent && !is_pair)
    PetscCall(MatCreateDense(grid->comm, numbers, PETSC_DECIDE, PETSC_DETERMINE, 1, NULL, &solver->S));
  if (solver->kind >= UNR_TS_ADJOINT) PetscCall(VecDuplicate(solver->u, &solver->lambda));
  if (solver->kind == UNR_TS_ADJOINT_PAR)
    PetscCall(VecCreateMPI(grid->comm, t->samples * UnrPhysicsParameters(t->stepper->physics),
                           PETSC_DETERMINE, &solver->mu));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SolverCreate(UnrTS *t, UnrTSKind kind, UnrTSSolver *solver)
{
  TS ts;

  PetscFunctionBeginUser;
  solver->kind = kind;
  solver->samples = t->samples;
  solver->is_spent = false;
  PetscCall(WorkCreate(t, solver));
  PetscCall(TSCreate(PetscObjectComm((PetscObject)solver->u), &ts));
  solver->ts = ts;
  PetscCall(TSSetOptionsPrefix(ts, t->prefix));
  PetscCall(TSSetProblemType(ts, TS_NONLINEAR));
  PetscCall(TSSetType(ts, t->type));
  if (t->is_implicit)
    PetscCall(SetNewton(ts));
  else
    PetscCall(TSRKSetType(ts, TSRK4));
  PetscCall(UnrTSSetProblem(t, solver));
  PetscCall(TSSetFromOptions(ts));
  PetscCall(SetSteps(ts));
  if (solver->S) PetscCall(TSForwardSetSensitivities(ts, 1, solver->S));
  if (solver->lambda) PetscCall(SetTrajectory(ts));
  if (solver->lambda) PetscCall(TSSetCostGradients(ts, 1, &solver->lambda, solver->mu ? &solver->mu : NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrTSSolverDestroy(UnrTSSolver *solver)
{
  PetscFunctionBeginUser;
  PetscCall(TSDestroy(&solver->ts));
  PetscCall(VecDestroy(&solver->u));
  PetscCall(VecDestroy(&solver->lambda));
  PetscCall(VecDestroy(&solver->mu));
  PetscCall(MatDestroy(&solver->S));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrTSSolverGet(UnrTS *t, UnrTSKind kind, UnrTSSolver **solver)
{
  const UnrStepper stepper = t->stepper;
  TS ts;

  PetscFunctionBeginUser;
  *solver = &t->solver[kind];
  if ((*solver)->samples != t->samples || (*solver)->is_spent) PetscCall(UnrTSSolverDestroy(*solver));
  if (!(*solver)->ts) PetscCall(SolverCreate(t, kind, *solver));
  ts = (*solver)->ts;
  PetscCall(TSSetTime(ts, 0));
  PetscCall(TSSetStepNumber(ts, 0));
  PetscCall(TSSetTimeStep(ts, stepper->dt));
  PetscCall(TSSetMaxSteps(ts, stepper->substeps));
  /* Twice too far: the number of steps ends the solve, never the rounding of the time. */
  PetscCall(TSSetMaxTime(ts, 2 * stepper->dt * (double)stepper->substeps));
  PetscCall(TSRestartStep(ts)); /* methods whose first stage is the last step's must compute it */
  PetscFunctionReturn(PETSC_SUCCESS);
}
