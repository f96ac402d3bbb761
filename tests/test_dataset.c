/* Data files: what is written is read back on any layout, and what cannot be used is refused by name. */
#include "support_directory.h"

#include <hdf5.h>
#include <stdio.h>
#include <string.h>
#include "dataset/well.h"

TestSuite(dataset, .init = TestDirectoryBegin, .fini = TestDirectoryEnd);

typedef struct {
  int dim;
  PetscInt points[UNR_MAX_DIM], components;
  const char *field;
  UnrPrecision precision;
} Shape;

static const Shape shapes[] = {
    {1, {13, 1, 1}, 1, "u", UNR_SINGLE},
    {2, {7, 11, 1}, 2, "velocity", UNR_SINGLE},
    {2, {11, 6, 1}, 1, "u", UNR_DOUBLE},
    {3, {5, 9, 7}, 3, "velocity", UNR_DOUBLE},
    {2, {7, 6, 1}, 3, "velocity|tracer", UNR_SINGLE},
    {3, {5, 6, 4}, 5, "velocity|tracer|other", UNR_DOUBLE},
};

/* Trajectory t, frame f of the test field, into every sample of the batch; samples are trajectories first,
 * first + 1 ... */
static void Fill(UnrBatch batch, PetscInt first, PetscInt frame)
{
  TestFill(batch, first, "frame", (uint64_t)frame);
}

static PetscInt Share(const UnrLayout *layout, PetscInt trajectories, PetscInt *first)
{
  PetscInt count;

  UnrLayoutShare(layout, trajectories, first, &count);
  return count;
}

/* Writes the test field from this layout; lengths 1 + trajectory + axis / 4. */
static void Write(const char *path, const Shape *shape, const UnrLayout *layout, PetscInt trajectories,
                  PetscInt frames)
{
  static const char *const scalar_name[] = {"domain_size", "viscosity"};
  double length[32], scalar[32];
  PetscInt first, count = Share(layout, trajectories, &first), most = trajectories;
  UnrGrid grid;
  UnrBatch batch;
  UnrWell well;

  TEST_CALL(UnrGridCreate(layout, shape->dim, shape->points, shape->components, 0, &grid));
  TEST_CALL(UnrBatchCreate(grid, count, &batch));
  for (PetscInt t = 0; t < trajectories; t++) {
    for (int a = 0; a < shape->dim; a++) length[t * shape->dim + a] = 1 + (double)t + a / 4.;
    scalar[2 * t] = 0.1 * (double)t;
    scalar[2 * t + 1] = 1. / 3;
  }
  UnrWellSpec spec = {.dataset_name = "test",
                      .field = shape->field,
                      .grid = grid,
                      .trajectories = trajectories,
                      .frames = frames,
                      .frame_time = 0.5,
                      .precision = shape->precision,
                      .length = length,
                      .scalars = 2,
                      .scalar_name = scalar_name,
                      .scalar = scalar};
  TEST_CALL(UnrWellCreate(path, &spec, &well));
  for (PetscInt f = 0; f < frames; f++) {
    Fill(batch, first, f);
    for (PetscInt s = 0; s < most; s++)
      TEST_CALL(UnrWellWrite(well, first + s, f, s < count ? batch : NULL, s));
  }
  TEST_CALL(UnrWellCommit(&well));
  TEST_CALL(UnrBatchDestroy(&batch));
  TEST_CALL(UnrGridDestroy(&grid));
}

/* Reads everything on this layout and compares: doubles exactly, floats as their rounding. */
static void ReadAndCompare(const char *path, const Shape *shape, const UnrLayout *layout,
                           PetscInt trajectories, PetscInt frames, bool is_cached)
{
  PetscInt first, count = Share(layout, trajectories, &first);
  UnrGrid grid;
  UnrBatch batch, wanted;
  UnrWell well;
  UnrWellInfo info;
  PetscInt wrong = 0;

  TEST_CALL(UnrGridCreate(layout, shape->dim, shape->points, shape->components, 0, &grid));
  TEST_CALL(UnrBatchCreate(grid, count, &batch));
  TEST_CALL(UnrBatchCreate(grid, count, &wanted));
  TEST_CALL(UnrWellOpen(path, strchr(shape->field, '|') ? shape->field : NULL, &well));
  TEST_CALL(UnrWellInfoGet(well, &info));
  if (is_cached) TEST_CALL(UnrWellCache(well, grid, 1e6, &is_cached));
  cr_expect(!strcmp(UnrWellField(well), shape->field));
  cr_expect(info.dim == shape->dim && info.trajectories == trajectories && info.frames == frames);
  cr_expect(info.components == shape->components && info.is_double == (shape->precision == UNR_DOUBLE));
  for (PetscInt f = 0; f < frames; f++) {
    Fill(wanted, first, f);
    for (PetscInt s = 0; s < trajectories; s++)
      TEST_CALL(UnrWellRead(well, first + s, f, s < count ? batch : NULL, s < count ? s : 0));
    for (size_t i = 0; i < (size_t)count * batch->stride; i++) {
      double value = info.is_double ? wanted->data[i] : (double)(float)wanted->data[i];
      wrong += batch->data[i] != value;
    }
  }
  cr_expect(wrong == 0, "%d numbers differ", (int)wrong);
  TEST_CALL(UnrWellClose(&well));
  TEST_CALL(UnrBatchDestroy(&wanted));
  TEST_CALL(UnrBatchDestroy(&batch));
  TEST_CALL(UnrGridDestroy(&grid));
}

/* The bytes of the field's data set, as they stand in the file; on rank 0, which frees them. */
static unsigned char *Raw(const char *path, const char *set_name, size_t *bytes)
{
  hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT), set = H5Dopen2(file, set_name, H5P_DEFAULT);
  haddr_t offset = H5Dget_offset(set);
  FILE *raw = fopen(path, "rb");
  unsigned char *data;

  *bytes = (size_t)H5Dget_storage_size(set);
  data = malloc(*bytes);
  cr_expect(!fseek(raw, (long)offset, SEEK_SET) && fread(data, 1, *bytes, raw) == *bytes);
  fclose(raw);
  H5Dclose(set);
  H5Fclose(file);
  return data;
}

/* All shapes, on one grid over all ranks and on replicas with unequal shares, read back on both and on one
 * rank alone. */
Test(dataset, round_trip)
{
  const PetscInt trajectories = TestRanks() + 1, frames = 3;
  char path[2][512];
  int rank;

  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
    const Shape *shape = shapes + i;
    UnrLayout grid, replicas, self;

    TEST_CALL(UnrLayoutCreate(PETSC_COMM_WORLD, 1, shape->dim, shape->points, &UnrNeedsNone, &grid));
    TEST_CALL(
        UnrLayoutCreate(PETSC_COMM_WORLD, trajectories, shape->dim, shape->points, &UnrNeedsNone, &replicas));
    TEST_CALL(UnrLayoutCreateSelf(&self));
    cr_expect(grid.replicas == 1 && replicas.replicas == TestRanks());
    TestPath("grid.h5", path[0]);
    TestPath("self.h5", path[1]);
    Write(path[0], shape, &grid, trajectories, frames);
    ReadAndCompare(path[0], shape, &replicas, trajectories, frames, false);
    ReadAndCompare(path[0], shape, &self, trajectories, frames, true);
    Write(path[1], shape, &self, trajectories, frames);
    if (!rank) {
      static const char *const set[] = {"t0_fields/u", "t1_fields/velocity", "t0_fields/tracer",
                                        "t0_fields/other"};
      size_t bytes[2];
      unsigned char *raw[2];

      for (int n = 0; n < 4; n++) {
        if (!strstr(shape->field, set[n] + 10)) continue;
        for (int f = 0; f < 2; f++) raw[f] = Raw(path[f], set[n], &bytes[f]);
        cr_expect(bytes[0] == bytes[1] && !memcmp(raw[0], raw[1], bytes[0]), "%s", set[n]);
        for (int f = 0; f < 2; f++) free(raw[f]);
      }
    }
    Write(path[1], shape, &replicas, trajectories, frames);
    ReadAndCompare(path[1], shape, &grid, trajectories, frames, false);
    ReadAndCompare(path[1], shape, &grid, trajectories, frames, true);
    TEST_CALL(UnrLayoutDestroy(&self));
    TEST_CALL(UnrLayoutDestroy(&replicas));
    TEST_CALL(UnrLayoutDestroy(&grid));
  }
}

/* Each field of a state of several is in a data set of its own, which another program may read alone. */
Test(dataset, fields_apart)
{
  const Shape *shape = &shapes[4];
  const char *const name[] = {"velocity", "tracer", "velocity|tracer"};
  UnrLayout layout;
  UnrGrid grid[3];
  UnrBatch part[3], all;
  UnrWell well;
  PetscInt wrong = 0;
  char path[512];

  TestPath("fields.h5", path);
  TEST_CALL(UnrLayoutCreate(PETSC_COMM_WORLD, 1, shape->dim, shape->points, &UnrNeedsNone, &layout));
  Write(path, shape, &layout, 1, 2);
  for (int i = 0; i < 3; i++) {
    TEST_CALL(UnrGridCreate(&layout, 2, shape->points, i < 2 ? 2 - i : 3, 0, &grid[i]));
    TEST_CALL(UnrBatchCreate(grid[i], 1, &part[i]));
    TEST_CALL(UnrWellOpen(path, name[i], &well));
    TEST_CALL(UnrWellRead(well, 0, 1, part[i], 0));
    TEST_CALL(UnrWellClose(&well));
  }
  TEST_CALL(UnrBatchCreate(grid[2], 1, &all));
  Fill(all, 0, 1);
  for (PetscInt i = 0; i < grid[2]->local; i++)
    for (int c = 0; c < 3; c++) {
      const double wanted = (float)all->data[3 * i + c];
      wrong += (c < 2 ? part[0]->data[2 * i + c] : part[1]->data[i]) != wanted;
      wrong += part[2]->data[3 * i + c] != wanted;
    }
  cr_expect(!wrong, "%d numbers differ", (int)wrong);
  TEST_REFUSES(UnrWellOpen(path, "velocity|other", &well), "no field 't0_fields/other' or 't1_fields/other'");
  TEST_REFUSES(UnrWellOpen(path, "tracer|velocity", &well), "'tracer' and 'velocity' in");
  TEST_REFUSES(UnrWellOpen(path, "velocity||tracer", &well), "no such fields (velocity||tracer)");
  TEST_REFUSES(UnrWellOpen(path, "a|b|c|d|e", &well), "up to 4 names");
  TEST_CALL(UnrBatchDestroy(&all));
  for (int i = 0; i < 3; i++) {
    TEST_CALL(UnrBatchDestroy(&part[i]));
    TEST_CALL(UnrGridDestroy(&grid[i]));
  }
  TEST_CALL(UnrLayoutDestroy(&layout));
}

/* Lengths, times and scalars differ from trajectory to trajectory and come back as doubles. */
Test(dataset, axes)
{
  char path[512];
  UnrLayout layout;
  UnrWell well;
  double length[UNR_MAX_DIM], value;
  bool found;

  TestPath("axes.h5", path);
  TEST_CALL(UnrLayoutCreate(PETSC_COMM_WORLD, 1, 2, shapes[1].points, &UnrNeedsNone, &layout));
  Write(path, &shapes[1], &layout, 3, 2);
  TEST_CALL(UnrWellOpen(path, "velocity", &well));
  for (PetscInt t = 0; t < 3; t++) {
    TEST_CALL(UnrWellLength(well, t, length));
    /* n dx from the last coordinate: two roundings */
    cr_expect(fabs(length[0] - (1 + (double)t)) < 1e-15 * 8 &&
              fabs(length[1] - (1.25 + (double)t)) < 1e-15 * 8);
    cr_expect(length[2] == 1);
    TEST_CALL(UnrWellScalar(well, t, "domain_size", &value, &found));
    cr_expect(found && value == 0.1 * (double)t);
    TEST_CALL(UnrWellScalar(well, t, "viscosity", &value, &found));
    cr_expect(found && value == 1. / 3);
    TEST_CALL(UnrWellScalar(well, t, "forcing", &value, &found));
    cr_expect(!found);
  }
  TEST_CALL(UnrWellTime(well, 1, &value));
  cr_expect(value == 0.5);
  TEST_CALL(UnrWellClose(&well));
  TEST_CALL(UnrLayoutDestroy(&layout));
}

/* Until it is committed a file is not under its name; closing it throws it away. */
Test(dataset, unfinished)
{
  char path[512], part[520];
  double length[] = {1};
  UnrLayout layout;
  UnrGrid grid;
  UnrWell well;
  struct stat status;

  TestPath("unfinished.h5", path);
  snprintf(part, sizeof part, "%s.part", path);
  TEST_CALL(UnrLayoutCreate(PETSC_COMM_WORLD, 1, 1, shapes[0].points, &UnrNeedsNone, &layout));
  TEST_CALL(UnrGridCreate(&layout, 1, shapes[0].points, 1, 0, &grid));
  UnrWellSpec spec = {.dataset_name = "test",
                      .field = "u",
                      .grid = grid,
                      .trajectories = 1,
                      .frames = 1,
                      .precision = UNR_DOUBLE,
                      .length = length};
  TEST_CALL(UnrWellCreate(path, &spec, &well));
  cr_expect(stat(path, &status) && !stat(part, &status));
  MPI_Barrier(PETSC_COMM_WORLD);
  TEST_CALL(UnrWellClose(&well));
  MPI_Barrier(PETSC_COMM_WORLD);
  cr_expect(stat(path, &status) && stat(part, &status));
  TestPath("no/such/place.h5", path);
  cr_expect(UnrWellCreate(path, &spec, &well) == UNR_ERR_USER);
  cr_expect(strstr(UnrUserErrorMessage(), "cannot write") && strstr(UnrUserErrorMessage(), path));
  TEST_CALL(UnrGridDestroy(&grid));
  TEST_CALL(UnrLayoutDestroy(&layout));
}

/* A foreign program's file, written by rank 0: minimal where nothing else is said. */
typedef struct {
  const char *expected; /* in the message; NULL: it can be opened */
  hid_t type;           /* of the field; 0: float32 */
  int extra;            /* axes of the field more than (trajectory, time, x) */
  hsize_t x, time;      /* entries of the axes, instead of 8 and 3 */
  double bend;          /* added to the fourth coordinate */
  bool no_dimensions, no_field, no_x, no_time, bad_count, bad_scalar, nan_x;
  long cut; /* bytes kept of the file, or 0 */
} Recipe;

enum { NX = 8, FRAMES = 3, TRAJECTORIES = 2 };

static void Set(hid_t file, const char *name, hid_t type, int rank, const hsize_t size[],
                const double *values)
{
  hid_t links = H5Pcreate(H5P_LINK_CREATE), space = H5Screate_simple(rank, size, NULL), set;

  H5Pset_create_intermediate_group(links, 1);
  set = H5Dcreate2(file, name, type, space, links, H5P_DEFAULT, H5P_DEFAULT);
  if (H5Tget_class(type) != H5T_STRING)
    H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
  H5Dclose(set);
  H5Sclose(space);
  H5Pclose(links);
}

static void Make(const char *path, const Recipe *recipe)
{
  hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  double values[TRAJECTORIES * FRAMES * NX * 4], axis[32];
  hsize_t size[] = {TRAJECTORIES, FRAMES, NX, 1, 1, 1, 1}, n = recipe->x ? recipe->x : NX, one = 1, three = 3;
  int64_t dims = 2;

  for (int i = 0; i < TRAJECTORIES * FRAMES * NX * 4; i++) values[i] = i;
  for (int i = 0; i < 32; i++) axis[i] = 0.25 * i;
  axis[3] += recipe->bend;
  if (recipe->nan_x) axis[2] = NAN;
  if (!recipe->no_dimensions) {
    if (!recipe->no_x) Set(file, "dimensions/x", H5T_IEEE_F32LE, 1, &n, axis);
    n = recipe->time ? recipe->time : FRAMES;
    if (!recipe->no_time) Set(file, "dimensions/time", H5T_IEEE_F32LE, 1, &n, axis + 8);
  }
  if (!recipe->no_field)
    Set(file, "t0_fields/u", recipe->type ? recipe->type : H5T_IEEE_F32LE, 3 + recipe->extra, size, values);
  if (recipe->bad_scalar) Set(file, "scalars/domain_size", H5T_IEEE_F32LE, 1, &three, values);
  if (recipe->bad_count) {
    hid_t space = H5Screate_simple(1, &one, NULL);
    hid_t attribute = H5Acreate2(file, "n_spatial_dims", H5T_STD_I64LE, space, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(attribute, H5T_NATIVE_INT64, &dims);
    H5Aclose(attribute);
    H5Sclose(space);
  }
  H5Fclose(file);
  if (recipe->cut) cr_expect(!truncate(path, recipe->cut));
}

Test(dataset, minimal)
{
  char path[512];
  Recipe recipe = {0};
  UnrWell well;
  UnrWellInfo info;
  UnrLayout layout;
  UnrGrid grid;
  UnrBatch batch;
  double length[UNR_MAX_DIM];
  int rank;

  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  TestPath("minimal.h5", path);
  if (!rank) Make(path, &recipe);
  MPI_Barrier(PETSC_COMM_WORLD);
  TEST_CALL(UnrWellOpen(path, "u", &well));
  TEST_CALL(UnrWellInfoGet(well, &info));
  TEST_CALL(UnrWellLength(well, 1, length));
  cr_expect(length[0] == 2);
  TEST_CALL(UnrLayoutCreate(PETSC_COMM_WORLD, 1, 1, info.points, &UnrNeedsNone, &layout));
  TEST_CALL(UnrGridCreate(&layout, 1, info.points, 1, 0, &grid));
  TEST_CALL(UnrBatchCreate(grid, 1, &batch));
  TEST_CALL(UnrWellRead(well, 1, 2, batch, 0));
  for (PetscInt i = 0; i < grid->count[0]; i++)
    cr_expect(batch->data[i] == (double)((1 * FRAMES + 2) * NX + grid->start[0] + i));
  cr_expect(UnrWellRead(well, 2, 0, batch, 0) == UNR_ERR_USER &&
            strstr(UnrUserErrorMessage(), "trajectory out of range"));
  cr_expect(UnrWellRead(well, 0, 3, batch, 0) == UNR_ERR_USER &&
            strstr(UnrUserErrorMessage(), "frame out of range"));
  cr_expect(UnrWellCheckRange(well, 0, 7) == UNR_ERR_USER && strstr(UnrUserErrorMessage(), "(7)"));
  TEST_CALL(UnrWellClose(&well));
  TEST_CALL(UnrBatchDestroy(&batch));
  TEST_CALL(UnrGridDestroy(&grid));
  TEST_CALL(UnrLayoutDestroy(&layout));
}

/* NaN in a state is found by the read that meets it, on every rank; the other states are still good. */
Test(dataset, not_finite)
{
  char path[512];
  UnrWell well;
  UnrLayout layout;
  UnrGrid grid;
  UnrBatch batch;
  bool is_cached;
  int rank;

  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  TestPath("nan.h5", path);
  if (!rank) {
    Recipe recipe = {0};
    float nan = NAN;
    Make(path, &recipe);
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT), set = H5Dopen2(file, "t0_fields/u", H5P_DEFAULT);
    hid_t space = H5Dget_space(set), one;
    const hsize_t at[] = {1, 1, 5}, count[] = {1, 1, 1};
    H5Sselect_hyperslab(space, H5S_SELECT_SET, at, NULL, count, NULL);
    one = H5Screate_simple(3, count, NULL);
    cr_expect(H5Dwrite(set, H5T_NATIVE_FLOAT, one, space, H5P_DEFAULT, &nan) >= 0);
    H5Sclose(one);
    H5Sclose(space);
    H5Dclose(set);
    H5Fclose(file);
  }
  MPI_Barrier(PETSC_COMM_WORLD);
  TEST_CALL(UnrWellOpen(path, "u", &well));
  TEST_CALL(UnrLayoutCreate(PETSC_COMM_WORLD, 1, 1, (PetscInt[]){NX, 1, 1}, &UnrNeedsNone, &layout));
  TEST_CALL(UnrGridCreate(&layout, 1, (PetscInt[]){NX, 1, 1}, 1, 0, &grid));
  TEST_CALL(UnrBatchCreate(grid, 1, &batch));
  TEST_CALL(UnrWellRead(well, 1, 0, batch, 0));
  cr_expect(UnrWellRead(well, 1, 1, batch, 0) == UNR_ERR_USER);
  cr_expect(strstr(UnrUserErrorMessage(), "trajectory 1, frame 1 is not finite (nan)"), "%s",
            UnrUserErrorMessage());
  TEST_CALL(UnrWellRead(well, 1, 2, batch, 0));
  TEST_CALL(UnrWellCache(well, grid, 10, &is_cached)); /* bytes: too few */
  cr_expect(!is_cached);
  cr_expect(UnrWellCache(well, grid, 1e6, &is_cached) == UNR_ERR_USER);
  cr_expect(strstr(UnrUserErrorMessage(), "trajectory 1, frame 1 is not finite"), "%s",
            UnrUserErrorMessage());
  TEST_CALL(UnrWellClose(&well));
  TEST_CALL(UnrBatchDestroy(&batch));
  TEST_CALL(UnrGridDestroy(&grid));
  TEST_CALL(UnrLayoutDestroy(&layout));
}

/* Every rank gets the same user error, which names the file and what is wrong with it. */
static void ExpectRefusal(const char *path, const char *field, const char *expected)
{
  UnrWell well;
  PetscErrorCode code = UnrWellOpen(path, field, &well);

  cr_expect(code == UNR_ERR_USER && !well, "code %d", (int)code);
  cr_expect(strstr(UnrUserErrorMessage(), expected), "'%s' is not in '%s'", expected, UnrUserErrorMessage());
  cr_expect(strstr(UnrUserErrorMessage(), path), "no path in '%s'", UnrUserErrorMessage());
  UnrUserErrorClear();
  MPI_Barrier(PETSC_COMM_WORLD);
}

Test(dataset, refusals)
{
  const Recipe recipes[] = {
      {.expected = "without group 'dimensions'", .no_dimensions = true},
      {.expected = "no field 't0_fields/u' or 't1_fields/u'", .no_field = true},
      {.expected = "wrong type of field 't0_fields/u' (integers)", .type = H5T_STD_I32LE},
      {.expected = "wrong type of field 't0_fields/u' (strings)", .type = H5T_C_S1},
      {.expected = "wrong number of axes of field 't0_fields/u' (6)", .extra = 3},
      {.expected = "no coordinates 'dimensions/x'", .no_x = true},
      {.expected = "no coordinates 'dimensions/y'", .extra = 1},
      {.expected = "inconsistent shape of 'dimensions/x' (7)", .x = 7},
      {.expected = "inconsistent shape of 'dimensions/time' (4)", .time = 4},
      {.expected = "no 'dimensions/time' for 3 frames", .no_time = true},
      {.expected = "not evenly spaced", .bend = 0.01},
      {.expected = "'dimensions/x' is not finite", .nan_x = true},
      {.expected = "wrong dimension count 'n_spatial_dims' (2)", .bad_count = true},
      {.expected = "truncated or damaged HDF5 file", .cut = 2000},
      {.expected = "not an HDF5 file", .cut = 4},
  };
  char path[512];
  int rank;

  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  for (size_t i = 0; i < sizeof recipes / sizeof *recipes; i++) {
    char name[32];
    snprintf(name, sizeof name, "bad-%zu.h5", i);
    TestPath(name, path);
    if (!rank) Make(path, recipes + i);
    MPI_Barrier(PETSC_COMM_WORLD);
    ExpectRefusal(path, "u", recipes[i].expected);
  }
  TestPath("odd-scalar.h5", path); /* of another shape: harmless, unless it is asked for */
  if (!rank) Make(path, &(Recipe){.bad_scalar = true});
  MPI_Barrier(PETSC_COMM_WORLD);
  {
    UnrWell well;
    double value;
    bool found;
    TEST_CALL(UnrWellOpen(path, "u", &well));
    TEST_CALL(UnrWellScalar(well, 0, "viscosity", &value, &found));
    cr_expect(!found);
    cr_expect(UnrWellScalar(well, 0, "domain_size", &value, &found) == UNR_ERR_USER);
    cr_expect(strstr(UnrUserErrorMessage(), "scalar 'domain_size' of trajectory 0"), "%s",
              UnrUserErrorMessage());
    UnrUserErrorClear();
    TEST_CALL(UnrWellClose(&well));
  }
  TestPath("missing.h5", path);
  ExpectRefusal(path, "u", "No such file");
  ExpectRefusal(directory, "u", "not a file");
  TestPath("bad-1.h5", path); /* its only groups have no field at all */
  ExpectRefusal(path, NULL, "no field");
}
