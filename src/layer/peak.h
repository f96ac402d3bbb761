/* What the processor could do at best: the yardstick of bench_engine and `unroll bench`. */
#pragma once

#include "core/base.h"

/*
  UnrFmaPeak - GFLOP/s of one core by multiply-adds in registers alone.    Local; takes about 5 ms.
  In    isa      "auto", "avx512", "avx2", "generic"
  Out   (value)  the best of several rounds; 0 if this processor has no such instructions
*/
double UnrFmaPeak(UnrPrecision precision, const char *isa);
