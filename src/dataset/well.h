/*
  HDF5 files in the layout of The Well 1.x (PolymathicAI), read and written in parallel; docs/data-format.md.
  Wrong, missing, truncated and foreign files are user errors that name the file and what was expected.
*/
#pragma once

#include "physics/physics.h"

typedef struct UnrWell_ *UnrWell;

typedef struct {
  int dim;
  PetscInt points[UNR_MAX_DIM]; /* 1 on unused axes */
  PetscInt trajectories, frames, components;
  bool is_double;
} UnrWellInfo;

/* -dataset_file, -dataset_precision: what a command that makes or trains on a data set reads. */
extern const UnrOption UnrDatasetOptions[];

/* Opens for reading.  field: one that the file has, or several that make a state together, "velocity|tracer":
   all but the first have one component.  NULL: "u", "velocity" or the first there is.  Collective on the
   world. */
PetscErrorCode UnrWellOpen(const char *path, const char *field, UnrWell *well);
PetscErrorCode UnrWellInfoGet(UnrWell well, UnrWellInfo *info);
const char *UnrWellField(UnrWell well);
/* A trajectory or frame that the file does not have is a user error.  Collective on the world. */
PetscErrorCode UnrWellCheckRange(UnrWell well, PetscInt trajectory, PetscInt frame);
PetscErrorCode UnrWellLength(UnrWell well, PetscInt trajectory, double length[UNR_MAX_DIM]);
/* Of the first trajectory; 0 in a file of one frame without a time axis. */
PetscErrorCode UnrWellTime(UnrWell well, PetscInt frame, double *time);
/* Per-trajectory or constant scalar of the group `scalars`; *found false if the file has none of that name; a
 * user error if it is no finite number.  Collective on the world. */
PetscErrorCode UnrWellScalar(UnrWell well, PetscInt trajectory, const char *name, double *value, bool *found);
/* User error unless the file has the field, the dimension, the points and the components of the physics.
   Collective on the world. */
PetscErrorCode UnrWellCheckCase(UnrWell well, UnrPhysics physics);
/* [parameter] of a trajectory: the file's scalars and lengths where it has them, else the options' values;
   user errors where they are out of range or contradict each other.  Collective on the world; ranks may ask
   for different trajectories. */
PetscErrorCode UnrWellParameters(UnrWell well, UnrPhysics physics, PetscInt trajectory, double par[]);
/* One frame of one trajectory into sample `sample` of the batch.  Collective on the world: a rank that has no
   more samples passes batch NULL. */
PetscErrorCode UnrWellRead(UnrWell well, PetscInt trajectory, PetscInt frame, UnrBatch batch,
                           PetscInt sample);

/* Frames [frame, frame + frames) of the trajectories [trajectory, trajectory + trajectories). */
typedef struct {
  PetscInt trajectory, trajectories, frame, frames;
} UnrWellBlock;
/* Many states by one call: u[trajectory][frame][this rank's part of a state on the grid].  Collective on the
   world: a rank without a share passes a block of no trajectories. */
PetscErrorCode UnrWellReadBlock(UnrWell well, const UnrWellBlock *block, UnrGrid grid, double u[]);
/* Reads all states into memory at once, if no rank's blocks of them take more than `most` bytes: from then on
   reads are copies, for batches on this grid, and not collective; a state out of range is then a fault. */
PetscErrorCode UnrWellCache(UnrWell well, UnrGrid grid, double most, bool *is_cached);
PetscErrorCode UnrWellClose(UnrWell *well);

/* What a new file says of itself. */
typedef struct {
  const char *dataset_name, *field; /* as in UnrWellOpen(); t1: several components, or called "velocity" */
  UnrGrid grid;
  PetscInt trajectories, frames;
  double frame_time;  /* between frames */
  const double *time; /* [frame], or NULL: frame_time apart from 0 on */
  UnrPrecision precision;
  const double *length; /* [trajectory][dim] */
  PetscInt scalars;
  const char *const *scalar_name;
  const double *scalar;      /* [trajectory][scalar] */
  const char *const *source; /* files it was made from, ended by NULL; or NULL: their sha256 is recorded */
} UnrWellSpec;

/* Written beside `path`; UnrWellCommit syncs and renames it (UnrWellClose removes it instead).  Collective on
 * the world. */
PetscErrorCode UnrWellCreate(const char *path, const UnrWellSpec *spec, UnrWell *well);
/* As UnrWellRead and UnrWellReadBlock; each state once. */
PetscErrorCode UnrWellWrite(UnrWell well, PetscInt trajectory, PetscInt frame, UnrBatch batch,
                            PetscInt sample);
PetscErrorCode UnrWellWriteBlock(UnrWell well, const UnrWellBlock *block, UnrGrid grid, const double u[]);
/* Every state must have been written.  *well becomes NULL, also after a user error. */
PetscErrorCode UnrWellCommit(UnrWell *well);
