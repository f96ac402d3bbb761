/* The instruction sets that the simd engine was compiled for. */
#pragma once

#include "layer/engine.h"

typedef struct {
  const char *isa;                  /* "avx512", "avx2", "generic" */
  const UnrConvKernels *kernels[2]; /* by UnrPrecision */
  /* By UnrPrecision: multiply-adds in registers alone; returns how many flops they were.  See peak.h. */
  double (*fma_loop[2])(size_t rounds);
} UnrSIMD;

/* The row for an instruction set that this processor has, "auto" the best; NULL if it has not. */
const UnrSIMD *UnrSIMDFind(const char *isa);
