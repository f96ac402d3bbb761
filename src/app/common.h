/* Options that every command reads. */
#pragma once

#include "core/options.h"

typedef struct {
  const char *out; /* -out DIR, NULL if not given */
  bool dry_run;
} UnrCommon;

extern const UnrOption UnrCommonOptions[];
PetscErrorCode UnrCommonGet(UnrCommon *common);
