/* Stochastic gradient descent, with momentum.  Maths: docs/method/optim.md, eq. (5), (6) */
#include "core/error.h"
#include "optim/optim_impl.h"

/* What does not depend on the weight; the direction is gradient x g + moment x momentum. */
typedef struct {
  double factor, l2, rate, keep, gradient, moment;
} Coefficients;

#define real float
#define NAME(function) function##Single
#include "optim/sgd_body.h"
#undef real
#undef NAME

#define real double
#define NAME(function) function##Double
#include "optim/sgd_body.h"
#undef real
#undef NAME

static const UnrOption options[] = {
    {"-optim_momentum", UNR_REAL, "0", 0, 1, "1", "sgd: decay of the momentum; 0: none", NULL},
    {"-optim_nesterov", UNR_BOOL, "false", 0, 0, NULL, "sgd: Nesterov's momentum", NULL},
    {NULL, UNR_BOOL, NULL, 0, 0, NULL, NULL, NULL},
};

static PetscErrorCode UnrOptimCreate_SGD(UnrOptim optim)
{
  PetscFunctionBeginUser;
  PetscCall(UnrOptionReal(options, NULL, "-optim_momentum", &optim->momentum));
  PetscCall(UnrOptionBool(options, NULL, "-optim_nesterov", &optim->is_nesterov));
  UnrUserCheck(!optim->is_nesterov || optim->momentum > 0,
               "-optim_nesterov (true) without momentum; allowed: with -optim_momentum above 0; try: "
               "-optim_momentum 0.9");
  optim->moments = optim->momentum > 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The moment is NULL without momentum: the block was never reserved. */
static PetscErrorCode UnrOptimStep_SGD(UnrOptim optim, double rate, double factor, const void *theta_bar,
                                       void *theta)
{
  const Coefficients c = {.factor = factor,
                          .l2 = optim->weight_decay,
                          .rate = rate,
                          .keep = optim->momentum,
                          .gradient = optim->is_nesterov,
                          .moment = optim->is_nesterov ? optim->momentum : 1};

  PetscFunctionBeginUser;
  if (optim->precision == UNR_SINGLE)
    UpdateSingle(&c, optim->n, theta_bar, optim->moment[0].data, theta);
  else
    UpdateDouble(&c, optim->n, theta_bar, optim->moment[0].data, theta);
  PetscFunctionReturn(PETSC_SUCCESS);
}

const UnrOptimOps UnrOptimOps_SGD = {
    .name = "sgd",
    .summary = "stochastic gradient descent with momentum",
    .options = options,
    .moment = {"momentum"},
    .create = UnrOptimCreate_SGD,
    .step = UnrOptimStep_SGD,
};
