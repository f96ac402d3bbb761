/*
  Distributed real FFT on a grid's own ownership, in 1-D to 3-D, batched over samples and components.

  Work layout: fields of doubles, component-major, [sample][component][cell]; a field is what one transform
  takes. 2-D, 3-D: the rank's own slab of x, all samples; 1-D: whole lines of this rank's share of the samples
  (there is no distributed 1-D transform), so Load and Store redistribute; the share is [sample_start,
  sample_start + sample_count) and may be empty. Mode layout: [field][mode], this rank's modes; their order is
  private, `k` says which they are. The forward transform is not scaled, the backward one is scaled by 1 /
  points.  Plans by FFTW_ESTIMATE: same bits always.

  Dealiased, the modes above two thirds do not exist: they are not computed, not stored, not sent, and
  Backward puts zeros in their place.  Backward after Forward is then the dealiasing itself.

  Cotangents are kept as transforms of physical cotangents: the adjoint of "multiply the modes by D" is
  "multiply by conj(D)", and dJ/dp = sum_m weight[m] Re(conj(cotangent) * d(mode)/dp) / points.   Maths:
  docs/method/fft.md.
*/
#pragma once

#include <complex.h>
#include "field/grid.h"

typedef double complex UnrComplex;
typedef struct UnrFFT_ *UnrFFT;
struct UnrFFT_ { /* read by everyone, written by fft.c only */
  UnrGrid grid;
  bool is_dealiased;
  PetscInt cut[UNR_MAX_DIM];  /* largest |k| along x, y, z: points / 2, or (points - 1) / 3 where dealiased */
  PetscInt cells;             /* doubles per field in the work layout on this rank */
  PetscInt modes;             /* modes per field on this rank */
  double *k[UNR_MAX_DIM];     /* [mode] signed integer wavenumber along x, y, z: for even derivatives */
  double *k_odd[UNR_MAX_DIM]; /* the same, 0 at the Nyquist mode: for odd derivatives */
  double *weight;             /* [mode] 1, or 2 where the conjugate mode is not stored */
  struct UnrFFTData_ *data;
};

PetscErrorCode UnrFFTCreate(UnrGrid grid, bool dealias, UnrFFT *fft);
PetscErrorCode UnrFFTDestroy(UnrFFT *fft);
/* The rank of the grid and the index of wavenumber k, |k_a| <= points / 2, or of -k where that is what is
   stored: k_last < 0, but not Nyquist's.  rank -1: no such mode here.  1-D: every rank has every mode, of its
   samples; its own rank comes back.  Local. */
void UnrFFTLocate(UnrFFT fft, const PetscInt k[UNR_MAX_DIM], int *rank, PetscInt *mode);
/* This rank's share of the samples in the work layout: all of them in 2-D and 3-D. */
void UnrFFTShare(UnrFFT fft, PetscInt samples, PetscInt *first, PetscInt *count);
PetscErrorCode UnrFFTLoad(UnrFFT fft, UnrBatch u, double *work); /* Collective on the grid */
PetscErrorCode UnrFFTStore(UnrFFT fft, const double *work, UnrBatch u,
                           InsertMode mode); /* INSERT_VALUES or ADD_VALUES */
PetscErrorCode UnrFFTForward(UnrFFT fft, PetscInt fields, const double *work, UnrComplex *modes);
PetscErrorCode UnrFFTBackward(UnrFFT fft, PetscInt fields, const UnrComplex *modes, double *work);
/* In 2-D and 3-D every rank of the grid calls Forward and Backward with the same number of fields. */
