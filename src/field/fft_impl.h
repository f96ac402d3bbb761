/*
  For the fft files of this folder only: what a transform keeps.

  A row is what is transformed before the exchange: the axes after x of one field at one x; in 1-D the whole
  line of a field.  Of its modes, rank r of the grid gets the slice [slice[r], slice[r + 1]), in 1-D itself
  all of them.  A column is what is transformed after it: all of x at one of the modes of this rank's slice.
*/
#pragma once

#include "field/fft.h"

#include <fftw3.h>

/* Rows or columns are transformed `count` at a time, in a buffer that stays in the nearest cache. */
typedef struct {
  PetscInt count;
  fftw_plan forward, backward;     /* rows: real <-> complex along the last axis; columns: along x */
  fftw_plan y_forward, y_backward; /* rows in 3-D: along y, in place; else NULL */
} UnrFFTBlock;

/* FFTW's plans for one number of fields: full blocks and what is left over; count 0 where there is none. */
typedef struct {
  PetscInt fields;
  UnrFFTBlock rows[2], columns[2];
} UnrFFTPlan;

/* Neighbouring modes of a row that go to one rank: `count` of them, from place `from` of the transformed row
   to place `to` of the rank's slice. */
typedef struct {
  int rank;
  PetscInt from, to, count;
} UnrFFTSegment;

/* A buffer that grows on demand and is kept. */
typedef struct {
  void *block;
  size_t bytes;
} UnrFFTBuffer;

struct UnrFFTData_ {
  PetscInt kept[UNR_MAX_DIM]; /* wavenumbers along every axis, along the last one only those >= 0 */
  PetscInt row_cells;         /* doubles of a row */
  PetscInt row_numbers;       /* complex numbers of a row, all of its half spectrum */
  PetscInt field_rows;        /* rows of a field on this rank */
  PetscInt *slice;            /* [rank + 1] first kept mode of a row; here from `first` on `mine` */
  PetscInt first, mine;
  UnrFFTSegment *segment; /* of a row, in the order of `from` */
  PetscInt segments;
  UnrFFTPlan *plan;
  PetscInt plans;
  UnrFFTBuffer real;          /* [field][cell] of misaligned callers */
  UnrFFTBuffer row, column;   /* a block of rows; of columns, [x][column] */
  UnrFFTBuffer pencil;        /* [x][field][mine] */
  UnrFFTBuffer slices;        /* [rank][local x][field][mode of the rank's slice] */
  UnrFFTBuffer send, receive; /* of Load and Store in 1-D */
  PetscMPIInt tag;
  MPI_Request *request;                                      /* [2 ranks] */
  PetscMPIInt *lines, *lines_at, *segments_of, *segments_at; /* [rank] counts and displacements in 1-D */
};

/* In fft_plan.c: the plan for `fields` fields, made when first asked for, and its end. */
PetscErrorCode UnrFFTPlanGet(UnrFFT fft, PetscInt fields, UnrFFTPlan *plan);
PetscErrorCode UnrFFTPlansDestroy(UnrFFT fft);
/* At least `bytes`, aligned as FFTW likes it; contents undefined. */
PetscErrorCode UnrFFTBufferGet(UnrFFTBuffer *buffer, size_t bytes, void *block);
/* Columns of a block lie so far apart in its buffer: whole cache lines, an odd number of them. */
static inline PetscInt UnrFFTColumnStride(PetscInt count)
{
  return ((count + 3) / 4 | 1) * 4;
}
/* In fft_exchange.c: slices of this rank's rows against all of x of this rank's columns. */
PetscErrorCode UnrFFTToPencils(UnrFFT fft, PetscInt fields, const UnrComplex *slices, UnrComplex *pencil);
PetscErrorCode UnrFFTFromPencils(UnrFFT fft, PetscInt fields, const UnrComplex *pencil, UnrComplex *slices);
