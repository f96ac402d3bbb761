/* What the tests of grids, halos and transforms share: layouts of every block shape, and values of global
 * cells. */
#pragma once

#include "support.h"

/* The world as one grid of these blocks. */
static inline UnrLayout TestLayout(PetscInt bx, PetscInt by, PetscInt bz)
{
  UnrLayout layout = {
      .world = PETSC_COMM_WORLD, .grid = PETSC_COMM_WORLD, .replicas = 1, .blocks = {bx, by, bz}};

  MPI_Comm_size(PETSC_COMM_WORLD, &layout.size);
  MPI_Comm_rank(PETSC_COMM_WORLD, &layout.rank);
  return layout;
}

/* Block shape number i of the world's ranks for these points, false past the last: 4 ranks on 8x8 points give
 * 1x4, 2x2, 4x1. */
static inline bool TestShape(int i, int dim, const PetscInt points[], UnrLayout *layout)
{
  PetscInt size = TestRanks();

  for (PetscInt bx = 1; bx <= size; bx++)
    for (PetscInt by = 1; by <= size / bx; by++) {
      PetscInt bz = size / (bx * by);

      if (bx * by * bz != size || bx > points[0] || by > points[1] || bz > points[2]) continue;
      if ((dim < 2 && by > 1) || (dim < 3 && bz > 1) || i-- > 0) continue;
      *layout = TestLayout(bx, by, bz);
      return true;
    }
  return false;
}

static inline PetscInt TestWrap(PetscInt i, PetscInt n)
{
  return (i % n + n) % n;
}

/* A small integer, -50 to 50, of a cell (wrapped), sample and channel: sums of them are exact even in floats.
 */
static inline double TestInteger(UnrGrid g, const PetscInt cell[], PetscInt sample, PetscInt channel)
{
  UnrRng rng = {7, UnrRngStream("integer", (uint64_t)sample, (uint64_t)channel)};
  PetscInt i = 0;

  for (int a = 0; a < UNR_MAX_DIM; a++) i = i * g->points[a] + TestWrap(cell[a], g->points[a]);
  return floor(101 * UnrRngUniform(rng, (uint64_t)i)) - 50;
}

/* The coordinates of local cell i. */
static inline void TestCell(UnrGrid g, PetscInt i, PetscInt cell[])
{
  for (int a = UNR_MAX_DIM - 1; a >= 0; a--) {
    cell[a] = g->start[a] + i % g->count[a];
    i /= g->count[a];
  }
}
