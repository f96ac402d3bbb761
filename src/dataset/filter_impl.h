/* For files in this folder only: what a filter fills in. */
#pragma once

#include "dataset/filter.h"

typedef struct {
  UNR_PLUGIN_HEAD;
  PetscErrorCode (*create)(UnrFilter); /* fills `data`; a user error where the filter cannot do it */
  PetscErrorCode (*apply)(UnrFilter, UnrBatch from, UnrBatch to);
  PetscErrorCode (*destroy)(UnrFilter);
} UnrFilterOps;

struct UnrFilter_ {
  const UnrFilterOps *ops;
  UnrPhysics fine, coarse; /* borrowed */
  void *data;              /* the plugin's own */
};
