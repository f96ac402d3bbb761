/*
  Constant channels: parameters of the sample, or their reciprocals, over a divisor.
  Maths: docs/method/network.md, eq. (1)
*/
#include "core/error.h"
#include "net/net_impl.h"

#include <string.h>

/* "a|b": the sample's parameters, for the message. */
static void ParameterNames(UnrPhysics physics, char names[], size_t room)
{
  size_t used = 0;

  names[0] = 0;
  for (PetscInt p = 0; p < UnrPhysicsParameters(physics) && used < room; p++) {
    used += (size_t)snprintf(names + used, room - used, "%s%s", p ? "|" : "",
                             UnrPhysicsParameterName(physics, p));
  }
}

/*
  UnrNetConstantsCreate - which constants are fed.     Collective on the world.
  In      names     parameters of the sample, "viscosity", or "1/viscosity"
          divisor   [divisors], none: 1
  Errors  a user error for a name that the physics has not, or for another number of divisors than of names
*/
PetscErrorCode UnrNetConstantsCreate(UnrNet net, PetscInt constants, const char *const names[],
                                     PetscInt divisors, const double divisor[])
{
  char known[256];

  PetscFunctionBeginUser;
  UnrUserCheck(!divisors || divisors == constants,
               "-net_constant_scale has (%" PetscInt_FMT ") numbers for %" PetscInt_FMT
               " names of -net_constants; allowed: none or one each; try: -net_constant_scale 1 for each",
               divisors, constants);
  net->constants = constants;
  PetscCall(PetscMalloc1(constants, &net->constant));
  ParameterNames(net->physics, known, sizeof(known));
  for (PetscInt k = 0; k < constants; k++) {
    const bool is_reciprocal = !strncmp(names[k], "1/", 2);
    UnrNetConstant *c = &net->constant[k];

    *c = (UnrNetConstant){.parameter =
                              UnrPhysicsParameterIndex(net->physics, names[k] + (is_reciprocal ? 2 : 0)),
                          .is_reciprocal = is_reciprocal,
                          .divisor = divisors ? divisor[k] : 1};
    UnrUserCheck(c->parameter >= 0,
                 "-net_constants (%s) is no parameter of physics %s; allowed: %s, or 1/ one of these; try: "
                 "%s",
                 names[k], UnrPhysicsName(net->physics), known, known);
    UnrUserCheck(c->divisor != 0, "-net_constant_scale of %s (0); allowed: any number but 0; try: 1",
                 names[k]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  A constant channel of a sample, and its derivative by the parameter.     Local.
  Errors  PETSC_ERR_ARG_OUTOFRANGE if the parameter is 0 and its reciprocal is fed
*/
static PetscErrorCode Value(UnrNet net, PetscInt k, const double par[], PetscInt sample, double *value,
                            double *slope)
{
  const UnrNetConstant *c = &net->constant[k];
  const double p = par[sample * UnrPhysicsParameters(net->physics) + c->parameter];

  PetscFunctionBeginUser;
  PetscCheck(!c->is_reciprocal || p != 0, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "-net_constants has 1/%s, which is 0 in sample %" PetscInt_FMT,
             UnrPhysicsParameterName(net->physics, c->parameter), sample);
  *value = (c->is_reciprocal ? 1 / p : p) / c->divisor;
  *slope = (c->is_reciprocal ? -1 / (p * p) : 1) / c->divisor;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* UnrNetConstants - c[constant] of one sample.     Local. */
PetscErrorCode UnrNetConstants(UnrNet net, const double par[], PetscInt sample, double c[])
{
  double slope = 0;

  PetscFunctionBeginUser;
  for (PetscInt k = 0; k < net->constants; k++) PetscCall(Value(net, k, par, sample, &c[k], &slope));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* UnrNetConstantsTangent - c_dot of one sample; par_dot NULL: zero.     Local. */
PetscErrorCode UnrNetConstantsTangent(UnrNet net, const double par[], const double par_dot[], PetscInt sample,
                                      double c_dot[])
{
  const PetscInt first = sample * UnrPhysicsParameters(net->physics);
  double value = 0, slope = 0;

  PetscFunctionBeginUser;
  for (PetscInt k = 0; k < net->constants; k++) {
    PetscCall(Value(net, k, par, sample, &value, &slope));
    c_dot[k] = par_dot ? slope * par_dot[first + net->constant[k].parameter] : 0;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* UnrNetConstantsReverse - par_bar += c_bar's share, of one sample.     Local. */
PetscErrorCode UnrNetConstantsReverse(UnrNet net, const double par[], PetscInt sample, const double c_bar[],
                                      double par_bar[])
{
  const PetscInt first = sample * UnrPhysicsParameters(net->physics);
  double value = 0, slope = 0;

  PetscFunctionBeginUser;
  for (PetscInt k = 0; k < net->constants; k++) {
    PetscCall(Value(net, k, par, sample, &value, &slope));
    par_bar[first + net->constant[k].parameter] += slope * c_bar[k];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
