/* Random numbers, tapes, counts, JSON, files, nearest names. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/count.h"
#include "core/nearest.h"
#include "core/provenance.h"
#include "core/tape.h"
#include "support.h"

/* The known answers of Random123's kat_vectors for philox4x32 with 10 rounds. */
Test(rng, philox_known_answers)
{
  static const struct {
    uint32_t counter[4], key[2], out[4];
  } known[] = {
      {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
      {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
       {0xffffffff, 0xffffffff},
       {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
      {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
       {0xa4093822, 0x299f31d0},
       {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
  };

  for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
    uint32_t out[4];
    UnrPhilox(known[i].counter, known[i].key, out);
    for (int w = 0; w < 4; w++)
      cr_expect(out[w] == known[i].out[w], "vector %zu, word %d: %08x", i, w, out[w]);
  }
}

/* Index and stream are the two halves of the counter, the seed is the key; the first two words make 53 bits.
 */
Test(rng, uniform_is_of_the_known_answers)
{
  cr_expect(UnrRngUniform((UnrRng){0, 0}, 0) == (double)(0x6627e8d5e169c58dULL >> 11) / 9007199254740992.0);
  cr_expect(UnrRngUniform((UnrRng){0x299f31d0a4093822ULL, 0x0370734413198a2eULL}, 0x85a308d3243f6a88ULL) ==
            (double)(0xd16cfe0994fdccebULL >> 11) / 9007199254740992.0);
}

/* Bounds are five standard errors of n independent draws: a chance of 1e-6 that was taken once, as the seed
 * is fixed. */
Test(rng, moments)
{
  enum { N = 100000 };
  const UnrRng rng = {7, UnrRngStream("moments", 1, 2)};
  double u1 = 0, u2 = 0, n1 = 0, n2 = 0, n3 = 0, n4 = 0;

  for (uint64_t i = 0; i < N; i++) {
    double u = UnrRngUniform(rng, i), n = UnrRngNormal(rng, i);
    cr_assert(u >= 0 && u < 1 && isfinite(n));
    u1 += u / N;
    u2 += u * u / N;
    n1 += n / N;
    n2 += n * n / N;
    n3 += n * n * n / N;
    n4 += n * n * n * n / N;
  }
  cr_expect(fabs(u1 - 0.5) < 5 * sqrt(1. / 12 / N), "%g", u1);
  cr_expect(fabs(u2 - 1. / 3) < 5 * sqrt(4. / 45 / N), "%g", u2);
  cr_expect(fabs(n1) < 5 * sqrt(1. / N), "%g", n1);
  cr_expect(fabs(n2 - 1) < 5 * sqrt(2. / N), "%g", n2);
  cr_expect(fabs(n3) < 5 * sqrt(15. / N), "%g", n3);
  cr_expect(fabs(n4 - 3) < 5 * sqrt(96. / N), "%g", n4);
}

Test(rng, streams_differ)
{
  const uint64_t stream[] = {UnrRngStream("a", 0, 0), UnrRngStream("b", 0, 0), UnrRngStream("a", 1, 0),
                             UnrRngStream("a", 0, 1), UnrRngStream("a", 1, 2), UnrRngStream("a", 2, 1),
                             UnrRngStream("", 0, 0)};
  const size_t n = sizeof(stream) / sizeof(*stream);

  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < i; j++) cr_expect(stream[i] != stream[j], "streams %zu and %zu", i, j);
  }
  cr_expect(UnrRngUniform((UnrRng){1, 0}, 0) != UnrRngUniform((UnrRng){2, 0}, 0));
  cr_expect(UnrRngUniform((UnrRng){1, 0}, 0) != UnrRngUniform((UnrRng){1, 0}, 1));
}

Test(tape, keeps_and_gives_back)
{
  UnrTape tape, child, grandchild, again;
  void *first, *second;
  const void *read;

  cr_assert(UnrTapeBytesNow() == 0);
  UnrTapePeakReset();
  TEST_CALL(UnrTapeCreate(&tape));
  TEST_CALL(UnrTapeReserve(tape, 1000, &first));
  cr_expect((uintptr_t)first % 64 == 0);
  memset(first, 3, 1000);
  TEST_CALL(UnrTapeRead(tape, &read));
  cr_expect(read == first);
  const size_t held = UnrTapeBytes(tape);
  cr_expect(held >= 1000 && held < 1064 && UnrTapeBytesNow() == held);
  TEST_CALL(UnrTapeReserve(tape, 500, &second));
  cr_expect(second == first && UnrTapeBytes(tape) == held, "a smaller block reuses the larger");

  TEST_CALL(UnrTapeChild(tape, 11, &child));
  TEST_CALL(UnrTapeChild(child, 0, &grandchild));
  TEST_CALL(UnrTapeReserve(grandchild, 4096, &second));
  TEST_CALL(UnrTapeChild(tape, 200, &again));
  TEST_CALL(UnrTapeChild(tape, 11, &again));
  cr_expect(again == child, "growth keeps the children");
  cr_expect(UnrTapeBytes(tape) == held + 4096 && UnrTapeBytesPeak() == held + 4096);

  TEST_CALL(UnrTapeFree(tape));
  cr_expect(UnrTapeBytes(tape) == 0 && UnrTapeBytesNow() == 0 && UnrTapeBytesPeak() == held + 4096);
  UnrTapePeakReset();
  cr_expect(UnrTapeBytesPeak() == 0);
  TEST_CALL(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  cr_expect(UnrTapeRead(tape, &read) == PETSC_ERR_ARG_WRONGSTATE);
  cr_expect(UnrTapeRead(grandchild, &read) == PETSC_ERR_ARG_WRONGSTATE);
  TEST_CALL(PetscPopErrorHandler());
  TEST_CALL(UnrTapeReserve(tape, 10, &first));
  TEST_CALL(UnrTapeDestroy(&tape));
  cr_expect(!tape && UnrTapeBytesNow() == 0);
}

Test(count, adds_and_forgets)
{
  UnrCountReset();
  UnrCountAdd(UNR_COUNT_SOLVER_VJP, 3);
  UnrCountAdd(UNR_COUNT_SOLVER_VJP, 4);
  cr_expect(UnrCountGet(UNR_COUNT_SOLVER_VJP) == 7 && UnrCountGet(UNR_COUNT_SOLVER_APPLY) == 0);
  UnrCountReset();
  cr_expect(UnrCountGet(UNR_COUNT_SOLVER_VJP) == 0);
}

Test(nearest, distance)
{
  cr_expect(UnrNearestDistance("", "abc") == 3);
  cr_expect(UnrNearestDistance("train", "train") == 0);
  cr_expect(UnrNearestDistance("trian", "train") == 1, "a swap counts once");
  cr_expect(UnrNearestDistance("kitten", "sitting") == 3);
  cr_expect(UnrNearestDistance("ca", "abc") == 3, "optimal string alignment edits no substring twice");
}

Test(json, text)
{
  UnrJson json;

  TEST_CALL(UnrJsonCreate(&json));
  TEST_CALL(UnrJsonBegin(json, NULL, '{'));
  TEST_CALL(UnrJsonString(json, "quote\"d", "back\\slash\n"));
  TEST_CALL(UnrJsonBegin(json, "list", '['));
  TEST_CALL(UnrJsonReal(json, NULL, 0.1));
  TEST_CALL(UnrJsonReal(json, NULL, NAN));
  TEST_CALL(UnrJsonBegin(json, NULL, '{'));
  TEST_CALL(UnrJsonEnd(json));
  TEST_CALL(UnrJsonEnd(json));
  TEST_CALL(UnrJsonInt(json, "int", -1234567890123));
  TEST_CALL(UnrJsonBool(json, "yes", true));
  TEST_CALL(UnrJsonEnd(json));
  cr_expect(
      !strcmp(
          UnrJsonText(json),
          "{\n  \"quote\\\"d\": \"back\\\\slash\\u000a\",\n  \"list\": [\n    0.1,\n    null,\n    {}\n  ],\n"
          "  \"int\": -1234567890123,\n  \"yes\": true\n}\n"),
      "%s", UnrJsonText(json));
  TEST_CALL(UnrJsonDestroy(&json));
}

/* What is read back is what was written, bit for bit; entries below the outermost object are not found. */
Test(json, round_trip)
{
  const double values[] = {
      0.1, 1. / 3, 5e-324, 1.7976931348623157e308, -0., 2.0 / 3e-17, 123456789.123456789};
  char key[16], text[64];
  UnrJson json;

  TEST_CALL(UnrJsonCreate(&json));
  TEST_CALL(UnrJsonBegin(json, NULL, '{'));
  TEST_CALL(UnrJsonBegin(json, "inner", '{'));
  TEST_CALL(UnrJsonString(json, "word", "not this: \"word\": 3 }"));
  TEST_CALL(UnrJsonEnd(json));
  for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
    snprintf(key, sizeof(key), "value%zu", i);
    TEST_CALL(UnrJsonReal(json, key, values[i]));
  }
  TEST_CALL(UnrJsonString(json, "word", "a \"b\" \\"));
  TEST_CALL(UnrJsonEnd(json));
  for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
    snprintf(key, sizeof(key), "value%zu", i);
    cr_assert(UnrJsonFind(UnrJsonText(json), key, text, sizeof(text)));
    double back = strtod(text, NULL);
    cr_expect(!memcmp(&back, &values[i], sizeof(back)), "%s", text);
  }
  cr_expect(UnrJsonFind(UnrJsonText(json), "word", text, sizeof(text)) && !strcmp(text, "a \"b\" \\"), "%s",
            text);
  cr_expect(!UnrJsonFind(UnrJsonText(json), "inner", text, sizeof(text)));
  cr_expect(!UnrJsonFind(UnrJsonText(json), "absent", text, sizeof(text)));
  TEST_CALL(UnrJsonDestroy(&json));
}

/* A directory below the system's, the same on all ranks, gone at the end of the test. */
static void ScratchName(char path[PETSC_MAX_PATH_LEN])
{
  int rank;

  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  if (!rank) {
    const char *base = getenv("TMPDIR");
    snprintf(path, PETSC_MAX_PATH_LEN, "%s/unroll-test-%ld", base ? base : "/tmp", (long)getpid());
  }
  cr_assert(!MPI_Bcast(path, PETSC_MAX_PATH_LEN, MPI_CHAR, 0, PETSC_COMM_WORLD));
}

Test(file, whole_or_none)
{
  char path[PETSC_MAX_PATH_LEN], file[PETSC_MAX_PATH_LEN + 32], text[64] = "";

  ScratchName(path);
  strcat(path, "/a/b");
  TEST_CALL(UnrDirectoryMake(path));
  TEST_CALL(UnrDirectoryMake(path));
  snprintf(file, sizeof(file), "%s/summary.json", path);
  TEST_CALL(UnrFileWriteAtomic(file, "first, a longer text\n"));
  TEST_CALL(UnrFileWriteAtomic(file, "second\n"));
  FILE *written = fopen(file, "r");
  cr_expect(written && fgets(text, sizeof(text), written) && !strcmp(text, "second\n"), "%s", text);
  if (written) fclose(written);
  /* A file where a directory should be: the one refusal that even root meets. */
  TEST_REFUSES(UnrDirectoryMake(file), "summary.json");
  strcat(file, "/x");
  TEST_REFUSES(UnrFileWriteAtomic(file, "text"), "summary.json/x");
  MPI_Barrier(PETSC_COMM_WORLD);
  int rank;
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  if (rank) return;
  file[strlen(file) - 2] = '\0';
  cr_expect(!unlink(file) && !rmdir(path), "nothing else was left in the directory");
  for (int up = 0; up < 2; up++) {
    *strrchr(path, '/') = '\0';
    rmdir(path);
  }
}

/* Every entry that interfaces promise of any summary.json. */
Test(provenance, head_and_foot)
{
  static const char *const keys[] = {"schema",  "command",           "version",    "status", "reason",
                                     "seconds", "peak_memory_bytes", "tape_bytes", "extra"};
  char path[PETSC_MAX_PATH_LEN], file[PETSC_MAX_PATH_LEN + 32], text[4096] = "", value[256];
  UnrLayout layout;
  UnrJson json;

  ScratchName(path);
  snprintf(file, sizeof(file), "%s/summary.json", path);
  TEST_CALL(UnrDirectoryMake(path));
  TEST_CALL(UnrLayoutCreateSelf(&layout));
  TEST_CALL(UnrSummaryBegin(&json, "test", &layout));
  TEST_CALL(UnrJsonInt(json, "extra", 3));
  TEST_CALL(UnrSummaryEnd(&json, "diverged", file));
  TEST_CALL(UnrLayoutDestroy(&layout));
  FILE *written = fopen(file, "r");
  cr_expect(written && fread(text, 1, sizeof(text) - 1, written) > 0);
  if (written) fclose(written);
  for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
    cr_expect(UnrJsonFind(text, keys[i], value, sizeof(value)), "%s in %s", keys[i], text);
  }
  cr_expect(UnrJsonFind(text, "status", value, sizeof(value)) && !strcmp(value, "failed"));
  cr_expect(UnrJsonFind(text, "peak_memory_bytes", value, sizeof(value)) && atof(value) > 1e6, "%s", value);
  cr_expect(strstr(text, "\"options\": {") && strstr(text, "\"grid\": [\n      1\n    ]"), "%s", text);
  MPI_Barrier(PETSC_COMM_WORLD);
  unlink(file);
  rmdir(path);
}
