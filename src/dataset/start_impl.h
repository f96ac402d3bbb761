/* For files in this folder only: what a family of start states fills in. */
#pragma once

#include "dataset/start.h"

typedef struct {
  UNR_PLUGIN_HEAD;
  /* As UnrStartFill().  Pointwise from global indices: no transform and no sum over cells, so that the bits
     are the same on any layout. */
  PetscErrorCode (*fill)(UnrPhysics, uint64_t seed, PetscInt first, const double par[], UnrBatch u);
  PetscErrorCode (*source)(const char **path); /* the file they come from; NULL: none */
} UnrStartOps;
