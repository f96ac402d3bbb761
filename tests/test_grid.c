/* Grids own what DMDA owns, in our numbering; batches and their Vecs are the same memory. */
#include "support_field.h"

static const struct {
  int dim;
  PetscInt points[3];
} shapes[] = {{1, {7, 1, 1}},  {1, {48, 1, 1}}, {2, {7, 5, 1}},
              {2, {4, 11, 1}}, {3, {5, 4, 7}},  {3, {4, 4, 4}}};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

/* The blocks tile the grid without overlap, each cell in the block that rank and `starts` say. */
Test(grid, ownership)
{
  for (int s = 0; s < SHAPES; s++) {
    UnrLayout layout;

    for (int i = 0; TestShape(i, shapes[s].dim, shapes[s].points, &layout); i++) {
      UnrGrid g;
      PetscInt from[3], count[3], place[3];

      TEST_CALL(UnrGridCreate(&layout, shapes[s].dim, shapes[s].points, 2, 1, &g));
      place[0] = g->rank / (g->blocks[1] * g->blocks[2]);
      place[1] = g->rank / g->blocks[2] % g->blocks[1];
      place[2] = g->rank % g->blocks[2];
      TEST_CALL(DMDAGetCorners(g->da, &from[0], &from[1], &from[2], &count[0], &count[1], &count[2]));
      for (int a = 0; a < 3; a++) {
        PetscInt longest = (g->points[a] + g->blocks[a] - 1) / g->blocks[a];

        cr_expect(g->starts[a][0] == 0 && g->starts[a][g->blocks[a]] == g->points[a]);
        cr_expect(g->start[a] == g->starts[a][place[a]]);
        cr_expect(g->start[a] + g->count[a] == g->starts[a][place[a] + 1]);
        cr_expect(g->count[a] == longest || g->count[a] == longest - 1);
        if (a < g->dim)
          cr_expect(from[g->dim - 1 - a] == g->start[a] && count[g->dim - 1 - a] == g->count[a]);
      }
      cr_expect(g->local == g->count[0] * g->count[1] * g->count[2]);
      cr_expect(TestSum((double)g->local) == (double)g->total);
      TEST_CALL(UnrGridDestroy(&g));
      cr_expect(g == NULL);
    }
  }
}

/* A DMDA's own ghosted array, made from a batch's Vec, has our cells where we say they are. */
Test(grid, vec_is_dmda_global)
{
  const PetscInt points[3] = {5, 6, 4};
  UnrLayout layout;

  for (int i = 0; TestShape(i, 3, points, &layout); i++) {
    UnrGrid g;
    UnrBatch b;
    Vec ghosted;
    double ****x;

    TEST_CALL(UnrGridCreate(&layout, 3, points, 2, 1, &g));
    TEST_CALL(UnrBatchCreate(g, 2, &b));
    for (PetscInt c = 0; c < g->local; c++) {
      PetscInt cell[3];

      TestCell(g, c, cell);
      for (PetscInt v = 0; v < 2; v++) b->data[b->stride + (size_t)(c * 2 + v)] = TestInteger(g, cell, 1, v);
    }
    TEST_CALL(DMGetLocalVector(g->da, &ghosted));
    TEST_CALL(DMGlobalToLocal(g->da, b->vec[1], INSERT_VALUES, ghosted));
    TEST_CALL(DMDAVecGetArrayDOFRead(g->da, ghosted, &x));
    for (PetscInt k = g->start[0] - 1; k <= g->start[0] + g->count[0]; k++)
      for (PetscInt j = g->start[1] - 1; j <= g->start[1] + g->count[1]; j++)
        for (PetscInt l = g->start[2] - 1; l <= g->start[2] + g->count[2]; l++)
          for (PetscInt v = 0; v < 2; v++) {
            const PetscInt cell[3] = {k, j, l};

            cr_expect(x[k][j][l][v] == TestInteger(g, cell, 1, v));
          }
    TEST_CALL(DMDAVecRestoreArrayDOFRead(g->da, ghosted, &x));
    TEST_CALL(DMRestoreLocalVector(g->da, &ghosted));
    TEST_CALL(UnrBatchDestroy(&b));
    TEST_CALL(UnrGridDestroy(&g));
  }
}

/* dot, axpy, copy, zero against sums over all cells by one rank; integers, so that every sum is exact. */
Test(grid, batch_arithmetic)
{
  const PetscInt points[3] = {7, 5, 1};
  UnrLayout layout;

  TestShape(0, 2, points, &layout);
  for (PetscInt samples = 0; samples < 4; samples++) {
    UnrGrid g;
    UnrBatch x, y;
    double dot, expected = 0, petsc = 0, *all;

    TEST_CALL(UnrGridCreate(&layout, 2, points, 3, 1, &g));
    TEST_CALL(UnrBatchCreate(g, samples, &x));
    TEST_CALL(UnrBatchCreate(g, samples, &y));
    for (PetscInt s = 0; s < samples; s++) {
      for (PetscInt c = 0; c < g->local * 3; c++) {
        PetscInt cell[3];

        TestCell(g, c / 3, cell);
        x->data[(size_t)s * x->stride + (size_t)c] = TestInteger(g, cell, s, c % 3);
        y->data[(size_t)s * y->stride + (size_t)c] = TestInteger(g, cell, s, 10 + c % 3);
      }
      for (PetscInt i = 0; i < 7 * 5 * 3; i++) {
        const PetscInt cell[3] = {i / 15, i / 3 % 5, 0};

        expected += TestInteger(g, cell, s, i % 3) *
                    (TestInteger(g, cell, s, 10 + i % 3) + 3 * TestInteger(g, cell, s, i % 3));
      }
    }
    TEST_CALL(UnrBatchAXPY(y, 3, x));
    TEST_CALL(UnrBatchDot(x, y, &dot));
    cr_expect(dot == expected, "%g instead of %g", dot, expected);
    for (PetscInt s = 0; s < samples; s++) {
      double part;

      TEST_CALL(VecDot(x->vec[s], y->vec[s], &part));
      petsc += part;
    }
    cr_expect(petsc == expected);
    TEST_CALL(UnrBatchCopy(x, y));
    TEST_CALL(UnrBatchAXPY(y, -1, x));
    TEST_CALL(UnrBatchDot(y, y, &dot));
    cr_expect(dot == 0);
    TEST_CALL(UnrBatchZero(x));
    for (size_t i = 0; i < (size_t)samples * x->stride; i++) cr_expect(x->data[i] == 0);
    TestFill(x, 0, "dot", 0);
    TEST_CALL(UnrBatchDot(x, x, &dot));
    TEST_CALL(PetscMalloc1(g->size, &all));
    cr_expect(MPI_Allgather(&dot, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, PETSC_COMM_WORLD) == MPI_SUCCESS);
    for (int r = 0; r < g->size; r++) cr_expect(all[r] == dot, "rank %d has other bits", r);
    TEST_CALL(PetscFree(all));
    TEST_CALL(UnrBatchDestroy(&x));
    TEST_CALL(UnrBatchDestroy(&y));
    TEST_CALL(UnrGridDestroy(&g));
  }
}

Test(grid, points_option)
{
  int dim;
  PetscInt points[3];

  UnrUserErrorClear();
  TEST_CALL(UnrOptionsRegister("grid", UnrGridOptions, NULL));
  TEST_CALL(UnrGridPointsGet(&dim, points));
  cr_expect(dim == 0);
  TEST_CALL(PetscOptionsSetValue(NULL, "-grid_points", "6,10"));
  TEST_CALL(UnrGridPointsGet(&dim, points));
  cr_expect(dim == 2 && points[0] == 6 && points[1] == 10 && points[2] == 1);
  TEST_CALL(PetscOptionsSetValue(NULL, "-grid_points", "65536,65536"));
  TEST_CALL(UnrErrorHandlerPush());
  cr_expect(UnrGridPointsGet(&dim, points) == UNR_ERR_USER);
  cr_expect(strstr(UnrUserErrorMessage(), "--with-64-bit-indices"), "said: %s", UnrUserErrorMessage());
  TEST_CALL(PetscPopErrorHandler());
  UnrUserErrorClear();
  TEST_CALL(PetscOptionsClearValue(NULL, "-grid_points"));
}

/* What PetscInt cannot count is refused before anything is allocated. */
Test(grid, too_many_numbers)
{
  const PetscInt points[3] = {65536, 16384, 1};
  UnrLayout layout = TestLayout(TestRanks(), 1, 1);
  UnrGrid g = NULL;
  PetscErrorCode code;

  if (sizeof(PetscInt) > 4) cr_skip_test("64-bit indices");
  TEST_CALL(PetscPushErrorHandler(PetscIgnoreErrorHandler, NULL));
  code = UnrGridCreate(&layout, 2, points, 2, 1, &g);
  TEST_CALL(PetscPopErrorHandler());
  cr_expect(code == PETSC_ERR_ARG_OUTOFRANGE, "code %d", (int)code);
}
