/* For the fft files of this folder only: what a transform keeps. */
#pragma once

#include "field/fft.h"

#include <fftw3.h>

/* FFTW's plans, and the exchange's types, for one number of fields. */
typedef struct {
  PetscInt fields;
  fftw_plan forward, backward;     /* real <-> complex: the whole grid, or the later axes of the slab */
  fftw_plan x_forward, x_backward; /* complex, along x, in place; NULL where the grid is whole */
  MPI_Datatype *slab_type,
      *pencil_type; /* [rank] what goes to and comes from it; MPI_BYTE where nothing does */
} UnrFFTPlan;

/* A buffer that grows on demand and is kept. */
typedef struct {
  void *block;
  size_t bytes;
} UnrFFTBuffer;

struct UnrFFTData_ {
  bool is_whole; /* one transform does it: 1-D, or one rank */
  PetscInt rest; /* complex numbers of the later axes' half spectrum */
  PetscInt first,
      mine; /* this rank's share of the rest after the exchange; all of it where the grid is whole */
  UnrFFTPlan *plan;
  PetscInt plans;
  UnrFFTBuffer real, slab, pencil;             /* [field][cell]; [field][local x][rest]; [field][x][mine] */
  UnrFFTBuffer send, receive;                  /* of Load and Store in 1-D */
  PetscMPIInt *one_slab, *one_pencil, *nought; /* [rank] counts and displacements of the exchange */
  PetscMPIInt *lines, *lines_at, *segments, *segments_at; /* [rank] the same in 1-D */
};

/* In fft_plan.c: the plan for `fields` fields, made when first asked for, and its end. */
PetscErrorCode UnrFFTPlanGet(UnrFFT fft, PetscInt fields, UnrFFTPlan *plan);
PetscErrorCode UnrFFTPlansDestroy(UnrFFT fft);
/* At least `bytes`, aligned as FFTW likes it; contents undefined. */
PetscErrorCode UnrFFTBufferGet(UnrFFTBuffer *buffer, size_t bytes, void *block);
