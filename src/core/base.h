/* What every file may use: PETSc's checked calls, and one spelling for the versions of PETSc we compile with.
 */
#pragma once

#include <petsc.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if PETSC_VERSION_LT(3, 19, 0)
#define PETSC_SUCCESS ((PetscErrorCode)0)
#endif

/* Precision of network tensors, weights and their cotangents; solver states are always double. */
typedef enum { UNR_SINGLE, UNR_DOUBLE } UnrPrecision;

static inline size_t UnrPrecisionBytes(UnrPrecision p)
{
  return p == UNR_SINGLE ? sizeof(float) : sizeof(double);
}

enum { UNR_MAX_DIM = 3 };
