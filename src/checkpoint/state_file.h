/*
  A file of named arrays, for models and checkpoints: HDF5, written by rank 0 beside its name, synced,
  renamed; read by rank 0 and broadcast, so that any number of ranks reads it.  Missing, truncated, foreign
  files and arrays of another shape are user errors that name the file and what was expected.
*/
#pragma once

#include "core/options.h"

typedef enum { UNR_FLOAT32, UNR_FLOAT64, UNR_INT64 } UnrNumberType;

typedef struct {
  char name[128]; /* path in the file: "weights/block0.conv0.weight" */
  UnrNumberType type;
  PetscInt rank;
  PetscInt64 shape[5];
  void *data; /* borrowed, the same on every rank when written */
} UnrArray;

enum { UNR_STATE_SCHEMA = 1 };

/*
  In all that read, kind NULL is any kind.

  UnrStateFileWrite - the arrays, with attributes `kind`, `schema`, `version` and the group `options` (the
  resolved set). Collective on the world.
*/
PetscErrorCode UnrStateFileWrite(const char *path, const char *kind, PetscInt arrays, const UnrArray array[]);
/* Fills array[i].data, [shape] in array[i].type: 32-bit floats are read as 64-bit ones where that is asked
   for, and the other way round with rounding.  Collective on the world. */
PetscErrorCode UnrStateFileRead(const char *path, const char *kind, PetscInt arrays, const UnrArray array[]);
/* Number `at` of a scalar int64 or float64 array without knowing the rest; for `info`.  found false if it is
   not there. Collective on the world. */
PetscErrorCode UnrStateFileNumber(const char *path, const char *kind, const char *name, double *value,
                                  bool *found);
/* Calls visit for every option stored in the file, by its name with the dash, in the order of the names.
   Collective on the world. */
PetscErrorCode UnrStateFileOptions(const char *path, const char *kind,
                                   PetscErrorCode (*visit)(const char *name, const char *value,
                                                           void *context),
                                   void *context);
/* Calls visit for every array of the file, data NULL, in the order of the names.  Collective on the world. */
PetscErrorCode UnrStateFileArrays(const char *path, const char *kind,
                                  PetscErrorCode (*visit)(const UnrArray *array, void *context),
                                  void *context);
/* User error unless the file is whole and of this kind and schema.  Collective on the world. */
PetscErrorCode UnrStateFileCheck(const char *path, const char *kind);
/* Do a file's first bytes, with an end behind them, say that it is a state file?  Not collective. */
bool UnrStateFileIsHead(const char *head);
