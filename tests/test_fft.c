/* The transform against a direct sum over all cells, and the identities that solvers and their adjoints rest
 * on. */
#include "support_field.h"
#include "field/fft.h"

/* x is long enough for 4 ranks; odd and even lengths on every axis, never two alike; {5, 2}: 3 and 4 ranks, 2
 * modes to share, 1 where dealiased.  {70, 66}, {9, 40, 90}: several blocks of rows and columns, the last not
 * full. */
static const struct {
  int dim;
  PetscInt points[3], samples, components;
} cases[] = {
    {1, {8, 1, 1}, 3, 1},   {1, {7, 1, 1}, 5, 2},   {1, {12, 1, 1}, 1, 1}, {1, {4, 1, 1}, 4, 3},
    {2, {6, 5, 1}, 2, 1},   {2, {5, 6, 1}, 1, 2},   {2, {5, 2, 1}, 2, 1},  {2, {37, 30, 1}, 1, 2},
    {3, {4, 3, 6}, 2, 1},   {3, {5, 4, 7}, 1, 3},   {3, {7, 6, 4}, 1, 1},  {3, {6, 1, 2}, 1, 2},
    {2, {70, 66, 1}, 2, 1}, {3, {9, 40, 90}, 1, 1},
};
/* Every case twice: all modes, and dealiased. */
enum { CASES = sizeof cases / sizeof cases[0], RUNS = 2 * CASES };

/* One run on the world split along x, with its work layout. */
typedef struct {
  UnrGrid g;
  UnrFFT fft;
  UnrBatch u, w;
  PetscInt first, fields, numbers; /* of the share: samples x components; modes of all its fields */
  double *work;
  UnrComplex *modes, *other;
} Setup;

static Setup SetupMake(int run)
{
  const int i = run % CASES;
  UnrLayout layout = TestLayout(TestRanks(), 1, 1);
  Setup t;
  PetscInt count;

  TEST_CALL(UnrGridCreate(&layout, cases[i].dim, cases[i].points, cases[i].components, 0, &t.g));
  TEST_CALL(UnrFFTCreate(t.g, run >= CASES, &t.fft));
  TEST_CALL(UnrBatchCreate(t.g, cases[i].samples, &t.u));
  TEST_CALL(UnrBatchCreate(t.g, cases[i].samples, &t.w));
  TestFill(t.u, 0, "u", (uint64_t)i);
  TestFill(t.w, 0, "w", (uint64_t)i);
  UnrFFTShare(t.fft, cases[i].samples, &t.first, &count);
  t.fields = count * cases[i].components;
  t.numbers = t.fields * t.fft->modes;
  TEST_CALL(PetscMalloc3(t.fields * t.fft->cells + 1, &t.work, t.numbers, &t.modes, t.numbers, &t.other));
  return t;
}

static void SetupDestroy(Setup *t)
{
  TEST_CALL(PetscFree3(t->work, t->modes, t->other));
  TEST_CALL(UnrBatchDestroy(&t->u));
  TEST_CALL(UnrBatchDestroy(&t->w));
  TEST_CALL(UnrFFTDestroy(&t->fft));
  TEST_CALL(UnrGridDestroy(&t->g));
}

static void Forward(Setup *t, UnrBatch u, UnrComplex *modes)
{
  TEST_CALL(UnrFFTLoad(t->fft, u, t->work));
  TEST_CALL(UnrFFTForward(t->fft, t->fields, t->work, modes));
}

static void Backward(Setup *t, const UnrComplex *modes, UnrBatch u)
{
  TEST_CALL(UnrFFTBackward(t->fft, t->fields, modes, t->work));
  TEST_CALL(UnrFFTStore(t->fft, t->work, u, INSERT_VALUES));
}

/* What TestFill gave cell i of the whole grid. */
static double Value(UnrGrid g, int number, PetscInt sample, PetscInt component, PetscInt i)
{
  return UnrRngNormal((UnrRng){20240217, UnrRngStream("u", (uint64_t)number, (uint64_t)sample)},
                      (uint64_t)(i * g->components + component));
}

/* sum over all cells of u exp(-2 pi i k.x / n), for the wavenumber of mode m. */
static UnrComplex DirectMode(UnrFFT fft, int number, PetscInt sample, PetscInt component, PetscInt m)
{
  const PetscInt *n = fft->grid->points;
  UnrComplex sum = 0;

  for (PetscInt i = 0; i < fft->grid->total; i++) {
    double turns = fft->k[0][m] * (double)(i / (n[1] * n[2])) / (double)n[0] +
                   fft->k[1][m] * (double)(i / n[2] % n[1]) / (double)n[1] +
                   fft->k[2][m] * (double)(i % n[2]) / (double)n[2];

    sum += Value(fft->grid, number, sample, component, i) * cexp(-2 * PETSC_PI * I * turns);
  }
  return sum;
}

/*
  Rounding: the direct sum of N terms of size 1 with phases of up to 50 turns errs by less than 500 eps N; a
  wrong mode errs by sqrt(N).
*/
Test(fft, forward_is_the_direct_sum)
{
  for (int i = 0; i < RUNS; i++) {
    Setup t = SetupMake(i);
    double worst = 0;

    Forward(&t, t.u, t.modes);
    for (PetscInt f = 0; f < t.fields; f++)
      for (PetscInt m = 0; m<t.fft->modes; m += t.g->total> 5000 ? 211 : 1) { /* a slow sum */
        UnrComplex direct =
            DirectMode(t.fft, i % CASES, t.first + f / t.g->components, f % t.g->components, m);

        worst = TestMost(worst, cabs(t.modes[f * t.fft->modes + m] - direct));
      }
    cr_expect(worst < 500 * PETSC_MACHINE_EPSILON * (double)t.g->total, "case %d: %g", i, worst);
    SetupDestroy(&t);
  }
}

/* Index of wavenumber k in an array of all points. */
static PetscInt PointOf(const PetscInt n[3], const PetscInt k[3])
{
  return (TestWrap(k[0], n[0]) * n[1] + TestWrap(k[1], n[1])) * n[2] + TestWrap(k[2], n[2]);
}

/* The next k of all with -n_a / 2 <= k_a <= n_a / 2; false after the last. */
static bool NextWavenumber(const PetscInt n[3], PetscInt k[3])
{
  for (int a = 2; a >= 0; a--) {
    if (k[a] < n[a] / 2) {
      k[a]++;
      return true;
    }
    k[a] = -(n[a] / 2);
  }
  return false;
}

/* Is k to be stored: in the half spectrum, within two thirds where dealiased?  3 |k| < n is the rule. */
static bool IsStored(UnrFFT fft, const PetscInt k[3])
{
  const PetscInt *n = fft->grid->points;
  const int last = fft->grid->dim - 1;

  for (int a = 0; a < 3; a++)
    if (fft->is_dealiased && 3 * PetscAbsInt(k[a]) >= n[a]) return false;
  return k[last] >= 0 || -2 * k[last] == n[last];
}

/* The modes of all ranks are the half spectrum, each once: a sum of weights, and every index counted. */
Test(fft, modes_are_the_half_spectrum)
{
  for (int i = 0; i < RUNS; i++) {
    Setup t = SetupMake(i);
    const PetscInt *n = t.g->points;
    PetscInt k[3] = {-(n[0] / 2), -(n[1] / 2), -(n[2] / 2)}, kept = 1;
    int last = t.g->dim - 1, *seen, *all;
    double weight = 0;

    TEST_CALL(PetscCalloc2(t.g->total, &seen, t.g->total, &all));
    for (PetscInt m = 0; m < t.fft->modes; m++) {
      PetscInt at[3];

      for (int a = 0; a < 3; a++) {
        double ka = t.fft->k[a][m];

        cr_expect(fabs(ka) <= (double)t.fft->cut[a]);
        cr_expect(t.fft->k_odd[a][m] == (fabs(2 * ka) == (double)n[a] ? 0 : ka));
        at[a] = (PetscInt)ka;
      }
      cr_expect(t.fft->k[last][m] >= 0);
      cr_expect(t.fft->weight[m] ==
                (t.fft->k[last][m] == 0 || 2 * t.fft->k[last][m] == (double)n[last] ? 1 : 2));
      seen[PointOf(n, at)]++;
      weight += t.fft->weight[m];
    }
    for (int a = 0; a < 3; a++) kept *= PetscMin(2 * t.fft->cut[a] + 1, n[a]);
    cr_expect((t.g->dim == 1 ? weight : TestSum(weight)) == (double)kept, "case %d: %g of %d", i, weight,
              (int)kept);
    cr_expect(MPI_Allreduce(seen, all, (int)t.g->total, MPI_INT, MPI_SUM, PETSC_COMM_WORLD) == MPI_SUCCESS);
    do {
      const int copies = IsStored(t.fft, k) ? (t.g->dim == 1 ? t.g->size : 1) : 0;
      const PetscInt at = PointOf(n, k);

      if (copies) cr_expect(all[at] == copies, "case %d, mode %d: %d", i, (int)at, all[at]);
      if (copies) all[at] = 0; /* Nyquist's is met from both sides */
      if (copies)
        for (int a = 0; a < 3; a++)
          if (2 * PetscAbsInt(k[a]) == n[a]) all[at] = copies;
    } while (NextWavenumber(n, k));
    TEST_CALL(PetscFree2(seen, all));
    SetupDestroy(&t);
  }
}

/* Every wavenumber is found where it is stored, its conjugate there too, and nowhere if it is cut. */
Test(fft, locate)
{
  for (int i = 0; i < RUNS; i++) {
    Setup t = SetupMake(i);
    const PetscInt *n = t.g->points;
    PetscInt k[3] = {-(n[0] / 2), -(n[1] / 2), -(n[2] / 2)};

    do {
      const PetscInt minus[3] = {-k[0], -k[1], -k[2]};
      const PetscInt *stored = IsStored(t.fft, k) ? k : minus;
      const bool is_stored = IsStored(t.fft, stored);
      PetscInt mode;
      int rank;

      UnrFFTLocate(t.fft, k, &rank, &mode);
      cr_expect((rank >= 0) == is_stored && rank < t.g->size, "case %d, k %d %d %d: rank %d", i, (int)k[0],
                (int)k[1], (int)k[2], rank);
      if (t.g->dim == 1 && is_stored) cr_expect(rank == t.g->rank);
      if (rank != t.g->rank) continue;
      cr_expect(mode >= 0 && mode < t.fft->modes, "case %d: mode %d", i, (int)mode);
      for (int a = 0; a < 3 && mode >= 0 && mode < t.fft->modes; a++)
        cr_expect(TestWrap((PetscInt)t.fft->k[a][mode], n[a]) == TestWrap(stored[a], n[a]),
                  "case %d, k %d %d %d: k[%d] is %g", i, (int)k[0], (int)k[1], (int)k[2], a,
                  t.fft->k[a][mode]);
    } while (NextWavenumber(n, k));
    SetupDestroy(&t);
  }
}

/*
  Dealiased forward: the full transform's modes within two thirds.  Dealiased backward: the full transform's
  fields of these modes and zeros.  The same arithmetic in another order: 100 eps of the largest mode, and of
  fields of size 1.
*/
Test(fft, dealiased_is_the_full_transform_with_a_mask)
{
  for (int i = 0; i < CASES; i++) {
    Setup full = SetupMake(i), kept = SetupMake(i + CASES);
    double worst = 0, largest = 1, *work;

    Forward(&full, full.u, full.modes);
    Forward(&kept, kept.u, kept.modes);
    TEST_CALL(PetscArrayzero(full.other, full.numbers));
    for (PetscInt f = 0; f < full.fields; f++) {
      for (PetscInt m = 0; m < full.fft->modes; m++) {
        const PetscInt k[3] = {(PetscInt)full.fft->k[0][m], (PetscInt)full.fft->k[1][m],
                               (PetscInt)full.fft->k[2][m]};
        const PetscInt at = f * full.fft->modes + m;
        PetscInt mode;
        int rank;

        largest = PetscMax(largest, cabs(full.modes[at]));
        UnrFFTLocate(kept.fft, k, &rank, &mode);
        if (IsStored(kept.fft, k)) full.other[at] = full.modes[at];
        if (rank == kept.g->rank && full.g->size == 1)
          worst = TestMost(worst, cabs(full.modes[at] - kept.modes[f * kept.fft->modes + mode]));
      }
    }
    cr_expect(worst < 100 * PETSC_MACHINE_EPSILON * largest, "case %d: forward %g of %g", i, worst, largest);
    TEST_CALL(PetscMalloc1(full.fields * full.fft->cells + 1, &work));
    TEST_CALL(UnrFFTBackward(full.fft, full.fields, full.other, work));
    TEST_CALL(UnrFFTBackward(kept.fft, kept.fields, kept.modes, kept.work));
    worst = 0;
    for (PetscInt j = 0; j < full.fields * full.fft->cells; j++)
      worst = TestMost(worst, fabs(work[j] - kept.work[j]));
    cr_expect(worst < 100 * PETSC_MACHINE_EPSILON, "case %d: backward %g", i, worst);
    TEST_CALL(PetscFree(work));
    SetupDestroy(&full);
    SetupDestroy(&kept);
  }
}

/* Backward after forward is the identity to 20 eps of numbers up to 5, leaves the modes alone, and ADD_VALUES
 * adds. */
Test(fft, round_trip)
{
  for (int i = 0; i < CASES; i++) {
    Setup t = SetupMake(i);
    double worst = 0;

    Forward(&t, t.u, t.modes);
    TEST_CALL(PetscArraycpy(t.other, t.modes, t.numbers));
    TEST_CALL(UnrFFTBackward(t.fft, t.fields, t.modes, t.work));
    cr_expect(!t.numbers || memcmp(t.other, t.modes, (size_t)t.numbers * sizeof(UnrComplex)) == 0,
              "case %d: modes changed", i);
    TEST_CALL(UnrBatchZero(t.w));
    TEST_CALL(UnrFFTStore(t.fft, t.work, t.w, INSERT_VALUES));
    TEST_CALL(UnrFFTStore(t.fft, t.work, t.w, ADD_VALUES));
    for (size_t j = 0; j < (size_t)t.u->samples * t.u->stride; j++)
      worst = TestMost(worst, fabs(t.w->data[j] - 2 * t.u->data[j]));
    cr_expect(worst < 100 * PETSC_MACHINE_EPSILON, "case %d: %g", i, worst);
    SetupDestroy(&t);
  }
}

/* A symbol without any symmetry but the one of real operators, D(-k) = conj(D(k)). */
static UnrComplex Symbol(UnrFFT fft, PetscInt m)
{
  double x = fft->k_odd[0][m], y = fft->k_odd[1][m], z = fft->k_odd[2][m];

  return 1 + 0.5 * fft->k[0][m] * fft->k[0][m] - 0.2 * x * y + 0.3 * fft->k[2][m] * fft->k[2][m] +
         I * (x + 2 * y - 3 * z + 0.1 * x * x * x);
}

/*
  Parseval, sum u w = sum weight Re(conj(W) U) / points; and with D U for U: the derivative of <w, F^-1 D F u>
  in the direction D of the symbol, as physics' vjp adds it up.  Rounding: of as many products of normal
  numbers, times D.
*/
Test(fft, sums_over_modes_with_weights)
{
  for (int i = 0; i < RUNS; i++)
    for (int with_symbol = 0; with_symbol < 2; with_symbol++) {
      Setup t = SetupMake(i);
      double part = 0, dot, size;
      UnrBatch v;

      TEST_CALL(UnrBatchCreate(t.g, t.u->samples, &v));
      Forward(&t, t.w, t.other);
      Forward(&t, t.u, t.modes);
      for (PetscInt j = 0; j < t.numbers; j++) {
        if (with_symbol) t.modes[j] *= Symbol(t.fft, j % t.fft->modes);
        part += t.fft->weight[j % t.fft->modes] * creal(conj(t.other[j]) * t.modes[j]) / (double)t.g->total;
      }
      Backward(&t, t.modes, v);
      TEST_CALL(UnrBatchDot(v, t.w, &dot));
      TEST_CALL(UnrBatchDot(v, v, &size));
      size = sqrt(size * (double)(t.g->total * t.u->samples * t.g->components));
      part = TestSum(part);
      cr_expect(fabs(part - dot) < 200 * PETSC_MACHINE_EPSILON * size, "case %d: %g", i, part - dot);
      TEST_CALL(UnrBatchDestroy(&v));
      SetupDestroy(&t);
    }
}

/* <F^-1 D F u, w> = <u, F^-1 conj(D) F w>, and not with D itself. */
Test(fft, adjoint_is_the_conjugate)
{
  for (int i = 0; i < RUNS; i++) {
    Setup t = SetupMake(i);
    UnrBatch v;
    double left, right, wrong, size;

    TEST_CALL(UnrBatchCreate(t.g, t.u->samples, &v));
    Forward(&t, t.u, t.modes);
    Forward(&t, t.w, t.other);
    for (PetscInt j = 0; j < t.numbers; j++) t.modes[j] *= Symbol(t.fft, j % t.fft->modes);
    Backward(&t, t.modes, v);
    TEST_CALL(UnrBatchDot(v, t.w, &left));
    TEST_CALL(UnrBatchDot(v, v, &size));
    for (PetscInt j = 0; j < t.numbers; j++) t.modes[j] = t.other[j] * Symbol(t.fft, j % t.fft->modes);
    for (PetscInt j = 0; j < t.numbers; j++) t.other[j] *= conj(Symbol(t.fft, j % t.fft->modes));
    Backward(&t, t.other, v);
    TEST_CALL(UnrBatchDot(t.u, v, &right));
    Backward(&t, t.modes, v);
    TEST_CALL(UnrBatchDot(t.u, v, &wrong));
    size = sqrt(size * (double)(t.g->total * t.u->samples * t.g->components));
    cr_expect(fabs(left - right) < 1000 * PETSC_MACHINE_EPSILON * size, "case %d: %.17g, %.17g", i, left,
              right);
    cr_expect(fabs(left - wrong) > 1e-5 * size, "case %d: the symbol is its own conjugate", i);
    TEST_CALL(UnrBatchDestroy(&v));
    SetupDestroy(&t);
  }
}

/* Another wave number and phase along every axis: the derivative along each is that axis' own. */
Test(fft, derivative_along_each_axis)
{
  const PetscInt points[3] = {8, 10, 12};
  const double wave[3] = {1, -2, 3};

  for (int dim = 1; dim <= 3; dim++)
    for (int axis = 0; axis < dim; axis++) {
      UnrLayout layout = TestLayout(TestRanks(), 1, 1);
      UnrGrid g;
      UnrFFT fft;
      UnrBatch u, exact;
      PetscInt first, count;
      double *work, worst = 0;
      UnrComplex *modes;

      TEST_CALL(UnrGridCreate(&layout, dim, points, 1, 0, &g));
      TEST_CALL(UnrFFTCreate(g, false, &fft));
      TEST_CALL(UnrBatchCreate(g, 1, &u));
      TEST_CALL(UnrBatchCreate(g, 1, &exact));
      for (PetscInt i = 0; i < g->local; i++) {
        PetscInt cell[3];
        double phase = 0.4;

        TestCell(g, i, cell);
        for (int a = 0; a < dim; a++) phase += 2 * PETSC_PI * wave[a] * (double)cell[a] / (double)points[a];
        u->data[i] = sin(phase);
        exact->data[i] = wave[axis] * cos(phase);
      }
      UnrFFTShare(fft, 1, &first, &count);
      TEST_CALL(PetscMalloc2(count * fft->cells, &work, count * fft->modes, &modes));
      TEST_CALL(UnrFFTLoad(fft, u, work));
      TEST_CALL(UnrFFTForward(fft, count, work, modes));
      for (PetscInt m = 0; m < count * fft->modes; m++) modes[m] *= I * fft->k_odd[axis][m];
      TEST_CALL(UnrFFTBackward(fft, count, modes, work));
      TEST_CALL(UnrFFTStore(fft, work, u, INSERT_VALUES));
      for (PetscInt i = 0; i < g->local; i++) worst = TestMost(worst, fabs(u->data[i] - exact->data[i]));
      cr_expect(worst < 1000 * PETSC_MACHINE_EPSILON, "%dD, axis %d: %g", dim, axis, worst);
      TEST_CALL(PetscFree2(work, modes));
      TEST_CALL(UnrBatchDestroy(&u));
      TEST_CALL(UnrBatchDestroy(&exact));
      TEST_CALL(UnrFFTDestroy(&fft));
      TEST_CALL(UnrGridDestroy(&g));
    }
}

/* The same bits from arrays that are not aligned, and after other numbers of fields were planned. */
Test(fft, bits_do_not_depend_on_the_call)
{
  for (int i = 0; i < RUNS; i++) {
    Setup t = SetupMake(i);
    size_t cells = (size_t)(t.fields * t.fft->cells), bytes = (size_t)t.numbers * sizeof(UnrComplex);
    double *shifted;
    UnrComplex *odd;

    TEST_CALL(PetscMalloc2(cells + 1, &shifted, t.numbers + 1, &odd));
    Forward(&t, t.u, t.modes);
    for (PetscInt fields = 1; fields < 4 && t.g->dim > 1; fields++) {
      double *work;
      UnrComplex *modes;

      TEST_CALL(PetscCalloc2(fields * t.fft->cells, &work, fields * t.fft->modes, &modes));
      TEST_CALL(UnrFFTForward(t.fft, fields, work, modes));
      TEST_CALL(PetscFree2(work, modes));
    }
    memcpy(shifted + 1, t.work, cells * sizeof(double));
    TEST_CALL(UnrFFTForward(t.fft, t.fields, shifted + 1, (UnrComplex *)((double *)odd + 1)));
    cr_expect(!bytes || memcmp((double *)odd + 1, t.modes, bytes) == 0, "case %d: forward", i);
    TEST_CALL(UnrFFTBackward(t.fft, t.fields, t.modes, t.work));
    TEST_CALL(UnrFFTBackward(t.fft, t.fields, (UnrComplex *)((double *)odd + 1), shifted + 1));
    cr_expect(memcmp(shifted + 1, t.work, cells * sizeof(double)) == 0, "case %d: backward", i);
    TEST_CALL(PetscFree2(shifted, odd));
    SetupDestroy(&t);
  }
}

/* Blocks along another axis than x are a fault that says so. */
Test(fft, refuses_other_blocks)
{
  const PetscInt points[3] = {6, 6, 1};
  UnrLayout layout = TestLayout(1, TestRanks(), 1);
  UnrGrid g;
  UnrFFT fft = NULL;
  PetscErrorCode code;

  if (TestRanks() == 1) cr_skip_test("one block has no other axis");
  TEST_CALL(UnrGridCreate(&layout, 2, points, 1, 0, &g));
  TEST_CALL(PetscPushErrorHandler(PetscIgnoreErrorHandler, NULL));
  code = UnrFFTCreate(g, false, &fft);
  TEST_CALL(PetscPopErrorHandler());
  cr_expect(code == PETSC_ERR_SUP && fft == NULL, "code %d", (int)code);
  TEST_CALL(UnrGridDestroy(&g));
}
