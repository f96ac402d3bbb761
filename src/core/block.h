/* Memory for kernels: 64-byte aligned, kept from call to call, so that the steady state allocates nothing. */
#pragma once

#include "core/base.h"

enum { UNR_BLOCK_ALIGN = 64 };

typedef struct {
  void *data; /* NULL at first; a zeroed UnrBlock is an empty one */
  size_t bytes;
} UnrBlock;

/* Room for at least `bytes`; contents are lost when it grows.  Local. */
PetscErrorCode UnrBlockReserve(UnrBlock *block, size_t bytes);
PetscErrorCode UnrBlockFree(UnrBlock *block);
