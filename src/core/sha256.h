/* SHA-256 of bytes and of files: what a file was made from, as provenance. */
#pragma once

#include "core/base.h"

typedef struct {
  uint32_t state[8];
  uint64_t bytes;    /* taken so far */
  uint8_t block[64]; /* the last bytes % 64 of them */
} UnrSha256;

enum { UNR_SHA256_TEXT = 65 }; /* 64 hexadecimal digits and the end */

void UnrSha256Begin(UnrSha256 *sha);
void UnrSha256Add(UnrSha256 *sha, const void *data, size_t bytes);
void UnrSha256End(UnrSha256 *sha, char text[UNR_SHA256_TEXT]);
/* false if the file cannot be read.  Not collective. */
bool UnrSha256File(const char *path, char text[UNR_SHA256_TEXT]);
