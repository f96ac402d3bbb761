/* Start states by name: the list, options, dispatch. */
#include "dataset/start_impl.h"

#define UNR_START(name, Name) extern const UnrStartOps UnrStartOps_##Name;
#include "dataset/start_list.h"
#undef UNR_START

#define UNR_START(name, Name) &UnrStartOps_##Name.plugin,
static const UnrPlugin *const plugins[] = {
#include "dataset/start_list.h"
    NULL,
};
#undef UNR_START

#define UNR_START(name, Name) "|" #name
static const char joined[] = ""
#include "dataset/start_list.h"
    ;
#undef UNR_START

const UnrOption UnrStartOptions[] = {
    {"-start_type", UNR_WORD, "random_modes", 0, 0, NULL, "family of start states", joined + 1},
    {"-start_peak", UNR_INT, "3", 1, 1 << 20, "waves per domain",
     "random_modes, spectrum: wavenumber of most energy of a start state", NULL},
    {"-start_rms", UNR_REAL, "1", 1e-300, 1e300, "field",
     "random_modes, spectrum: root mean square of a start state (of its vector)", NULL},
    {NULL, UNR_BOOL, NULL, 0, 0, NULL, NULL, NULL},
};

static const UnrPluginClass class = {"start states", UnrStartOptions, plugins};

PetscErrorCode UnrStartRegister(void)
{
  PetscFunctionBeginUser;
  PetscCall(UnrPluginsRegister(&class, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrStartList(UnrPluginVisit visit, void *context)
{
  PetscFunctionBeginUser;
  PetscCall(UnrPluginsVisit(&class, visit, context));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrStartFill(UnrPhysics physics, uint64_t seed, PetscInt first, const double par[], UnrBatch u)
{
  const UnrStartOps *ops;

  PetscFunctionBeginUser;
  PetscCall(UnrPluginChoose(&class, NULL, &ops));
  PetscCall(ops->fill(physics, seed, first, par, u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrStartSource(const char **path)
{
  const UnrStartOps *ops;

  PetscFunctionBeginUser;
  *path = NULL;
  PetscCall(UnrPluginChoose(&class, NULL, &ops));
  if (ops->source) PetscCall(ops->source(path));
  PetscFunctionReturn(PETSC_SUCCESS);
}
