/* Start states from a file: state `sample` is the frame -start_frame of its trajectory number `sample`. */
#include "dataset/start_impl.h"
#include "dataset/well.h"

#include "core/error.h"

static const UnrOption options[] = {
    {"-start_file", UNR_PATH, NULL, 0, 0, NULL, "file of start states, in the layout of docs/data-format.md",
     NULL},
    {"-start_frame", UNR_INT, "0", 0, PETSC_MAX_INT, "frames", "its frame to start from", NULL},
    {NULL, UNR_BOOL, NULL, 0, 0, NULL, NULL, NULL},
};

static PetscErrorCode Source(const char **path)
{
  PetscFunctionBeginUser;
  PetscCall(UnrOptionWord(options, NULL, "-start_file", path));
  UnrUserCheck(*path, "-start_type file without -start_file; allowed: a data file; try: -start_file FILE");
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Fill(UnrPhysics physics, uint64_t seed, PetscInt first, const double par[], UnrBatch u)
{
  const char *path;
  PetscInt frame, most;
  UnrWell well;

  PetscFunctionBeginUser;
  (void)seed;
  (void)par;
  PetscCall(Source(&path));
  PetscCall(UnrOptionInt(options, NULL, "-start_frame", &frame));
  PetscCall(UnrWellOpen(path, UnrPhysicsFieldName(physics), &well));
  /* replicas with fewer samples still take part in every read */
  PetscCallMPI(MPI_Allreduce(&u->samples, &most, 1, MPIU_INT, MPI_MAX, PETSC_COMM_WORLD));
  for (PetscInt s = 0; s < most; s++) {
    const bool mine = s < u->samples;
    PetscCall(UnrWellRead(well, first + s, frame, mine ? u : NULL, mine ? s : 0));
  }
  PetscCall(UnrWellClose(&well));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const UnrStartOps UnrStartOps_File = {
    .name = "file",
    .summary = "a frame of the trajectories of a file",
    .options = options,
    .fill = Fill,
    .source = Source,
};
