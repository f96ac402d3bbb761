#include "core/plugin.h"

#include <string.h>

PetscErrorCode UnrPluginsRegister(const UnrPluginClass *class, const char *prefix)
{
  PetscFunctionBeginUser;
  PetscCall(UnrOptionsRegister(class->title, class->options, prefix));
  for (const UnrPlugin *const *p = class->plugin; *p; p++) {
    if ((*p)->options) PetscCall(UnrOptionsRegister((*p)->name, (*p)->options, prefix));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrPluginsVisit(const UnrPluginClass *class, UnrPluginVisit visit, void *context)
{
  PetscFunctionBeginUser;
  for (const UnrPlugin *const *p = class->plugin; *p; p++)
    PetscCall(visit((*p)->name, (*p)->summary, context));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrPluginChoose(const UnrPluginClass *class, const char *prefix, void *ops)
{
  const char *name;

  PetscFunctionBeginUser;
  PetscCall(UnrOptionWord(class->options, prefix, class->options[0].name, &name));
  for (const UnrPlugin *const *p = class->plugin; *p; p++) {
    if (strcmp((*p)->name, name)) continue;
    *(const void **)ops = *p;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  SETERRQ(PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s allows '%s', which the list of %s lacks",
          class->options[0].name, name, class->title);
}
