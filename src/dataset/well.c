/* Reading, and the life of an open file; well_write.c makes files, well_examine.c refuses bad ones. */
#include "dataset/well_impl.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "core/call.h"
#include "core/error.h"
#include "core/event.h"

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

hid_t UnrWellSerialAccess(void)
{
  hid_t access = H5Pcreate(H5P_FILE_ACCESS);

#if H5_VERSION_GE(1, 12, 1) || (H5_VERSION_GE(1, 10, 7) && !H5_VERSION_GE(1, 12, 0))
  H5Pset_file_locking(access, 0, 1);
#endif
  return access;
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
  char name[UNR_WELL_NAME + 16];
  hid_t access = UnrWellSerialAccess();

  PetscFunctionBeginUser;
  UnrCallHDF5(access);
  UnrCallHDF5(H5Pset_fapl_mpio(access, PETSC_COMM_WORLD, MPI_INFO_NULL));
  UnrCallHDF5(well->transfer = H5Pcreate(H5P_DATASET_XFER));
  UnrCallHDF5(H5Pset_dxpl_mpio(well->transfer, H5FD_MPIO_COLLECTIVE));
  snprintf(name, sizeof name, "%s/%s", facts->is_vector ? "t1_fields" : "t0_fields", facts->field);
  H5E_BEGIN_TRY
  {
    well->file = H5Fopen(path, mode, access);
    if (well->file >= 0) well->data = H5Dopen2(well->file, name, H5P_DEFAULT);
  }
  H5E_END_TRY;
  UnrCallHDF5(H5Pclose(access));
  *good = well->data >= 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  UnrWellOpen - open a file for reading.     Collective on the world.
  In      path   every rank gives the same
          field  "u", "velocity" ...; NULL: the first of these that the file has, or its first field
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
  w->file = w->data = w->transfer = -1;
  PetscCall(PetscStrallocpy(path, &w->path));
  if (!WorldRank()) UnrWellExamine(path, field, &w->facts, message);
  good = !message[0];
  PetscCallMPI(MPI_Bcast(&good, sizeof good, MPI_BYTE, 0, PETSC_COMM_WORLD));
  if (!good) PetscCall(UnrWellClose(&w));
  UnrUserCheck(good || !message[0], "%s", message);
  PetscCall(FactsBroadcast(&w->facts));
  PetscCall(UnrWellOpenParallel(w, path, H5F_ACC_RDONLY, &good));
  UnrUserCheck(
      good, "cannot open data file on every rank (%s); allowed: a file on a file system that all ranks share",
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
  if (w->data >= 0) UnrCallHDF5(H5Dclose(w->data));
  if (w->file >= 0) UnrCallHDF5(H5Fclose(w->file));
  if (w->part && !WorldRank()) (void)unlink(w->part);
  free(w->facts.length);
  free(w->facts.time);
  free(w->facts.scalar_name);
  free(w->facts.scalar);
  PetscCall(PetscFree(w->single));
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

bool UnrWellFieldIsVector(const char *field, PetscInt components)
{
  return components > 1 || !strcmp(field, "velocity");
}

PetscErrorCode UnrWellCheckRange(UnrWell well, PetscInt trajectory, PetscInt frame)
{
  const UnrWellInfo *info = &well->facts.info;

  PetscFunctionBeginUser;
  UnrUserCheck(trajectory >= 0 && trajectory < info->trajectories,
               "trajectory out of range (%" PetscInt_FMT ") in %s; allowed: 0 to %" PetscInt_FMT, trajectory,
               well->path, info->trajectories - 1);
  UnrUserCheck(frame >= 0 && frame < info->frames,
               "frame out of range (%" PetscInt_FMT ") in %s; allowed: 0 to %" PetscInt_FMT, frame,
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
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrWellSelect(UnrWell well, PetscInt trajectory, PetscInt frame, UnrBatch batch,
                             hid_t *file_space, hid_t *memory)
{
  const UnrWellFacts *facts = &well->facts;
  hsize_t start[UNR_MAX_DIM + 3] = {(hsize_t)trajectory, (hsize_t)frame}, count[UNR_MAX_DIM + 3] = {1, 1};
  hsize_t numbers = batch ? batch->stride : 1;

  PetscFunctionBeginUser;
  UnrCallHDF5(*file_space = H5Dget_space(well->data));
  UnrCallHDF5(*memory = H5Screate_simple(1, &numbers, NULL));
  if (batch) {
    for (int a = 0; a < facts->info.dim; a++) {
      start[2 + a] = (hsize_t)batch->grid->start[a];
      count[2 + a] = (hsize_t)batch->grid->count[a];
    }
    start[2 + facts->info.dim] = 0;
    count[2 + facts->info.dim] = (hsize_t)facts->info.components;
    UnrCallHDF5(H5Sselect_hyperslab(*file_space, H5S_SELECT_SET, start, NULL, count, NULL));
  } else {
    UnrCallHDF5(H5Sselect_none(*file_space));
    UnrCallHDF5(H5Sselect_none(*memory));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrWellSingle(UnrWell well, UnrBatch batch, float **single)
{
  const size_t room = batch ? batch->stride : 1;

  PetscFunctionBeginUser;
  if (room > well->single_room) {
    PetscCall(PetscFree(well->single));
    PetscCall(PetscMalloc1(room, &well->single));
    well->single_room = room;
  }
  *single = well->single;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Why this state cannot be read into the batch; "" if it can. */
static void ReadRefusal(UnrWell well, PetscInt trajectory, PetscInt frame, UnrBatch batch, size_t size,
                        char message[])
{
  const UnrWellInfo *info = &well->facts.info;
  const UnrGrid grid = batch->grid;
  const PetscInt *n = info->points, *m = grid->points;

  if (trajectory < 0 || trajectory >= info->trajectories)
    snprintf(message, size, "trajectory out of range (%" PetscInt_FMT ") in %s; allowed: 0 to %" PetscInt_FMT,
             trajectory, well->path, info->trajectories - 1);
  else if (frame < 0 || frame >= info->frames)
    snprintf(message, size, "frame out of range (%" PetscInt_FMT ") in %s; allowed: 0 to %" PetscInt_FMT,
             frame, well->path, info->frames - 1);
  else if (info->dim != grid->dim || n[0] != m[0] || n[1] != m[1] || n[2] != m[2] ||
           info->components != grid->components)
    snprintf(message, size,
             "field '%s' in %s has another shape (%" PetscInt_FMT "x%" PetscInt_FMT "x%" PetscInt_FMT
             ", %" PetscInt_FMT " components); allowed: %" PetscInt_FMT "x%" PetscInt_FMT "x%" PetscInt_FMT
             ", %" PetscInt_FMT " components, as the case has; try: -grid_points, or another file",
             well->facts.field, well->path, n[0], n[1], n[2], info->components, m[0], m[1], m[2],
             grid->components);
}

/*
  UnrWellRead - one state of the file into one sample of the batch.     Collective on the world.
  In      batch   NULL on a rank that has no more samples
  Out     sample  this rank's block, as doubles
  Errors  user errors: out of range, another shape than the batch's, unreadable, NaN or Inf
*/
PetscErrorCode UnrWellRead(UnrWell well, PetscInt trajectory, PetscInt frame, UnrBatch batch, PetscInt sample)
{
  const bool is_double = well->facts.info.is_double;
  char message[UNR_WELL_MESSAGE] = "";
  double *u = batch ? batch->data + (size_t)sample * batch->stride : NULL;
  float *single = NULL;
  double none;
  hid_t file_space, memory;
  herr_t status;

  PetscFunctionBeginUser;
  PetscCall(UnrEventBegin(UNR_EVENT_HDF5));
  if (batch) ReadRefusal(well, trajectory, frame, batch, sizeof message, message);
  if (message[0]) batch = NULL;
  PetscCall(UnrWellSelect(well, trajectory, frame, batch, &file_space, &memory));
  /* HDF5 would convert float to double, but leaves collective access for that: so we do */
  if (!is_double) PetscCall(UnrWellSingle(well, batch, &single));
  H5E_BEGIN_TRY
  {
    status = H5Dread(well->data, is_double ? H5T_NATIVE_DOUBLE : H5T_NATIVE_FLOAT, memory, file_space,
                     well->transfer, is_double ? (batch ? (void *)u : &none) : single);
  }
  H5E_END_TRY;
  UnrCallHDF5(H5Sclose(memory));
  UnrCallHDF5(H5Sclose(file_space));
  if (status < 0 && !message[0])
    snprintf(message, sizeof message,
             "cannot read field '%s' in %s: the file is damaged; try: copy or make it again",
             well->facts.field, well->path);
  for (size_t i = 0; batch && status >= 0 && !message[0] && i < batch->stride; i++) {
    if (!is_double) u[i] = single[i];
    if (!isfinite(u[i]))
      snprintf(message, sizeof message,
               "field '%s' of trajectory %" PetscInt_FMT ", frame %" PetscInt_FMT
               " is not finite (%g) in %s; allowed: finite numbers",
               well->facts.field, trajectory, frame, u[i], well->path);
  }
  PetscCall(UnrEventEnd(UNR_EVENT_HDF5));
  UnrUserCheck(!message[0], "%s", message);
  PetscFunctionReturn(PETSC_SUCCESS);
}
