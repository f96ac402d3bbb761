#include <errno.h>
#include <fftw3.h>
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#ifdef UNR_HAVE_ONEDNN
#include <dnnl.h>
#endif

#include "app/command.h"
#include "app/info.h"
#include "core/error.h"
#include "core/provenance.h"
#include "dataset/filter.h"
#include "dataset/start.h"
#include "layer/engine.h"
#include "loss/loss.h"
#include "metric/metric.h"
#include "model/model.h"
#include "net/net.h"
#include "optim/optim.h"
#include "physics/physics.h"
#include "stepper/stepper.h"

/* The processor's name as Linux tells it. */
static void UnrInfoProcessor(char name[128])
{
  char line[256];
  FILE *file = fopen("/proc/cpuinfo", "r");

  snprintf(name, 128, "unknown");
  while (file && fgets(line, sizeof(line), file)) {
    const char *value = strstr(line, ": ");
    if (strncmp(line, "model name", 10) || !value) continue;
    snprintf(name, 128, "%.*s", (int)strcspn(value + 2, "\n"), value + 2);
    break;
  }
  if (file) fclose(file);
}

static PetscErrorCode UnrInfoBuild(void)
{
  char petsc[256], mpi[MPI_MAX_LIBRARY_VERSION_STRING], processor[128];
  unsigned major, minor, release;
  int length;

  PetscFunctionBeginUser;
  PetscCall(PetscGetVersion(petsc, sizeof(petsc)));
  PetscCallMPI(MPI_Get_library_version(mpi, &length));
  PetscCheck(H5get_libversion(&major, &minor, &release) >= 0, PETSC_COMM_SELF, PETSC_ERR_LIB,
             "HDF5 has no version");
  UnrInfoProcessor(processor);
  printf("unroll %s\n", UnrVersion);
  printf("  compiler   %s, C %ld, %s\n", __VERSION__, __STDC_VERSION__, UNR_BUILD_TYPE);
  printf("  MPI        %.*s\n", (int)strcspn(mpi, ",\n"), mpi);
  printf("  PETSc      %.*s\n", (int)strcspn(petsc, "\n"), petsc);
  printf("  HDF5       %u.%u.%u\n", major, minor, release);
  printf("  FFTW       %s\n", fftw_version);
#ifdef UNR_HAVE_ONEDNN
  const dnnl_version_t *onednn = dnnl_version();
  printf("  oneDNN     %d.%d.%d\n", onednn->major, onednn->minor, onednn->patch);
#else
  printf("  oneDNN     none\n");
#endif
  printf("  processor  %s\n", processor);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode UnrInfoPlugin(const char *name, const char *summary, void *class)
{
  PetscFunctionBeginUser;
  printf("  %-9s %-24s %s\n", (const char *)class, name, summary);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The engines have no visitor: their names are one text. */
static PetscErrorCode UnrInfoEngines(void)
{
  char summary[256], name[32];

  PetscFunctionBeginUser;
  for (const char *at = UnrEngineNames; *at;) {
    size_t length = strcspn(at, "|");
    snprintf(name, sizeof(name), "%.*s", (int)length, at);
    const UnrEngineOps *engine = UnrEngineFind(name);
    const UnrConvKernels *kernels = engine ? engine->kernels(UNR_SINGLE, "auto") : NULL;
    snprintf(summary, sizeof(summary), "%s (here: %s)", engine ? engine->summary : "",
             kernels ? kernels->path : "none");
    PetscCall(UnrInfoPlugin(name, summary, "engine"));
    at += length + (at[length] == '|');
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode UnrInfoPlugins(void)
{
  PetscFunctionBeginUser;
  PetscCall(UnrPhysicsList(UnrInfoPlugin, "physics"));
  PetscCall(UnrInfoEngines());
  PetscCall(UnrLossList(UnrInfoPlugin, "loss"));
  PetscCall(UnrStartList(UnrInfoPlugin, "start"));
  PetscCall(UnrFilterList(UnrInfoPlugin, "filter"));
  PetscCall(UnrStepperList(UnrInfoPlugin, "stepper"));
  PetscCall(UnrNetList(UnrInfoPlugin, "net"));
  PetscCall(UnrModelList(UnrInfoPlugin, "model"));
  PetscCall(UnrMetricList(UnrInfoPlugin, "metric"));
  PetscCall(UnrOptimList(UnrInfoPlugin, "optim"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

enum { STATUS_UNHEALTHY = 1 };
static int exit_status;

static int UnrInfoStatus(void)
{
  return exit_status;
}

static PetscErrorCode UnrInfoRun(int argc, char **argv)
{
  struct stat about = {0};
  int rank, is_directory = 0, verdict = 0;
  bool is_healthy = true;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  if (argc) {
    if (!rank) verdict = stat(argv[0], &about) ? errno : 0;
    UnrUserCheck(!verdict,
                 "no run directory and no file (%s): %s; allowed: the -out of a run, or a file of one; try: "
                 "unroll info",
                 argv[0], strerror(verdict));
    is_directory = S_ISDIR(about.st_mode);
    PetscCallMPI(MPI_Bcast(&is_directory, 1, MPI_INT, 0, PETSC_COMM_WORLD));
    if (is_directory)
      PetscCall(UnrInfoDirectory(argv[0], &is_healthy));
    else
      PetscCall(UnrInfoFile(argv[0]));
    exit_status = is_healthy ? 0 : STATUS_UNHEALTHY;
  } else if (!rank) {
    PetscCall(UnrInfoBuild());
    printf("\n");
    PetscCall(UnrInfoPlugins());
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

const UnrCommand UnrCommand_Info = {
    .name = "info",
    .summary = "says what this build is, how far a run directory is, or what is in a file",
    .run = UnrInfoRun,
    .status = UnrInfoStatus,
    .words = 1};
