/* What several test programs share: random fields that no layout can tell apart, sums over the world,
 * options. */
#pragma once

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/error.h"
#include "core/rng.h"
#include "field/grid.h"

/* A fault of the program ends the test. */
#define TEST_CALL(...)                                                                                       \
  do {                                                                                                       \
    PetscErrorCode test_code_ = (__VA_ARGS__);                                                               \
    cr_assert(test_code_ == PETSC_SUCCESS, "%s: error %d %s", #__VA_ARGS__, (int)test_code_,                 \
              UnrUserErrorMessage());                                                                        \
  } while (0)

/* A mistake of the user is refused on all ranks, with these words in its message. */
#define TEST_REFUSES(call, words)                                                                            \
  do {                                                                                                       \
    UnrUserErrorClear();                                                                                     \
    UnrErrorHandlerPush();                                                                                   \
    PetscErrorCode test_code_ = (call);                                                                      \
    PetscPopErrorHandler();                                                                                  \
    cr_expect(test_code_ == UNR_ERR_USER, "%s is not refused: %d", #call, (int)test_code_);                  \
    cr_expect(strstr(UnrUserErrorMessage(), words), "\"%s\" is not in \"%s\"", words,                        \
              UnrUserErrorMessage());                                                                        \
    UnrUserErrorClear();                                                                                     \
  } while (0)

/* "-a 1 -b": puts options into the database; takes away those named ("-a -b"; values are passed over). */
static inline void TestOptionsSet(const char *text)
{
  TEST_CALL(PetscOptionsInsertString(NULL, text));
}

static inline void TestOptionsUnset(const char *text)
{
  char copy[1024], *save = NULL;

  snprintf(copy, sizeof(copy), "%s", text);
  for (char *word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
    PetscBool is_name;
    TEST_CALL(PetscOptionsValidKey(word, &is_name));
    if (is_name) TEST_CALL(PetscOptionsClearValue(NULL, word));
  }
}

/* Normal numbers keyed by purpose, sample (counted from `first` in the whole batch) and global cell: the same
   field on every layout, without any symmetry. */
static inline void TestFill(UnrBatch batch, PetscInt first, const char *purpose, uint64_t number)
{
  UnrGrid g = batch->grid;
  double *at = batch->data;

  for (PetscInt s = 0; s < batch->samples; s++) {
    UnrRng rng = {20240217, UnrRngStream(purpose, number, (uint64_t)(first + s))};

    for (PetscInt x = g->start[0]; x < g->start[0] + g->count[0]; x++)
      for (PetscInt y = g->start[1]; y < g->start[1] + g->count[1]; y++)
        for (PetscInt z = g->start[2]; z < g->start[2] + g->count[2]; z++)
          for (PetscInt c = 0; c < g->components; c++)
            *at++ = UnrRngNormal(rng,
                                 (uint64_t)(((x * g->points[1] + y) * g->points[2] + z) * g->components + c));
  }
}

static inline double TestSum(double part)
{
  double sum = part;

  MPI_Allreduce(&part, &sum, 1, MPI_DOUBLE, MPI_SUM, PETSC_COMM_WORLD);
  return sum;
}

static inline int TestRanks(void)
{
  int size;

  MPI_Comm_size(PETSC_COMM_WORLD, &size);
  return size;
}

/* The larger of the two; a NaN counts as infinite, so that no maximum, local or of MPI, loses it. */
static inline double TestMost(double most, double x)
{
  return isnan(x) ? INFINITY : x > most ? x : most;
}

/* |a - b| over the larger of the two; infinite where one of them is no number. */
static inline double TestRelative(double a, double b)
{
  double larger = TestMost(fabs(a), fabs(b));

  return isfinite(larger) && isfinite(a) ? larger > 0 ? fabs(a - b) / larger : 0 : INFINITY;
}
