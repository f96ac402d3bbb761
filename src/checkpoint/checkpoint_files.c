/* Names of checkpoints in a directory; removing and setting aside. */
#include "checkpoint/checkpoint_impl.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char previous[] = "previous", leaving[] = "previous.part";

static int Join(const char *directory, const char *name, char path[PETSC_MAX_PATH_LEN])
{
  return snprintf(path, PETSC_MAX_PATH_LEN, "%s/%s", directory, name) < PETSC_MAX_PATH_LEN ? 0 : ENAMETOOLONG;
}

void UnrCheckpointPath(const char *directory, PetscInt64 update, char path[PETSC_MAX_PATH_LEN])
{
  (void)snprintf(path, PETSC_MAX_PATH_LEN, "%s/checkpoint-%lld.h5", directory, (long long)update);
}

/* -1: no checkpoint's name. */
static PetscInt64 UpdateOf(const char *name)
{
  static const char start[] = "checkpoint-";
  const size_t length = strlen(start), digits = strspn(name + PetscMin(length, strlen(name)), "0123456789");

  if (strncmp(name, start, length) || !digits || digits > 18 || strcmp(name + length + digits, ".h5"))
    return -1;
  return name[length] == '0' && digits > 1 ? -1 : strtoll(name + length, NULL, 10);
}

static int Compare(const void *a, const void *b)
{
  const PetscInt64 x = *(const PetscInt64 *)a, y = *(const PetscInt64 *)b;

  return (x > y) - (x < y);
}

int UnrCheckpointList(const char *directory, PetscInt64 **update, size_t *count)
{
  DIR *open = opendir(directory);
  int verdict = 0;

  *update = NULL;
  *count = 0;
  if (!open) return errno == ENOENT ? 0 : errno;
  for (const struct dirent *entry; !verdict && (entry = readdir(open));) {
    const PetscInt64 number = UpdateOf(entry->d_name);
    PetscInt64 *grown = number < 0 ? NULL : realloc(*update, (*count + 1) * sizeof **update);

    if (number < 0) continue;
    if (!grown) {
      verdict = ENOMEM;
      break;
    }
    *update = grown;
    (*update)[(*count)++] = number;
  }
  closedir(open);
  if (*count) qsort(*update, *count, sizeof **update, Compare);
  return verdict;
}

static int Remove(const char *directory, const char *name)
{
  char path[PETSC_MAX_PATH_LEN];

  if (Join(directory, name, path)) return ENAMETOOLONG;
  return unlink(path) && errno != ENOENT ? errno : 0;
}

/* What a killed run was writing: no run writes here now. */
static int RemoveParts(const char *directory)
{
  DIR *open = opendir(directory);
  int verdict = 0;

  if (!open) return errno;
  for (const struct dirent *entry; !verdict && (entry = readdir(open));) {
    char name[sizeof entry->d_name];
    char *end;

    snprintf(name, sizeof name, "%s", entry->d_name);
    end = strstr(name, ".part");
    if (!end || end[5]) continue;
    *end = '\0';
    if (UpdateOf(name) >= 0) verdict = Remove(directory, entry->d_name);
  }
  closedir(open);
  return verdict;
}

int UnrCheckpointPrune(const char *directory, size_t keep)
{
  PetscInt64 *update;
  size_t count;
  int verdict = UnrCheckpointList(directory, &update, &count);

  for (size_t i = 0; !verdict && i + keep < count; i++) {
    char path[PETSC_MAX_PATH_LEN];

    UnrCheckpointPath(directory, update[i], path);
    if (unlink(path) && errno != ENOENT) verdict = errno;
  }
  free(update);
  return verdict ? verdict : RemoveParts(directory);
}

/* A directory within a directory, made if missing. */
static int Make(const char *directory, const char *name, char path[PETSC_MAX_PATH_LEN])
{
  if (Join(directory, name, path)) return ENAMETOOLONG;
  return mkdir(path, 0777) && errno != EEXIST ? errno : 0;
}

static int Move(const char *from, const char *to, const char *name)
{
  char old[PETSC_MAX_PATH_LEN], new[PETSC_MAX_PATH_LEN];

  if (Join(from, name, old) || Join(to, name, new)) return ENAMETOOLONG;
  return rename(old, new) && errno != ENOENT ? errno : 0;
}

static int MoveUpdate(const char *from, const char *to, PetscInt64 update)
{
  char name[64];

  snprintf(name, sizeof name, "checkpoint-%lld.h5", (long long)update);
  return Move(from, to, name);
}

int UnrCheckpointSetAsideLater(const char *directory, PetscInt64 update)
{
  char aside[PETSC_MAX_PATH_LEN];
  PetscInt64 *there;
  size_t count;
  int verdict = UnrCheckpointList(directory, &there, &count);

  if (!verdict && count && there[count - 1] > update) verdict = Make(directory, previous, aside);
  for (size_t i = 0; !verdict && i < count; i++)
    if (there[i] > update) verdict = MoveUpdate(directory, aside, there[i]);
  free(there);
  return verdict;
}

/* Of a run: a checkpoint, or one of the names. */
static bool IsOfRun(const char *name, const char *const names[])
{
  for (size_t i = 0; names[i]; i++)
    if (!fnmatch(names[i], name, 0)) return true;
  return UpdateOf(name) >= 0;
}

/* All files of a run from one directory into another; to NULL: removed.  *count: how many; may be asked for
 * alone, from == to. */
static int MoveRun(const char *from, const char *to, const char *const names[], size_t *count)
{
  DIR *open = opendir(from);
  int verdict = 0;

  *count = 0;
  if (!open) return errno == ENOENT ? 0 : errno;
  for (const struct dirent *entry; !verdict && (entry = readdir(open));) {
    if (!IsOfRun(entry->d_name, names)) continue;
    verdict = to ? Move(from, to, entry->d_name) : Remove(from, entry->d_name);
    ++*count;
  }
  closedir(open);
  return verdict;
}

/*
  By way of a directory of another name: what a killed run left half way is completed by the next one, and
  nothing is removed before its replacement is whole.
*/
int UnrCheckpointSetAside(const char *directory, const char *const names[])
{
  char part[PETSC_MAX_PATH_LEN], aside[PETSC_MAX_PATH_LEN];
  size_t count;
  struct stat status;
  int verdict = MoveRun(directory, directory, names, &count);

  if (!verdict) verdict = Join(directory, previous, aside) ? ENAMETOOLONG : Join(directory, leaving, part);
  if (verdict || (!count && lstat(part, &status))) return verdict;
  verdict = Make(directory, leaving, part);
  if (!verdict) verdict = MoveRun(directory, part, names, &count);
  if (!verdict) verdict = MoveRun(aside, NULL, names, &count);
  if (!verdict && rmdir(aside) && errno != ENOENT) verdict = errno;
  if (!verdict && rename(part, aside)) verdict = errno;
  return verdict;
}
