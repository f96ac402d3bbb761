/* A directory of its own for each test, on all ranks; and bytes of files in it. */
#pragma once

#include "support.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char directory[256];

static inline int TestRank(void)
{
  int rank;

  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  return rank;
}

static inline void TestDirectoryBegin(void)
{
  bool good = true;

  TEST_CALL(UnrErrorHandlerPush());
  strcpy(directory, "/tmp/unroll-test-XXXXXX");
  if (!TestRank()) good = mkdtemp(directory) != NULL;
  (void)MPI_Bcast(directory, sizeof directory, MPI_CHAR, 0, PETSC_COMM_WORLD);
  cr_expect(good);
}

static inline void TestDirectoryEnd(void)
{
  char command[300];

  MPI_Barrier(PETSC_COMM_WORLD);
  snprintf(command, sizeof command, "rm -r %s", directory);
  if (!TestRank()) cr_expect(!system(command));
  UnrUserErrorClear();
  TEST_CALL(PetscPopErrorHandler());
}

static inline void TestPath(const char *name, char path[512])
{
  snprintf(path, 512, "%s/%s", directory, name);
}

/* Is the file there?  Asked by rank 0. */
static inline bool TestExists(const char *name)
{
  char path[512];
  int there;

  TestPath(name, path);
  there = !access(path, F_OK);
  (void)MPI_Bcast(&there, 1, MPI_INT, 0, PETSC_COMM_WORLD);
  return there;
}

/* The whole file, owned by the caller; for one rank. */
static inline char *TestBytes(const char *path, size_t *bytes)
{
  FILE *file = fopen(path, "rb");
  char *data = NULL;

  *bytes = 0;
  cr_expect(file != NULL, "%s cannot be read", path);
  if (!file) return NULL;
  fseek(file, 0, SEEK_END);
  *bytes = (size_t)ftell(file);
  rewind(file);
  data = malloc(*bytes + 1);
  cr_expect(fread(data, 1, *bytes, file) == *bytes);
  fclose(file);
  return data;
}

/* Rank 0 makes the file of these bytes. */
static inline void TestBytesWrite(const char *path, const void *data, size_t bytes)
{
  if (!TestRank()) {
    FILE *file = fopen(path, "wb");

    cr_expect(file && fwrite(data, 1, bytes, file) == bytes && !fclose(file), "%s cannot be written", path);
  }
  MPI_Barrier(PETSC_COMM_WORLD);
}
