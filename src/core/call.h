/* Checked calls of HDF5 and FFTW, as PetscCall() is for PETSc. */
#pragma once

#include "core/base.h"

/* A negative return of HDF5 is a fault; its own error stack is printed by HDF5. */
#define UnrCallHDF5(...)                                                                                              \
  do {                                                                                                                \
    long long unr_hdf5_ = (long long)(__VA_ARGS__);                                                                   \
    PetscCheck(unr_hdf5_ >= 0, PETSC_COMM_SELF, PETSC_ERR_LIB, "HDF5 call failed: %s", #__VA_ARGS__);                 \
  } while (0)

#define UnrCheckPlan(plan) PetscCheck((plan) != NULL, PETSC_COMM_SELF, PETSC_ERR_LIB, "FFTW made no plan")
