/*
  The grid of one sample on one grid communicator, and batches of states on it.

  Axes in the file's order x, y, z, the last fastest: a state is [x][y][z][component].  DMDA's index i runs
  over the LAST axis of the grid: 1-D i = x; 2-D i = y, j = x; 3-D i = z, j = y, k = x.
*/
#pragma once

#include "core/layout.h"
#include "field/boundary.h"

typedef struct UnrGrid_ *UnrGrid;
struct UnrGrid_ { /* read by everyone, written by grid.c only */
  MPI_Comm comm;  /* PETSc's own duplicate of layout->grid: PetscCommGetNewTag() works on it */
  int size, rank;
  int dim;
  PetscInt points[UNR_MAX_DIM]; /* global; 1 on unused axes */
  PetscInt components;
  PetscInt stencil;             /* the DMDA's stencil width (box) */
  PetscInt blocks[UNR_MAX_DIM]; /* ranks per axis; rank = (bx * blocks[1] + by) * blocks[2] + bz */
  PetscInt start[UNR_MAX_DIM], count[UNR_MAX_DIM]; /* this rank's block */
  PetscInt *starts[UNR_MAX_DIM];                   /* blocks[a] + 1 first points of the blocks along axis a */
  PetscInt local, total;                           /* cells of this rank, of the grid */
  UnrBoundary boundary[UNR_MAX_DIM][2];            /* low and high side; for halos, not for the DMDA */
  DM da;
};

/* First of `n` things that part b of `parts` owns: parts differ by at most one, the longer first (DMDA's own
   rule). b = parts gives n. */
static inline PetscInt UnrPartStart(PetscInt n, PetscInt parts, PetscInt b)
{
  return b * (n / parts) + PetscMin(b, n % parts);
}

/* Blocks by UnrPartStart along every axis.  Collective on layout->grid. */
PetscErrorCode UnrGridCreate(const UnrLayout *layout, int dim, const PetscInt points[UNR_MAX_DIM],
                             PetscInt components, PetscInt stencil, UnrGrid *grid);
/* The same points, blocks, ranks and boundaries with another number of components and no stencil.  Collective
 * on the grid. */
PetscErrorCode UnrGridCreateLike(UnrGrid grid, PetscInt components, UnrGrid *like);
PetscErrorCode UnrGridDestroy(UnrGrid *grid);
/* The kinds of an axis, both periodic (as every axis is at first) or neither; before halos are made.  Local.
 */
PetscErrorCode UnrGridSetBoundary(UnrGrid grid, int axis, UnrBoundary low, UnrBoundary high);
/* Is the domain periodic along all axes? */
static inline bool UnrGridIsPeriodic(UnrGrid grid)
{
  for (int a = 0; a < grid->dim; a++)
    if (grid->boundary[a][0] != UNR_BOUNDARY_PERIODIC) return false;
  return true;
}

/* States of several samples in one block of doubles: [sample][local x][y][z][component]. */
typedef struct UnrBatch_ *UnrBatch;
struct UnrBatch_ {
  UnrGrid grid;
  PetscInt samples;
  size_t stride; /* doubles per sample on this rank = grid->local * grid->components */
  double *data;
  Vec *vec; /* one global Vec a sample, a view of data; made at creation */
};

PetscErrorCode UnrBatchCreate(UnrGrid grid, PetscInt samples, UnrBatch *batch); /* zeroed */
PetscErrorCode UnrBatchDestroy(UnrBatch *batch);
PetscErrorCode UnrBatchCopy(UnrBatch from, UnrBatch to);
PetscErrorCode UnrBatchZero(UnrBatch batch);
PetscErrorCode UnrBatchAXPY(UnrBatch y, double a, UnrBatch x); /* y += a x */
/* Sum over this grid communicator's samples and cells of x y, the same bits on all its ranks.  Collective on
 * the grid. */
PetscErrorCode UnrBatchDot(UnrBatch x, UnrBatch y, double *dot);

/* -grid_points nx[,ny[,nz]] (its count is the dimension), -grid_length lx[,ly[,lz]]. */
extern const UnrOption UnrGridOptions[];
PetscErrorCode UnrGridPointsGet(int *dim, PetscInt points[UNR_MAX_DIM]); /* dim 0 if not given */
/* The same of another option that says points. */
PetscErrorCode UnrGridPointsOf(const UnrOption table[], const char *name, int *dim,
                               PetscInt points[UNR_MAX_DIM]);
