/*
  A tape: memory that `apply` fills and `vjp` reads, owned by the caller.  It is a block of bytes and numbered
  children, so that a model's tape holds its stepper's and its net's.  Memory is kept for the next use until
  UnrTapeFree; the high-water mark over all tapes of this process is what summary.json calls tape_bytes.
*/
#pragma once

#include "core/base.h"

typedef struct UnrTape_ *UnrTape;

PetscErrorCode UnrTapeCreate(UnrTape *tape);
/* The tape's own block with room for `bytes`, 64-byte aligned, contents undefined; marks the tape filled. */
PetscErrorCode UnrTapeReserve(UnrTape tape, size_t bytes, void **block);
/* The block of a filled tape; PETSC_ERR_ARG_WRONGSTATE if unfilled. */
PetscErrorCode UnrTapeRead(UnrTape tape, const void **block);
/* Child i, made when first asked for. */
PetscErrorCode UnrTapeChild(UnrTape tape, PetscInt i, UnrTape *child);
/* Gives back the memory of the tape and its children; the object remains. */
PetscErrorCode UnrTapeFree(UnrTape tape);
PetscErrorCode UnrTapeDestroy(UnrTape *tape);
/* Bytes held by a tape with its children. */
size_t UnrTapeBytes(UnrTape tape);
/* Bytes held by all tapes now, the largest they ever were, and setting that mark back to now. */
size_t UnrTapeBytesNow(void);
size_t UnrTapeBytesPeak(void);
void UnrTapePeakReset(void);
