#include "core/memory.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/error.h"

/* What this node can still give, after the kernel's own estimate and the limit of the job's group; bytes. */
static double UnrMemoryOfNode(void)
{
  double most = 1e300, limit, used, available;
  char line[256];
  FILE *file = fopen("/proc/meminfo", "r");

  while (file && fgets(line, sizeof(line), file)) {
    if (sscanf(line, "MemAvailable: %lf", &available) == 1) most = 1024 * available;
  }
  if (file) fclose(file);
  FILE *max = fopen("/sys/fs/cgroup/memory.max", "r"), *current = fopen("/sys/fs/cgroup/memory.current", "r");
  if (max && current && fscanf(max, "%lf", &limit) == 1 && fscanf(current, "%lf", &used) == 1 &&
      limit - used < most)
    most = limit - used;
  if (max) fclose(max);
  if (current) fclose(current);
  return most;
}

/* What ulimit -v leaves to this process; bytes. */
static double UnrMemoryOfProcess(void)
{
  struct rlimit limit;
  double pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");

  if (file && fscanf(file, "%lf", &pages) != 1) pages = 0;
  if (file) fclose(file);
  if (getrlimit(RLIMIT_AS, &limit) || limit.rlim_cur == RLIM_INFINITY) return 1e300;
  return (double)limit.rlim_cur - pages * (double)sysconf(_SC_PAGESIZE);
}

PetscErrorCode UnrMemoryCheck(double bytes, const char *what, const char *advice)
{
  MPI_Comm node;
  double of_node = bytes, room = UnrMemoryOfProcess();

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_split_type(PETSC_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &of_node, 1, MPI_DOUBLE, MPI_SUM, node));
  PetscCallMPI(MPI_Comm_free(&node));
  UnrUserCheck(
      bytes <= room,
      "too little memory for %s (%.3g GB a rank); allowed: %.3g GB, by the limit on this process; try: %s",
      what, bytes / 1e9, room / 1e9, advice);
  room = UnrMemoryOfNode();
  UnrUserCheck(of_node <= room,
               "too little memory for %s (%.3g GB a node); allowed: %.3g GB, which are free there; try: %s",
               what, of_node / 1e9, room / 1e9, advice);
  PetscFunctionReturn(PETSC_SUCCESS);
}
