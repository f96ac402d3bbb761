/* Commands of the program: one short file each in this folder, one line in app/list.h. */
#pragma once

#include "core/options.h"

typedef struct {
  const char *name, *summary;
  const UnrOption *options; /* of the command itself, or NULL */
  PetscErrorCode (*run)(int argc,
                        char **argv); /* Collective on the world; argv: the words behind the command's name */
  int (*status)(void);                /* exit status after a run without error; NULL: 0 */
  int words;                          /* words it takes at most, besides options */
} UnrCommand;

/* Command i of this build, NULL past the end; the command of that name, or NULL. */
const UnrCommand *UnrCommandGet(size_t i);
const UnrCommand *UnrCommandFind(const char *name);
/* Makes the options of all classes and commands known: one deck serves all commands.  Collective on the
 * world. */
PetscErrorCode UnrProgramRegister(void);
