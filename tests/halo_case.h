/* For test_halo.c: cases, numbers of tiles, and an independent table of what ghosts copy. */
#pragma once

#include "support_field.h"
#include "field/halo.h"

typedef struct {
  int dim;
  PetscInt points[3], ghost, width, samples, channels;
} Case;

static const Case cases[] = {
    {1, {48, 1, 1}, 1, 1, 16, 1},                             /* the KS case */
    {1, {7, 1, 1}, 2, 2, 3, 5},   {1, {4, 1, 1}, 3, 3, 2, 2}, /* blocks of one cell on 4 ranks */
    {1, {5, 1, 1}, 13, 13, 2, 1},                             /* wider than the domain, twice round */
    {1, {11, 1, 1}, 5, 3, 1, 4},                              /* outer ghosts not exchanged */
    {1, {6, 1, 1}, 2, 0, 1, 1},                               /* nothing exchanged */
    {2, {7, 5, 1}, 2, 2, 2, 3},   {2, {4, 4, 1}, 1, 1, 1, 2},  {2, {5, 11, 1}, 7, 7, 2, 1},
    {2, {4, 6, 1}, 3, 1, 2, 2},   {2, {13, 4, 1}, 5, 4, 1, 1}, {3, {5, 4, 7}, 2, 2, 2, 2},
    {3, {4, 5, 4}, 1, 1, 1, 3},   {3, {4, 3, 5}, 6, 5, 1, 1},
};
enum { CASES = sizeof cases / sizeof cases[0] };
static const double unset = 1e6;

/* Pairs of kinds for the low and the high side of an axis: periodic, then every pair of the others. */
enum { KINDS = UNR_BOUNDARY_KINDS, PAIRS = 1 + (KINDS - 1) * (KINDS - 1) };

/* Kinds number q: other pairs on each axis, all of them on the first. */
static inline void SetKinds(UnrGrid g, int q)
{
  for (int a = 0; a < g->dim; a++) {
    const int pair = (q + 6 * a) % PAIRS;

    if (pair)
      TEST_CALL(UnrGridSetBoundary(g, a, (UnrBoundary)(1 + (pair - 1) / (KINDS - 1)),
                                   (UnrBoundary)(1 + (pair - 1) % (KINDS - 1))));
    else
      TEST_CALL(UnrGridSetBoundary(g, a, UNR_BOUNDARY_PERIODIC, UNR_BOUNDARY_PERIODIC));
  }
}

/* Cells -REACH to n + REACH of an axis, in terms of those in [0, n): made from the domain outwards, a cell on
   either side at a time, by what a kind says of a cell and of one further in. */
enum { REACH = 16, LINE = 48 + 2 * REACH };
typedef struct {
  PetscInt source[LINE];
  int sign[LINE];
} Line;

static inline void LinePut(Line *line, PetscInt at, PetscInt from, int sign)
{
  line->source[at + REACH] = line->source[from + REACH];
  line->sign[at + REACH] = sign * line->sign[from + REACH];
}

static inline void LineMake(UnrGrid g, int a, Line *line)
{
  const PetscInt n = g->points[a];
  /* by kind, of the cell at distance d from the face: where from, if the domain begins at 0 */
  static const int sign[KINDS] = {1, 0, -1, 1, 1};

  cr_assert(n + 2 * REACH <= LINE);
  for (PetscInt i = 0; i < n; i++) {
    line->source[i + REACH] = i;
    line->sign[i + REACH] = 1;
  }
  for (PetscInt d = 1; d <= REACH; d++) {
    const UnrBoundary low = g->boundary[a][0], high = g->boundary[a][1];
    const PetscInt from[KINDS] = {n - d, 0, d - 1, 0, d - 1};

    LinePut(line, -d, from[low], sign[low]);
    if (high == UNR_BOUNDARY_PERIODIC)
      LinePut(line, n - 1 + d, d - 1, 1);
    else
      LinePut(line, n - 1 + d, n - 1 - from[high], sign[high]);
  }
}

static inline double Get(const UnrTileShape *shape, const void *tile, size_t i)
{
  return shape->precision == UNR_SINGLE ? (double)((const float *)tile)[i] : ((const double *)tile)[i];
}

static inline void Set(const UnrTileShape *shape, void *tile, size_t i, double value)
{
  if (shape->precision == UNR_SINGLE)
    ((float *)tile)[i] = (float)value;
  else
    ((double *)tile)[i] = value;
}

/* Cell number i of a block's tile with `pad` ghosts: its global coordinates, and how far it lies outside the
 * block. */
static inline PetscInt PaddedCell(int dim, const PetscInt start[], const PetscInt count[], PetscInt pad,
                                  PetscInt i, PetscInt cell[])
{
  PetscInt outside = 0;

  for (int a = 2; a >= 0; a--) {
    PetscInt p = a < dim ? pad : 0, c = i % (count[a] + 2 * p) - p;

    i /= count[a] + 2 * p;
    cell[a] = start[a] + c;
    outside = PetscMax(outside, c < 0 ? -c : c - count[a] + 1);
  }
  return outside;
}

static inline PetscInt PaddedCells(int dim, const PetscInt count[], PetscInt pad)
{
  PetscInt cells = 1;

  for (int a = 0; a < dim; a++) cells *= count[a] + 2 * pad;
  return cells;
}

/* The cell that the one with these global coordinates copies, and the sign. */
static inline int Source(UnrGrid g, const Line line[], const PetscInt cell[], PetscInt source[])
{
  int sign = 1;

  for (int a = 0; a < 3; a++) {
    source[a] = a < g->dim ? line[a].source[cell[a] + REACH] : 0;
    if (a < g->dim) sign *= line[a].sign[cell[a] + REACH];
  }
  return sign;
}

static inline const char *CaseText(const Case *c, UnrGrid g)
{
  static char text[200];
  int used =
      snprintf(text, sizeof(text), "%dD, ghost %d, width %d, axes", c->dim, (int)c->ghost, (int)c->width);

  for (int a = 0; a < c->dim; a++)
    used += snprintf(text + used, sizeof(text) - (size_t)used, " %d in %d of kinds %d %d,", (int)g->points[a],
                     (int)g->blocks[a], (int)g->boundary[a][0], (int)g->boundary[a][1]);
  return text;
}
