/* Checked calls of HDF5 and FFTW, as PetscCall() is for PETSc, and counts for MPI. */
#pragma once

#include "core/base.h"

#include <limits.h>

/* A negative return of HDF5 is a fault; its own error stack is printed by HDF5. */
#define UnrCallHDF5(...)                                                                                     \
  do {                                                                                                       \
    long long unr_hdf5_ = (long long)(__VA_ARGS__);                                                          \
    PetscCheck(unr_hdf5_ >= 0, PETSC_COMM_SELF, PETSC_ERR_LIB, "HDF5 call failed: %s", #__VA_ARGS__);        \
  } while (0)

#define UnrCheckPlan(plan) PetscCheck((plan) != NULL, PETSC_COMM_SELF, PETSC_ERR_LIB, "FFTW made no plan")

/* n as a count of MPI, whose int it may pass where a rank sends gigabytes in one message. */
static inline PetscErrorCode UnrMPICount(size_t n, PetscMPIInt *count)
{
  PetscFunctionBeginUser;
  *count = 0;
  PetscCheck(n <= INT_MAX, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "%zu numbers in one message; MPI counts to %d: use more ranks or fewer samples at once", n,
             INT_MAX);
  *count = (PetscMPIInt)n;
  PetscFunctionReturn(PETSC_SUCCESS);
}
