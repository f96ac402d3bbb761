/*
  Mean over the cell of the coarse grid.     Maths: docs/method/coarsening.md

  Nodes are x_i = i dx and a cell reaches half a spacing to either side of its node.  With r fine points a
  coarse one, the cell of coarse node i covers the fine nodes i r - r/2 ... i r + r/2; where r is even, half
  of the cells of the two outermost.  So each half of a fine cell, along every axis, lies in one coarse cell.

  A rank sums its own cells into a box of coarse cells, and the owner of a coarse cell adds what the ranks
  have of it, in their order: blocks of the two grids need not lie over each other, and the same layout gives
  the same bits.
*/
#include "core/error.h"
#include "dataset/filter_impl.h"

#include <petscsf.h>

/* What a rank's block of the fine grid touches of the coarse one, along an axis. */
typedef struct {
  PetscInt low, cells; /* coarse cells, not wrapped: low >= 0, low + cells <= points + 1 */
} Touch;

typedef struct {
  PetscInt ratio[UNR_MAX_DIM];
  Touch touch[UNR_MAX_DIM];       /* of this rank */
  PetscInt *half[UNR_MAX_DIM][2]; /* [fine point of the block] cell of the box that its half lies in */
  PetscSF sf;                     /* roots: this rank's box; leaves: what the owner of coarse cells gets */
  MPI_Datatype cell;
  PetscInt box, leaves;
  PetscInt *target; /* [leaf] the owner's cell */
  double *sum;      /* [box cell][component] */
  double *part;     /* [leaf][component] */
} Volume;

/* The coarse cell, not wrapped, that a half of fine cell j lies in: side 0 below the node, 1 above it. */
static PetscInt CoarseCell(PetscInt j, int side, PetscInt ratio)
{
  return (2 * j - 1 + side + ratio) / (2 * ratio);
}

static Touch TouchOf(PetscInt start, PetscInt count, PetscInt ratio)
{
  const PetscInt low = CoarseCell(start, 0, ratio);

  return (Touch){low, CoarseCell(start + count - 1, 1, ratio) - low + 1};
}

static PetscErrorCode Check(UnrFilter f)
{
  PetscFunctionBeginUser;
  for (int a = 0; a < UnrPhysicsGrid(f->coarse)->dim; a++) {
    const PetscInt from = UnrPhysicsGrid(f->fine)->points[a], to = UnrPhysicsGrid(f->coarse)->points[a];

    UnrUserCheck(from % to == 0,
                 "-generate_points (%" PetscInt_FMT
                 " along %c) is no multiple of -grid_points (%" PetscInt_FMT
                 ") for -generate_filter volume; allowed: multiples; try: %" PetscInt_FMT
                 ", or another -generate_filter",
                 from, "xyz"[a], to, PetscMax(from / to, 1) * to);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* This rank's box, and where the halves of its cells lie in it. */
static PetscErrorCode MakeBox(UnrFilter f, Volume *v)
{
  const UnrGrid from = UnrPhysicsGrid(f->fine), to = UnrPhysicsGrid(f->coarse);

  PetscFunctionBeginUser;
  v->box = 1;
  for (int a = 0; a < UNR_MAX_DIM; a++) {
    v->ratio[a] = from->points[a] / to->points[a];
    v->touch[a] = TouchOf(from->start[a], from->count[a], v->ratio[a]);
    v->box *= v->touch[a].cells;
    for (int side = 0; side < 2; side++) {
      PetscCall(PetscMalloc1(from->count[a], &v->half[a][side]));
      for (PetscInt j = 0; j < from->count[a]; j++)
        v->half[a][side][j] = CoarseCell(from->start[a] + j, side, v->ratio[a]) - v->touch[a].low;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What block number b of the fine grid touches along an axis. */
static Touch TouchOfBlock(UnrFilter f, const Volume *v, int axis, PetscInt b)
{
  const PetscInt *starts = UnrPhysicsGrid(f->fine)->starts[axis];

  return TouchOf(starts[b], starts[b + 1] - starts[b], v->ratio[axis]);
}

/* The cell of this rank, along an axis, that a coarse cell is once wrapped; -1: it is another block's. */
static PetscInt OwnCell(UnrGrid to, int axis, PetscInt i)
{
  const PetscInt own = i % to->points[axis] - to->start[axis];

  return own >= 0 && own < to->count[axis] ? own : -1;
}

/* Cells of a rank's box that are this rank's, as leaves; remote NULL: only counted. */
static PetscInt Shared(UnrFilter f, const Volume *v, PetscInt rank, PetscSFNode *remote, PetscInt *target)
{
  const UnrGrid from = UnrPhysicsGrid(f->fine), to = UnrPhysicsGrid(f->coarse);
  const Touch x = TouchOfBlock(f, v, 0, rank / from->blocks[2] / from->blocks[1]);
  const Touch y = TouchOfBlock(f, v, 1, rank / from->blocks[2] % from->blocks[1]);
  const Touch z = TouchOfBlock(f, v, 2, rank % from->blocks[2]);
  PetscInt found = 0;

  for (PetscInt i = 0; i < x.cells; i++) {
    const PetscInt own_x = OwnCell(to, 0, x.low + i);
    for (PetscInt j = 0; own_x >= 0 && j < y.cells; j++) {
      const PetscInt own_y = OwnCell(to, 1, y.low + j);
      for (PetscInt k = 0; own_y >= 0 && k < z.cells; k++) {
        const PetscInt own_z = OwnCell(to, 2, z.low + k);
        if (own_z < 0) continue;
        if (remote) {
          remote[found] = (PetscSFNode){rank, (i * y.cells + j) * z.cells + k};
          target[found] = (own_x * to->count[1] + own_y) * to->count[2] + own_z;
        }
        found++;
      }
    }
  }
  return found;
}

static PetscErrorCode MakeGraph(UnrFilter f, Volume *v)
{
  const UnrGrid from = UnrPhysicsGrid(f->fine);
  PetscSFNode *remote;
  PetscInt at = 0;

  PetscFunctionBeginUser;
  for (PetscInt rank = 0; rank < from->size; rank++) v->leaves += Shared(f, v, rank, NULL, NULL);
  PetscCall(PetscMalloc1(v->leaves, &remote));
  PetscCall(PetscMalloc1(v->leaves, &v->target));
  for (PetscInt rank = 0; rank < from->size; rank++) at += Shared(f, v, rank, remote + at, v->target + at);
  PetscCall(PetscSFCreate(from->comm, &v->sf));
  PetscCall(PetscSFSetGraph(v->sf, v->box, v->leaves, NULL, PETSC_COPY_VALUES, remote, PETSC_COPY_VALUES));
  PetscCall(PetscSFSetUp(v->sf));
  PetscCall(PetscFree(remote));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Create(UnrFilter f)
{
  const PetscInt components = UnrPhysicsGrid(f->coarse)->components;
  Volume *v;

  PetscFunctionBeginUser;
  PetscCall(Check(f));
  PetscCall(PetscNew(&v));
  f->data = v;
  PetscCall(MakeBox(f, v));
  PetscCall(MakeGraph(f, v));
  PetscCall(PetscMalloc1(v->box * components, &v->sum));
  PetscCall(PetscMalloc1(v->leaves * components, &v->part));
  PetscCallMPI(MPI_Type_contiguous((PetscMPIInt)components, MPI_DOUBLE, &v->cell));
  PetscCallMPI(MPI_Type_commit(&v->cell));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* v->sum: each half, along every axis, of each of this rank's cells, to the coarse cell that it lies in. */
static void SumBox(const Volume *v, UnrGrid from, const double u[])
{
  const PetscInt components = from->components;

  for (PetscInt i = 0; i < v->box * components; i++) v->sum[i] = 0;
  for (PetscInt x = 0; x < from->count[0]; x++)
    for (PetscInt y = 0; y < from->count[1]; y++)
      for (PetscInt z = 0; z < from->count[2]; z++, u += components)
        for (int side = 0; side < 1 << from->dim; side++) {
          const PetscInt i = v->half[0][side & 1][x], j = v->half[1][side >> 1 & 1][y],
                         k = v->half[2][side >> 2][z];
          double *sum = v->sum + ((i * v->touch[1].cells + j) * v->touch[2].cells + k) * components;

          for (PetscInt c = 0; c < components; c++) sum[c] += u[c];
        }
}

static PetscErrorCode Apply(UnrFilter f, UnrBatch from, UnrBatch to)
{
  const Volume *v = f->data;
  const PetscInt components = to->grid->components;
  double scale = 1;

  PetscFunctionBeginUser;
  for (int a = 0; a < to->grid->dim; a++) scale *= 0.5 / (double)v->ratio[a];
  PetscCall(UnrBatchZero(to));
  for (PetscInt s = 0; s < from->samples; s++) {
    double *u = to->data + (size_t)s * to->stride;

    SumBox(v, from->grid, from->data + (size_t)s * from->stride);
    PetscCall(PetscSFBcastBegin(v->sf, v->cell, v->sum, v->part, MPI_REPLACE));
    PetscCall(PetscSFBcastEnd(v->sf, v->cell, v->sum, v->part, MPI_REPLACE));
    for (PetscInt l = 0; l < v->leaves; l++)
      for (PetscInt c = 0; c < components; c++)
        u[v->target[l] * components + c] += scale * v->part[l * components + c];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Destroy(UnrFilter f)
{
  Volume *v = f->data;

  PetscFunctionBeginUser;
  for (int a = 0; a < UNR_MAX_DIM; a++)
    for (int side = 0; side < 2; side++) PetscCall(PetscFree(v->half[a][side]));
  PetscCall(PetscSFDestroy(&v->sf));
  PetscCallMPI(MPI_Type_free(&v->cell));
  PetscCall(PetscFree(v->target));
  PetscCall(PetscFree(v->sum));
  PetscCall(PetscFree(v->part));
  PetscCall(PetscFree(f->data));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const UnrFilterOps UnrFilterOps_Volume = {
    .name = "volume",
    .summary = "mean over the cell of the coarse grid; its points divide the fine grid's",
    .create = Create,
    .apply = Apply,
    .destroy = Destroy,
};
