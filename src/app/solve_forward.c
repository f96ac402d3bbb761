/* The way forward of `solve`: frame by frame into the file, and what the states add up to. */
#include "app/solve.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "core/event.h"
#include "core/progress.h"

/* Mean of u^2/2 over the points (all components); not finite where the state is not. */
static PetscErrorCode Energy(UnrBatch u, double *energy)
{
  PetscFunctionBeginUser;
  PetscCall(UnrBatchDot(u, u, energy));
  *energy /= 2 * (double)u->grid->total;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The physics' own integral `name`, where it has one; else *value stays. */
static PetscErrorCode Integral(const UnrSolve *solve, UnrBatch u, const char *name, double *value)
{
  const char *names = UnrPhysicsIntegralNames(solve->physics);
  double all[32];
  int i = 0;

  PetscFunctionBeginUser;
  for (; names; i++) {
    const size_t length = strcspn(names, "|");

    if (length == strlen(name) && !strncmp(names, name, length)) break;
    names = names[length] ? names + length + 1 : NULL;
  }
  if (!names) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(UnrPhysicsIntegrals(solve->physics, solve->par, u, all));
  *value = all[i];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One frame, timed. */
static PetscErrorCode Step(UnrSolve *solve, UnrBatch *u, UnrBatch *next, double *seconds)
{
  UnrBatch keep = *u;
  const double begun = MPI_Wtime();

  PetscFunctionBeginUser;
  PetscCall(UnrStagePush(UNR_STAGE_FORWARD));
  PetscCall(UnrStepperApply(solve->stepper, solve->par, *u, *next, NULL));
  PetscCall(UnrStagePop());
  *seconds += MPI_Wtime() - begun;
  *u = *next;
  *next = keep;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrSolveForward(UnrSolve *solve, UnrWell well, UnrSolveOutcome *outcome)
{
  UnrBatch u, next;
  UnrProgress progress;
  PetscInt written = 0;

  PetscFunctionBeginUser;
  PetscCall(UnrBatchCreate(solve->grid, 1, &u));
  PetscCall(UnrBatchCreate(solve->grid, 1, &next));
  PetscCall(UnrBatchCopy(solve->u0, u));
  PetscCall(UnrStepperApply(solve->stepper, solve->par, u, next,
                            NULL)); /* untimed: makes coefficients and scratch */
  UnrProgressBegin(&progress, "solve", solve->steps);
  for (PetscInt k = 0; k <= solve->steps; k++) {
    if (k) PetscCall(Step(solve, &u, &next, &outcome->seconds_forward));
    PetscCall(Energy(u, &outcome->energy_last));
    if (!isfinite(outcome->energy_last)) {
      outcome->reason = "diverged";
      break;
    }
    outcome->steps = k;
    if (k == 0) {
      outcome->energy_first = outcome->energy_last;
      PetscCall(Integral(solve, u, "energy", &outcome->energy_first));
    }
    if (UnrSolveIsSaved(solve, k)) PetscCall(UnrWellWrite(well, 0, written++, u, 0));
    UnrProgressStep(&progress, k, NULL);
  }
  UnrProgressEnd(&progress, outcome->steps, outcome->reason);
  if (!outcome->reason) {
    PetscCall(Integral(solve, u, "energy", &outcome->energy_last));
    PetscCall(Integral(solve, u, "divergence", &outcome->divergence));
  }
  PetscCallMPI(
      MPI_Allreduce(MPI_IN_PLACE, &outcome->seconds_forward, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
  PetscCall(UnrBatchDestroy(&next));
  PetscCall(UnrBatchDestroy(&u));
  PetscFunctionReturn(PETSC_SUCCESS);
}
