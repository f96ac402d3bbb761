/* The calls of a physics: to the plugin, or to spectral.c where the plugin gives only its spectral form. */
#include "physics/physics_impl.h"

#include "core/event.h"
#include "physics/spectral.h"

/* For plugins: docs/add-a-physics.md.  These need UnrPhysicsHas() to be true first. */
#define CheckHas(physics, call)                                                                              \
  PetscCheck((physics)->ops->call, PETSC_COMM_SELF, PETSC_ERR_SUP, "physics %s has no " #call,               \
             (physics)->ops->name)

PetscErrorCode UnrPhysicsRhs(UnrPhysics physics, const double par[], UnrBatch u, UnrBatch rhs)
{
  PetscFunctionBeginUser;
  PetscCall(UnrEventBegin(UNR_EVENT_RHS));
  if (physics->ops->rhs)
    PetscCall(physics->ops->rhs(physics, par, u, rhs));
  else
    PetscCall(UnrPhysicsRhs_Spectral(physics, par, u, rhs));
  PetscCall(UnrEventEnd(UNR_EVENT_RHS));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrPhysicsJvp(UnrPhysics physics, const double par[], UnrBatch u, UnrBatch u_dot,
                             const double par_dot[], UnrBatch rhs_dot)
{
  PetscFunctionBeginUser;
  if (physics->ops->jvp)
    PetscCall(physics->ops->jvp(physics, par, u, u_dot, par_dot, rhs_dot));
  else
    PetscCall(UnrPhysicsJvp_Spectral(physics, par, u, u_dot, par_dot, rhs_dot));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrPhysicsVjp(UnrPhysics physics, const double par[], UnrBatch u, UnrBatch rhs_bar,
                             UnrBatch u_bar, double par_bar[])
{
  PetscFunctionBeginUser;
  PetscCall(UnrEventBegin(UNR_EVENT_RHS_VJP));
  if (physics->ops->vjp)
    PetscCall(physics->ops->vjp(physics, par, u, rhs_bar, u_bar, par_bar));
  else
    PetscCall(UnrPhysicsVjp_Spectral(physics, par, u, rhs_bar, u_bar, par_bar));
  PetscCall(UnrEventEnd(UNR_EVENT_RHS_VJP));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The matrix has the pattern of the grid's stencil.  Owned by the caller. */
PetscErrorCode UnrPhysicsJacobianCreate(UnrPhysics physics, Mat *J)
{
  PetscFunctionBeginUser;
  CheckHas(physics, jacobian);
  PetscCall(DMCreateMatrix(physics->grid->da, J));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrPhysicsJacobian(UnrPhysics physics, const double par[], Vec u, Mat J)
{
  PetscFunctionBeginUser;
  CheckHas(physics, jacobian);
  PetscCall(physics->ops->jacobian(physics, par, u, J));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrPhysicsSymbol(UnrPhysics physics, const double par[], UnrComplex symbol[],
                                UnrComplex symbol_par[])
{
  PetscFunctionBeginUser;
  CheckHas(physics, symbol);
  PetscCall(physics->ops->symbol(physics, par, symbol, symbol_par));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrPhysicsNonlinear(UnrPhysics physics, PetscInt samples, const double par[],
                                   const UnrComplex u[], UnrComplex n[])
{
  PetscFunctionBeginUser;
  CheckHas(physics, nonlinear);
  PetscCall(UnrEventBegin(UNR_EVENT_RHS));
  PetscCall(physics->ops->nonlinear(physics, samples, par, u, n));
  PetscCall(UnrEventEnd(UNR_EVENT_RHS));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrPhysicsNonlinearJvp(UnrPhysics physics, PetscInt samples, const double par[],
                                      const UnrComplex u[], const UnrComplex u_dot[], const double par_dot[],
                                      UnrComplex n_dot[])
{
  PetscFunctionBeginUser;
  CheckHas(physics, nonlinear_jvp);
  PetscCall(physics->ops->nonlinear_jvp(physics, samples, par, u, u_dot, par_dot, n_dot));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrPhysicsNonlinearVjp(UnrPhysics physics, PetscInt samples, const double par[],
                                      const UnrComplex u[], const UnrComplex n_bar[], UnrComplex u_bar[],
                                      double par_bar[])
{
  PetscFunctionBeginUser;
  CheckHas(physics, nonlinear_vjp);
  PetscCall(UnrEventBegin(UNR_EVENT_RHS_VJP));
  PetscCall(physics->ops->nonlinear_vjp(physics, samples, par, u, n_bar, u_bar, par_bar));
  PetscCall(UnrEventEnd(UNR_EVENT_RHS_VJP));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrPhysicsConstrainModes(UnrPhysics physics, PetscInt samples, const double par[],
                                        UnrComplex u[])
{
  PetscFunctionBeginUser;
  if (physics->ops->constrain_modes) PetscCall(physics->ops->constrain_modes(physics, samples, par, u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrPhysicsConstrain(UnrPhysics physics, const double par[], UnrBatch u)
{
  PetscFunctionBeginUser;
  if (physics->ops->constrain)
    PetscCall(physics->ops->constrain(physics, par, u));
  else if (UnrPhysicsHas(physics, UNR_PHYSICS_CONSTRAIN_MODES))
    PetscCall(UnrPhysicsConstrain_Spectral(physics, par, u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrPhysicsConstrainTranspose(UnrPhysics physics, const double par[], UnrBatch u_bar)
{
  PetscFunctionBeginUser;
  if (physics->ops->constrain_transpose)
    PetscCall(physics->ops->constrain_transpose(physics, par, u_bar));
  else
    PetscCall(UnrPhysicsConstrain(physics, par, u_bar));
  PetscFunctionReturn(PETSC_SUCCESS);
}
