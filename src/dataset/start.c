/* Start states by name: the list, options, dispatch. */
#include "dataset/start_impl.h"

#include <string.h>

#define UNR_START(name, Name) extern const UnrStartOps UnrStartOps_##Name;
#include "dataset/start_list.h"
#undef UNR_START

#define UNR_START(name, Name) &UnrStartOps_##Name,
static const UnrStartOps *const list[] = {
#include "dataset/start_list.h"
    NULL,
};
#undef UNR_START

#define UNR_START(name, Name) "|" #name
static const char joined[] = ""
#include "dataset/start_list.h"
    ;
#undef UNR_START

static const UnrOption options[] = {
    {"-start_type", UNR_WORD, "random_modes", 0, 0, NULL, "family of start states", joined + 1},
    {NULL, UNR_BOOL, NULL, 0, 0, NULL, NULL, NULL},
};

PetscErrorCode UnrStartRegister(void)
{
  PetscFunctionBeginUser;
  PetscCall(UnrOptionsRegister("start states", options, NULL));
  for (int i = 0; list[i]; i++) {
    if (list[i]->options) PetscCall(UnrOptionsRegister(list[i]->name, list[i]->options, NULL));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrStartList(PetscErrorCode (*visit)(const char *name, const char *summary, void *context),
                            void *context)
{
  PetscFunctionBeginUser;
  for (int i = 0; list[i]; i++) PetscCall(visit(list[i]->name, list[i]->summary, context));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrStartFill(UnrPhysics physics, uint64_t seed, PetscInt first, const double par[], UnrBatch u)
{
  const char *name;

  PetscFunctionBeginUser;
  PetscCall(UnrOptionWord(options, NULL, "-start_type", &name));
  for (int i = 0; list[i]; i++) {
    if (!strcmp(name, list[i]->name)) PetscCall(list[i]->fill(physics, seed, first, par, u));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
