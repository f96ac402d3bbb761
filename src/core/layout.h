/*
  World = replicas x grid.  The ranks of one grid communicator share each sample's domain; replicas hold the
  same weights and other samples.  Every class says what it needs (UnrNeeds); the layout is chosen from that
  or refused.
*/
#pragma once

#include "core/base.h"
#include "core/options.h"

/* What a class asks of the layout; UnrNeedsMerge takes the stricter of each. */
typedef struct {
  const char *who[UNR_MAX_DIM]; /* who forbids splitting an axis, for the message */
  bool split[UNR_MAX_DIM];      /* may this axis (x, y, z) be cut into blocks? */
  PetscInt stencil;             /* cells a DMDA stencil reaches: a narrower block is refused */
  PetscInt multiple;            /* each block's points are a multiple of this (U-Net levels) */
} UnrNeeds;

typedef struct {
  MPI_Comm world, grid; /* grid: the ranks that share a sample; borrowed world */
  int size, rank;       /* of the world */
  int replicas, replica;
  int dim;                      /* of the grid; 1 for UnrLayoutCreateSelf() */
  PetscInt blocks[UNR_MAX_DIM]; /* ranks per axis of a grid communicator; product = size / replicas */
} UnrLayout;

extern const UnrNeeds UnrNeedsNone;
void UnrNeedsMerge(UnrNeeds *needs, const UnrNeeds *more);

/*
  UnrLayoutCreate - choose replicas and blocks, or refuse by name with what would work.     Collective on the
  world. Reads -layout_replicas (default: the largest divisor of the world's size not above `samples`) and
  -layout_grid bx[,by[,bz]] (default: least surface among what the needs allow).
*/
PetscErrorCode UnrLayoutCreate(MPI_Comm world, PetscInt samples, int dim, const PetscInt points[UNR_MAX_DIM],
                               const UnrNeeds *needs, UnrLayout *layout);
/* Every rank alone, as its own grid communicator and only replica: for the comparison with one rank. */
PetscErrorCode UnrLayoutCreateSelf(UnrLayout *layout);
PetscErrorCode UnrLayoutDestroy(UnrLayout *layout);
/* This replica's share [*first, *first + *count) of `samples`; shares differ by at most one. */
void UnrLayoutShare(const UnrLayout *layout, PetscInt samples, PetscInt *first, PetscInt *count);
extern const UnrOption UnrLayoutOptions[];
/* "4 ranks = 2 replicas x grid 2x1". */
PetscErrorCode UnrLayoutText(const UnrLayout *layout, char text[], size_t size);
