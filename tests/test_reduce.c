/* The sum of an update over the ranks, and the proof that all hold the same weights. */
#include "support.h"

#include "optim/reduce.h"

static int Rank(void)
{
  int rank;

  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  return rank;
}

/* More numbers than one message holds: lengths below, at and beyond its end, whole numbers so that sums are
   exact in any order. */
Test(reduce, exact_sums)
{
  static const size_t lengths[] = {0, 1, 1000, (1 << 22) - 1, 1 << 22, (1 << 22) + 3, (1 << 23) + 1};
  const double size = TestRanks();

  for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
    for (int p = 0; p < 2; p++) {
      const size_t n = lengths[k];
      float *single = malloc((n + 1) * sizeof *single);
      double *twice = malloc((n + 1) * sizeof *twice);
      size_t wrong = 0;
      UnrReduced scalars = {.loss = 1 + Rank(), .failed_solves = Rank() == 1, .signals = 2};

      for (size_t i = 0; i <= n; i++) single[i] = (float)(twice[i] = (double)(i % 1013) + Rank());
      TEST_CALL(UnrGradientReduce(PETSC_COMM_WORLD, p ? UNR_DOUBLE : UNR_SINGLE, n,
                                  p ? (void *)twice : (void *)single, &scalars));
      for (size_t i = 0; i < n; i++)
        wrong += (p ? twice[i] : (double)single[i]) != size * (double)(i % 1013) + size * (size - 1) / 2;
      cr_expect(!wrong, "%zu of %zu wrong", wrong, n);
      cr_expect((p ? twice[n] : (double)single[n]) == (double)(n % 1013) + Rank(), "wrote past the end");
      cr_expect(scalars.loss == size * (size + 1) / 2 && scalars.failed_solves == (size > 1) &&
                scalars.signals == 2 * size);
      free(single);
      free(twice);
    }
  }
}

/* Numbers whose sum depends on its order: to rounding right, and the same bits on every rank, twice. */
Test(reduce, same_bits_everywhere)
{
  enum { N = 33125 };
  const double size = TestRanks();
  static float sum[2][N], first[N];
  static double wanted[N], most[N];
  double worst = 0;

  for (int again = 0; again < 2; again++) {
    UnrReduced scalars = {.loss = 0.1 * (Rank() + 1)}, of_first;

    memset(wanted, 0, sizeof wanted);
    memset(most, 0, sizeof most);
    for (int r = 0; r < (int)size; r++) {
      for (size_t i = 0; i < N; i++) {
        const UnrRng rng = {3, UnrRngStream("part", (uint64_t)r, 0)};
        const float part = (float)(UnrRngNormal(rng, i) * pow(10, (double)(i % 7)));

        if (r == Rank()) sum[again][i] = part;
        wanted[i] += (double)part;
        most[i] += fabs((double)part);
      }
    }
    TEST_CALL(UnrGradientReduce(PETSC_COMM_WORLD, UNR_SINGLE, N, sum[again], &scalars));
    TEST_CALL(UnrWeightsAgree(PETSC_COMM_WORLD, UNR_SINGLE, N, sum[again]));
    memcpy(first, sum[again], sizeof first);
    of_first = scalars;
    (void)MPI_Bcast(first, N, MPI_FLOAT, 0, PETSC_COMM_WORLD);
    (void)MPI_Bcast(&of_first, sizeof of_first, MPI_BYTE, 0, PETSC_COMM_WORLD);
    cr_expect(!memcmp(first, sum[again], sizeof first) && !memcmp(&of_first, &scalars, sizeof scalars));
  }
  cr_expect(!memcmp(sum[0], sum[1], sizeof sum[0]), "another run, other bits");
  for (size_t i = 0; i < N; i++) worst = TestMost(worst, fabs((double)sum[0][i] - wanted[i]) / most[i]);
  cr_expect_lt(worst, size * 0x1p-24); /* one rounding a sum, of partial sums below the sum of the parts */
}

static char fault[512];

static PetscErrorCode Keep(MPI_Comm comm, int line, const char *function, const char *file,
                           PetscErrorCode code, PetscErrorType type, const char *message, void *context)
{
  (void)comm, (void)line, (void)function, (void)file, (void)context;
  if (type == PETSC_ERROR_INITIAL) snprintf(fault, sizeof fault, "%s", message);
  return code;
}

/* The fault's message if the weights differ, "" if they agree. */
static const char *Agree(UnrPrecision precision, size_t n, const void *theta)
{
  PetscErrorCode code;

  fault[0] = '\0';
  PetscPushErrorHandler(Keep, NULL);
  code = UnrWeightsAgree(PETSC_COMM_WORLD, precision, n, theta);
  PetscPopErrorHandler();
  cr_expect((code != PETSC_SUCCESS) == (fault[0] != '\0'));
  return fault;
}

enum { WEIGHTS = 101 };

/* Ways in which weights of one rank can be wrong. */
static void Spoil(int way, float theta[WEIGHTS])
{
  if (way == 0) theta[WEIGHTS - 1] = nextafterf(theta[WEIGHTS - 1], 9); /* the last bit of the last */
  if (way == 1) theta[0] = -0.0F;                                       /* equal, but not by bits */
  if (way == 2) theta[50] = -theta[50], theta[51] = -theta[51];         /* the highest bits of neighbours */
  if (way == 3) theta[7] = NAN;
  if (way == 4) { /* two changed places */
    const float swapped = theta[20];
    theta[20] = theta[21];
    theta[21] = swapped;
  }
}

/* Each rank in turn is the one that differs, in each way and precision: every rank is told which. */
Test(reduce, one_rank_differs)
{
  const int size = TestRanks();

  for (int wrong = 0; wrong < size; wrong++) {
    for (int way = 0; way < 5; way++) {
      float theta[WEIGHTS + 1];
      char who[64];

      for (int i = 0; i <= WEIGHTS; i++) theta[i] = i ? (float)sin(i) : 0;
      theta[WEIGHTS] = (float)Rank(); /* behind the end: nobody looks */
      cr_expect(!*Agree(UNR_SINGLE, WEIGHTS, theta), "%s", fault);
      if (Rank() == wrong) Spoil(way, theta);
      /* where rank 0 is the wrong one, rank 1 is the first that differs from it */
      snprintf(who, sizeof who, "weights of rank %d (checksum ", wrong ? wrong : 1);
      (void)Agree(UNR_SINGLE, WEIGHTS, theta);
      cr_expect(size == 1 ? !*fault : strstr(fault, who) != NULL, "way %d: \"%s\"", way, fault);
      (void)Agree(UNR_DOUBLE, WEIGHTS / 2, theta);
      cr_expect(size == 1 || way == 0 ? !*fault : strstr(fault, who) != NULL, "way %d: \"%s\"", way, fault);
    }
  }
}
