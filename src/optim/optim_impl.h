/* For files in this folder only. */
#pragma once

#include "core/block.h"
#include "optim/optim.h"

enum { UNR_OPTIM_MOMENTS = 2 };

/*
  Loops over all weights, compiled for several instruction sets and chosen when the program starts.  The bits
  are the same on each: ISO C contracts no products, and sums run in lanes of a fixed number.  Sanitizers
  instrument the choice itself, which runs before they are ready.
*/
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) &&                 \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define UNR_OPTIM_LOOP __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define UNR_OPTIM_LOOP
#endif

typedef struct {
  UNR_PLUGIN_HEAD;
  const char *moment[UNR_OPTIM_MOMENTS]; /* names, for checkpoints */
  double weight_decay;                   /* where -optim_weight_decay is unset */
  /* Reads the options and sets optim->moments.  Collective on the world. */
  PetscErrorCode (*create)(UnrOptim optim);
  /* As UnrOptimStep; optim->count already counts this update. */
  PetscErrorCode (*step)(UnrOptim optim, double rate, double factor, const void *theta_bar, void *theta);
} UnrOptimOps;

struct UnrOptim_ {
  const UnrOptimOps *ops;
  UnrPrecision precision;
  size_t n;
  PetscInt64 count; /* updates since the last reset */
  PetscInt moments;
  UnrBlock moment[UNR_OPTIM_MOMENTS]; /* [n] each */
  double weight_decay;
  double beta[2], epsilon; /* adam, adamw */
  double momentum;
  bool is_nesterov; /* sgd */
};
