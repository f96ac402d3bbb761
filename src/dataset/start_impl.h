/* For files in this folder only: what a family of start states fills in. */
#pragma once

#include "dataset/start.h"

typedef struct {
  UNR_PLUGIN_HEAD;
  /* As UnrStartFill().  Pointwise from global indices where that can be: without transforms and sums over
     cells the bits are the same on any layout. */
  PetscErrorCode (*fill)(UnrPhysics, uint64_t seed, PetscInt first, const double par[], UnrBatch u);
  PetscErrorCode (*source)(const char **path); /* the file they come from; NULL: none */
} UnrStartOps;

/* -start_type, and what several families read: -start_peak, -start_rms. */
extern const UnrOption UnrStartOptions[];
