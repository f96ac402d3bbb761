/* The one communication of an update: the sum of gradient, loss and flags over the world, and the proof that
   all ranks hold the same weights. */
#pragma once

#include "core/base.h"

typedef struct {
  double loss;          /* in: this rank's part; out: the sum */
  double failed_solves; /* in: of this rank; out: of all */
  double signals;       /* in: signals seen by this rank; out: of all */
} UnrReduced;

/* Sums in place; the same bits on every rank.  Collective on the world. */
PetscErrorCode UnrGradientReduce(MPI_Comm world, UnrPrecision precision, size_t n, void *theta_bar,
                                 UnrReduced *scalars);
/* A fault, on every rank, if the n numbers are not the same bits everywhere.  Collective on the world. */
PetscErrorCode UnrWeightsAgree(MPI_Comm world, UnrPrecision precision, size_t n, const void *theta);
