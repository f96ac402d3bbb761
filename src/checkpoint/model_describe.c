/* The options of a model file, beside those of the user. */
#include "checkpoint/model_file.h"

#include <stdlib.h>
#include <string.h>
#include "core/error.h"

typedef struct {
  const char *path;
  char **name, **value;
  size_t count;
} UnrModelOptions;

/* What describes the network and the augmented step: not how it is computed, by which engine or halos. */
static bool Describes(const char *name)
{
  if (!strcmp(name, "-net_halo") || !strcmp(name, "-net_overlap")) return false;
  return !strncmp(name, "-net_", 5) || (!strncmp(name, "-model_", 7) && strcmp(name, "-model_file") != 0);
}

static PetscErrorCode Keep(const char *name, const char *value, void *context)
{
  UnrModelOptions *stored = context;
  const size_t bytes = sizeof(char *) * (stored->count + 1);

  PetscFunctionBeginUser;
  if (!Describes(name)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscRealloc(bytes, &stored->name));
  PetscCall(PetscRealloc(bytes, &stored->value));
  PetscCall(PetscStrallocpy(name, &stored->name[stored->count]));
  PetscCall(PetscStrallocpy(value, &stored->value[stored->count++]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One registered option: the file's value where none is given; else the two must agree. */
static PetscErrorCode Reconcile(const char *name, const char *fallback, void *context)
{
  const UnrModelOptions *stored = context;
  const char *given, *value = NULL;
  PetscBool is_given;

  PetscFunctionBeginUser;
  if (!Describes(name)) PetscFunctionReturn(PETSC_SUCCESS);
  for (size_t i = 0; i < stored->count; i++)
    if (!strcmp(stored->name[i], name)) value = stored->value[i];
  PetscCall(PetscOptionsFindPair(NULL, NULL, name, &given, &is_given));
  if (!is_given) {
    /* A default stays ungiven: some options may be given only beside others. */
    if (value && !(fallback && UnrOptionsSame(name, value, fallback)))
      PetscCall(PetscOptionsSetValue(NULL, name, value));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (!strcmp(name, "-net_precision")) PetscFunctionReturn(PETSC_SUCCESS);
  if (!given) given = "";
  /* An option that has a default and is not in the file belongs to another network, which is not used. */
  UnrUserCheck(value ? UnrOptionsSame(name, given, value) : fallback != NULL,
               "%s (%s) contradicts -model_file %s; allowed: %s, as in that file; try: without %s, or "
               "without -model_file",
               name, given, stored->path, value ? value : "unset", name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrModelFileDescribe(void)
{
  UnrModelOptions stored = {0};
  PetscErrorCode code;

  PetscFunctionBeginUser;
  PetscCall(UnrOptionWord(UnrModelFileOptions, NULL, "-model_file", &stored.path));
  if (!stored.path) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(UnrStateFileOptions(stored.path, "model", Keep, &stored));
  code = UnrOptionsVisit("-", Reconcile, &stored);
  for (size_t i = 0; i < stored.count; i++) {
    PetscCall(PetscFree(stored.name[i]));
    PetscCall(PetscFree(stored.value[i]));
  }
  PetscCall(PetscFree(stored.name));
  PetscCall(PetscFree(stored.value));
  PetscCall(code);
  PetscFunctionReturn(PETSC_SUCCESS);
}
