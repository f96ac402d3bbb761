/*
  One row of an exponential Runge-Kutta scheme, a stage or the step, on the modes of one sample: forward,
  tangent and reverse.  Maths: docs/method/etdrk.md eq. (6), (8), (11), (12).
*/
#pragma once

#include "stepper/etdrk_coefficients.h"

/* What one row works on.  Arrays are [component][mode] of one sample; stage j of n is n + j * stage_stride.
 */
typedef struct {
  UnrFFT fft;
  const UnrEtdrkTableau *tableau;
  const UnrEtdrkCoefficients *coefficients; /* with slopes for par_dot or par_bar */
  int row;                                  /* stage 1 .. stages - 1, or stages: the step */
  PetscInt components, parameters;
  size_t modes; /* components x modes of a field */
  size_t stage_stride;
  UnrComplex *slope; /* scratch [component][mode] */
} UnrEtdrkRow;

/* out = F_p u + sum_j F_j n_j;  out may be u. */
void UnrEtdrkRowForward(const UnrEtdrkRow *row, const UnrComplex u[], const UnrComplex n[], UnrComplex out[]);
/* Tangent; par_dot may be NULL, and then u and n are not read; out_dot may be u_dot. */
void UnrEtdrkRowTangent(const UnrEtdrkRow *row, const UnrComplex u[], const UnrComplex n[],
                        const UnrComplex u_dot[], const UnrComplex n_dot[], const double par_dot[],
                        UnrComplex out_dot[]);
/* Reverse: ADDS to u_bar, n_bar, par_bar; par_bar may be NULL, and then u and n are not read. */
void UnrEtdrkRowReverse(const UnrEtdrkRow *row, const UnrComplex u[], const UnrComplex n[],
                        const UnrComplex out_bar[], UnrComplex u_bar[], UnrComplex n_bar[], double par_bar[]);
