/* Aligned memory that grows to the largest size asked for. */
#include "core/block.h"

#include <stdlib.h>

PetscErrorCode UnrBlockReserve(UnrBlock *block, size_t bytes)
{
  const size_t room = (bytes + UNR_BLOCK_ALIGN) / UNR_BLOCK_ALIGN * UNR_BLOCK_ALIGN;

  PetscFunctionBeginUser;
  if (block->data && block->bytes >= bytes) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(UnrBlockFree(block));
  block->data = aligned_alloc(UNR_BLOCK_ALIGN, room);
  PetscCheck(block->data, PETSC_COMM_SELF, PETSC_ERR_MEM, "no memory for a block of %zu bytes", room);
  block->bytes = room;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrBlockFree(UnrBlock *block)
{
  PetscFunctionBeginUser;
  free(block->data);
  block->data = NULL;
  block->bytes = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}
