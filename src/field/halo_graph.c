/* Which cell every ghost cell copies: the graph, and from it the run lists of messages and of copies at home.
 */
#include "field/halo_impl.h"

/* Where a cell of the tile comes from, along one axis. */
typedef struct {
  PetscInt block, index; /* which block's, and its place counted from that block's first cell */
  int sign;
  bool is_ghost; /* or the cell's own */
} Place;

typedef struct {
  PetscInt cells, width, pad; /* cells with exchanged ghosts; exchanged ghosts a side; all ghosts a side */
  Place *place;               /* [cells] */
} Axis;

/*
  One axis.  Of a local halo, cells inside the domain are the tile's own where several blocks share the axis;
  the sources of those beyond it lie in the tile: a mirror image is nearer to the face than the ghost, and a
  ghost that is this tile's lies within its width.
*/
static PetscErrorCode AxisMake(UnrHalo halo, int a, Axis *axis)
{
  const UnrGrid g = halo->grid;
  const PetscInt n = g->points[a];
  const bool is_periodic = g->boundary[a][0] == UNR_BOUNDARY_PERIODIC;
  const PetscInt mine = g->rank /
                        (a == 0   ? g->blocks[1] * g->blocks[2]
                         : a == 1 ? g->blocks[2]
                                  : 1) %
                        g->blocks[a];

  PetscFunctionBeginUser;
  axis->width = halo->width[a];
  axis->pad = halo->ghost[a];
  axis->cells = g->count[a] + 2 * axis->width;
  PetscCall(PetscMalloc1(axis->cells, &axis->place));
  for (PetscInt c = 0; c < axis->cells; c++) {
    Place *place = &axis->place[c];
    const PetscInt i = g->start[a] + c - axis->width;
    const bool is_inside = c >= axis->width && c < axis->width + g->count[a];
    PetscInt source;

    *place = (Place){mine, i - g->start[a], 1, false};
    if (is_inside || (halo->is_local && g->blocks[a] > 1 && (is_periodic || (i >= 0 && i < n)))) continue;
    PetscCall(UnrBoundaryMap(g->boundary[a], i, n, &source, &place->sign));
    place->is_ghost = true;
    if (!halo->is_local)
      for (place->block = 0; g->starts[a][place->block + 1] <= source;) place->block++;
    place->index = source - g->starts[a][place->block];
    PetscCheck(!halo->is_local || (place->index >= -axis->width && place->index < g->count[a] + axis->width),
               PETSC_COMM_SELF, PETSC_ERR_PLIB, "axis %d: the source of a ghost lies outside the tile", a);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The rank and its interior cell that the cell at c copies. */
static PetscSFNode Owner(UnrGrid g, const Axis axis[UNR_MAX_DIM], const PetscInt c[UNR_MAX_DIM])
{
  PetscSFNode owner = {.rank = 0, .index = 0};

  for (int a = 0; a < UNR_MAX_DIM; a++) {
    const Place *place = &axis[a].place[c[a]];

    owner.rank = owner.rank * g->blocks[a] + place->block;
    owner.index = owner.index * (g->starts[a][place->block + 1] - g->starts[a][place->block]) + place->index;
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

/* Number in the tile of the cell that the cell at c copies, where it is this rank's. */
static PetscInt SourceNumber(UnrGrid g, const Axis axis[UNR_MAX_DIM], const PetscInt c[UNR_MAX_DIM])
{
  PetscInt source[UNR_MAX_DIM];

  for (int a = 0; a < UNR_MAX_DIM; a++) source[a] = axis[a].place[c[a]].index + axis[a].width;
  return Number(g, axis, source);
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

/* What a cell of the tile is to this rank. */
typedef enum { OWN, ZERO, SELF, OTHERS, SORTS } Sort;

static Sort SortOf(UnrGrid g, const Axis axis[UNR_MAX_DIM], const PetscInt c[UNR_MAX_DIM], int *sign)
{
  bool is_ghost = false;

  *sign = 1;
  for (int a = 0; a < UNR_MAX_DIM; a++) {
    is_ghost |= axis[a].place[c[a]].is_ghost;
    *sign *= axis[a].place[c[a]].sign;
  }
  if (!is_ghost) return OWN;
  return !*sign ? ZERO : Owner(g, axis, c).rank == g->rank ? SELF : OTHERS;
}

/* Ghosts in the tile's order, first the zero ones, then those of this rank's cells, then others'. */
typedef struct {
  PetscInt *to, *from; /* numbers in the tile; from of SELF only */
  PetscSFNode *owner;  /* of OTHERS only */
  signed char *sign;   /* of every cell of the tile */
  PetscInt end[SORTS]; /* of each sort; end[OWN] = 0 */
} Ghosts;

static void GhostsFill(UnrGrid g, const Axis axis[UNR_MAX_DIM], Ghosts *ghosts)
{
  PetscInt c[UNR_MAX_DIM], at = 0;
  int sign;

  ghosts->end[OWN] = 0;
  for (Sort sort = ZERO; sort < SORTS; sort++) {
    for (c[0] = 0; c[0] < axis[0].cells; c[0]++)
      for (c[1] = 0; c[1] < axis[1].cells; c[1]++)
        for (c[2] = 0; c[2] < axis[2].cells; c[2]++) {
          if (SortOf(g, axis, c, &sign) != sort) continue;
          ghosts->to[at] = Number(g, axis, c);
          ghosts->sign[ghosts->to[at]] = (signed char)sign;
          if (sort == OTHERS)
            ghosts->owner[at] = Owner(g, axis, c);
          else
            ghosts->from[at] = sort == SELF ? SourceNumber(g, axis, c) : ghosts->to[at];
          at++;
        }
    ghosts->end[sort] = at;
  }
}

/*
  The list of `neighbours` ranks, sorted; that with index i has the pairs [offset[i], offset[i + 1]) of from
  and to. NULL for from or to: the place in the neighbour's message.  sign: of numbers `to`, NULL: all 1.
*/
static PetscErrorCode ListMake(PetscInt neighbours, const PetscMPIInt ranks[], const PetscInt offset[],
                               const PetscInt from[], const PetscInt to[], const signed char sign[],
                               UnrHaloList *list)
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
      bool is_negative = sign && sign[to[j]] < 0;
      UnrHaloRun *last = runs > list->first_run[i] ? &list->run[runs - 1] : NULL;

      if (last && last->from + last->cells == f && last->to + last->cells == t &&
          last->is_negative == is_negative)
        last->cells++;
      else
        list->run[runs++] = (UnrHaloRun){.from = f, .to = t, .cells = 1, .is_negative = is_negative};
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
static PetscErrorCode MessageLists(UnrHalo halo, const Axis axis[UNR_MAX_DIM], const Ghosts *ghosts)
{
  UnrGrid g = halo->grid;
  PetscSF sf;
  PetscInt first = ghosts->end[SELF], neighbours, *interior;
  const PetscMPIInt *rank;
  const PetscInt *offset, *cell;

  PetscFunctionBeginUser;
  PetscCall(PetscSFCreate(g->comm, &sf));
  PetscCall(PetscSFSetType(sf, PETSCSFBASIC));
  PetscCall(PetscSFSetGraph(sf, g->local, ghosts->end[OTHERS] - first, ghosts->to + first, PETSC_COPY_VALUES,
                            ghosts->owner + first, PETSC_COPY_VALUES));
  PetscCall(PetscSFSetUp(sf));
  PetscCall(PetscSFGetRootRanks(sf, &neighbours, &rank, &offset, &cell, NULL));
  PetscCall(ListMake(neighbours, rank, offset, NULL, cell, ghosts->sign, &halo->receive));
  PetscCall(PetscSFGetLeafRanks(sf, &neighbours, &rank, &offset, &cell));
  PetscCall(PetscMalloc1(offset[neighbours], &interior));
  for (PetscInt i = 0; i < offset[neighbours]; i++) interior[i] = InteriorNumber(g, axis, cell[i]);
  PetscCall(ListMake(neighbours, rank, offset, interior, NULL, NULL, &halo->send));
  PetscCall(PetscFree(interior));
  PetscCall(PetscSFDestroy(&sf));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The lists, once the ghosts are known. */
static PetscErrorCode Lists(UnrHalo halo, const Axis axis[UNR_MAX_DIM], const Ghosts *ghosts)
{
  const PetscInt zero[2] = {0, ghosts->end[ZERO]}, self[2] = {0, ghosts->end[SELF] - zero[1]}, none[1] = {0};

  PetscFunctionBeginUser;
  PetscCall(ListMake(1, &halo->grid->rank, zero, ghosts->from, ghosts->to, NULL, &halo->zero));
  PetscCall(ListMake(1, &halo->grid->rank, self, ghosts->from + zero[1], ghosts->to + zero[1], ghosts->sign,
                     &halo->self));
  if (halo->is_local) {
    PetscCall(ListMake(0, NULL, none, NULL, NULL, NULL, &halo->receive));
    PetscCall(ListMake(0, NULL, none, NULL, NULL, NULL, &halo->send));
  } else {
    PetscCall(MessageLists(halo, axis, ghosts));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  UnrHaloListsMake - the run lists of a halo whose grid and widths are set.     Collective on the grid; local
  for a local halo.  Cost    three walks over the tile, one PetscSF
*/
PetscErrorCode UnrHaloListsMake(UnrHalo halo)
{
  UnrGrid g = halo->grid;
  Axis axis[UNR_MAX_DIM];
  PetscInt64 padded = 1;
  PetscInt cells = 1;
  Ghosts ghosts;

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
  PetscCall(PetscMalloc4(cells, &ghosts.to, cells, &ghosts.from, cells, &ghosts.owner, padded, &ghosts.sign));
  GhostsFill(g, axis, &ghosts);
  PetscCall(Lists(halo, axis, &ghosts));
  PetscCall(PetscFree4(ghosts.to, ghosts.from, ghosts.owner, ghosts.sign));
  for (int a = 0; a < UNR_MAX_DIM; a++) PetscCall(PetscFree(axis[a].place));
  PetscFunctionReturn(PETSC_SUCCESS);
}
