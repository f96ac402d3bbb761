#include "core/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.h"

PetscErrorCode UnrFileAgree(int verdict, const char *what, const char *path)
{
  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Bcast(&verdict, 1, MPI_INT, 0, PETSC_COMM_WORLD));
  UnrUserCheck(!verdict,
               "%s (%s): %s; allowed: a place that this user may write, with room; try: another -out", what,
               path, strerror(verdict));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* "runs/data/train.h5": "runs/data"; "train.h5": ".". */
static void UnrDirectoryOf(const char *path, char directory[PETSC_MAX_PATH_LEN])
{
  snprintf(directory, PETSC_MAX_PATH_LEN, "%s", path);
  char *slash = strrchr(directory, '/');
  if (slash == directory)
    slash[1] = '\0';
  else if (slash)
    *slash = '\0';
  else
    snprintf(directory, PETSC_MAX_PATH_LEN, ".");
}

static int UnrDirectorySync(const char *path)
{
  char directory[PETSC_MAX_PATH_LEN];

  UnrDirectoryOf(path, directory);
  int file = open(directory, O_RDONLY | O_DIRECTORY);
  if (file < 0) return errno;
  /* Some file systems cannot sync a directory and need no sync. */
  int verdict = fsync(file) && errno != EINVAL ? errno : 0;
  close(file);
  return verdict;
}

int UnrFileCommit(const char *part, const char *path)
{
  int file = open(part, O_RDWR), verdict = 0;

  if (file < 0) return errno;
  if (fsync(file)) verdict = errno;
  if (close(file) && !verdict) verdict = errno;
  if (!verdict && rename(part, path)) verdict = errno;
  return verdict ? verdict : UnrDirectorySync(path);
}

static int UnrFileWrite(const char *path, const char *data, size_t bytes)
{
  char part[PETSC_MAX_PATH_LEN];
  size_t written = 0;
  int verdict = 0;

  if (snprintf(part, sizeof(part), "%s.part", path) >= (int)sizeof(part)) return ENAMETOOLONG;
  int file = open(part, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (file < 0) return errno;
  while (written < bytes && !verdict) {
    ssize_t n = write(file, data + written, bytes - written);
    if (n >= 0)
      written += (size_t)n;
    else if (errno != EINTR)
      verdict = errno;
  }
  if (close(file) && !verdict) verdict = errno;
  if (!verdict) verdict = UnrFileCommit(part, path);
  if (verdict) unlink(part);
  return verdict;
}

PetscErrorCode UnrFileWriteBytes(const char *path, const void *data, size_t bytes)
{
  int rank;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(UnrFileAgree(rank ? 0 : UnrFileWrite(path, data, bytes), "cannot write a file", path));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrFileWriteAtomic(const char *path, const char *text)
{
  PetscFunctionBeginUser;
  PetscCall(UnrFileWriteBytes(path, text, text ? strlen(text) : 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* mkdir -p, then a file of no name inside: a full or read-only place is found before hours of work. */
static int UnrDirectoryMakeHere(const char *path)
{
  char part[PETSC_MAX_PATH_LEN];

  if (!*path) return ENOENT;
  if (snprintf(part, sizeof(part), "%s", path) >= (int)sizeof(part) - 32) return ENAMETOOLONG;
  for (char *slash = strchr(part + 1, '/');; slash = strchr(slash + 1, '/')) {
    if (slash) *slash = '\0';
    if (mkdir(part, 0777) && errno != EEXIST) return errno;
    if (!slash) break;
    *slash = '/';
  }
  snprintf(part + strlen(part), 32, "/.%ld.tmp", (long)getpid());
  int file = open(part, O_WRONLY | O_CREAT | O_EXCL, 0666);
  if (file < 0) return errno;
  close(file);
  return unlink(part) ? errno : 0;
}

PetscErrorCode UnrDirectoryMakeFor(const char *file)
{
  char directory[PETSC_MAX_PATH_LEN];
  int rank;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  UnrDirectoryOf(file, directory);
  PetscCall(UnrFileAgree(rank ? 0 : UnrDirectoryMakeHere(directory), "cannot make or write a directory",
                         directory));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Does another run hold the directory?  Else it is ours until the program ends, however it ends, or takes
  another. Where the file system has no such locks nobody knows.
*/
static bool UnrDirectoryIsHeld(const char *path)
{
  static int held = -1;

  if (held >= 0) close(held);
  held = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  return held >= 0 && flock(held, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK;
}

PetscErrorCode UnrDirectoryMake(const char *path)
{
  int rank;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(UnrFileAgree(rank ? 0 : UnrDirectoryMakeHere(path), "cannot make or write a directory", path));
  UnrUserCheck(rank || !UnrDirectoryIsHeld(path),
               "another run writes into -out (%s); allowed: one at a time; try: another -out", path);
  PetscFunctionReturn(PETSC_SUCCESS);
}
