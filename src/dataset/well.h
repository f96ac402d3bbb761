/*
  HDF5 files in the layout of The Well 1.x (PolymathicAI), read and written in parallel; interfaces.md, "Files".
  Wrong, missing, truncated and foreign files are user errors that name the file and what was expected.
*/
#pragma once

#include "physics/physics.h"

typedef struct UnrWell_ *UnrWell;

typedef struct {
  int      dim;
  PetscInt points[UNR_MAX_DIM];
  PetscInt trajectories, frames, components;
  bool     is_double;
} UnrWellInfo;

/* Opens for reading.  Collective on the world. */
PetscErrorCode UnrWellOpen(const char *path, const char *field, UnrWell *well);
PetscErrorCode UnrWellInfoGet(UnrWell well, UnrWellInfo *info);
PetscErrorCode UnrWellLength(UnrWell well, PetscInt trajectory, double length[UNR_MAX_DIM]);
PetscErrorCode UnrWellTime(UnrWell well, PetscInt frame, double *time);
/* Per-trajectory or constant scalar of the group `scalars`; *found false if the file has none of that name. */
PetscErrorCode UnrWellScalar(UnrWell well, PetscInt trajectory, const char *name, double *value, bool *found);
/* One frame of one trajectory into sample `sample` of the batch.  Collective on the world: a rank that has no more
   samples passes batch NULL. */
PetscErrorCode UnrWellRead(UnrWell well, PetscInt trajectory, PetscInt frame, UnrBatch batch, PetscInt sample);
PetscErrorCode UnrWellClose(UnrWell *well);

/* What a new file says of itself. */
typedef struct {
  const char  *dataset_name, *field; /* "u": t0; "velocity": t1 */
  UnrGrid      grid;
  bool         is_vector;
  PetscInt     trajectories, frames;
  double       frame_time;      /* between frames */
  UnrPrecision precision;
  const double *length;         /* [trajectory][dim] */
  PetscInt     scalars;
  const char *const *scalar_name;
  const double *scalar;         /* [trajectory][scalar] */
} UnrWellSpec;

/* Written beside `path`; UnrWellCommit syncs and renames it (UnrWellClose removes it instead).  Collective on the world. */
PetscErrorCode UnrWellCreate(const char *path, const UnrWellSpec *spec, UnrWell *well);
PetscErrorCode UnrWellWrite(UnrWell well, PetscInt trajectory, PetscInt frame, UnrBatch batch, PetscInt sample);
PetscErrorCode UnrWellCommit(UnrWell *well);
