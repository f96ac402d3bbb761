#include <errno.h>
#include <fftw3.h>
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#ifdef UNR_HAVE_ONEDNN
#include <dnnl.h>
#endif

#include "app/command.h"
#include "core/error.h"
#include "core/provenance.h"
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
  PetscCall(UnrStepperList(UnrInfoPlugin, "stepper"));
  PetscCall(UnrNetList(UnrInfoPlugin, "net"));
  PetscCall(UnrModelList(UnrInfoPlugin, "model"));
  PetscCall(UnrMetricList(UnrInfoPlugin, "metric"));
  PetscCall(UnrOptimList(UnrInfoPlugin, "optim"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The file's text, to be freed; NULL if it cannot be read. */
static char *UnrInfoRead(const char *directory, const char *name)
{
  char path[PETSC_MAX_PATH_LEN], *text = NULL;
  size_t room = 0;

  snprintf(path, sizeof(path), "%s/%s", directory, name);
  FILE *file = fopen(path, "r");
  if (!file) return NULL;
  ssize_t length = getdelim(&text, &room, '\0', file);
  fclose(file);
  if (length >= 0) return text;
  free(text);
  return NULL;
}

/* A row of numbers is healthy if all are finite. */
static bool UnrInfoIsHealthy(const char *row)
{
  return !strcasestr(row, "nan") && !strcasestr(row, "inf");
}

/* Of a history.csv: its header and its last row say how far a run is, its age whether it goes on. */
static void UnrInfoHistory(const char *directory, char *history)
{
  size_t length = strlen(history);
  char path[PETSC_MAX_PATH_LEN];
  struct stat about;

  while (length && history[length - 1] == '\n') history[--length] = '\0';
  const char *last = strrchr(history, '\n');
  if (!last) return;
  printf("  %.*s\n  %s\n", (int)strcspn(history, "\n"), history, last + 1);
  printf("  healthy   %s\n", UnrInfoIsHealthy(last + 1) ? "yes" : "no: numbers are not finite");
  snprintf(path, sizeof(path), "%s/history.csv", directory);
  if (!stat(path, &about)) printf("  written   %.0f s ago\n", difftime(time(NULL), about.st_mtime));
}

static void UnrInfoDirectory(const char *directory)
{
  static const char *const keys[] = {"command", "status", "reason",  "version",
                                     "mode",    "model",  "updates", "seconds"};
  char *summary = UnrInfoRead(directory, "summary.json"), *history = UnrInfoRead(directory, "history.csv");
  char value[256];

  printf("%s: %s\n", directory, summary ? "finished" : "not finished: no summary.json");
  for (size_t i = 0; summary && i < sizeof(keys) / sizeof(*keys); i++) {
    if (UnrJsonFind(summary, keys[i], value, sizeof(value))) printf("  %-9s %s\n", keys[i], value);
  }
  if (history) UnrInfoHistory(directory, history);
  free(summary);
  free(history);
}

static PetscErrorCode UnrInfoRun(int argc, char **argv)
{
  struct stat about;
  int rank, verdict = 0;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  if (argc && !rank) verdict = stat(argv[0], &about) ? errno : S_ISDIR(about.st_mode) ? 0 : ENOTDIR;
  UnrUserCheck(!verdict, "no run directory (%s): %s; allowed: the -out of a run; try: unroll info", argv[0],
               strerror(verdict));
  if (rank) PetscFunctionReturn(PETSC_SUCCESS);
  if (argc) {
    UnrInfoDirectory(argv[0]);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(UnrInfoBuild());
  printf("\n");
  PetscCall(UnrInfoPlugins());
  PetscFunctionReturn(PETSC_SUCCESS);
}

const UnrCommand UnrCommand_Info = {.name = "info",
                                    .summary = "says what this build is, or how far a run directory is",
                                    .run = UnrInfoRun,
                                    .words = 1};
