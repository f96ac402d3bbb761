/* Layout: what is chosen and what is refused, by name, on the ranks there are. */
#include <string.h>

#include "core/layout.h"
#include "support.h"

static const UnrNeeds whole = {.split = {false, false, false},
                               .who = {"the transform", "the transform", "the transform"},
                               .multiple = 1};
static const UnrNeeds only_y = {
    .split = {false, true, false}, .who = {"the sweep", NULL, "the sweep"}, .multiple = 1};

/* Makes the layout, compares replicas and blocks, and the communicators with them. */
static void Expect(PetscInt samples, int dim, const PetscInt points[], const UnrNeeds *needs, int replicas,
                   PetscInt bx, PetscInt by, PetscInt bz)
{
  UnrLayout layout;
  int size, rank, world;
  PetscInt first, count, seen = 0;

  TEST_CALL(UnrLayoutCreate(PETSC_COMM_WORLD, samples, dim, points, needs, &layout));
  cr_expect(layout.replicas == replicas && layout.blocks[0] == bx && layout.blocks[1] == by &&
                layout.blocks[2] == bz,
            "%d replicas x %dx%dx%d", layout.replicas, (int)layout.blocks[0], (int)layout.blocks[1],
            (int)layout.blocks[2]);
  MPI_Comm_size(layout.grid, &size);
  MPI_Comm_rank(layout.grid, &rank);
  MPI_Comm_rank(PETSC_COMM_WORLD, &world);
  cr_expect(size == bx * by * bz && size * replicas == TestRanks());
  cr_expect(world == layout.replica * size + rank, "neighbouring ranks share a grid, in order");
  UnrLayoutShare(&layout, samples, &first, &count);
  for (int r = 0; r < replicas; r++) {
    UnrLayout other = {.replicas = replicas, .replica = r};
    PetscInt f, c;
    UnrLayoutShare(&other, samples, &f, &c);
    cr_expect(f == seen && c >= samples / replicas && c <= samples / replicas + 1);
    if (r == layout.replica) cr_expect(f == first && c == count);
    seen += c;
  }
  cr_expect(seen == samples);
  TEST_CALL(UnrLayoutDestroy(&layout));
}

static void Refuse(PetscInt samples, int dim, const PetscInt points[], const UnrNeeds *needs,
                   const char *says)
{
  UnrLayout layout;

  TEST_REFUSES(UnrLayoutCreate(PETSC_COMM_WORLD, samples, dim, points, needs, &layout), says);
}

static const PetscInt line[] = {48, 1, 1}, plane[] = {64, 32, 1}, tall[] = {32, 64, 1}, box[] = {12, 24, 48};

Test(layout, replicas_first)
{
  const int n = TestRanks();

  Expect(16, 1, line, &UnrNeedsNone, n, 1, 1, 1);
  Expect(16, 1, line, &whole, n, 1, 1, 1);
  Expect(1, 1, line, &UnrNeedsNone, 1, n, 1, 1);
  Expect(3, 2, plane, &UnrNeedsNone, n == 4 ? 2 : n, n == 4 ? 2 : 1, 1, 1);
  Expect(2, 2, plane, &UnrNeedsNone, n == 1 || n == 3 ? 1 : 2, n == 3 ? 3 : n == 4 ? 2 : 1, 1, 1);
}

/* The longest axis is cut: the least surface. */
Test(layout, least_surface)
{
  const int n = TestRanks();

  Expect(1, 2, plane, &UnrNeedsNone, 1, n, 1, 1);
  Expect(1, 2, tall, &UnrNeedsNone, 1, 1, n, 1);
  Expect(1, 3, box, &UnrNeedsNone, 1, 1, 1, n);
  Expect(1, 2, plane, &only_y, 1, 1, n, 1);
}

Test(layout, multiple_and_stencil)
{
  const int n = TestRanks();
  const UnrNeeds levels = {.split = {true, true, true}, .multiple = 4},
                 wide = {.split = {true, true, true}, .stencil = 6, .multiple = 1};
  const PetscInt uneven[] = {24, 16, 1}, narrow[] = {12, 40, 1}, tiny[] = {18, 1, 1};

  /* 24 points make 1, 2, 3 blocks of a multiple of four, 16 make 1, 2, 4. */
  Expect(1, 2, uneven, &levels, 1, n == 4 ? 2 : n, n == 4 ? 2 : 1, 1);
  Expect(1, 2, narrow, &wide, 1, 1, n, 1);
  /* 18 points make three blocks of six, no four. */
  if (n < 4)
    Expect(1, 1, tiny, &wide, 1, n, 1, 1);
  else
    Refuse(1, 1, tiny, &wide, "18 points along x make no 4 blocks of at least 6");
}

Test(layout, options)
{
  const int n = TestRanks();

  TestOptionsSet("-layout_replicas 1");
  Expect(16, 2, plane, &UnrNeedsNone, 1, n, 1, 1);
  TestOptionsSet("-layout_replicas 5");
  Refuse(16, 2, plane, &UnrNeedsNone, "-layout_replicas does not divide the ranks (5)");
  Refuse(4, 2, plane, &UnrNeedsNone, "-layout_replicas leaves replicas without samples (5)");
  TestOptionsUnset("-layout_replicas");
  if (n == 4) {
    TestOptionsSet("-layout_grid 1,2");
    Expect(16, 2, plane, &UnrNeedsNone, 2, 1, 2, 1);
    TestOptionsSet("-layout_grid 2,2");
    Expect(16, 2, plane, &UnrNeedsNone, 1, 2, 2, 1);
    Refuse(16, 2, plane, &only_y, "the sweep keeps axis x whole");
    TestOptionsSet("-layout_grid 1,2 -layout_replicas 1");
    Refuse(16, 2, plane, &UnrNeedsNone, "do not use all ranks");
    TestOptionsUnset("-layout_replicas");
    TestOptionsSet("-layout_grid 1,1,2");
    Refuse(16, 2, plane, &UnrNeedsNone, "-layout_grid does not suit");
  }
  TestOptionsSet("-layout_grid 5");
  Refuse(16, 2, plane, &UnrNeedsNone, "-layout_grid does not suit");
  TestOptionsUnset("-layout_grid");
}

/* A refusal says who forbids it and what would work here. */
Test(layout, refusals_by_name)
{
  if (TestRanks() == 1)
    Expect(1, 2, plane, &whole, 1, 1, 1, 1);
  else {
    Refuse(1, 2, plane, &whole, "no layout: the transform keeps axis");
    Refuse(1, 2, plane, &whole, "allowed: 1 ranks, or more samples a batch; try: mpiexec -n 1");
  }
  if (TestRanks() == 4) {
    Refuse(3, 2, plane, &whole, "allowed: 3, 2, 1 ranks, or more samples a batch; try: mpiexec -n 3");
    TestOptionsSet("-layout_replicas 2");
    Refuse(16, 2, plane, &whole, "allowed: 4, 3, 2, 1 ranks, or -layout_replicas 4; try: -layout_replicas 4");
    TestOptionsUnset("-layout_replicas");
  }
}

Test(layout, needs_merge)
{
  UnrNeeds needs = UnrNeedsNone;

  UnrNeedsMerge(&needs, &only_y);
  UnrNeedsMerge(
      &needs,
      &(UnrNeeds){.split = {true, false, true}, .who = {NULL, "the net", NULL}, .stencil = 3, .multiple = 4});
  UnrNeedsMerge(&needs, &(UnrNeeds){.split = {true, true, true}, .stencil = 2, .multiple = 6});
  cr_expect(!needs.split[0] && !needs.split[1] && !needs.split[2] && needs.stencil == 3 &&
            needs.multiple == 12);
  cr_expect(!strcmp(needs.who[0], "the sweep") && !strcmp(needs.who[1], "the net"),
            "the first to forbid is named");
}

Test(layout, text_and_self)
{
  UnrLayout layout;
  char text[64];

  TEST_CALL(UnrLayoutCreateSelf(&layout));
  TEST_CALL(UnrLayoutText(&layout, text, sizeof(text)));
  cr_expect(!strcmp(text, "1 rank = 1 replica x grid 1"), "%s", text);
  TEST_CALL(UnrLayoutDestroy(&layout));
  TEST_CALL(UnrLayoutText(&(UnrLayout){.size = 4, .replicas = 2, .dim = 2, .blocks = {2, 1, 1}}, text,
                          sizeof(text)));
  cr_expect(!strcmp(text, "4 ranks = 2 replicas x grid 2x1"), "%s", text);
}
