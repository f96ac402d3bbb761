/* The test set of a case: its parameter values, in and out of the training's range, its starts and its
   horizon.  generate makes it into a file, evaluate measures on it. */
#pragma once

#include "app/case.h"

typedef struct {
  const char *file; /* -test_file; NULL: evaluate integrates the reference itself */
  PetscInt values, starts, warmup, frames;
  double value[UNR_CASE_VALUES];
  bool is_inside[UNR_CASE_VALUES]; /* within the training values' range: interpolation */
  const char *parameter;           /* NULL: one group of tests, without a varied parameter */
} UnrTestSet;

extern const UnrOption UnrTestSetOptions[];
/* Collective on the world. */
PetscErrorCode UnrTestSetGet(UnrTestSet *set);
/* The case of all tests: starts in a row for each value, drawn by -seed_test.  value and set must outlive the
 * call. */
UnrCaseSpec UnrTestSetSpec(const UnrTestSet *set);
