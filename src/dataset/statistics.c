/*
  Two passes over the trajectories, which the replicas share: sums of (u - a), then of (u - mean)^2, where a
  is the first number of the component, so that a constant gives exact zeros.
*/
#include "dataset/statistics.h"

#include <math.h>
#include "core/block.h"
#include "core/error.h"

enum { BUFFER_BYTES = 1 << 24 };

/* A pass: adds f of every number of this rank's share, less `from`, to sum[component], trajectory by
 * trajectory. */
typedef struct {
  UnrWell well;
  UnrGrid grid;
  const UnrLayout *layout;
  UnrFrames frames;
  PetscInt at_once; /* frames read by a call */
  double *u;
} Pass;

static PetscErrorCode Sum(const Pass *pass, const double from[], int power, double sum[])
{
  const PetscInt components = pass->grid->components;
  UnrWellInfo info;
  PetscInt first, count, most;
  double *part;

  PetscFunctionBeginUser;
  PetscCall(UnrWellInfoGet(pass->well, &info));
  UnrLayoutShare(pass->layout, info.trajectories, &first, &count);
  most = (info.trajectories + pass->layout->replicas - 1) / pass->layout->replicas;
  PetscCall(PetscMalloc1(components, &part));
  for (PetscInt c = 0; c < components; c++) sum[c] = 0;
  for (PetscInt t = 0; t < most; t++) {
    for (PetscInt c = 0; c < components; c++) part[c] = 0;
    for (PetscInt k = 0; k < pass->frames.count; k += pass->at_once) {
      const UnrWellBlock block = {first + t, t < count, pass->frames.first + k,
                                  PetscMin(pass->at_once, pass->frames.count - k)};
      const size_t cells = (size_t)block.trajectories * (size_t)block.frames * (size_t)pass->grid->local;

      PetscCall(UnrWellReadBlock(pass->well, &block, pass->grid, pass->u));
      for (size_t i = 0; i < cells; i++)
        for (PetscInt c = 0; c < components; c++) {
          const double d = pass->u[i * (size_t)components + (size_t)c] - from[c];
          part[c] += power == 2 ? d * d : d;
        }
    }
    for (PetscInt c = 0; c < components; c++) sum[c] += part[c];
  }
  PetscCall(PetscFree(part));
  /* to one and from there, which an allreduce need not do: the same bits on all ranks */
  PetscCallMPI(MPI_Reduce(pass->layout->rank ? sum : MPI_IN_PLACE, sum, (PetscMPIInt)components, MPI_DOUBLE,
                          MPI_SUM, 0, pass->layout->world));
  PetscCallMPI(MPI_Bcast(sum, (PetscMPIInt)components, MPI_DOUBLE, 0, pass->layout->world));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrStatistics(UnrWell well, UnrGrid grid, const UnrLayout *layout, UnrFrames frames,
                             double mean[], double std[], double rms[])
{
  const size_t state = (size_t)PetscMax(grid->local, 1) * (size_t)grid->components;
  const PetscInt most = (PetscInt)PetscMax(BUFFER_BYTES / (PetscInt64)(state * sizeof(double)), 1);
  Pass pass = {well, grid, layout, frames, 0, NULL};
  UnrWellInfo info;
  double numbers;

  PetscFunctionBeginUser;
  PetscCall(UnrWellInfoGet(well, &info));
  PetscCheck(frames.count > 0 && frames.first >= 0 && frames.first + frames.count <= info.frames,
             PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "frames %" PetscInt_FMT " + %" PetscInt_FMT " of %" PetscInt_FMT, frames.first, frames.count,
             info.frames);
  numbers = (double)info.trajectories * (double)frames.count * (double)grid->total;
  pass.at_once = PetscMin(most, frames.count);
  /* every rank reads by the same number of calls: blocks differ by a row or so */
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &pass.at_once, 1, MPIU_INT, MPI_MIN, layout->world));
  PetscCall(PetscMalloc1((size_t)pass.at_once * state, &pass.u));
  PetscCall(UnrWellReadBlock(well, &(UnrWellBlock){0, 1, frames.first, 1}, grid, pass.u));
  for (PetscInt c = 0; c < grid->components; c++) rms[c] = pass.u[c];
  PetscCallMPI(MPI_Bcast(rms, (PetscMPIInt)grid->components, MPI_DOUBLE, 0, layout->world));
  PetscCall(Sum(&pass, rms, 1, mean));
  for (PetscInt c = 0; c < grid->components; c++) mean[c] = rms[c] + mean[c] / numbers;
  PetscCall(Sum(&pass, mean, 2, std));
  for (PetscInt c = 0; c < grid->components; c++) {
    std[c] = sqrt(std[c] / numbers);
    rms[c] = hypot(mean[c], std[c]);
  }
  PetscCall(PetscFree(pass.u));
  PetscFunctionReturn(PETSC_SUCCESS);
}
