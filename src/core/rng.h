/*
  Counter-based random numbers: Philox 4x32-10.  A draw is a function of (seed, stream, index), never of rank
  or order. Source: Salmon, Moraes, Dror & Shaw 2011, doi:10.1145/2063384.2063405.
*/
#pragma once

#include "core/base.h"

typedef struct {
  uint64_t seed;
  uint64_t stream; /* what is drawn: UnrRngStream() of a word and numbers such as epoch and sample */
} UnrRng;

/* The generator itself: 128 bits from a counter and a key. */
void UnrPhilox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]);
/* A stream number from a purpose ("weights", "start state") and up to two numbers. */
uint64_t UnrRngStream(const char *purpose, uint64_t a, uint64_t b);
/* The index-th draw: uniform in [0, 1), 53 bits; or normal, mean 0, variance 1 (Box-Muller). */
double UnrRngUniform(UnrRng rng, uint64_t index);
double UnrRngNormal(UnrRng rng, uint64_t index);
