#include "app/common.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>
#include "core/error.h"
#include "core/file.h"
#include "core/memory.h"

const UnrOption UnrCommonOptions[] = {
    {"-out", UNR_PATH, NULL, 0, 0, NULL, "directory of all that the command writes, made if missing", NULL},
    {"-dry_run", UNR_BOOL, "false", 0, 0, NULL,
     "check deck, files, layout and memory, estimate the time, compute nothing", NULL},
    {0},
};

PetscErrorCode UnrCommonGet(UnrCommon *common)
{
  PetscFunctionBeginUser;
  PetscCall(UnrOptionWord(UnrCommonOptions, NULL, "-out", &common->out));
  PetscCall(UnrOptionBool(UnrCommonOptions, NULL, "-dry_run", &common->dry_run));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrCommonMemory(const UnrLayout *layout, const PetscInt points[UNR_MAX_DIM],
                               PetscInt components, PetscInt samples, PetscInt states)
{
  const double replicas = layout->replicas;
  double cells = 1;

  PetscFunctionBeginUser;
  for (int a = 0; a < layout->dim; a++) cells *= (double)points[a] / (double)layout->blocks[a];
  PetscCall(UnrMemoryCheck(
      cells * (double)components * sizeof(double) * (double)states * PetscMax((double)samples / replicas, 1),
      "the states of the grid", "fewer -grid_points, a smaller -train_batch, or more ranks"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static bool IsSameFile(const char *a, const char *b)
{
  struct stat is_a, is_b;

  return a && b && !stat(a, &is_a) && !stat(b, &is_b) && is_a.st_dev == is_b.st_dev &&
         is_a.st_ino == is_b.st_ino;
}

PetscErrorCode UnrCommonRemoveOld(const char *out, const char *const written[], PetscInt reads,
                                  const char *const read[])
{
  char path[PETSC_MAX_PATH_LEN] = "";
  bool is_read = false;
  int rank, verdict = 0;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  for (const char *const *name = written; *name && !rank && !is_read; name++) {
    snprintf(path, sizeof path, "%s/%s", out, *name);
    for (PetscInt r = 0; r < reads; r++) is_read = is_read || IsSameFile(path, read[r]);
  }
  UnrUserCheck(!is_read,
               "-out holds a file that this run reads and would write (%s); allowed: another directory; try: "
               "another -out",
               path);
  for (const char *const *name = written; *name && !rank && !verdict; name++) {
    snprintf(path, sizeof path, "%s/%s", out, *name);
    if (unlink(path) && errno != ENOENT) verdict = errno;
  }
  PetscCall(UnrFileAgree(verdict, "cannot remove what stands in the way of a result", path));
  PetscFunctionReturn(PETSC_SUCCESS);
}
