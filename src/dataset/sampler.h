/*
  Windows of steps + 1 frames of a data set's trajectories, drawn in batches: every window exactly once an
  epoch, whatever the ranks.  A window is a trajectory and its first frame: nothing is copied but the batch
  that is read.

  The order of an epoch is a function of (-seed_order, epoch) alone.  Batches hold one value of the
  parameters, or mixed ones (-batch_parameters); a group's last batch may be short, and then some replicas may
  hold no sample. Maths: docs/training.md
*/
#pragma once

#include "dataset/well.h"

typedef struct UnrSampler_ *UnrSampler;

/* Frames [first, first + count) of every trajectory: the part of a file that serves one purpose. */
typedef struct {
  PetscInt first, count;
} UnrFrames;

/* -dataset_fraction, -validation_fraction, -batch_parameters, -dataset_noise, -dataset_memory. */
extern const UnrOption UnrSamplerOptions[];
/*
  UnrFramesSplit - the frames used for training (the first -dataset_fraction of those that are not held back)
  and for validation (the last -validation_fraction).     Collective on the world: user errors where either is
  empty.
*/
PetscErrorCode UnrFramesSplit(UnrWell well, UnrFrames *training, UnrFrames *validation);

/*
  UnrSamplerCreate - windows of steps + 1 frames within `frames`.     Collective on the world.
  In      well, physics, layout   borrowed; UnrWellParameters() of every trajectory.  The well is cached if
          -dataset_memory allows: then UnrSamplerRead() makes no collective call
          steps    of a window, >= 1;  batch  samples of a whole batch, all replicas
  Errors  user error where no window fits, the file is not of this case, or a scalar is out of range
*/
PetscErrorCode UnrSamplerCreate(UnrWell well, UnrPhysics physics, const UnrLayout *layout, UnrFrames frames,
                                PetscInt steps, PetscInt batch, UnrSampler *sampler);
PetscErrorCode UnrSamplerDestroy(UnrSampler *sampler);
PetscInt64 UnrSamplerWindows(UnrSampler sampler); /* of an epoch */
PetscInt64 UnrSamplerBatches(UnrSampler sampler); /* of an epoch */

/* One window's place in the file. */
typedef struct {
  PetscInt trajectory, frame;
} UnrPlace;
/* Places of batch `batch` (0 ...) of epoch `epoch`, of all replicas: place[0 .. *samples), *samples <= batch
   size. Local. */
PetscErrorCode UnrSamplerPlaces(UnrSampler sampler, PetscInt64 epoch, PetscInt64 batch, PetscInt *samples,
                                UnrPlace place[]);

/*
  UnrSamplerRead - this replica's share of a batch, read.     Collective on the world.
  Out     samples  of the whole batch;  first: number of this replica's first sample in it
          par      [own sample][parameter];  frame[0 .. steps]  batches of the replica's own samples
          All borrowed from the sampler, valid until its next call.
*/
PetscErrorCode UnrSamplerRead(UnrSampler sampler, PetscInt64 epoch, PetscInt64 batch, PetscInt *samples,
                              PetscInt *first, const double **par, UnrBatch **frame);
