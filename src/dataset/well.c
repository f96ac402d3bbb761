/* The life of an open file and what it says of itself; well_read.c and well_write.c move states. */
#include "dataset/well_impl.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "core/call.h"
#include "core/error.h"

const UnrOption UnrDatasetOptions[] = {
    {"-dataset_file", UNR_PATH, NULL, 0, 0, NULL, "data set, in the layout of docs/data-format.md", NULL},
    {"-dataset_precision", UNR_WORD, "single", 0, 0, NULL,
     "numbers of the fields that are written; solve: as its input, unless given", "single|double"},
    {NULL, UNR_BOOL, NULL, 0, 0, NULL, NULL, NULL},
};

static int WorldRank(void)
{
  int rank;

  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  return rank;
}

/* An array of rank 0's on every rank; the others get it allocated (malloc, as the examination does). */
static PetscErrorCode Broadcast(size_t bytes, void **array)
{
  PetscMPIInt count;

  PetscFunctionBeginUser;
  if (WorldRank()) *array = malloc(bytes + 1);
  PetscCheck(*array, PETSC_COMM_SELF, PETSC_ERR_MEM, "no memory for %zu bytes", bytes);
  PetscCheck(bytes <= PETSC_MPI_INT_MAX, PETSC_COMM_SELF, PETSC_ERR_SUP, "axes of %zu bytes", bytes);
  count = (PetscMPIInt)bytes;
  PetscCallMPI(MPI_Bcast(*array, count, MPI_BYTE, 0, PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode FactsBroadcast(UnrWellFacts *facts)
{
  UnrWellFacts plain = *facts;
  void *array[] = {facts->length, facts->time, facts->scalar_name, facts->scalar};
  size_t trajectories;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Bcast(&plain, sizeof plain, MPI_BYTE, 0, PETSC_COMM_WORLD));
  trajectories = (size_t)plain.info.trajectories;
  PetscCall(Broadcast(trajectories * (size_t)plain.info.dim * sizeof(double), &array[0]));
  PetscCall(Broadcast((size_t)plain.info.frames * sizeof(double), &array[1]));
  if (plain.scalars) {
    PetscCall(Broadcast((size_t)plain.scalars * sizeof(UnrWellName), &array[2]));
    PetscCall(Broadcast(trajectories * (size_t)plain.scalars * sizeof(double), &array[3]));
  }
  *facts = plain;
  facts->length = array[0];
  facts->time = array[1];
  facts->scalar_name = array[2];
  facts->scalar = array[3];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrWellOpenParallel(UnrWell well, const char *path, unsigned mode, bool *good)
{
  UnrWellFacts *facts = &well->facts;
  char path_in_file[2 * UNR_WELL_NAME];
  hid_t access = UnrHDF5SerialAccess();

  PetscFunctionBeginUser;
  UnrCallHDF5(access);
  UnrCallHDF5(H5Pset_fapl_mpio(access, PETSC_COMM_WORLD, MPI_INFO_NULL));
  UnrCallHDF5(well->transfer = H5Pcreate(H5P_DATASET_XFER));
  UnrCallHDF5(H5Pset_dxpl_mpio(well->transfer, H5FD_MPIO_COLLECTIVE));
  H5E_BEGIN_TRY
  {
    well->file = H5Fopen(path, mode, access);
    *good = well->file >= 0;
    for (int p = 0; p < facts->parts && *good; p++) {
      UnrWellPartPath(&facts->part[p], path_in_file);
      well->data[p] = H5Dopen2(well->file, path_in_file, H5P_DEFAULT);
      *good = well->data[p] >= 0;
    }
  }
  H5E_END_TRY;
  UnrCallHDF5(H5Pclose(access));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  UnrWellOpen - open a file for reading.     Collective on the world.
  In      path   every rank gives the same
          field  "u", "velocity|tracer" ...; NULL: "u", "velocity" or the file's first field
  Out     well   owned by the caller: UnrWellClose
  Errors  user errors for everything that docs/data-format.md asks of a file, found by rank 0 before all ranks
  open it
*/
PetscErrorCode UnrWellOpen(const char *path, const char *field, UnrWell *well)
{
  char message[UNR_WELL_MESSAGE] = "";
  UnrWell w;
  bool good;

  PetscFunctionBeginUser;
  *well = NULL;
  PetscCall(PetscNew(&w));
  w->file = w->transfer = w->lock = -1;
  for (int p = 0; p < UNR_WELL_PARTS; p++) w->data[p] = -1;
  PetscCall(PetscStrallocpy(path, &w->path));
  if (!WorldRank()) UnrWellExamine(path, field, &w->facts, message);
  good = !message[0];
  PetscCallMPI(MPI_Bcast(&good, sizeof good, MPI_BYTE, 0, PETSC_COMM_WORLD));
  if (!good) PetscCall(UnrWellClose(&w));
  UnrUserCheck(good || !message[0], "%s", message);
  PetscCall(FactsBroadcast(&w->facts));
  PetscCall(UnrWellOpenParallel(w, path, H5F_ACC_RDONLY, &good));
  UnrUserCheck(good,
               "cannot open data file on every rank (%s); allowed: a file on a file system that all ranks "
               "share; try: copy it there",
               path);
  *well = w;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrWellClose(UnrWell *well)
{
  UnrWell w = *well;

  PetscFunctionBeginUser;
  if (!w) PetscFunctionReturn(PETSC_SUCCESS);
  if (w->transfer >= 0) UnrCallHDF5(H5Pclose(w->transfer));
  for (int p = 0; p < UNR_WELL_PARTS; p++)
    if (w->data[p] >= 0) UnrCallHDF5(H5Dclose(w->data[p]));
  if (w->file >= 0) UnrCallHDF5(H5Fclose(w->file));
  if (w->part && !WorldRank()) (void)unlink(w->part);
  if (w->lock >= 0) (void)close(w->lock);
  free(w->facts.length);
  free(w->facts.time);
  free(w->facts.scalar_name);
  free(w->facts.scalar);
  PetscCall(PetscFree(w->cache));
  PetscCall(PetscFree(w->single));
  PetscCall(UnrBlockFree(&w->part_room));
  PetscCall(PetscFree(w->part));
  PetscCall(PetscFree(w->path));
  PetscCall(PetscFree(*well));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrWellInfoGet(UnrWell well, UnrWellInfo *info)
{
  PetscFunctionBeginUser;
  *info = well->facts.info;
  PetscFunctionReturn(PETSC_SUCCESS);
}

const char *UnrWellField(UnrWell well)
{
  return well->facts.field;
}

PetscErrorCode UnrWellCheckRange(UnrWell well, PetscInt trajectory, PetscInt frame)
{
  const UnrWellInfo *info = &well->facts.info;

  PetscFunctionBeginUser;
  UnrUserCheck(trajectory >= 0 && trajectory < info->trajectories,
               "trajectory out of range (%" PetscInt_FMT ") in %s; allowed: 0 to %" PetscInt_FMT "; try: 0",
               trajectory, well->path, info->trajectories - 1);
  UnrUserCheck(frame >= 0 && frame < info->frames,
               "frame out of range (%" PetscInt_FMT ") in %s; allowed: 0 to %" PetscInt_FMT "; try: 0", frame,
               well->path, info->frames - 1);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrWellLength(UnrWell well, PetscInt trajectory, double length[UNR_MAX_DIM])
{
  const int dim = well->facts.info.dim;

  PetscFunctionBeginUser;
  PetscCheck(trajectory >= 0 && trajectory < well->facts.info.trajectories, PETSC_COMM_SELF,
             PETSC_ERR_ARG_OUTOFRANGE, "trajectory %" PetscInt_FMT " of %s", trajectory, well->path);
  for (int a = 0; a < UNR_MAX_DIM; a++) length[a] = a < dim ? well->facts.length[trajectory * dim + a] : 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrWellTime(UnrWell well, PetscInt frame, double *time)
{
  PetscFunctionBeginUser;
  PetscCheck(frame >= 0 && frame < well->facts.info.frames, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "frame %" PetscInt_FMT " of %s", frame, well->path);
  *time = well->facts.time[frame];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrWellScalar(UnrWell well, PetscInt trajectory, const char *name, double *value, bool *found)
{
  const UnrWellFacts *facts = &well->facts;

  PetscFunctionBeginUser;
  PetscCheck(trajectory >= 0 && trajectory < facts->info.trajectories, PETSC_COMM_SELF,
             PETSC_ERR_ARG_OUTOFRANGE, "trajectory %" PetscInt_FMT " of %s", trajectory, well->path);
  *found = false;
  for (PetscInt s = 0; s < facts->scalars && !*found; s++)
    if (!strcmp(facts->scalar_name[s], name)) {
      *value = facts->scalar[s * facts->info.trajectories + trajectory];
      *found = true;
    }
  UnrUserCheck(!*found || isfinite(*value),
               "scalar '%s' of trajectory %" PetscInt_FMT
               " in %s; allowed: a finite number, one or one a trajectory; "
               "try: see docs/data-format.md",
               name, trajectory, well->path);
  PetscFunctionReturn(PETSC_SUCCESS);
}
