#include "core/tape.h"

#include <stdlib.h>

struct UnrTape_ {
  void *block;
  size_t bytes; /* room of block */
  bool filled;
  PetscInt children;
  UnrTape *child; /* [children], NULL where none was asked for */
};

static size_t bytes_now, bytes_peak;

static void UnrTapeAccount(UnrTape tape, size_t bytes)
{
  bytes_now = bytes_now - tape->bytes + bytes;
  if (bytes_now > bytes_peak) bytes_peak = bytes_now;
  tape->bytes = bytes;
}

PetscErrorCode UnrTapeCreate(UnrTape *tape)
{
  PetscFunctionBeginUser;
  PetscCall(PetscNew(tape));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The old block goes before the new one comes: its contents are not wanted, and the two never count together.
 */
PetscErrorCode UnrTapeReserve(UnrTape tape, size_t bytes, void **block)
{
  enum { ALIGNMENT = 64 };

  PetscFunctionBeginUser;
  if (bytes > tape->bytes || !tape->block) {
    size_t room = bytes < ALIGNMENT ? ALIGNMENT : (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    free(tape->block);
    UnrTapeAccount(tape, 0);
    tape->filled = false;
    tape->block = aligned_alloc(ALIGNMENT, room);
    PetscCheck(tape->block && room >= bytes, PETSC_COMM_SELF, PETSC_ERR_MEM,
               "No %.3e bytes for a tape, %.3e held by tapes; -rollout_memory bounds them", (double)bytes,
               (double)bytes_now);
    UnrTapeAccount(tape, room);
  }
  tape->filled = true;
  *block = tape->block;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrTapeRead(UnrTape tape, const void **block)
{
  PetscFunctionBeginUser;
  PetscCheck(tape && tape->filled, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONGSTATE,
             "The tape is not filled: apply comes before vjp");
  *block = tape->block;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrTapeChild(UnrTape tape, PetscInt i, UnrTape *child)
{
  PetscFunctionBeginUser;
  PetscCheck(i >= 0, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "Child %" PetscInt_FMT " of a tape", i);
  if (i >= tape->children) {
    PetscInt children = 2 * i + 4;
    UnrTape *grown;
    PetscCall(PetscCalloc1(children, &grown));
    PetscCall(PetscArraycpy(grown, tape->child, tape->children));
    PetscCall(PetscFree(tape->child));
    tape->child = grown;
    tape->children = children;
  }
  if (!tape->child[i]) PetscCall(UnrTapeCreate(&tape->child[i]));
  *child = tape->child[i];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrTapeFree(UnrTape tape)
{
  PetscFunctionBeginUser;
  free(tape->block);
  tape->block = NULL;
  tape->filled = false;
  UnrTapeAccount(tape, 0);
  for (PetscInt i = 0; i < tape->children; i++) {
    if (tape->child[i]) PetscCall(UnrTapeFree(tape->child[i]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrTapeDestroy(UnrTape *tape)
{
  PetscFunctionBeginUser;
  if (!*tape) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(UnrTapeFree(*tape));
  for (PetscInt i = 0; i < (*tape)->children; i++) PetscCall(UnrTapeDestroy(&(*tape)->child[i]));
  PetscCall(PetscFree((*tape)->child));
  PetscCall(PetscFree(*tape));
  PetscFunctionReturn(PETSC_SUCCESS);
}

size_t UnrTapeBytes(UnrTape tape)
{
  size_t bytes = tape->bytes;
  for (PetscInt i = 0; i < tape->children; i++) {
    if (tape->child[i]) bytes += UnrTapeBytes(tape->child[i]);
  }
  return bytes;
}

size_t UnrTapeBytesNow(void)
{
  return bytes_now;
}

size_t UnrTapeBytesPeak(void)
{
  return bytes_peak;
}

void UnrTapePeakReset(void)
{
  bytes_peak = bytes_now;
}
