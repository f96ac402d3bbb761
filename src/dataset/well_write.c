/* Writing: beside the path, by all ranks, renamed when it is whole. */
#include "dataset/well_skeleton.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include "core/call.h"
#include "core/error.h"
#include "core/event.h"
#include "core/file.h"

/* Bytes of the file, not below what it will have: the field, coordinates, and room for all else. */
static double MostBytes(const UnrWellSpec *spec)
{
  const double numbers = (double)spec->grid->total * (double)spec->grid->components;
  double axes = (double)spec->frames;

  for (int a = 0; a < spec->grid->dim; a++)
    axes += 2 * (double)spec->grid->points[a] * (double)spec->trajectories;
  if (UnrWellHasXdmf(spec)) axes += (double)spec->grid->total / 8 + 1024 * (double)spec->grid->points[0];
  return (double)spec->trajectories * (double)spec->frames * numbers *
             (spec->precision == UNR_DOUBLE ? 8 : 4) +
         axes * sizeof(double) + (1 << 18);
}

/*
  0 or errno: blocks for all of the file or as many bytes, so that a full disk shows before hours of work.
  Later it would be too late: HDF5 crashes at its end after a file that it could not close, and OMPIO's
  collective writes (Open MPI 4.1) print the error and return success.
*/
static int Reserve(const char *part, double bytes)
{
  struct stat status;
  struct statvfs room;
  int file = open(part, O_WRONLY | O_CREAT, 0666), verdict = 0;

  if (file < 0) return errno;
  if (fstat(file, &status)) verdict = errno;
  if ((double)status.st_size > bytes) bytes = (double)status.st_size;
  /* asked first: fallocate would take all there is before it fails, and some network file systems have none
   */
  if (!verdict && !fstatvfs(file, &room) &&
      (double)room.f_bavail * (double)room.f_frsize + 512 * (double)status.st_blocks < bytes)
    verdict = ENOSPC;
  if (!verdict && fallocate(file, 0, 0, (off_t)bytes)) verdict = errno;
  if (verdict == EOPNOTSUPP || verdict == ENOSYS) verdict = 0;
  if (close(file) && !verdict) verdict = errno;
  return verdict;
}

/*
  0 or errno, on rank 0: the file beside the path, with its room and all but the field's values, held against
  other runs until it is closed.  EBUSY: one of them writes it.
*/
static int Prepare(UnrWell well, const UnrWellSpec *spec)
{
  struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  struct stat status;
  int verdict;

  if (!stat(well->path, &status) && !S_ISREG(status.st_mode))
    return S_ISDIR(status.st_mode) ? EISDIR : EEXIST;
  well->lock = open(well->part, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (well->lock < 0) return errno;
  /* of this descriptor, so that Reserve and HDF5 may open and close the file; some file systems have no locks
   */
  if (fcntl(well->lock, F_OFD_SETLK, &whole) && (errno == EAGAIN || errno == EACCES)) return EBUSY;
  errno = 0;
  verdict = Reserve(well->part, MostBytes(spec));
  if (!verdict && !UnrWellSkeleton(well->part, spec, &well->facts)) verdict = errno ? errno : EIO;
  if (!verdict) verdict = Reserve(well->part, 0);
  if (verdict) (void)unlink(well->part);
  return verdict;
}

/*
  UnrWellCreate - begin a new file.     Collective on the world.
  In      path, spec  the same on every rank; borrowed for this call
  Out     well        owned by the caller: UnrWellCommit, or UnrWellClose to throw it away
  Errors  a user error if it cannot be written
*/
PetscErrorCode UnrWellCreate(const char *path, const UnrWellSpec *spec, UnrWell *well)
{
  char part[PETSC_MAX_PATH_LEN];
  UnrWell w;
  PetscMPIInt rank;
  int verdict = 0;
  bool good = true;

  PetscFunctionBeginUser;
  *well = NULL;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(PetscNew(&w));
  w->file = w->transfer = w->lock = -1;
  for (int p = 0; p < UNR_WELL_PARTS; p++) w->data[p] = -1;
  snprintf(part, sizeof part, "%s.part", path);
  PetscCall(PetscStrallocpy(path, &w->path));
  PetscCall(PetscStrallocpy(part, &w->part));
  PetscCheck(UnrWellPartsName(spec->field, &w->facts) && spec->grid->components >= w->facts.parts,
             PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG, "fields %s of %" PetscInt_FMT " components", spec->field,
             spec->grid->components);
  UnrWellPartsPlace(spec->grid->components, &w->facts);
  w->facts.info.dim = spec->grid->dim;
  for (int a = 0; a < UNR_MAX_DIM; a++) w->facts.info.points[a] = spec->grid->points[a];
  w->facts.info.trajectories = spec->trajectories;
  w->facts.info.frames = spec->frames;
  w->facts.info.components = spec->grid->components;
  w->facts.info.is_double = spec->precision == UNR_DOUBLE;
  if (!rank) verdict = Prepare(w, spec);
  if (!rank && UnrWellHasXdmf(spec)) {
    w->facts.time = malloc((size_t)spec->frames * sizeof(double));
    if (!w->facts.time) verdict = ENOMEM;
    for (PetscInt f = 0; f < spec->frames && w->facts.time; f++) w->facts.time[f] = UnrWellFrameTime(spec, f);
  }
  good = !verdict;
  if (!good) PetscCall(PetscFree(w->part)); /* gone, or another run's */
  PetscCallMPI(MPI_Bcast(&good, sizeof good, MPI_BYTE, 0, PETSC_COMM_WORLD));
  if (!good) PetscCall(UnrWellClose(&w));
  UnrUserCheck(
      verdict != EBUSY,
      "another run writes this data file (%s); allowed: one at a time; try: wait for it, or another file",
      path);
  UnrUserCheck(
      good || rank,
      "cannot write data file (%s): %s; allowed: a file in a directory that can be written, with room; try: "
      "another -out",
      path, strerror(verdict));
  PetscCall(UnrWellOpenParallel(w, part, H5F_ACC_RDWR, &good));
  UnrUserCheck(good,
               "cannot open data file on every rank (%s); allowed: a file system that all ranks share; try: "
               "another -out",
               path);
  *well = w;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  UnrWellWriteBlock - many states into the file.     Collective on the world.
  In      block   of this rank; no trajectories where there is nothing to write
          u       [trajectory][frame][this rank's part]
  Errors  a user error if the file system refuses (full, quota)
*/
PetscErrorCode UnrWellWriteBlock(UnrWell well, const UnrWellBlock *block, UnrGrid grid, const double u[])
{
  const UnrWellInfo *info = &well->facts.info;
  const size_t numbers = UnrWellBlockNumbers(block, grid);
  const double none = 0;
  const void *from = numbers ? u : &none;
  float *single;
  bool good;

  PetscFunctionBeginUser;
  PetscCheck(well->part, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONGSTATE, "%s is open for reading", well->path);
  PetscCheck(!block->trajectories ||
                 (block->trajectory >= 0 && block->trajectory + block->trajectories <= info->trajectories &&
                  block->frame >= 0 && block->frame + block->frames <= info->frames),
             PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "trajectory %" PetscInt_FMT ", frame %" PetscInt_FMT " of %s", block->trajectory, block->frame,
             well->path);
  PetscCall(UnrEventBegin(UNR_EVENT_HDF5));
  if (!info->is_double) { /* as in UnrWellReadBlock: HDF5's own conversion would not be collective */
    PetscCall(UnrWellSingle(well, numbers, &single));
    for (size_t i = 0; i < numbers; i++) single[i] = (float)u[i];
    from = single;
  }
  PetscCall(UnrWellMove(well, true, block, grid, (void *)(uintptr_t)from, &good));
  if (block->trajectories && !grid->rank) well->written += (PetscInt64)block->trajectories * block->frames;
  PetscCall(UnrEventEnd(UNR_EVENT_HDF5));
  if (!good) (void)unlink(well->part); /* by whichever rank failed: it is of no use */
  UnrUserCheck(good, "cannot write data file (%s); allowed: room on the file system; try: another -out",
               well->path);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* UnrWellWrite - one sample of the batch as one state of the file: as UnrWellWriteBlock().  batch NULL on a
   rank that has no more samples. */
PetscErrorCode UnrWellWrite(UnrWell well, PetscInt trajectory, PetscInt frame, UnrBatch batch,
                            PetscInt sample)
{
  const UnrWellBlock block = {trajectory, batch ? 1 : 0, frame, 1};

  PetscFunctionBeginUser;
  PetscCall(UnrWellWriteBlock(well, &block, batch ? batch->grid : NULL,
                              batch ? batch->data + (size_t)sample * batch->stride : NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrWellCommit(UnrWell *well)
{
  UnrWell w = *well;
  const PetscInt64 wanted = (PetscInt64)w->facts.info.trajectories * w->facts.info.frames;
  PetscInt64 written;
  PetscMPIInt rank;
  int verdict = 0;
  herr_t status = 0;
  char path[PETSC_MAX_PATH_LEN];

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Allreduce(&w->written, &written, 1, MPIU_INT64, MPI_SUM, PETSC_COMM_WORLD));
  PetscCheck(written >= wanted, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONGSTATE,
             "%s lacks states: %lld of %lld are written", w->path, (long long)written, (long long)wanted);
  snprintf(path, sizeof path, "%s", w->path);
  H5E_BEGIN_TRY
  {
    for (int p = 0; p < w->facts.parts; p++) status = H5Dclose(w->data[p]) < 0 ? -1 : status;
    status = H5Fclose(w->file) < 0 ? -1 : status;
  }
  H5E_END_TRY;
  for (int p = 0; p < w->facts.parts; p++) w->data[p] = -1;
  w->file = -1;
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD)); /* all ranks have closed */
  if (!rank && status >= 0) verdict = UnrFileCommit(w->part, w->path);
  if (w->facts.time && !verdict && status >= 0) verdict = UnrWellXdmf(w->path, &w->facts);
  if (!verdict && status >= 0) PetscCall(PetscFree(w->part)); /* nothing to remove any more */
  PetscCall(UnrWellClose(well));
  UnrUserCheck(status >= 0 && !verdict,
               "cannot finish data file (%s): %s; allowed: room on the file system; "
               "try: another -out",
               path, verdict ? strerror(verdict) : "HDF5 failed");
  PetscFunctionReturn(PETSC_SUCCESS);
}
