/* State files: every type and shape comes back bit for bit on all ranks; what is damaged or foreign is
 * refused. */
#include "support_directory.h"

#include <hdf5.h>
#include <sys/mount.h>
#include "checkpoint/state_file.h"

TestSuite(state, .init = TestDirectoryBegin, .fini = TestDirectoryEnd);

enum { ARRAYS = 6 };

/* Numbers of all kinds, among them those that text would lose. */
typedef struct {
  float single[2][3];
  double real[4], scalar, none[1];
  PetscInt64 update, many[2][1][3];
} Numbers;

static void Fill(Numbers *n)
{
  *n = (Numbers){.single = {{0.1F, -0.F, NAN}, {1e-42F, INFINITY, 3}},
                 .real = {0.1, 1e-310, -INFINITY, 1e300},
                 .scalar = 1. / 3,
                 .update = ((PetscInt64)1 << 62) + 1,
                 .many = {{{1, -2, 3}}, {{INT64_MIN, 5, INT64_MAX}}}};
}

static void Describe(Numbers *n, UnrArray array[ARRAYS])
{
  const UnrArray all[ARRAYS] = {{"weights/block0.conv0.weight", UNR_FLOAT32, 2, {2, 3}, n->single},
                                {"moments/first/real", UNR_FLOAT64, 1, {4}, n->real},
                                {"rate", UNR_FLOAT64, 0, {0}, &n->scalar},
                                {"update", UNR_INT64, 0, {0}, &n->update},
                                {"many", UNR_INT64, 3, {2, 1, 3}, n->many},
                                {"none", UNR_FLOAT64, 2, {3, 0}, n->none}};

  memcpy(array, all, sizeof all);
}

/* A good file, and its bytes where asked for. */
static char *Good(const char *name, char path[512], size_t *bytes)
{
  UnrArray array[ARRAYS];
  Numbers n;

  TestPath(name, path);
  Fill(&n);
  Describe(&n, array);
  TEST_CALL(UnrStateFileWrite(path, "checkpoint", ARRAYS, array));
  MPI_Barrier(PETSC_COMM_WORLD);
  return bytes ? TestBytes(path, bytes) : NULL;
}

static PetscErrorCode Read(const char *path, Numbers *n)
{
  UnrArray array[ARRAYS];

  Describe(n, array);
  return UnrStateFileRead(path, "checkpoint", ARRAYS, array);
}

Test(state, round_trip)
{
  char path[512];
  Numbers n, back;
  double value = 0;
  bool found;

  Fill(&n);
  Good("a.h5", path, NULL);
  memset(&back, 1, sizeof back);
  back.none[0] = n.none[0];
  TEST_CALL(Read(path, &back));
  cr_expect(!memcmp(n.single, back.single, sizeof n.single));
  cr_expect(!memcmp(n.real, back.real, sizeof n.real) && n.scalar == back.scalar);
  cr_expect(n.update == back.update && !memcmp(n.many, back.many, sizeof n.many));
  TEST_CALL(UnrStateFileNumber(path, "checkpoint", "rate", &value, &found));
  cr_expect(found && value == n.scalar);
  TEST_CALL(UnrStateFileNumber(path, NULL, "update", &value, &found));
  cr_expect(found && value == (double)n.update);
  TEST_CALL(UnrStateFileNumber(path, NULL, "epoch", &value, &found));
  cr_expect(!found && value == (double)n.update, "what is not there leaves the value alone");
  TEST_CALL(UnrStateFileNumber(path, NULL, "moments/first/real", &value, &found));
  cr_expect(!found, "four numbers are not one");
  cr_expect(!TestExists("a.h5.part"));
}

/* Any two of the float types are read as each other; a number too large for its type becomes infinite. */
Test(state, conversion)
{
  char path[512];
  double wide[2] = {0.1, 1e300}, back[2];
  float narrow[2];
  UnrArray array = {"x", UNR_FLOAT64, 1, {2}, wide};

  TestPath("a.h5", path);
  TEST_CALL(UnrStateFileWrite(path, "model", 1, &array));
  array.type = UNR_FLOAT32;
  array.data = narrow;
  TEST_CALL(UnrStateFileRead(path, "model", 1, &array));
  cr_expect(narrow[0] == 0.1F && isinf(narrow[1]));
  narrow[1] = 3;
  TEST_CALL(UnrStateFileWrite(path, "model", 1, &array));
  array.type = UNR_FLOAT64;
  array.data = back;
  TEST_CALL(UnrStateFileRead(path, "model", 1, &array));
  cr_expect(back[0] == (double)0.1F && back[1] == 3);
  array.type = UNR_INT64;
  TEST_REFUSES(UnrStateFileRead(path, "model", 1, &array), "is float32 (2); allowed: int64 (2)");
}

/* The same state gives the same bytes, whenever it is written. */
Test(state, same_bytes)
{
  char path[2][512], *data[2];
  size_t bytes[2];

  data[0] = Good("a.h5", path[0], &bytes[0]);
  if (!TestRank()) sleep(1); /* a time stamp would count seconds */
  data[1] = Good("b.h5", path[1], &bytes[1]);
  cr_expect(bytes[0] == bytes[1] && !memcmp(data[0], data[1], bytes[0]));
  free(data[0]);
  free(data[1]);
}

/* Cut anywhere; and any one bit turned in the head, in HDF5's own structures, in the numbers. */
Test(state, damage)
{
  size_t bytes, cut[] = {0, 1, 17, 100, 511, 512, 520, 600, 1000, 0, 0, 0};
  char path[512], bad[512], *data = Good("a.h5", path, &bytes);
  const size_t cuts = sizeof cut / sizeof *cut;
  Numbers n;

  TestPath("bad.h5", bad);
  cut[cuts - 3] = bytes / 2;
  cut[cuts - 2] = bytes - 100;
  cut[cuts - 1] = bytes - 1;
  for (size_t i = 0; i < cuts; i++) {
    TestBytesWrite(bad, data, cut[i]);
    TEST_REFUSES(Read(bad, &n), cut[i] < 18 ? "not an HDF5 file" : cut[i] < 100 ? "damaged" : "truncated");
    TEST_REFUSES(Read(bad, &n), bad);
  }
  for (size_t at = 0; at < bytes; at += at < 520 ? 1 + at / 20 : 97) {
    data[at] ^= 0x10;
    TestBytesWrite(bad, data, bytes);
    TEST_REFUSES(Read(bad, &n), at < 18 ? "damaged HDF5 file" : at < 512 ? "" : "damaged file");
    data[at] ^= 0x10;
  }
  free(data);
}

static PetscErrorCode ReadOne(const char *path, const char *kind, const char *name, PetscInt rank,
                              PetscInt64 size)
{
  double data[8];
  const UnrArray array = {.name = "", .type = UNR_FLOAT64, .rank = rank, .shape = {size, 1}, .data = data};
  UnrArray named = array;

  snprintf(named.name, sizeof named.name, "%s", name);
  return UnrStateFileRead(path, kind, 1, &named);
}

Test(state, mistakes)
{
  char path[512], other[512];

  Good("a.h5", path, NULL);
  TEST_CALL(ReadOne(path, "checkpoint", "moments/first/real", 1, 4));
  TEST_REFUSES(ReadOne(path, "model", "rate", 0, 0), "a file of kind checkpoint where a model is wanted");
  TEST_REFUSES(ReadOne(path, "checkpoint", "moments/first/real", 1, 5),
               "array 'moments/first/real' of the checkpoint");
  TEST_REFUSES(ReadOne(path, "checkpoint", "moments/first/real", 1, 5),
               "is float64 (4); allowed: float64 (5)");
  TEST_REFUSES(ReadOne(path, "checkpoint", "moments/first/real", 2, 4),
               "is float64 (4); allowed: float64 (4, 1)");
  TEST_REFUSES(ReadOne(path, "checkpoint", "moments/second/real", 1, 4), "no array 'moments/second/real'");
  TEST_REFUSES(ReadOne(path, "checkpoint", "moments", 1, 4), "no array 'moments'");
  TEST_REFUSES(ReadOne(path, "checkpoint", "rate/deep", 1, 4), "no array 'rate/deep'");
  TEST_REFUSES(ReadOne(path, "checkpoint", "update", 0, 0), "is int64 (); allowed: float64 ()");
  TEST_REFUSES(ReadOne(directory, "checkpoint", "rate", 0, 0), "not a file");
  TestPath("absent.h5", other);
  TEST_REFUSES(ReadOne(other, "checkpoint", "rate", 0, 0), "cannot find checkpoint");
  TestBytesWrite(other, "update,loss\n", 12);
  TEST_REFUSES(ReadOne(other, "model", "rate", 0, 0), "not an HDF5 file");
}

/* By another program: HDF5 without our head, kind or schema. */
Test(state, foreign)
{
  static const char *const kind = "checkpoint";
  char path[512];

  TestPath("foreign.h5", path);
  for (int schema = 0; schema < 3; schema++) {
    if (!TestRank()) {
      const long long number = schema;
      hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), space = H5Screate(H5S_SCALAR);
      hid_t type = H5Tcopy(H5T_C_S1), attribute, set;

      H5Tset_size(type, strlen(kind)); /* as numpy's bytes: of fixed length, without an end */
      if (schema) {
        attribute = H5Acreate2(file, "kind", type, space, H5P_DEFAULT, H5P_DEFAULT);
        cr_expect(H5Awrite(attribute, type, kind) >= 0 && H5Aclose(attribute) >= 0);
        attribute = H5Acreate2(file, "schema", H5T_STD_I64LE, space, H5P_DEFAULT, H5P_DEFAULT);
        cr_expect(H5Awrite(attribute, H5T_NATIVE_LLONG, &number) >= 0 && H5Aclose(attribute) >= 0);
      }
      set = H5Dcreate2(file, "rate", H5T_IEEE_F64BE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
      cr_expect(H5Dclose(set) >= 0 && H5Tclose(type) >= 0 && H5Sclose(space) >= 0 && H5Fclose(file) >= 0);
    }
    MPI_Barrier(PETSC_COMM_WORLD);
    if (schema == 1)
      TEST_CALL(ReadOne(path, kind, "rate", 0, 0));
    else
      TEST_REFUSES(ReadOne(path, kind, "rate", 0, 0), schema
                                                          ? "unknown schema (2) of the checkpoint"
                                                          : "foreign HDF5 file, without attributes 'kind'");
  }
}

/* Where it cannot be written the old file stays whole, and nothing else is left. */
Test(state, no_room)
{
  char path[512], old[512], *data[2];
  size_t bytes[2];
  double *big = calloc(100000, sizeof *big);
  UnrArray array = {"big", UNR_FLOAT64, 1, {100000}, big};
  int is_mounted = 0;
  Numbers n;

  TestPath("absent/a.h5", path);
  TEST_REFUSES(UnrStateFileWrite(path, "model", 1, &array), "No such file or directory");
  Good("a.h5", path, NULL);
  TestPath("a.h5/b.h5", path); /* below a file nobody may write, not even root */
  TEST_REFUSES(UnrStateFileWrite(path, "model", 1, &array), "Not a directory");
  TestPath("small", path);
  if (!TestRank()) is_mounted = !mkdir(path, 0777) && !mount("tmpfs", path, "tmpfs", 0, "size=64k");
  (void)MPI_Bcast(&is_mounted, 1, MPI_INT, 0, PETSC_COMM_WORLD);
  if (is_mounted) {
    data[0] = Good("small/a.h5", old, &bytes[0]);
    TEST_REFUSES(UnrStateFileWrite(old, "checkpoint", 1, &array), "No space left on device");
    data[1] = TestBytes(old, &bytes[1]);
    cr_expect(bytes[0] == bytes[1] && !memcmp(data[0], data[1], bytes[0]));
    cr_expect(!TestExists("small/a.h5.part"));
    TEST_CALL(Read(old, &n));
    free(data[0]);
    free(data[1]);
    MPI_Barrier(PETSC_COMM_WORLD);
    if (!TestRank()) cr_expect(!umount(path));
  }
  free(big);
}

typedef struct {
  int options;
  bool has_seed;
} Seen;

static PetscErrorCode See(const char *name, const char *value, void *context)
{
  Seen *seen = context;

  PetscFunctionBeginUser;
  seen->options++;
  seen->has_seed = seen->has_seed || (!strcmp(name, "-state_test") && !strcmp(value, "4,711"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The resolved options are in the file, on every rank. */
Test(state, options)
{
  static const UnrOption table[] = {{"-state_test", UNR_INTS, "4,711", 0, 0, NULL, "of this test", NULL},
                                    {0}};
  PetscInt value[2], count;
  char path[512];
  Seen seen = {0};

  TEST_CALL(UnrOptionInts(table, NULL, "-state_test", 2, value, &count));
  Good("a.h5", path, NULL);
  TEST_CALL(UnrStateFileOptions(path, NULL, See, &seen));
  cr_expect(seen.has_seed && seen.options > 0);
  TEST_REFUSES(UnrStateFileOptions(path, "model", See, &seen), "where a model is wanted");
}
