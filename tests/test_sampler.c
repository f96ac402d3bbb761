/* Windows of a data set: each once an epoch on any layout, read as they are in the file, with their
 * parameters. */
#include "support.h"

#include <stdlib.h>
#include <unistd.h>
#include "core/permutation.h"
#include "dataset/sampler.h"
#include "dataset/statistics.h"

enum { POINTS = 12, TRAJECTORIES = 7, FRAMES = 23, STEPS = 3 };

/* Three sizes, of 3, 2 and 2 trajectories, in no order. */
static const double sizes[TRAJECTORIES] = {8, 7.2, 8, 10.4, 7.2, 8, 10.4};

typedef struct {
  char directory[64], path[128];
  UnrLayout layout;
  UnrGrid grid;
  UnrPhysics physics;
  UnrWell well;
} Case;

static int Rank(void)
{
  int rank;

  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  return rank;
}

/* Number of trajectory t, frame f, point x: exact in a float, and all different. */
static double Value(PetscInt t, PetscInt f, PetscInt x)
{
  return (double)((t * FRAMES + f) * POINTS + x) / 16;
}

static void WriteFile(const Case *c, bool has_scalar, const double size[])
{
  static const char *const name[] = {"domain_size"};
  const PetscInt local = c->grid->local;
  double length[TRAJECTORIES], u[TRAJECTORIES * FRAMES * POINTS];
  const UnrWellBlock all = {0, TRAJECTORIES, 0, FRAMES}, none = {0};
  const bool is_mine = c->layout.replica == 0; /* replicas that have no share take part */
  UnrWell well;

  for (PetscInt t = 0; t < TRAJECTORIES; t++) {
    length[t] = 2 * PETSC_PI * sizes[t];
    for (PetscInt f = 0; f < FRAMES; f++)
      for (PetscInt i = 0; i < local; i++)
        u[(t * FRAMES + f) * local + i] = Value(t, f, c->grid->start[0] + i);
  }
  const UnrWellSpec spec = {.dataset_name = "test",
                            .field = "u",
                            .grid = c->grid,
                            .trajectories = TRAJECTORIES,
                            .frames = FRAMES,
                            .frame_time = 1,
                            .precision = UNR_SINGLE,
                            .length = length,
                            .scalars = has_scalar,
                            .scalar_name = name,
                            .scalar = size};
  TEST_CALL(UnrWellCreate(c->path, &spec, &well));
  TEST_CALL(UnrWellWriteBlock(well, is_mine ? &all : &none, c->grid, u));
  TEST_CALL(UnrWellCommit(&well));
}

/* The world as `replicas` of grids on the file of all trajectories. */
static void Begin(Case *c, PetscInt replicas, const char *options)
{
  char text[64];

  TEST_CALL(UnrErrorHandlerPush());
  *c = (Case){.directory = "/tmp/unroll-sampler-XXXXXX"};
  if (!Rank()) cr_assert(mkdtemp(c->directory));
  (void)MPI_Bcast(c->directory, sizeof c->directory, MPI_CHAR, 0, PETSC_COMM_WORLD);
  snprintf(c->path, sizeof c->path, "%s/u.h5", c->directory);
  snprintf(text, sizeof text, "-layout_replicas %d", (int)replicas);
  TestOptionsSet(text);
  TestOptionsSet(options);
  TEST_CALL(UnrLayoutCreate(PETSC_COMM_WORLD, 64, 1, (PetscInt[]){POINTS, 1, 1}, &UnrNeedsNone, &c->layout));
  TEST_CALL(UnrGridCreate(&c->layout, 1, (PetscInt[]){POINTS, 1, 1}, 1, 0, &c->grid));
  TEST_CALL(UnrPhysicsCreate(c->grid, &c->physics));
  WriteFile(c, true, sizes);
  TEST_CALL(UnrWellOpen(c->path, "u", &c->well));
}

static void End(Case *c, const char *options)
{
  char xdmf[PETSC_MAX_PATH_LEN];

  TEST_CALL(UnrWellClose(&c->well));
  TEST_CALL(UnrPhysicsDestroy(&c->physics));
  TEST_CALL(UnrGridDestroy(&c->grid));
  TEST_CALL(UnrLayoutDestroy(&c->layout));
  (void)MPI_Barrier(PETSC_COMM_WORLD);
  if (!Rank()) {
    snprintf(xdmf, sizeof xdmf, "%.*s.xmf", (int)(strlen(c->path) - strlen(".h5")), c->path);
    (void)unlink(xdmf); /* beside a file of more than one axis */
    cr_expect(!unlink(c->path) && !rmdir(c->directory));
  }
  TestOptionsUnset("-layout_replicas");
  TestOptionsUnset(options);
  TEST_CALL(PetscPopErrorHandler());
}

Test(sampler, permutation)
{
  static bool seen[1 << 12];
  PetscInt moved = 0, image[7] = {0};

  for (uint64_t n = 1; n <= 300; n++) {
    const UnrRng rng = {n, 5};

    memset(seen, 0, sizeof seen);
    for (uint64_t i = 0; i < n; i++) {
      const uint64_t to = UnrPermute(n, rng, i);
      cr_assert(to < n && !seen[to], "%d of %d", (int)i, (int)n);
      seen[to] = true;
      moved += to != i;
    }
  }
  cr_expect(moved > 44000, "%d of 45150 are moved", (int)moved); /* 300 fixed points are expected */
  for (uint64_t s = 0; s < 7000; s++) image[UnrPermute(7, (UnrRng){s, 1}, 3)]++;
  for (int i = 0; i < 7; i++) /* binomial: 1000 +- 29; six deviations */
    cr_expect(abs((int)image[i] - 1000) < 176, "%d goes %d times of 7000 to %d", 3, (int)image[i], i);
  const uint64_t large = ((uint64_t)1 << 40) + 12345;
  cr_expect(UnrPermute(large, (UnrRng){1, 1}, large - 1) < large);
  cr_expect(UnrPermute(large, (UnrRng){1, 1}, 0) != UnrPermute(large, (UnrRng){1, 2}, 0));
}

/* Reads an epoch and counts every window's appearances over all replicas; checks values, parameters, groups.
 */
static void ReadEpoch(const Case *c, UnrSampler sampler, UnrFrames part, PetscInt64 epoch, bool is_mixed,
                      int count[TRAJECTORIES][FRAMES])
{
  const PetscInt local = c->grid->local;
  PetscInt wrong = 0, mixed = 0, unequal = 0;

  memset(count, 0, sizeof(int[TRAJECTORIES][FRAMES]));
  for (PetscInt64 b = 0; b < UnrSamplerBatches(sampler); b++) {
    UnrPlace place[16];
    PetscInt samples, first, placed;
    const double *par;
    UnrBatch *frame;

    TEST_CALL(UnrSamplerPlaces(sampler, epoch, b, &placed, place));
    TEST_CALL(UnrSamplerRead(sampler, epoch, b, &samples, &first, &par, &frame));
    wrong += samples != placed || samples < 1;
    for (PetscInt i = 1; i < samples; i++) mixed += sizes[place[i].trajectory] != sizes[place[0].trajectory];
    for (PetscInt i = 0; i < frame[0]->samples; i++) {
      const PetscInt t = place[first + i].trajectory, f = place[first + i].frame;

      unequal += par[i] != sizes[t];
      wrong += f < part.first || f + STEPS >= part.first + part.count;
      if (!c->grid->rank) count[t][f]++;
      for (PetscInt k = 0; k <= STEPS; k++)
        for (PetscInt x = 0; x < local; x++)
          wrong += frame[k]->data[i * local + x] != Value(t, f + k, c->grid->start[0] + x);
    }
  }
  (void)MPI_Allreduce(MPI_IN_PLACE, count, TRAJECTORIES * FRAMES, MPI_INT, MPI_SUM, PETSC_COMM_WORLD);
  cr_expect(wrong == 0, "%d places or numbers are wrong", (int)wrong);
  cr_expect(unequal == 0, "%d parameters are wrong", (int)unequal);
  cr_expect(is_mixed ? mixed > 0 : mixed == 0, "%d samples have other parameters than their batch's first",
            (int)mixed);
}

static void ExpectEachOnce(UnrFrames part, int count[TRAJECTORIES][FRAMES])
{
  for (PetscInt t = 0; t < TRAJECTORIES; t++)
    for (PetscInt f = 0; f < FRAMES; f++) {
      const int wanted = f >= part.first && f + STEPS < part.first + part.count;
      cr_expect(count[t][f] == wanted, "window (%d, %d) is drawn %d times", (int)t, (int)f, count[t][f]);
    }
}

/* Every number of replicas that divides the ranks; batches that replicas do not divide, and, of 11, one of a
   single window: then replicas have no sample.
 */
static void EachWindowOnce(const char *options, bool is_mixed)
{
  static const PetscInt batches[] = {5, 11};

  for (PetscInt replicas = 1; replicas <= TestRanks(); replicas++) {
    if (TestRanks() % replicas) continue;
    for (int i = 0; i < 2; i++) {
      UnrFrames training, validation;
      UnrSampler sampler;
      Case c;
      int count[TRAJECTORIES][FRAMES];

      Begin(&c, replicas, options);
      TEST_CALL(UnrFramesSplit(c.well, &training, &validation));
      cr_expect(training.first == 0 && training.count == 18 && validation.first == 20 &&
                validation.count == 3);
      TEST_CALL(UnrSamplerCreate(c.well, c.physics, &c.layout, training, STEPS, batches[i], &sampler));
      cr_expect(UnrSamplerWindows(sampler) == TRAJECTORIES * 15);
      /* groups of 45, 30, 30 windows, or one of 105 */
      cr_expect(UnrSamplerBatches(sampler) == (i == 0 ? 21 : is_mixed ? 10 : 11));
      for (PetscInt64 epoch = 0; epoch < 3; epoch++) {
        ReadEpoch(&c, sampler, training, epoch, is_mixed, count);
        ExpectEachOnce(training, count);
      }
      TEST_CALL(UnrSamplerDestroy(&sampler));
      End(&c, options);
    }
  }
}

Test(sampler, single_cached)
{
  EachWindowOnce("-dataset_fraction 0.9 -validation_fraction 0.13", false);
}

Test(sampler, single_from_file)
{
  EachWindowOnce("-dataset_fraction 0.9 -validation_fraction 0.13 -dataset_memory 10", false);
}

Test(sampler, mixed)
{
  EachWindowOnce("-dataset_fraction 0.9 -validation_fraction 0.13 -batch_parameters mixed", true);
}

/* Places of a whole epoch, batch after batch; *batches of them. */
static PetscInt Places(UnrSampler sampler, PetscInt64 epoch, UnrPlace place[])
{
  PetscInt samples, at = 0;

  for (PetscInt64 b = 0; b < UnrSamplerBatches(sampler); b++, at += samples)
    TEST_CALL(UnrSamplerPlaces(sampler, epoch, b, &samples, place + at));
  return at;
}

/* The order is the seed's and the epoch's: on every rank and number of ranks; a stored one says so. */
Test(sampler, order)
{
  enum { WINDOWS = TRAJECTORIES * (FRAMES - STEPS) };
  const UnrFrames all = {0, FRAMES};
  UnrPlace place[4][WINDOWS];
  UnrSampler sampler;
  Case c;

  Begin(&c, TestRanks(), "-seed_order 3");
  for (int i = 0; i < 4; i++) {
    if (i == 3) TestOptionsSet("-seed_order 4");
    TEST_CALL(UnrSamplerCreate(c.well, c.physics, &c.layout, all, STEPS, 6, &sampler));
    cr_expect(Places(sampler, i == 1, place[i]) == WINDOWS);
    TEST_CALL(UnrSamplerDestroy(&sampler));
  }
  PetscInt same[4] = {0}, followers = 0;
  uint64_t hash = 0, least, most;
  for (PetscInt w = 0; w < WINDOWS; w++) {
    for (int i = 1; i < 4; i++) same[i] += !memcmp(&place[0][w], &place[i][w], sizeof(UnrPlace));
    followers += w && place[0][w].trajectory == place[0][w - 1].trajectory &&
                 place[0][w].frame == place[0][w - 1].frame + 1;
    hash = UnrRngStream("window", hash, (uint64_t)(place[0][w].trajectory * FRAMES + place[0][w].frame));
  }
  cr_expect(same[2] == WINDOWS, "the same epoch again differs");
  cr_expect(same[1] < 10 && same[3] < 10, "epoch or seed changes little: %d, %d places of %d are the same",
            (int)same[1], (int)same[3], WINDOWS);
  cr_expect(followers < 10, "%d windows follow their neighbour in time", (int)followers);
  (void)MPI_Allreduce(&hash, &least, 1, MPI_UINT64_T, MPI_MIN, PETSC_COMM_WORLD);
  (void)MPI_Allreduce(&hash, &most, 1, MPI_UINT64_T, MPI_MAX, PETSC_COMM_WORLD);
  /* made by this program on one rank; it guards restarts of long runs against a new order */
  cr_expect(least == most && hash == 0x71d06ccf1b832312, "order %016llx", (unsigned long long)hash);
  End(&c, "-seed_order");
}

/* Sum over the batch of each start state's noise, of its square, and of its product with the place: the same
   on every layout to rounding, as the noise itself is the same to the bit. */
Test(sampler, noise)
{
  const char *options = "-dataset_noise 0.25 -seed_order 5";
  double square = 0, stored = 0, wrong = 0, epochs[2] = {0};
  UnrSampler sampler;
  Case c;

  Begin(&c, TestRanks(), options);
  TEST_CALL(UnrSamplerCreate(c.well, c.physics, &c.layout, (UnrFrames){0, FRAMES}, STEPS, 8, &sampler));
  for (PetscInt64 b = 0; b < UnrSamplerBatches(sampler); b++)
    for (PetscInt64 epoch = 0; epoch < 2; epoch++) {
      UnrPlace place[8];
      PetscInt samples, first;
      const double *par;
      UnrBatch *frame;

      TEST_CALL(UnrSamplerPlaces(sampler, epoch, b, &samples, place));
      TEST_CALL(UnrSamplerRead(sampler, epoch, b, &samples, &first, &par, &frame));
      for (PetscInt i = 0; i < frame[0]->samples; i++)
        for (PetscInt x = 0; x < c.grid->local; x++) {
          const UnrPlace p = place[first + i];
          const double noise =
              frame[0]->data[i * c.grid->local + x] - Value(p.trajectory, p.frame, c.grid->start[0] + x);

          epochs[epoch] += noise;
          square += noise * noise;
          stored += noise * sin(1 + p.trajectory + 10. * p.frame + 300. * (double)(c.grid->start[0] + x));
          for (PetscInt k = 1; k <= STEPS; k++)
            wrong += frame[k]->data[i * c.grid->local + x] !=
                     Value(p.trajectory, p.frame + k, c.grid->start[0] + x);
        }
    }
  const double numbers = 2. * TRAJECTORIES * (FRAMES - STEPS) * POINTS;
  square = TestSum(square) / numbers;
  stored = TestSum(stored);
  cr_expect(TestSum(wrong) == 0, "references have noise");
  /* 3360 numbers: the variance is known to 1/41; five deviations */
  cr_expect(fabs(square / 0.0625 - 1) < 5. / 41, "variance %g", square);
  cr_expect(fabs(TestSum(epochs[0]) - TestSum(epochs[1])) > 1e-3, "both epochs have the same noise");
  /* made by this program on one rank; a sum of 3360 numbers of the size of the states, 100, rounds to 1e-10
   */
  cr_expect(fabs(stored - 8.19318412502) < 1e-9, "noise %.12g", stored);
  TEST_CALL(UnrSamplerDestroy(&sampler));
  End(&c, options);
}

/* Makes a sampler on a file that is written anew. */
static PetscErrorCode Remade(Case *c, bool has_scalar, const double size[], UnrSampler *sampler)
{
  TEST_CALL(UnrWellClose(&c->well));
  WriteFile(c, has_scalar, size);
  TEST_CALL(UnrWellOpen(c->path, "u", &c->well));
  return UnrSamplerCreate(c->well, c->physics, &c->layout, (UnrFrames){0, FRAMES}, STEPS, 4, sampler);
}

Test(sampler, refusals)
{
  double other[TRAJECTORIES];
  UnrFrames training, validation;
  UnrSampler sampler;
  Case c;

  Begin(&c, TestRanks(), "");
  TestOptionsSet("-validation_fraction 0.01");
  TEST_REFUSES(UnrFramesSplit(c.well, &training, &validation), "-validation_fraction holds no frame back");
  TestOptionsUnset("-validation_fraction");
  TestOptionsSet("-dataset_fraction 0.01");
  TEST_REFUSES(UnrFramesSplit(c.well, &training, &validation), "-dataset_fraction leaves no frame");
  TestOptionsUnset("-dataset_fraction");
  TEST_REFUSES(UnrSamplerCreate(c.well, c.physics, &c.layout, (UnrFrames){0, 5}, 5, 4, &sampler),
               "no window of 5 steps fits into the 5 frames");
  memcpy(other, sizes, sizeof other);
  other[3] = 9;
  TEST_REFUSES(Remade(&c, true, other, &sampler),
               "domain_size (9, from its scalar) contradicts the lengths of trajectory 3");
  other[3] = -10.4;
  TEST_REFUSES(Remade(&c, true, other, &sampler), "is out of range (-10.4)");
  TestOptionsSet("-physics_ks_domain_size 8");
  TEST_REFUSES(Remade(&c, false, NULL, &sampler),
               "(8, from its option) contradicts the lengths of trajectory 1");
  TestOptionsUnset("-physics_ks_domain_size");
  End(&c, "");
}

/* Without a scalar and an option the lengths say the domain size. */
Test(sampler, parameters_from_lengths)
{
  double par;
  UnrSampler sampler;
  Case c;

  Begin(&c, 1, "");
  TEST_CALL(Remade(&c, false, NULL, &sampler));
  for (PetscInt t = 0; t < TRAJECTORIES; t++) {
    TEST_CALL(UnrWellParameters(c.well, c.physics, t, &par));
    cr_expect(fabs(par - sizes[t]) < 1e-5 * sizes[t], "domain size %g", par);
  }
  TEST_CALL(UnrSamplerDestroy(&sampler));
  End(&c, "");
}

Test(sampler, wrong_shape)
{
  UnrGrid grid;
  UnrPhysics physics;
  UnrSampler sampler;
  Case c;

  Begin(&c, 1, "");
  TEST_CALL(UnrGridCreate(&c.layout, 1, (PetscInt[]){POINTS + 4, 1, 1}, 1, 0, &grid));
  TEST_CALL(UnrPhysicsCreate(grid, &physics));
  TEST_REFUSES(UnrSamplerCreate(c.well, physics, &c.layout, (UnrFrames){0, FRAMES}, STEPS, 4, &sampler),
               "has another shape (12x1x1, 1 components); allowed: 16x1x1");
  TEST_CALL(UnrPhysicsDestroy(&physics));
  TEST_CALL(UnrGridDestroy(&grid));
  End(&c, "");
}

/* Mean, deviation and rms against sums over all numbers, in long double. */
Test(sampler, statistics)
{
  const UnrFrames part = {4, 9};
  const double numbers = TRAJECTORIES * 9. * POINTS;

  for (PetscInt replicas = 1; replicas <= TestRanks(); replicas++)
    for (int is_cached = 0; is_cached < 2; is_cached++) {
      long double sum = 0, square = 0, about = 0;
      double mean, std, rms, least[3], most[3];
      bool cached;
      Case c;

      if (TestRanks() % replicas) continue;
      Begin(&c, replicas, "");
      if (is_cached) TEST_CALL(UnrWellCache(c.well, c.grid, 1e9, &cached));
      TEST_CALL(UnrStatistics(c.well, c.grid, &c.layout, part, &mean, &std, &rms));
      for (int pass = 0; pass < 2; pass++)
        for (PetscInt t = 0; t < TRAJECTORIES; t++)
          for (PetscInt f = part.first; f < part.first + part.count; f++)
            for (PetscInt x = 0; x < POINTS; x++) {
              const long double u = Value(t, f, x), d = u - sum / numbers;
              if (pass)
                about += d * d;
              else
                sum += u, square += u * u;
            }
      /* sums of 756 numbers: their rounding stays below 756 units in the last place */
      cr_expect(TestRelative(mean, (double)(sum / numbers)) < 1e-13, "mean %.17g", mean);
      cr_expect(TestRelative(std, sqrt((double)(about / numbers))) < 1e-13, "std %.17g", std);
      cr_expect(TestRelative(rms, sqrt((double)(square / numbers))) < 1e-13, "rms %.17g", rms);
      const double mine[3] = {mean, std, rms};
      (void)MPI_Allreduce(mine, least, 3, MPI_DOUBLE, MPI_MIN, PETSC_COMM_WORLD);
      (void)MPI_Allreduce(mine, most, 3, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD);
      cr_expect(!memcmp(least, most, sizeof least), "ranks differ");
      End(&c, "");
    }
}

/* A component that is constant has deviation 0, though its number and their sum are rounded; components do
 * not mix. */
Test(sampler, statistics_of_components)
{
  enum { CELLS = 6 * 5 };
  const double length[2] = {1, 1};
  double mean[2], std[2], rms[2], u[3 * CELLS * 2];
  Case c;

  Begin(&c, 1, "");
  UnrGrid grid;
  UnrWell well;
  TEST_CALL(
      UnrGridCreate(&c.layout, 2, (PetscInt[]){6, 5, 1}, 2, 0, &grid)); /* cut along x: blocks is (n, 1) */
  for (PetscInt f = 0; f < 3; f++)
    for (PetscInt i = 0; i < grid->local; i++) {
      u[(f * grid->local + i) * 2] = 0.1;
      u[(f * grid->local + i) * 2 + 1] = (double)f - 1;
    }
  const UnrWellSpec spec = {.dataset_name = "test",
                            .field = "velocity",
                            .grid = grid,
                            .trajectories = 1,
                            .frames = 3,
                            .frame_time = 1,
                            .precision = UNR_DOUBLE,
                            .length = length};
  TEST_CALL(UnrWellClose(&c.well));
  TEST_CALL(UnrWellCreate(c.path, &spec, &well));
  TEST_CALL(UnrWellWriteBlock(well, &(UnrWellBlock){0, 1, 0, 3}, grid, u));
  TEST_CALL(UnrWellCommit(&well));
  TEST_CALL(UnrWellOpen(c.path, "velocity", &c.well));
  TEST_CALL(UnrStatistics(c.well, grid, &c.layout, (UnrFrames){0, 3}, mean, std, rms));
  cr_expect(mean[0] == 0.1 && std[0] == 0 && rms[0] == 0.1, "%.17g %.17g %.17g", mean[0], std[0], rms[0]);
  cr_expect(mean[1] == 0 && fabs(std[1] - sqrt(2. / 3)) < 1e-15 && rms[1] == std[1], "%g %g", mean[1],
            std[1]);
  TEST_CALL(UnrGridDestroy(&grid));
  End(&c, "");
}
