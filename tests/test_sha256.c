/* SHA-256 against the vectors of FIPS 180-2, appendix B, and the empty message. */
#include "core/sha256.h"

#include <criterion/criterion.h>
#include <string.h>

static void Digest(const char *data, size_t bytes, size_t piece, char text[UNR_SHA256_TEXT])
{
  UnrSha256 sha;

  UnrSha256Begin(&sha);
  for (size_t at = 0; at < bytes; at += piece) UnrSha256Add(&sha, data + at, PetscMin(piece, bytes - at));
  UnrSha256End(&sha, text);
}

Test(sha256, vectors)
{
  static const char *const vector[][2] = {
      {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
      {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
      {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
       "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
  };
  char text[UNR_SHA256_TEXT];

  for (size_t v = 0; v < sizeof vector / sizeof *vector; v++) {
    Digest(vector[v][0], strlen(vector[v][0]), 5, text);
    cr_expect_str_eq(text, vector[v][1]);
  }
}

/* A million letters, in pieces that do not divide the block. */
Test(sha256, long_message)
{
  char *data = malloc(1000000), text[UNR_SHA256_TEXT];

  memset(data, 'a', 1000000);
  Digest(data, 1000000, 1009, text);
  cr_expect_str_eq(text, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  free(data);
}

/* Lengths round the block's end, in one piece and byte by byte. */
Test(sha256, pieces)
{
  char data[130], whole[UNR_SHA256_TEXT], pieces[UNR_SHA256_TEXT];

  for (size_t i = 0; i < sizeof data; i++) data[i] = (char)(7 * i + 3);
  for (size_t bytes = 50; bytes <= sizeof data; bytes++) {
    Digest(data, bytes, bytes, whole);
    Digest(data, bytes, 1, pieces);
    cr_expect_str_eq(whole, pieces);
  }
}
