/* What follows from a state: diagnostic fields, integrals, spectrum. */
#include "physics/physics_impl.h"

#include <string.h>
#include "core/event.h"

static const UnrDiagnosticOps *Find(UnrPhysics physics, const char *name, int *number)
{
  const UnrDiagnosticOps *d = physics->ops->diagnostics;

  for (*number = 0; d && d->name; d++, (*number)++)
    if (!strcmp(d->name, name)) return d;
  return NULL;
}

/*
  UnrPhysicsDiagnostic - the grid of a diagnostic field, made when first asked for.     Collective on the
  grid. Out     grid   owned by the physics; NULL if it has no such field
*/
PetscErrorCode UnrPhysicsDiagnostic(UnrPhysics physics, const char *name, UnrGrid *grid)
{
  int i;
  const UnrDiagnosticOps *d = Find(physics, name, &i);

  PetscFunctionBeginUser;
  *grid = NULL;
  if (!d) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(i < UNR_PHYSICS_DIAGNOSTICS, PETSC_COMM_SELF, PETSC_ERR_SUP, "diagnostic number %d", i);
  if (!physics->diagnostic_grid[i])
    PetscCall(
        UnrGridCreateLike(physics->grid, d->components(physics->grid->dim), &physics->diagnostic_grid[i]));
  *grid = physics->diagnostic_grid[i];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrPhysicsDiagnosticsDestroy(UnrPhysics physics)
{
  PetscFunctionBeginUser;
  for (int i = 0; i < UNR_PHYSICS_DIAGNOSTICS; i++) PetscCall(UnrGridDestroy(&physics->diagnostic_grid[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const char *UnrPhysicsDiagnosticName(UnrPhysics physics, int i)
{
  return physics->ops->diagnostics ? physics->ops->diagnostics[i].name : NULL;
}

/* Faults of the caller: names come from UnrPhysicsDiagnosticName(). */
static PetscErrorCode Get(UnrPhysics physics, const char *name, const UnrDiagnosticOps **diagnostic)
{
  int i;

  PetscFunctionBeginUser;
  *diagnostic = Find(physics, name, &i);
  PetscCheck(*diagnostic, PETSC_COMM_SELF, PETSC_ERR_SUP, "physics %s has no diagnostic %s",
             physics->ops->name, name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* UnrPhysicsDiagnose - out = D(u; par).     Collective on the grid. */
PetscErrorCode UnrPhysicsDiagnose(UnrPhysics physics, const char *name, const double par[], UnrBatch u,
                                  UnrBatch out)
{
  const UnrDiagnosticOps *d;

  PetscFunctionBeginUser;
  PetscCall(Get(physics, name, &d));
  PetscCall(UnrEventBegin(UNR_EVENT_DIAGNOSE));
  PetscCall(d->apply(physics, par, u, out));
  PetscCall(UnrEventEnd(UNR_EVENT_DIAGNOSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* UnrPhysicsDiagnoseJvp - out_dot = dD/du u_dot + dD/dpar par_dot; either NULL: zero.     Collective on the
 * grid. */
PetscErrorCode UnrPhysicsDiagnoseJvp(UnrPhysics physics, const char *name, const double par[], UnrBatch u,
                                     UnrBatch u_dot, const double par_dot[], UnrBatch out_dot)
{
  const UnrDiagnosticOps *d;

  PetscFunctionBeginUser;
  PetscCall(Get(physics, name, &d));
  PetscCall(UnrEventBegin(UNR_EVENT_DIAGNOSE));
  PetscCall(d->jvp(physics, par, u, u_dot, par_dot, out_dot));
  PetscCall(UnrEventEnd(UNR_EVENT_DIAGNOSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* UnrPhysicsDiagnoseVjp - its reverse: ADDS to u_bar, par_bar; either NULL: not wanted.     Collective on the
 * grid. */
PetscErrorCode UnrPhysicsDiagnoseVjp(UnrPhysics physics, const char *name, const double par[], UnrBatch u,
                                     UnrBatch out_bar, UnrBatch u_bar, double par_bar[])
{
  const UnrDiagnosticOps *d;

  PetscFunctionBeginUser;
  PetscCall(Get(physics, name, &d));
  PetscCall(UnrEventBegin(UNR_EVENT_DIAGNOSE));
  PetscCall(d->vjp(physics, par, u, out_bar, u_bar, par_bar));
  PetscCall(UnrEventEnd(UNR_EVENT_DIAGNOSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const char *UnrPhysicsIntegralNames(UnrPhysics physics)
{
  return physics->ops->integrals;
}

PetscErrorCode UnrPhysicsIntegrals(UnrPhysics physics, const double par[], UnrBatch u, double value[])
{
  PetscFunctionBeginUser;
  PetscCheck(physics->ops->integrate, PETSC_COMM_SELF, PETSC_ERR_SUP, "physics %s has no integrals",
             physics->ops->name);
  PetscCall(physics->ops->integrate(physics, par, u, value));
  PetscFunctionReturn(PETSC_SUCCESS);
}
