#include "core/rng.h"

#include <math.h>

/*
  UnrPhilox - Philox 4x32-10: ten rounds of two 32 x 32 -> 64 bit products; the key grows by Weyl constants.
  Source: Salmon, Moraes, Dror & Shaw 2011, doi:10.1145/2063384.2063405, section 3.3.
*/
void UnrPhilox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4])
{
  uint32_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3], k0 = key[0], k1 = key[1];

  for (int round = 0; round < 10; round++) {
    uint64_t p0 = (uint64_t)0xD2511F53u * c0, p1 = (uint64_t)0xCD9E8D57u * c2;
    c0 = (uint32_t)(p1 >> 32) ^ c1 ^ k0;
    c1 = (uint32_t)p1;
    c2 = (uint32_t)(p0 >> 32) ^ c3 ^ k1;
    c3 = (uint32_t)p0;
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  out[0] = c0;
  out[1] = c1;
  out[2] = c2;
  out[3] = c3;
}

/* The seed is the key, index and stream are the counter: draws of two streams or seeds never share a block.
 */
static void UnrRngBlock(UnrRng rng, uint64_t index, uint32_t out[4])
{
  const uint32_t counter[4] = {(uint32_t)index, (uint32_t)(index >> 32), (uint32_t)rng.stream,
                               (uint32_t)(rng.stream >> 32)};
  const uint32_t key[2] = {(uint32_t)rng.seed, (uint32_t)(rng.seed >> 32)};

  UnrPhilox(counter, key, out);
}

/* 53 bits of two words, in [0, 1). */
static double UnrRngDouble(uint32_t high, uint32_t low)
{
  return (double)((((uint64_t)high << 32) | low) >> 11) * 0x1p-53;
}

double UnrRngUniform(UnrRng rng, uint64_t index)
{
  uint32_t word[4];

  UnrRngBlock(rng, index, word);
  return UnrRngDouble(word[0], word[1]);
}

/* Of Box and Muller's pair only the cosine is taken, so that a draw depends on no neighbour. */
double UnrRngNormal(UnrRng rng, uint64_t index)
{
  uint32_t word[4];

  UnrRngBlock(rng, index, word);
  double radius = sqrt(-2 * log(1 - UnrRngDouble(word[0], word[1])));
  return radius * cos(2 * PETSC_PI * UnrRngDouble(word[2], word[3]));
}

/* The finaliser of SplitMix64: a bijection of 64 bits that spreads each bit over all. */
static uint64_t UnrRngMix(uint64_t x)
{
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

/* FNV-1a of the word, then the numbers mixed in one after the other, so that (a, b) and (b, a) differ. */
uint64_t UnrRngStream(const char *purpose, uint64_t a, uint64_t b)
{
  uint64_t hash = 0xCBF29CE484222325u;

  for (const char *c = purpose; *c; c++) hash = (hash ^ (unsigned char)*c) * 0x100000001B3u;
  return UnrRngMix(UnrRngMix(UnrRngMix(hash) ^ a) ^ b);
}
