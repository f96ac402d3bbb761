/* The update of Adam and of AdamW.  Maths: docs/method/optim.md, eq. (1)-(4) */
#include "optim/adam_step.h"

#include <math.h>

/* What does not depend on the weight. */
typedef struct {
  double factor, l2, keep;
  double beta[2];
  double step, epsilon; /* both with the corrections of the bias */
} Coefficients;

#define real float
#define square_root sqrtf
#define NAME(function) function##Single
#include "optim/adam_body.h"
#undef real
#undef square_root
#undef NAME

#define real double
#define square_root sqrt
#define NAME(function) function##Double
#include "optim/adam_body.h"
#undef real
#undef square_root
#undef NAME

/* 1 - 1e-9: at 1 the correction of the bias divides by zero. */
const UnrOption UnrAdamOptions[] = {
    {"-optim_beta1", UNR_REAL, "0.9", 0, 0.999999999, "1", "adam, adamw: decay of the first moment", NULL},
    {"-optim_beta2", UNR_REAL, "0.999", 0, 0.999999999, "1", "adam, adamw: decay of the second moment", NULL},
    {"-optim_epsilon", UNR_REAL, "1e-8", 0, 1e9, "1", "adam, adamw: added to the root of the second moment",
     NULL},
    {NULL, UNR_BOOL, NULL, 0, 0, NULL, NULL, NULL},
};

PetscErrorCode UnrOptimCreate_Adam(UnrOptim optim)
{
  PetscFunctionBeginUser;
  optim->moments = 2;
  PetscCall(UnrOptionReal(UnrAdamOptions, NULL, "-optim_beta1", &optim->beta[0]));
  PetscCall(UnrOptionReal(UnrAdamOptions, NULL, "-optim_beta2", &optim->beta[1]));
  PetscCall(UnrOptionReal(UnrAdamOptions, NULL, "-optim_epsilon", &optim->epsilon));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  UnrAdamStep - moments and weights by one gradient.     Local.
  In      l2    theta times this is added to the gradient;  keep  theta is multiplied by this first
  Maths   docs/method/optim.md, eq. (1)-(4)
  Source  Kingma & Ba 2015, arXiv:1412.6980; Loshchilov & Hutter 2019, arXiv:1711.05101
  Cost    one pass over four arrays, a root and a division a weight
*/
PetscErrorCode UnrAdamStep(UnrOptim optim, double rate, double factor, double l2, double keep,
                           const void *theta_bar, void *theta)
{
  const double count = (double)optim->count, root = sqrt(1 - pow(optim->beta[1], count));
  const Coefficients c = {.factor = factor,
                          .l2 = l2,
                          .keep = keep,
                          .beta = {optim->beta[0], optim->beta[1]},
                          .step = rate * root / (1 - pow(optim->beta[0], count)),
                          .epsilon = optim->epsilon * root};

  PetscFunctionBeginUser;
  if (optim->precision == UNR_SINGLE)
    UpdateSingle(&c, optim->n, theta_bar, optim->moment[0].data, optim->moment[1].data, theta);
  else
    UpdateDouble(&c, optim->n, theta_bar, optim->moment[0].data, optim->moment[1].data, theta);
  PetscFunctionReturn(PETSC_SUCCESS);
}
