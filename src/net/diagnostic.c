/*
  Diagnostic channels: fields that the physics makes from the state which the net sees, "pressure".
  Maths: docs/method/network.md, eq. (1)
*/
#include "core/error.h"
#include "net/net_impl.h"

#include <string.h>

/* "a|b": the fields of the physics, or "none". */
static void FieldNames(UnrPhysics physics, char names[], size_t room)
{
  size_t used = 0;
  const char *name;

  (void)snprintf(names, room, "none");
  for (int i = 0; (name = UnrPhysicsDiagnosticName(physics, i)) && used < room; i++)
    used += (size_t)snprintf(names + used, room - used, "%s%s", i ? "|" : "", name);
}

/*
  UnrNetDiagnosticsCreate - which fields are fed; sets net->fields.     Collective on the world.
  Errors  a user error for a name that the physics has not
*/
PetscErrorCode UnrNetDiagnosticsCreate(UnrNet net, PetscInt diagnostics, const char *const names[])
{
  char known[256];

  PetscFunctionBeginUser;
  net->fields = net->components;
  FieldNames(net->physics, known, sizeof(known));
  for (PetscInt k = 0; k < diagnostics; k++) {
    UnrNetDiagnostic *d = &net->diagnostic[k];

    PetscCall(UnrPhysicsDiagnostic(net->physics, names[k], &d->grid));
    UnrUserCheck(d->grid,
                 "-net_diagnostics (%s) is no field that physics %s gives; allowed: %s; try: without "
                 "-net_diagnostics",
                 names[k], UnrPhysicsName(net->physics), known);
    for (int i = 0; (d->name = UnrPhysicsDiagnosticName(net->physics, i)); i++)
      if (!strcmp(d->name, names[k])) break;
    d->channel = net->fields;
    net->fields += d->grid->components;
    net->diagnostics++;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrNetDiagnosticsDestroy(UnrNet net)
{
  PetscFunctionBeginUser;
  for (PetscInt k = 0; k < net->diagnostics; k++) PetscCall(UnrBatchDestroy(&net->diagnostic[k].batch));
  PetscCall(UnrBatchDestroy(&net->state));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* UnrNetDiagnosticsShape - batches for so many samples.     Collective on the grid. */
PetscErrorCode UnrNetDiagnosticsShape(UnrNet net, PetscInt samples)
{
  PetscFunctionBeginUser;
  if (!net->diagnostics || (net->state && net->state->samples == samples)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(UnrNetDiagnosticsDestroy(net));
  PetscCall(UnrBatchCreate(net->grid, samples, &net->state));
  for (PetscInt k = 0; k < net->diagnostics; k++)
    PetscCall(UnrBatchCreate(net->diagnostic[k].grid, samples, &net->diagnostic[k].batch));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* UnrNetDiagnose - every field of the state u into its batch.     Collective on the grid. */
PetscErrorCode UnrNetDiagnose(UnrNet net, const double par[], UnrBatch u)
{
  PetscFunctionBeginUser;
  for (PetscInt k = 0; k < net->diagnostics; k++)
    PetscCall(UnrPhysicsDiagnose(net->physics, net->diagnostic[k].name, par, u, net->diagnostic[k].batch));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* UnrNetDiagnoseTangent - its tangent, into the same batches.     Collective on the grid. */
PetscErrorCode UnrNetDiagnoseTangent(UnrNet net, const double par[], UnrBatch u, UnrBatch u_dot,
                                     const double par_dot[])
{
  PetscFunctionBeginUser;
  for (PetscInt k = 0; k < net->diagnostics; k++)
    PetscCall(UnrPhysicsDiagnoseJvp(net->physics, net->diagnostic[k].name, par, u, u_dot, par_dot,
                                    net->diagnostic[k].batch));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  UnrNetDiagnoseReverse - its reverse.     Collective on the grid.
  In      state   [sample][cell][component] that the net saw, from the tape
          net->diagnostic[].batch   cotangents
  In/out  u_bar, par_bar   ADDED; NULL: not wanted
*/
PetscErrorCode UnrNetDiagnoseReverse(UnrNet net, const double par[], const double *state, UnrBatch u_bar,
                                     double par_bar[])
{
  PetscFunctionBeginUser;
  if (!net->diagnostics) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscArraycpy(net->state->data, state, (size_t)net->state->samples * net->state->stride));
  for (PetscInt k = 0; k < net->diagnostics; k++)
    PetscCall(UnrPhysicsDiagnoseVjp(net->physics, net->diagnostic[k].name, par, net->state,
                                    net->diagnostic[k].batch, u_bar, par_bar));
  PetscFunctionReturn(PETSC_SUCCESS);
}
