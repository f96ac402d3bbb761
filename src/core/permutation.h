/* Permutations without a table: for an order of millions of things, of which one is asked for at a time. */
#pragma once

#include "core/rng.h"

/*
  UnrPermute - where the permutation that rng stands for takes i.     Local.
  In   n  > 0;  i  0 ... n - 1
  Out  0 ... n - 1; two i never share one
*/
uint64_t UnrPermute(uint64_t n, UnrRng rng, uint64_t i);
