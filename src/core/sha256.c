/* Source: FIPS PUB 180-4, sections 4.1.2, 4.2.2, 5.1.1, 5.3.3 and 6.2. */
#include "core/sha256.h"

#include <stdio.h>
#include <string.h>

/* The first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
static const uint32_t K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t Rotate(uint32_t x, int n)
{
  return x >> n | x << (32 - n);
}

static void Compress(uint32_t state[8], const uint8_t block[64])
{
  uint32_t w[64], s[8];

  for (int t = 0; t < 16; t++)
    w[t] = (uint32_t)block[4 * t] << 24 | (uint32_t)block[4 * t + 1] << 16 | (uint32_t)block[4 * t + 2] << 8 |
           block[4 * t + 3];
  for (int t = 16; t < 64; t++) {
    uint32_t s0 = Rotate(w[t - 15], 7) ^ Rotate(w[t - 15], 18) ^ w[t - 15] >> 3;
    uint32_t s1 = Rotate(w[t - 2], 17) ^ Rotate(w[t - 2], 19) ^ w[t - 2] >> 10;
    w[t] = w[t - 16] + s0 + w[t - 7] + s1;
  }
  memcpy(s, state, sizeof s);
  for (int t = 0; t < 64; t++) {
    uint32_t choose = (s[4] & s[5]) ^ (~s[4] & s[6]), major = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
    uint32_t t1 = s[7] + (Rotate(s[4], 6) ^ Rotate(s[4], 11) ^ Rotate(s[4], 25)) + choose + K[t] + w[t];
    uint32_t t2 = (Rotate(s[0], 2) ^ Rotate(s[0], 13) ^ Rotate(s[0], 22)) + major;
    memmove(s + 1, s, 7 * sizeof *s);
    s[4] += t1;
    s[0] = t1 + t2;
  }
  for (int i = 0; i < 8; i++) state[i] += s[i];
}

void UnrSha256Begin(UnrSha256 *sha)
{
  static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

  memcpy(sha->state, start, sizeof start);
  sha->bytes = 0;
}

void UnrSha256Add(UnrSha256 *sha, const void *data, size_t bytes)
{
  const uint8_t *from = data;

  while (bytes) {
    size_t have = sha->bytes % 64, take = PetscMin(bytes, 64 - have);
    memcpy(sha->block + have, from, take);
    sha->bytes += take;
    from += take;
    bytes -= take;
    if (have + take == 64) Compress(sha->state, sha->block);
  }
}

void UnrSha256End(UnrSha256 *sha, char text[UNR_SHA256_TEXT])
{
  static const uint8_t padding[64] = {0x80};
  const uint64_t bits = 8 * sha->bytes;
  uint8_t length[8];

  for (int i = 0; i < 8; i++) length[i] = (uint8_t)(bits >> (56 - 8 * i));
  UnrSha256Add(sha, padding, 1 + (119 - sha->bytes % 64) % 64);
  UnrSha256Add(sha, length, sizeof length);
  for (int i = 0; i < 8; i++) snprintf(text + 8 * i, 9, "%08x", (unsigned)sha->state[i]);
}

bool UnrSha256File(const char *path, char text[UNR_SHA256_TEXT])
{
  UnrSha256 sha;
  char buffer[65536];
  size_t bytes;
  FILE *file = fopen(path, "rb");
  bool good;

  if (!file) return false;
  UnrSha256Begin(&sha);
  while ((bytes = fread(buffer, 1, sizeof buffer, file)) > 0) UnrSha256Add(&sha, buffer, bytes);
  good = !ferror(file);
  fclose(file);
  UnrSha256End(&sha, text);
  return good;
}
