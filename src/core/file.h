/* Whole files or none: written beside, synced, then renamed. */
#pragma once

#include "core/base.h"

/* Rank 0 writes to path atomically; every rank gets the verdict (a user error names the path).  text, data:
 * of rank 0.  Collective on the world. */
PetscErrorCode UnrFileWriteAtomic(const char *path, const char *text);
PetscErrorCode UnrFileWriteBytes(const char *path, const void *data, size_t bytes);
/* Makes -out and its parents, checks that it can be written, holds it against other runs until the program
 * ends.  Collective on the world. */
PetscErrorCode UnrDirectoryMake(const char *path);
/* Makes the directory that a file is to be written into, and checks that it can be.  Collective on the world.
 */
PetscErrorCode UnrDirectoryMakeFor(const char *file);
/* Rank 0's verdict, 0 or errno, is every rank's: else the user error "WHAT (path): ...".  Collective on the
 * world. */
PetscErrorCode UnrFileAgree(int verdict, const char *what, const char *path);
/* 0 or errno: `part` is on the disk, then has the name `path`, and the directory knows it.  Not collective.
 */
int UnrFileCommit(const char *part, const char *path);
