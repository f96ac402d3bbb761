/* Which cell every ghost cell copies: the graph, and from it the run lists of messages and of copies at home.
 */
#include "field/halo_impl.h"

/* The block that owns every cell along an axis of the tile, exchanged ghosts included, and the place in that
 * block. */
typedef struct {
  PetscInt cells, width, pad; /* cells with exchanged ghosts; exchanged ghosts a side; all ghosts a side */
  PetscInt *block, *index;
} Axis;

/*
  The index in [0, n) whose cell a ghost with index *i copies.
  A kind that fills ghosts without copying would return false here, and be filled at the end of the exchange.
*/
static bool CopiedIndex(UnrBoundary kind, PetscInt n, PetscInt *i)
{
  switch (kind) {
  case UNR_BOUNDARY_PERIODIC:
    *i = (*i % n + n) % n;
    return true;
  case UNR_BOUNDARY_KINDS:
    break;
  }
  return *i >= 0 && *i < n;
}

static PetscErrorCode AxisMake(UnrHalo halo, int a, Axis *axis)
{
  UnrGrid g = halo->grid;

  PetscFunctionBeginUser;
  axis->width = a < g->dim ? halo->width : 0;
  axis->pad = a < g->dim ? halo->ghost : 0;
  axis->cells = g->count[a] + 2 * axis->width;
  PetscCall(PetscMalloc2(axis->cells, &axis->block, axis->cells, &axis->index));
  for (PetscInt c = 0; c < axis->cells; c++) {
    PetscInt i = g->start[a] + c - axis->width, b = 0;

    PetscCheck(CopiedIndex(halo->boundary[a], g->points[a], &i), PETSC_COMM_SELF, PETSC_ERR_SUP,
               "boundary kind %d along axis %d", (int)halo->boundary[a], a);
    while (g->starts[a][b + 1] <= i) b++;
    axis->block[c] = b;
    axis->index[c] = i - g->starts[a][b];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The rank and its interior cell that the cell at c copies. */
static PetscSFNode Owner(UnrGrid g, const Axis axis[UNR_MAX_DIM], const PetscInt c[UNR_MAX_DIM])
{
  PetscSFNode owner = {.rank = 0, .index = 0};

  for (int a = 0; a < UNR_MAX_DIM; a++) {
    PetscInt b = axis[a].block[c[a]];

    owner.rank = owner.rank * g->blocks[a] + b;
    owner.index = owner.index * (g->starts[a][b + 1] - g->starts[a][b]) + axis[a].index[c[a]];
  }
  return owner;
}

/* Number in the tile of the cell at c, counted from the first exchanged ghost. */
static PetscInt Number(UnrGrid g, const Axis axis[UNR_MAX_DIM], const PetscInt c[UNR_MAX_DIM])
{
  PetscInt number = 0;

  for (int a = 0; a < UNR_MAX_DIM; a++)
    number = number * (g->count[a] + 2 * axis[a].pad) + c[a] + axis[a].pad - axis[a].width;
  return number;
}

/* Number in the tile of an interior cell of this rank. */
static PetscInt InteriorNumber(UnrGrid g, const Axis axis[UNR_MAX_DIM], PetscInt cell)
{
  PetscInt c[UNR_MAX_DIM];

  for (int a = UNR_MAX_DIM - 1; a >= 0; a--) {
    c[a] = cell % g->count[a] + axis[a].width;
    cell /= g->count[a];
  }
  return Number(g, axis, c);
}

static bool IsInterior(UnrGrid g, const Axis axis[UNR_MAX_DIM], const PetscInt c[UNR_MAX_DIM])
{
  for (int a = 0; a < UNR_MAX_DIM; a++)
    if (c[a] < axis[a].width || c[a] >= axis[a].width + g->count[a]) return false;
  return true;
}

/*
  The list of `neighbours` ranks, sorted; that with index i has the pairs [offset[i], offset[i + 1]) of from
  and to. NULL for from or to: the place in the neighbour's message.
*/
static PetscErrorCode ListMake(PetscInt neighbours, const PetscMPIInt ranks[], const PetscInt offset[],
                               const PetscInt from[], const PetscInt to[], UnrHaloList *list)
{
  size_t runs = 0, cells = 0;
  PetscMPIInt *order;

  PetscFunctionBeginUser;
  list->neighbours = neighbours;
  PetscCall(PetscMalloc1(neighbours, &list->rank));
  PetscCall(PetscMalloc1(neighbours, &order));
  for (PetscInt i = 0; i < neighbours; i++) {
    list->rank[i] = ranks[i];
    order[i] = (PetscMPIInt)i;
  }
  PetscCall(PetscSortMPIIntWithArray((PetscMPIInt)neighbours, list->rank, order));
  PetscCall(PetscMalloc2(neighbours + 1, &list->first_run, neighbours + 1, &list->first_cell));
  PetscCall(PetscMalloc1(offset[neighbours], &list->run));
  for (PetscInt i = 0; i < neighbours; i++) {
    PetscInt begin = offset[order[i]], end = offset[order[i] + 1];

    list->first_run[i] = runs;
    list->first_cell[i] = cells;
    for (PetscInt j = begin; j < end; j++) {
      size_t f = (size_t)(from ? from[j] : j - begin), t = (size_t)(to ? to[j] : j - begin);
      UnrHaloRun *last = runs > list->first_run[i] ? &list->run[runs - 1] : NULL;

      if (last && last->from + last->cells == f && last->to + last->cells == t)
        last->cells++;
      else
        list->run[runs++] = (UnrHaloRun){.from = f, .to = t, .cells = 1};
    }
    cells += (size_t)(end - begin);
  }
  list->first_run[neighbours] = runs;
  list->first_cell[neighbours] = cells;
  PetscCall(PetscFree(order));
  PetscCall(PetscRealloc(runs * sizeof(UnrHaloRun), &list->run));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrHaloListDestroy(UnrHaloList *list)
{
  PetscFunctionBeginUser;
  PetscCall(PetscFree(list->rank));
  PetscCall(PetscFree2(list->first_run, list->first_cell));
  PetscCall(PetscFree(list->run));
  PetscCall(PetscFree(list->buffer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Lists of the messages, from the graph of the ghosts that others own. */
static PetscErrorCode MessageLists(UnrHalo halo, const Axis axis[UNR_MAX_DIM], PetscInt leaves,
                                   const PetscInt ghost[], const PetscSFNode owner[])
{
  UnrGrid g = halo->grid;
  PetscSF sf;
  PetscInt neighbours, *interior;
  const PetscMPIInt *rank;
  const PetscInt *offset, *cell;

  PetscFunctionBeginUser;
  PetscCall(PetscSFCreate(g->comm, &sf));
  PetscCall(PetscSFSetType(sf, PETSCSFBASIC));
  PetscCall(PetscSFSetGraph(sf, g->local, leaves, (PetscInt *)ghost, PETSC_COPY_VALUES, (PetscSFNode *)owner,
                            PETSC_COPY_VALUES));
  PetscCall(PetscSFSetUp(sf));
  PetscCall(PetscSFGetRootRanks(sf, &neighbours, &rank, &offset, &cell, NULL));
  PetscCall(ListMake(neighbours, rank, offset, NULL, cell, &halo->receive));
  PetscCall(PetscSFGetLeafRanks(sf, &neighbours, &rank, &offset, &cell));
  PetscCall(PetscMalloc1(offset[neighbours], &interior));
  for (PetscInt i = 0; i < offset[neighbours]; i++) interior[i] = InteriorNumber(g, axis, cell[i]);
  PetscCall(ListMake(neighbours, rank, offset, interior, NULL, &halo->send));
  PetscCall(PetscFree(interior));
  PetscCall(PetscSFDestroy(&sf));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The ghosts in the tile's order; those that this rank owns itself go to the front, their count to *mine. */
static PetscErrorCode Ghosts(UnrGrid g, const Axis axis[UNR_MAX_DIM], PetscInt ghost[], PetscSFNode owner[],
                             PetscInt *mine)
{
  PetscInt c[UNR_MAX_DIM], at = 0;

  PetscFunctionBeginUser;
  *mine = 0;
  for (int pass = 0; pass < 2; pass++) {
    for (c[0] = 0; c[0] < axis[0].cells; c[0]++)
      for (c[1] = 0; c[1] < axis[1].cells; c[1]++)
        for (c[2] = 0; c[2] < axis[2].cells; c[2]++) {
          PetscSFNode o = Owner(g, axis, c);

          if (IsInterior(g, axis, c) || (o.rank == g->rank) != (pass == 0)) continue;
          ghost[at] = Number(g, axis, c);
          owner[at++] = o;
        }
    if (pass == 0) *mine = at;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  UnrHaloListsMake - the run lists of a halo whose grid, widths and boundaries are set.     Collective on the
  grid. Cost    two walks over the ghosts, one PetscSF
*/
PetscErrorCode UnrHaloListsMake(UnrHalo halo)
{
  UnrGrid g = halo->grid;
  Axis axis[UNR_MAX_DIM];
  PetscInt64 padded = 1;
  PetscInt cells = 1, mine, offset[2] = {0, 0}, *ghost, *interior;
  PetscSFNode *owner;

  PetscFunctionBeginUser;
  for (int a = 0; a < UNR_MAX_DIM; a++) {
    PetscCall(AxisMake(halo, a, &axis[a]));
    padded *= g->count[a] + 2 * axis[a].pad;
    PetscCheck(padded <= PETSC_MAX_INT, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
               "cells of a tile pass %" PetscInt_FMT ": configure PETSc with --with-64-bit-indices",
               (PetscInt)PETSC_MAX_INT);
    cells *= axis[a].cells;
  }
  cells -= g->local;
  PetscCall(PetscMalloc2(cells, &ghost, cells, &owner));
  PetscCall(Ghosts(g, axis, ghost, owner, &mine));
  PetscCall(PetscMalloc1(mine, &interior));
  for (PetscInt i = 0; i < mine; i++) interior[i] = InteriorNumber(g, axis, owner[i].index);
  offset[1] = mine;
  PetscCall(ListMake(1, &g->rank, offset, interior, ghost, &halo->self));
  PetscCall(MessageLists(halo, axis, cells - mine, ghost + mine, owner + mine));
  PetscCall(PetscFree(interior));
  PetscCall(PetscFree2(ghost, owner));
  for (int a = 0; a < UNR_MAX_DIM; a++) PetscCall(PetscFree2(axis[a].block, axis[a].index));
  PetscFunctionReturn(PETSC_SUCCESS);
}
