#include "core/options_impl.h"

#include <stdio.h>
#include <string.h>

#include "core/error.h"
#include "core/nearest.h"

enum { PREFIXES = 32 };
static const char *declared[PREFIXES];
static int declarations;

PetscErrorCode UnrOptionsPrefixDeclare(const char *prefix)
{
  PetscFunctionBeginUser;
  for (int i = 0; i < declarations; i++) {
    if (!strcmp(declared[i], prefix)) PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCheck(declarations < PREFIXES, PETSC_COMM_SELF, PETSC_ERR_PLIB, "More than %d solver prefixes",
             PREFIXES);
  declared[declarations++] = prefix;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static bool UnrStartsWith(const char *text, const char *start)
{
  return !strncmp(text, start, strlen(start));
}

static bool UnrIsUnderSolver(const char *name)
{
  for (int i = 0; i < declarations; i++) {
    if (UnrStartsWith(name, declared[i])) return true;
  }
  return false;
}

/*
  Is it PETSc's own, or under a solver's declared prefix?  PETSc has no list of its options: what it has read
  by now is not asked here, and the rest is known by the class it belongs to.
*/
static bool UnrIsPetscs(const char *name)
{
  static const char *const classes[] = {
      "log_",        "malloc",  "ts_",         "ksp_",      "pc_",         "snes_",        "tao_",
      "mat_",        "vec_",    "dm_",         "da_",       "sf_",         "is_",          "ao_",
      "mg_",         "sub_",    "fieldsplit_", "matptap_",  "matproduct_", "viewer_",      "draw_",
      "options_",    "info",    "debugger_",   "on_error_", "fp_trap",     "memory_view",  "mpi_",
      "omp_",        "device_", "cuda_",       "hip_",      "sycl_",       "blas_",        "random_",
      "saws_",       "petsc",   "hdf5_",       "xml_",      "linesearch_", "partitioner_", "vecscatter_",
      "threadcomm_", "stack_",  "checkstack",  "objects_",  "x_"};
  static const char *const names[] = {"on_error_abort",
                                      "citations",
                                      "get_total_flops",
                                      "history",
                                      "no_signal_handler",
                                      "start_in_debugger",
                                      "stop_for_debugger",
                                      "skip_petscrc",
                                      "check_pointer_intensity",
                                      "display",
                                      "geometry",
                                      "nox",
                                      "tmp",
                                      "shared_tmp",
                                      "not_shared_tmp",
                                      "use_gpu_aware_mpi",
                                      "prefix_push",
                                      "prefix_pop",
                                      "mute_error",
                                      "error_output_stdout",
                                      "error_output_none",
                                      "v",
                                      "help"};

  for (size_t i = 0; i < sizeof(classes) / sizeof(*classes); i++) {
    if (UnrStartsWith(name, classes[i])) return true;
  }
  for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
    if (!strcmp(name, names[i])) return true;
  }
  return UnrIsUnderSolver(name);
}

typedef struct {
  const char *word;
  int least;
  char nearest[UNR_OPTION_NAME];
} UnrNearest;

static bool UnrNearestVisit(const char *name, void *context)
{
  UnrNearest *search = context;
  const int distance = UnrNearestDistance(search->word, name);

  if (distance < search->least) {
    search->least = distance;
    snprintf(search->nearest, sizeof(search->nearest), "%s", name);
  }
  return false;
}

/* Of the options that nobody has read: whoever reads an option knows it. */
PetscErrorCode UnrOptionsCheckUnknown(void)
{
  PetscInt left;
  char **names, **values, unknown[UNR_OPTION_NAME] = "";

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsLeftGet(NULL, &left, &names, &values));
  for (PetscInt i = 0; i < left && !unknown[0]; i++) {
    char full[UNR_OPTION_NAME];
    snprintf(full, sizeof(full), "-%s", names[i]);
    if (!UnrOptionsKnows(full) && !UnrIsPetscs(names[i])) memcpy(unknown, full, sizeof(full));
  }
  PetscCall(PetscOptionsLeftRestore(NULL, &left, &names, &values));
  UnrNearest search = {.word = unknown, .least = UNR_OPTION_NAME};
  if (unknown[0]) UnrOptionsEach(UnrNearestVisit, &search);
  UnrUserCheck(!unknown[0], "unknown option (%s); allowed: see unroll -help; try: %s", unknown,
               search.nearest);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrOptionsListUnused(MPI_Comm comm)
{
  static bool is_told;
  PetscInt left, unused = 0;
  char **names, **values;

  PetscFunctionBeginUser;
  if (is_told) PetscFunctionReturn(PETSC_SUCCESS);
  is_told = true;
  PetscCall(PetscOptionsLeftGet(NULL, &left, &names, &values));
  for (PetscInt i = 0; i < left; i++) {
    char full[UNR_OPTION_NAME];
    snprintf(full, sizeof(full), "-%s", names[i]);
    if (!UnrOptionsKnows(full) && !UnrIsUnderSolver(names[i])) continue;
    if (!unused++) PetscCall(PetscPrintf(comm, "unroll: not used by this command:"));
    PetscCall(PetscPrintf(comm, " %s", full));
  }
  if (unused) PetscCall(PetscPrintf(comm, "\n"));
  PetscCall(PetscOptionsLeftRestore(NULL, &left, &names, &values));
  PetscFunctionReturn(PETSC_SUCCESS);
}
