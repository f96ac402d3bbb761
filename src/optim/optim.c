/* The optimiser of -optim_type: its moments and its count; the formulas are the plugins'. */
#include "optim/optim_impl.h"

#define UNR_OPTIM(name, Name) extern const UnrOptimOps UnrOptimOps_##Name;
#include "optim/list.h"
#undef UNR_OPTIM

#define UNR_OPTIM(name, Name) &UnrOptimOps_##Name.plugin,
static const UnrPlugin *const plugins[] = {
#include "optim/list.h"
    NULL,
};
#undef UNR_OPTIM

#define UNR_OPTIM(name, Name) "|" #name
static const char names[] =
#include "optim/list.h"
    ;
#undef UNR_OPTIM

static const UnrOption options[] = {
    {"-optim_type", UNR_WORD, "adam", 0, 0, NULL, "optimiser", &names[1]},
    {"-optim_weight_decay", UNR_REAL, NULL, 0, 1e9, "1",
     "times theta, added to the gradient; adamw: times theta and rate, taken from theta; unset: 0, adamw "
     "0.01",
     NULL},
    {NULL, UNR_BOOL, NULL, 0, 0, NULL, NULL, NULL},
};

static const UnrPluginClass class = {"optim", options, plugins};

PetscErrorCode UnrOptimRegister(void)
{
  PetscFunctionBeginUser;
  PetscCall(UnrPluginsRegister(&class, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrOptimList(UnrPluginVisit visit, void *context)
{
  PetscFunctionBeginUser;
  PetscCall(UnrPluginsVisit(&class, visit, context));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrOptimCreate(UnrPrecision precision, size_t n, UnrOptim *optim)
{
  UnrOptim o;

  PetscFunctionBeginUser;
  PetscCall(PetscNew(optim));
  o = *optim;
  o->precision = precision;
  o->n = n;
  PetscCall(UnrPluginChoose(&class, NULL, &o->ops));
  o->weight_decay = o->ops->weight_decay;
  PetscCall(UnrOptionReal(options, NULL, "-optim_weight_decay", &o->weight_decay));
  PetscCall(o->ops->create(o));
  for (PetscInt i = 0; i < o->moments; i++)
    PetscCall(UnrBlockReserve(&o->moment[i], n * UnrPrecisionBytes(precision)));
  PetscCall(UnrOptimReset(o));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrOptimDestroy(UnrOptim *optim)
{
  PetscFunctionBeginUser;
  for (PetscInt i = 0; *optim && i < (*optim)->moments; i++) PetscCall(UnrBlockFree(&(*optim)->moment[i]));
  PetscCall(PetscFree(*optim));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const char *UnrOptimName(UnrOptim optim)
{
  return optim->ops->name;
}

PetscErrorCode UnrOptimStep(UnrOptim optim, double rate, double factor, const void *theta_bar, void *theta)
{
  PetscFunctionBeginUser;
  optim->count++;
  PetscCall(optim->ops->step(optim, rate, factor, theta_bar, theta));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrOptimReset(UnrOptim optim)
{
  PetscFunctionBeginUser;
  for (PetscInt i = 0; i < optim->moments; i++)
    PetscCall(PetscMemzero(optim->moment[i].data, optim->n * UnrPrecisionBytes(optim->precision)));
  optim->count = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrOptimMoment(UnrOptim optim, PetscInt i, const char **name, void **moment)
{
  const bool is_there = 0 <= i && i < optim->moments;

  PetscFunctionBeginUser;
  *name = is_there ? optim->ops->moment[i] : NULL;
  *moment = is_there ? optim->moment[i].data : NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscInt64 *UnrOptimCount(UnrOptim optim)
{
  return &optim->count;
}
