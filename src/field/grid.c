/* The grid: blocks along every axis, and the DMDA that owns the same. */
#include "field/grid.h"
#include "core/error.h"

#include <float.h>

const UnrOption UnrGridOptions[] = {
    {"-grid_points", UNR_INTS, NULL, 1, 1 << 30, "points",
     "points along x[,y[,z]]; their count is the dimension", NULL},
    {"-grid_length", UNR_REALS, NULL, DBL_MIN, DBL_MAX, "length",
     "side lengths of the domain along x[,y[,z]]", NULL},
    {NULL, UNR_INT, NULL, 0, 0, NULL, NULL, NULL},
};

/* a b, or -1 where it passes PetscInt's range. */
static PetscInt64 Product(PetscInt64 a, PetscInt64 b)
{
  if (a < 0 || b < 0 || (a > 0 && b > (PetscInt64)PETSC_MAX_INT / a)) return -1;
  return a * b;
}

/*
  UnrGridPointsOf - the dimension and points of an option like -grid_points.     Collective on the world.
  In      table, name   the option: UNR_INTS, 1 or more
  Out     dim     0 if the option was not given
          points  1 on unused axes
  Errors  user error if the cells pass PetscInt's range
*/
PetscErrorCode UnrGridPointsOf(const UnrOption table[], const char *name, int *dim,
                               PetscInt points[UNR_MAX_DIM])
{
  PetscInt given[UNR_MAX_DIM], count = 0;
  PetscInt64 cells = 1;

  PetscFunctionBeginUser;
  PetscCall(UnrOptionInts(table, NULL, name, UNR_MAX_DIM, given, &count));
  for (PetscInt a = 0; a < UNR_MAX_DIM; a++) {
    points[a] = a < count ? given[a] : 1;
    cells = Product(cells, points[a]);
  }
  UnrUserCheck(cells >= 0,
               "%s has too many cells (%" PetscInt_FMT "x%" PetscInt_FMT "x%" PetscInt_FMT
               "); allowed: up to %" PetscInt_FMT "; try: a PETSc configured with --with-64-bit-indices",
               name, points[0], points[1], points[2], (PetscInt)PETSC_MAX_INT);
  *dim = (int)count;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrGridPointsGet(int *dim, PetscInt points[UNR_MAX_DIM])
{
  PetscFunctionBeginUser;
  PetscCall(UnrGridPointsOf(UnrGridOptions, "-grid_points", dim, points));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The points of every block along `axis`, as DMDA takes them. */
static PetscErrorCode BlockCounts(UnrGrid grid, int axis, PetscInt **counts)
{
  PetscFunctionBeginUser;
  PetscCall(PetscMalloc1(grid->blocks[axis], counts));
  for (PetscInt b = 0; b < grid->blocks[axis]; b++)
    (*counts)[b] = grid->starts[axis][b + 1] - grid->starts[axis][b];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* DMDA's i, j, k run over our axes from the last to the first: its rank numbering is then ours. */
static PetscErrorCode CreateDMDA(UnrGrid g)
{
  const DMBoundaryType per = DM_BOUNDARY_PERIODIC;
  const PetscInt *n = g->points, *b = g->blocks;
  PetscInt *counts[UNR_MAX_DIM] = {NULL, NULL, NULL};

  PetscFunctionBeginUser;
  for (int a = 0; a < g->dim; a++) PetscCall(BlockCounts(g, a, &counts[a]));
  if (g->dim == 1) {
    PetscCall(DMDACreate1d(g->comm, per, n[0], g->components, g->stencil, counts[0], &g->da));
  } else if (g->dim == 2) {
    PetscCall(DMDACreate2d(g->comm, per, per, DMDA_STENCIL_BOX, n[1], n[0], b[1], b[0], g->components,
                           g->stencil, counts[1], counts[0], &g->da));
  } else {
    PetscCall(DMDACreate3d(g->comm, per, per, per, DMDA_STENCIL_BOX, n[2], n[1], n[0], b[2], b[1], b[0],
                           g->components, g->stencil, counts[2], counts[1], counts[0], &g->da));
  }
  PetscCall(DMSetUp(g->da));
  for (int a = 0; a < g->dim; a++) PetscCall(PetscFree(counts[a]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* DMDA must own what we say this rank owns. */
static PetscErrorCode CheckDMDA(UnrGrid g)
{
  PetscInt start[UNR_MAX_DIM], count[UNR_MAX_DIM];

  PetscFunctionBeginUser;
  PetscCall(DMDAGetCorners(g->da, &start[0], &start[1], &start[2], &count[0], &count[1], &count[2]));
  for (int a = 0; a < g->dim; a++) {
    int i = g->dim - 1 - a;

    PetscCheck(start[i] == g->start[a] && count[i] == g->count[a], PETSC_COMM_SELF, PETSC_ERR_PLIB,
               "axis %d of rank %d: DMDA owns [%" PetscInt_FMT ", +%" PetscInt_FMT
               "), the grid [%" PetscInt_FMT ", +%" PetscInt_FMT ")",
               a, g->rank, start[i], count[i], g->start[a], g->count[a]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* This rank's block and the first points of all blocks along each axis. */
static PetscErrorCode SetBlocks(UnrGrid g)
{
  PetscInt place[UNR_MAX_DIM];

  PetscFunctionBeginUser;
  place[2] = g->rank % g->blocks[2];
  place[1] = g->rank / g->blocks[2] % g->blocks[1];
  place[0] = g->rank / g->blocks[2] / g->blocks[1];
  g->local = g->total = 1;
  for (int a = 0; a < UNR_MAX_DIM; a++) {
    PetscCall(PetscMalloc1(g->blocks[a] + 1, &g->starts[a]));
    for (PetscInt b = 0; b <= g->blocks[a]; b++)
      g->starts[a][b] = UnrPartStart(g->points[a], g->blocks[a], b);
    g->start[a] = g->starts[a][place[a]];
    g->count[a] = g->starts[a][place[a] + 1] - g->start[a];
    g->local *= g->count[a];
    g->total *= g->points[a];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Refuses what no grid can be, before anything is allocated. */
static PetscErrorCode CheckRequest(const UnrLayout *layout, int dim, const PetscInt points[],
                                   PetscInt components, PetscInt stencil)
{
  PetscInt64 numbers = components, ranks = 1;
  int size;

  PetscFunctionBeginUser;
  PetscCheck(dim >= 1 && dim <= UNR_MAX_DIM, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "dimension %d", dim);
  PetscCheck(components > 0 && stencil >= 0, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "%" PetscInt_FMT " components, stencil %" PetscInt_FMT, components, stencil);
  for (int a = 0; a < UNR_MAX_DIM; a++) {
    PetscInt n = a < dim ? points[a] : 1, blocks = layout->blocks[a];

    PetscCheck(blocks >= 1 && blocks <= n, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
               "axis %d: %" PetscInt_FMT " points in %" PetscInt_FMT " blocks", a, n, blocks);
    ranks *= blocks;
    numbers = Product(numbers, n);
  }
  PetscCheck(numbers >= 0, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "points x components pass %" PetscInt_FMT ": configure PETSc with --with-64-bit-indices",
             (PetscInt)PETSC_MAX_INT);
  PetscCallMPI(MPI_Comm_size(layout->grid, &size));
  PetscCheck(ranks == size, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ, "%lld blocks for %d ranks", (long long)ranks,
             size);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  UnrGridCreate - the grid of one sample.     Collective on layout->grid.
  In      layout      read, not kept
          points      global, > 0; entries from dim on are ignored
          components  numbers per cell, > 0
          stencil     box width of the DMDA, in cells
  Errors  PETSC_ERR_ARG_OUTOFRANGE where points x components pass PetscInt's range, or a block would be empty
*/
PetscErrorCode UnrGridCreate(const UnrLayout *layout, int dim, const PetscInt points[UNR_MAX_DIM],
                             PetscInt components, PetscInt stencil, UnrGrid *grid)
{
  UnrGrid g;

  PetscFunctionBeginUser;
  PetscCall(CheckRequest(layout, dim, points, components, stencil));
  PetscCall(PetscNew(&g));
  PetscCall(PetscCommDuplicate(layout->grid, &g->comm, NULL));
  PetscCallMPI(MPI_Comm_size(g->comm, &g->size));
  PetscCallMPI(MPI_Comm_rank(g->comm, &g->rank));
  g->dim = dim;
  g->components = components;
  g->stencil = stencil;
  for (int a = 0; a < UNR_MAX_DIM; a++) {
    g->points[a] = a < dim ? points[a] : 1;
    g->blocks[a] = layout->blocks[a];
  }
  PetscCall(SetBlocks(g));
  PetscCall(CreateDMDA(g));
  PetscCall(CheckDMDA(g));
  *grid = g;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrGridCreateLike(UnrGrid grid, PetscInt components, UnrGrid *like)
{
  UnrLayout layout = {.grid = grid->comm};

  PetscFunctionBeginUser;
  PetscCall(PetscArraycpy(layout.blocks, grid->blocks, UNR_MAX_DIM));
  PetscCall(UnrGridCreate(&layout, grid->dim, grid->points, components, 0, like));
  PetscCall(PetscMemcpy((*like)->boundary, grid->boundary, sizeof(grid->boundary)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrGridSetBoundary(UnrGrid grid, int axis, UnrBoundary low, UnrBoundary high)
{
  PetscFunctionBeginUser;
  PetscCheck(axis >= 0 && axis < grid->dim && low < UNR_BOUNDARY_KINDS && high < UNR_BOUNDARY_KINDS &&
                 (low == UNR_BOUNDARY_PERIODIC) == (high == UNR_BOUNDARY_PERIODIC),
             PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "boundaries %d and %d of axis %d", (int)low,
             (int)high, axis);
  grid->boundary[axis][0] = low;
  grid->boundary[axis][1] = high;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* UnrGridDestroy - collective on the grid; NULL is fine. */
PetscErrorCode UnrGridDestroy(UnrGrid *grid)
{
  PetscFunctionBeginUser;
  if (!*grid) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(DMDestroy(&(*grid)->da));
  for (int a = 0; a < UNR_MAX_DIM; a++) PetscCall(PetscFree((*grid)->starts[a]));
  PetscCall(PetscCommDestroy(&(*grid)->comm));
  PetscCall(PetscFree(*grid));
  PetscFunctionReturn(PETSC_SUCCESS);
}
