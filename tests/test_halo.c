/* Every ghost against the value of the cell that its boundary kinds name, and the transpose against every
 * ghost that copies a cell. */
#include "halo_case.h"

static void CheckExchange(const Case *c, UnrGrid g, UnrHalo halo, const UnrTileShape *shape, void *tile)
{
  PetscInt cells = PaddedCells(c->dim, g->count, c->ghost), cell[3], source[3], wrong = 0;
  Line line[3];

  for (int a = 0; a < c->dim; a++) LineMake(g, a, &line[a]);
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

    int sign = Source(g, line, cell, source);

    wrong += Get(shape, tile, i) != (outside > c->width ? unset : sign * TestInteger(g, source, s, channel));
  }
  cr_expect(wrong == 0, "%s: %d ghosts of %zu wrong", CaseText(c, g), (int)wrong, shape->numbers);
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
  Line line[3];

  for (int a = 0; a < c->dim; a++) LineMake(g, a, &line[a]);
  for (PetscInt i = 0; i < g->total; i++) sum[i] = 0;
  for (int r = 0; r < g->size; r++) {
    PetscInt place[3] = {r / (int)(g->blocks[1] * g->blocks[2]), r / (int)g->blocks[2] % (int)g->blocks[1],
                         r % (int)g->blocks[2]};
    PetscInt start[3], count[3], cell[3], source[3];

    for (int a = 0; a < 3; a++) {
      start[a] = g->starts[a][place[a]];
      count[a] = g->starts[a][place[a] + 1] - start[a];
    }
    for (PetscInt i = 0; i < PaddedCells(c->dim, count, c->ghost); i++) {
      PetscInt at = 0;
      int sign;

      if (PaddedCell(c->dim, start, count, c->ghost, i, cell) > c->width) continue;
      sign = Source(g, line, cell, source);
      for (int a = 0; a < 3; a++) at = at * g->points[a] + source[a];
      sum[at] += sign * Cotangent(r, sample, channel, i);
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

        for (int a = 0; a < 3; a++) at = at * g->points[a] + cell[a];
        if (outside <= 0) expected = sum[at];
        wrong += Get(shape, tile, (size_t)((s * cells + i) * c->channels + channel)) != expected;
      }
    }
  TEST_CALL(PetscFree(sum));
  cr_expect(wrong == 0, "%s: %d sums of %zu wrong", CaseText(c, g), (int)wrong, shape->numbers);
}

/* All cases, on all block shapes of the ranks, with all kinds of boundaries (a third of the
   pairs where there are several axes), in both precisions; integers, so
   that equality is exact. */
static void ForEach(void (*check)(const Case *, UnrGrid, UnrHalo, const UnrTileShape *, void *))
{
  for (int i = 0; i < CASES; i++) {
    const Case *c = &cases[i];
    UnrLayout layout;

    for (int b = 0; TestShape(b, c->dim, c->points, &layout); b++)
      for (int q = c->dim > 1 ? i % 3 : 0; q<PAIRS; q += c->dim> 1 ? 3 : 1) {
        UnrGrid g;
        UnrHalo halo;
        UnrTileShape shape;
        double *tile;

        TEST_CALL(UnrGridCreate(&layout, c->dim, c->points, 1, 0, &g));
        SetKinds(g, q);
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

/* Is the cell one that a local halo fills: beyond the block along an axis of one block, or beyond the domain?
 */
static bool IsLocal(UnrGrid g, const PetscInt cell[])
{
  for (int a = 0; a < g->dim; a++) {
    const bool is_outside = cell[a] < 0 || cell[a] >= g->points[a];

    if (is_outside && (g->blocks[a] == 1 || g->boundary[a][0] != UNR_BOUNDARY_PERIODIC)) return true;
  }
  return false;
}

/*
  A local halo restores what an exchange left in its ghosts, and nothing else; and <L x, y> = <x, L' y> on
  every rank, with x's local ghosts of no account.
*/
static void CheckLocal(const Case *c, UnrGrid g, UnrHalo halo, const UnrTileShape *shape, void *tile)
{
  const PetscInt ghost[3] = {c->ghost, c->ghost, c->ghost}, width[3] = {c->width, c->width, c->width};
  const PetscInt cells = PaddedCells(c->dim, g->count, c->ghost), block = shape->channels * cells;
  PetscInt cell[3], wrong = 0, filled = 0;
  double *truth, *y, left = 0, right = 0;
  UnrHalo local;

  TEST_CALL(UnrHaloCreateLocal(g, ghost, width, &local));
  TEST_CALL(PetscMalloc2(shape->numbers, &truth, shape->numbers, &y));
  for (size_t i = 0; i < shape->numbers; i++)
    Set(shape, tile, i,
        Cotangent(g->rank, (PetscInt)i / block, (PetscInt)i % c->channels,
                  (PetscInt)i % block / c->channels));
  TEST_CALL(UnrHaloExchange(halo, shape, tile));
  for (size_t i = 0; i < shape->numbers; i++) {
    truth[i] = Get(shape, tile, i);
    if (PaddedCell(c->dim, g->start, g->count, c->ghost, (PetscInt)i / c->channels % cells, cell) >
            c->width ||
        !IsLocal(g, cell))
      continue;
    Set(shape, tile, i, unset);
    filled++;
  }
  cr_expect((filled == 0) == UnrHaloIsEmpty(local));
  TEST_CALL(UnrHaloExchange(local, shape, tile));
  for (size_t i = 0; i < shape->numbers; i++) {
    wrong += Get(shape, tile, i) != truth[i];
    y[i] = floor(21 * UnrRngUniform((UnrRng){13, (uint64_t)g->rank}, i)) - 10;
    left += truth[i] * y[i];
    Set(shape, tile, i, y[i]);
  }
  TEST_CALL(UnrHaloReduce(local, shape, tile));
  for (size_t i = 0; i < shape->numbers; i++) {
    PetscInt outside =
        PaddedCell(c->dim, g->start, g->count, c->ghost, (PetscInt)i / c->channels % cells, cell);
    bool is_filled = outside <= c->width && IsLocal(g, cell);

    right += is_filled ? 0 : truth[i] * Get(shape, tile, i);
    wrong += is_filled && Get(shape, tile, i) != 0;
  }
  cr_expect(wrong == 0 && left == right, "%s: %d of %zu wrong; %g, %g", CaseText(c, g), (int)wrong,
            shape->numbers, left, right);
  TEST_CALL(PetscFree2(truth, y));
  TEST_CALL(UnrHaloDestroy(&local));
}

Test(halo, local_fills_its_own)
{
  ForEach(CheckLocal);
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
    SetKinds(g, b + 8);
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
  TEST_CALL(UnrGridSetBoundary(g, 1, UNR_BOUNDARY_WALL_REFLECTED, UNR_BOUNDARY_OUTFLOW));
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

/* One periodic side alone, and an axis that is none, are refused. */
Test(halo, refuses_half_periodic)
{
  const PetscInt points[3] = {12, 1, 1};
  UnrLayout layout;
  UnrGrid g;

  TestShape(0, 1, points, &layout);
  TEST_CALL(UnrGridCreate(&layout, 1, points, 1, 0, &g));
  TEST_CALL(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  cr_expect(UnrGridSetBoundary(g, 0, UNR_BOUNDARY_PERIODIC, UNR_BOUNDARY_OUTFLOW) ==
            PETSC_ERR_ARG_OUTOFRANGE);
  cr_expect(UnrGridSetBoundary(g, 1, UNR_BOUNDARY_OUTFLOW, UNR_BOUNDARY_OUTFLOW) == PETSC_ERR_ARG_OUTOFRANGE);
  TEST_CALL(PetscPopErrorHandler());
  cr_expect(UnrGridIsPeriodic(g));
  TEST_CALL(UnrGridSetBoundary(g, 0, UNR_BOUNDARY_WALL_ZERO, UNR_BOUNDARY_OUTFLOW));
  cr_expect(!UnrGridIsPeriodic(g));
  TEST_CALL(UnrGridDestroy(&g));
}
