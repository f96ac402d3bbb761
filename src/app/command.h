/* Commands of the program: one short file each in this folder, one line in app/list.h. */
#pragma once

#include "core/options.h"

typedef struct {
  const char *name, *summary;
  const UnrOption *options; /* of the command itself, or NULL */
  PetscErrorCode (*run)(int argc, char **argv); /* Collective on the world; argv: what follows the command's name */
  int (*status)(void);      /* exit status after a run without error; NULL: 0 */
} UnrCommand;
