/* Every ghost against the value of its wrapped global index, and the transpose against every ghost that
 * copies a cell. */
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

static double Get(const UnrTileShape *shape, const void *tile, size_t i)
{
  return shape->precision == UNR_SINGLE ? (double)((const float *)tile)[i] : ((const double *)tile)[i];
}

static void Set(const UnrTileShape *shape, void *tile, size_t i, double value)
{
  if (shape->precision == UNR_SINGLE)
    ((float *)tile)[i] = (float)value;
  else
    ((double *)tile)[i] = value;
}

/* Cell number i of a block's tile with `pad` ghosts: its global coordinates, and how far it lies outside the
 * block. */
static PetscInt PaddedCell(int dim, const PetscInt start[], const PetscInt count[], PetscInt pad, PetscInt i,
                           PetscInt cell[])
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

static PetscInt PaddedCells(int dim, const PetscInt count[], PetscInt pad)
{
  PetscInt cells = 1;

  for (int a = 0; a < dim; a++) cells *= count[a] + 2 * pad;
  return cells;
}

static void CheckExchange(const Case *c, UnrGrid g, UnrHalo halo, const UnrTileShape *shape, void *tile)
{
  PetscInt cells = PaddedCells(c->dim, g->count, c->ghost), cell[3], wrong = 0;

  cr_expect(shape->numbers == (size_t)(c->samples * cells * c->channels));
  for (size_t i = 0; i < shape->numbers; i++) {
    PetscInt s = (PetscInt)i / c->channels / cells, channel = (PetscInt)i % c->channels;
    PetscInt outside =
        PaddedCell(c->dim, g->start, g->count, c->ghost, (PetscInt)i / c->channels % cells, cell);

    Set(shape, tile, i, outside > 0 ? unset : TestInteger(g, cell, s, channel));
  }
  TEST_CALL(UnrHaloExchangeBegin(halo, shape, tile));
  TEST_CALL(UnrHaloExchangeEnd(halo, shape, tile));
  for (size_t i = 0; i < shape->numbers; i++) {
    PetscInt s = (PetscInt)i / c->channels / cells, channel = (PetscInt)i % c->channels;
    PetscInt outside =
        PaddedCell(c->dim, g->start, g->count, c->ghost, (PetscInt)i / c->channels % cells, cell);

    wrong += Get(shape, tile, i) != (outside > c->width ? unset : TestInteger(g, cell, s, channel));
  }
  cr_expect(wrong == 0, "%dD %dx%dx%d, ghost %d, width %d, blocks %dx%dx%d: %d ghosts of %zu wrong", c->dim,
            (int)c->points[0], (int)c->points[1], (int)c->points[2], (int)c->ghost, (int)c->width,
            (int)g->blocks[0], (int)g->blocks[1], (int)g->blocks[2], (int)wrong, shape->numbers);
}

/* What the tile of any rank holds before the reduction: a function of the rank and the number's place. */
static double Cotangent(int rank, PetscInt sample, PetscInt channel, PetscInt i)
{
  UnrRng rng = {9, UnrRngStream("cotangent", (uint64_t)(rank * 100 + sample), (uint64_t)channel)};

  return floor(21 * UnrRngUniform(rng, (uint64_t)i)) - 10;
}

/* Sum over all ranks' tiles of the numbers that stand at a cell or at its exchanged ghosts. */
static void Expected(const Case *c, UnrGrid g, PetscInt sample, PetscInt channel, double sum[])
{
  for (PetscInt i = 0; i < g->total; i++) sum[i] = 0;
  for (int r = 0; r < g->size; r++) {
    PetscInt place[3] = {r / (int)(g->blocks[1] * g->blocks[2]), r / (int)g->blocks[2] % (int)g->blocks[1],
                         r % (int)g->blocks[2]};
    PetscInt start[3], count[3], cell[3];

    for (int a = 0; a < 3; a++) {
      start[a] = g->starts[a][place[a]];
      count[a] = g->starts[a][place[a] + 1] - start[a];
    }
    for (PetscInt i = 0; i < PaddedCells(c->dim, count, c->ghost); i++) {
      PetscInt at = 0;

      if (PaddedCell(c->dim, start, count, c->ghost, i, cell) > c->width) continue;
      for (int a = 0; a < 3; a++) at = at * g->points[a] + TestWrap(cell[a], g->points[a]);
      sum[at] += Cotangent(r, sample, channel, i);
    }
  }
}

static void CheckReduce(const Case *c, UnrGrid g, UnrHalo halo, const UnrTileShape *shape, void *tile)
{
  PetscInt cells = PaddedCells(c->dim, g->count, c->ghost), cell[3], wrong = 0;
  double *sum;

  for (size_t i = 0; i < shape->numbers; i++)
    Set(shape, tile, i,
        Cotangent(g->rank, (PetscInt)i / c->channels / cells, (PetscInt)i % c->channels,
                  (PetscInt)i / c->channels % cells));
  TEST_CALL(UnrHaloReduce(halo, shape, tile));
  TEST_CALL(PetscMalloc1(g->total, &sum));
  for (PetscInt s = 0; s < c->samples; s++)
    for (PetscInt channel = 0; channel < c->channels; channel++) {
      Expected(c, g, s, channel, sum);
      for (PetscInt i = 0; i < cells; i++) {
        PetscInt outside = PaddedCell(c->dim, g->start, g->count, c->ghost, i, cell), at = 0;
        double expected = outside > c->width ? Cotangent(g->rank, s, channel, i) : 0;

        for (int a = 0; a < 3; a++) at = at * g->points[a] + TestWrap(cell[a], g->points[a]);
        if (outside <= 0) expected = sum[at];
        wrong += Get(shape, tile, (size_t)((s * cells + i) * c->channels + channel)) != expected;
      }
    }
  TEST_CALL(PetscFree(sum));
  cr_expect(wrong == 0, "%dD %dx%dx%d, ghost %d, width %d, blocks %dx%dx%d: %d sums of %zu wrong", c->dim,
            (int)c->points[0], (int)c->points[1], (int)c->points[2], (int)c->ghost, (int)c->width,
            (int)g->blocks[0], (int)g->blocks[1], (int)g->blocks[2], (int)wrong, shape->numbers);
}

/* All cases, on all block shapes of the ranks, in both precisions; integers, so that equality is exact. */
static void ForEach(void (*check)(const Case *, UnrGrid, UnrHalo, const UnrTileShape *, void *))
{
  for (int i = 0; i < CASES; i++) {
    const Case *c = &cases[i];
    UnrLayout layout;

    for (int b = 0; TestShape(b, c->dim, c->points, &layout); b++) {
      UnrGrid g;
      UnrHalo halo;
      UnrTileShape shape;
      double *tile;

      TEST_CALL(UnrGridCreate(&layout, c->dim, c->points, 1, 0, &g));
      TEST_CALL(UnrHaloCreate(g, c->ghost, c->width, &halo));
      for (int p = UNR_SINGLE; p <= UNR_DOUBLE; p++) {
        UnrTileShapeSet(&shape, g, c->samples, c->channels, c->ghost, (UnrPrecision)p);
        TEST_CALL(PetscMalloc1(shape.numbers, &tile));
        check(c, g, halo, &shape, tile);
        TEST_CALL(PetscFree(tile));
      }
      TEST_CALL(UnrHaloDestroy(&halo));
      TEST_CALL(UnrGridDestroy(&g));
    }
  }
}

Test(halo, ghosts_are_their_cells)
{
  ForEach(CheckExchange);
}

Test(halo, transpose_sums_every_ghost)
{
  ForEach(CheckReduce);
}

/*
  <E u, y> = <u, E' y> with normal numbers through the batch forms, a batch of another number of samples after
  it (the buffers are kept), and u's old content kept by the transpose.  Rounding of sums of N products of
  normal numbers: eps sqrt(N) typical; 64 eps N is never passed by a correct one and is far below one lost
  ghost.
*/
Test(halo, load_is_adjoint)
{
  const PetscInt points[3] = {5, 7, 1};
  UnrLayout layout;

  for (int b = 0; TestShape(b, 2, points, &layout); b++) {
    UnrGrid g;
    UnrHalo halo;

    TEST_CALL(UnrGridCreate(&layout, 2, points, 3, 1, &g));
    TEST_CALL(UnrHaloCreate(g, 3, 3, &halo));
    for (PetscInt samples = 3; samples > 0; samples--) {
      UnrTileShape shape;
      UnrBatch u, u_bar, old;
      double *tile, *y, part = 0, left, right, kept;

      UnrTileShapeSet(&shape, g, samples, 3, 3, UNR_DOUBLE);
      TEST_CALL(PetscMalloc2(shape.numbers, &tile, shape.numbers, &y));
      TEST_CALL(UnrBatchCreate(g, samples, &u));
      TEST_CALL(UnrBatchCreate(g, samples, &u_bar));
      TEST_CALL(UnrBatchCreate(g, samples, &old));
      TestFill(u, 0, "u", 0);
      TestFill(old, 0, "old", 0);
      TEST_CALL(UnrBatchCopy(old, u_bar));
      TEST_CALL(UnrHaloLoad(halo, &shape, u, tile));
      for (size_t i = 0; i < shape.numbers; i++) {
        y[i] = UnrRngNormal((UnrRng){11, (uint64_t)g->rank}, i);
        part += tile[i] * y[i];
      }
      left = TestSum(part);
      TEST_CALL(UnrHaloLoadTranspose(halo, &shape, y, u_bar));
      TEST_CALL(UnrBatchDot(u, u_bar, &right));
      TEST_CALL(UnrBatchDot(u, old, &kept));
      cr_expect(fabs(left + kept - right) < 64 * PETSC_MACHINE_EPSILON * TestSum((double)shape.numbers),
                "%.17g instead of %.17g", right, left + kept);
      TEST_CALL(UnrBatchDestroy(&u));
      TEST_CALL(UnrBatchDestroy(&u_bar));
      TEST_CALL(UnrBatchDestroy(&old));
      TEST_CALL(PetscFree2(tile, y));
    }
    TEST_CALL(UnrHaloDestroy(&halo));
    TEST_CALL(UnrGridDestroy(&g));
  }
}

/* Numbers whose sums round: the order of adding is fixed, so the bits are, whichever message comes first. */
Test(halo, transpose_has_fixed_bits)
{
  const PetscInt points[3] = {5, 6, 1};
  UnrLayout layout;
  UnrGrid g;
  UnrHalo halo;
  UnrTileShape shape;
  float *tile, *again;

  TestShape(1, 2, points, &layout);
  if (TestRanks() == 1) TestShape(0, 2, points, &layout);
  TEST_CALL(UnrGridCreate(&layout, 2, points, 1, 0, &g));
  TEST_CALL(UnrHaloCreate(g, 6, 6, &halo));
  UnrTileShapeSet(&shape, g, 2, 3, 6, UNR_SINGLE);
  TEST_CALL(PetscMalloc2(shape.numbers, &tile, shape.numbers, &again));
  for (int round = 0; round < 20; round++) {
    float *to = round ? again : tile;

    for (size_t i = 0; i < shape.numbers; i++)
      to[i] = (float)UnrRngNormal((UnrRng){12, (uint64_t)g->rank}, i);
    if (round % g->size == g->rank) TEST_CALL(PetscSleep(0.002)); /* another rank is late each time */
    TEST_CALL(UnrHaloReduce(halo, &shape, to));
    if (round) cr_expect(memcmp(tile, again, shape.numbers * sizeof(float)) == 0, "round %d", round);
  }
  TEST_CALL(PetscFree2(tile, again));
  TEST_CALL(UnrHaloDestroy(&halo));
  TEST_CALL(UnrGridDestroy(&g));
}
