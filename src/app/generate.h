/* What the files of the command `generate` share: which trajectories, of how many frames, into what file. */
#pragma once

#include "app/fine.h"
#include "dataset/well.h"

typedef struct {
  UnrCase c;
  UnrFine fine;
  const char *file;                      /* -dataset_file or -test_file */
  PetscInt trajectories, warmup, frames; /* frames of the file */
  UnrPrecision precision;
  double *par;    /* [trajectory][parameter], of all replicas */
  double *length; /* [trajectory][dim] */
} UnrGenerate;

/* How a run of it went. */
typedef struct {
  double seconds_solving, seconds_writing; /* of the slowest rank */
  bool is_stopped;                         /* by a signal: there is no file */
} UnrGenerated;

/*
  UnrGenerateRun - integrates all trajectories and writes the file.     Collective on the world.
  Errors  user error where a trajectory is not finite, or the file system refuses; then there is no file
*/
PetscErrorCode UnrGenerateRun(const UnrGenerate *generate, UnrGenerated *generated);
