/* Rank 0's HDF5 file of named arrays: written beside its path, there when it is whole. */
#pragma once

#include <hdf5.h>
#include "core/base.h"
#include "core/hdf5.h"

typedef struct {
  const char *path;
  hid_t file; /* -1 on the other ranks, and where it cannot be made */
  bool good;  /* ends false once HDF5 failed */
  UnrHDF5Silence silence;
} UnrOutput;

/* HDF5 prints nothing between Begin and End.  End is a user error where the file could not be written.
   Collective on the world. */
PetscErrorCode UnrOutputBegin(const char *path, UnrOutput *out);
PetscErrorCode UnrOutputEnd(UnrOutput *out);

/* Of rank 0; nothing on the others.  `type` is that of memory and file. */
void UnrOutputArray(UnrOutput *out, const char *group, const char *name, hid_t type, int rank,
                    const hsize_t size[], const void *data);
void UnrOutputReals(UnrOutput *out, const char *group, const char *name, PetscInt n, const double data[]);
void UnrOutputWords(UnrOutput *out, const char *group, const char *name, PetscInt n,
                    const char *const word[]);
/* Attribute of a group that is there. */
void UnrOutputText(UnrOutput *out, const char *group, const char *name, const char *text);
