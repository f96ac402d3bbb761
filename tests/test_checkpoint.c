/* Checkpoints: the last ones are kept, the newest whole one is found, an earlier run is set aside and not
 * lost. */
#include "support_directory.h"

#include "checkpoint/checkpoint.h"

TestSuite(checkpoint, .init = TestDirectoryBegin, .fini = TestDirectoryEnd);

static PetscErrorCode WriteAt(const char *where, PetscInt64 update)
{
  const UnrArray array = {"update", UNR_INT64, 0, {0}, &update};

  return UnrCheckpointWrite(where, update, 1, &array);
}

static void Write(PetscInt64 update)
{
  TEST_CALL(WriteAt(directory, update));
}

static PetscErrorCode Find(const char *restart, char path[PETSC_MAX_PATH_LEN])
{
  PetscErrorCode code;

  if (restart) TEST_CALL(PetscOptionsSetValue(NULL, "-restart", restart));
  code = UnrCheckpointFind(directory, path);
  TEST_CALL(PetscOptionsClearValue(NULL, "-restart"));
  return code;
}

/* -restart auto finds that update, and the file says so too; -1: none. */
static void ExpectNewest(PetscInt64 update)
{
  char path[PETSC_MAX_PATH_LEN], wanted[512] = "";
  PetscInt64 inside = -1;
  const UnrArray array = {"update", UNR_INT64, 0, {0}, &inside};

  TEST_CALL(Find("auto", path));
  if (update >= 0) snprintf(wanted, sizeof wanted, "%s/checkpoint-%lld.h5", directory, (long long)update);
  cr_expect(!strcmp(path, wanted), "'%s' is not '%s'", path, wanted);
  if (path[0]) TEST_CALL(UnrStateFileRead(path, "checkpoint", 1, &array));
  cr_expect(inside == update);
}

/* An empty or a short file in place of a checkpoint or another one. */
static void Put(const char *name, const char *text)
{
  char path[512];

  TestPath(name, path);
  TestBytesWrite(path, text, strlen(text));
}

/* Numbers count, not letters: 1000 is newer than 999. */
Test(checkpoint, keeps_the_last)
{
  TestOptionsSet("-checkpoint_keep 3");
  Put("checkpoint-5.h5.part", "of a killed run");
  Put("checkpoint-x.h5", "foreign");
  Put("notes.part", "foreign");
  ExpectNewest(-1);
  for (PetscInt64 update = 997; update <= 1001; update++) {
    Write(update);
    ExpectNewest(update);
  }
  Write(1001); /* once more, as at the end of a run */
  TestOptionsUnset("-checkpoint_keep");
  cr_expect(!TestExists("checkpoint-997.h5") && !TestExists("checkpoint-998.h5"));
  cr_expect(TestExists("checkpoint-999.h5") && TestExists("checkpoint-1000.h5") &&
            TestExists("checkpoint-1001.h5"));
  cr_expect(!TestExists("checkpoint-5.h5.part"));
  cr_expect(TestExists("checkpoint-x.h5") && TestExists("notes.part"), "what is not ours stays");
  cr_expect(!TestExists("previous"));
}

Test(checkpoint, defaults)
{
  char path[PETSC_MAX_PATH_LEN] = "x";
  PetscInt64 interval = 0;

  Write(10);
  TEST_CALL(Find(NULL, path));
  cr_expect(!path[0], "-restart none is the default");
  TEST_CALL(Find("none", path));
  cr_expect(!path[0]);
  TEST_CALL(UnrCheckpointInterval(&interval));
  cr_expect(interval > 0);
  TestOptionsSet("-checkpoint_interval 0");
  TEST_CALL(UnrCheckpointInterval(&interval));
  cr_expect(interval == 0);
  TestOptionsUnset("-checkpoint_interval");
  for (int k = 0; k < 5; k++) Write(20 + k);
  cr_expect(TestExists("checkpoint-24.h5") && TestExists("checkpoint-23.h5") &&
            !TestExists("checkpoint-22.h5"));
}

/* What UnrCheckpointFind says on stderr is said once, by rank 0. */
static void ExpectWarning(PetscInt64 newest, const char *words)
{
  char path[512], *text;
  size_t bytes;
  int kept = dup(STDERR_FILENO);

  snprintf(path, sizeof path, "%s/stderr.%d", directory, TestRank());
  fflush(stderr);
  cr_expect(freopen(path, "w", stderr) != NULL);
  ExpectNewest(newest);
  fflush(stderr);
  (void)dup2(kept, STDERR_FILENO);
  close(kept);
  text = TestBytes(path, &bytes);
  if (text) {
    text[bytes] = '\0';
    if (TestRank())
      cr_expect(!bytes, "rank %d says %s", TestRank(), text);
    else
      cr_expect(strstr(text, words) && strchr(text, '\n') == text + bytes - 1, "'%s'", text);
  }
  free(text);
}

/* A newest one that is damaged is passed over; a run never starts anew because all are. */
Test(checkpoint, falls_back)
{
  char path[PETSC_MAX_PATH_LEN];

  Write(10);
  Write(20);
  Put("checkpoint-30.h5", "");
  ExpectWarning(20, "unroll: warning: not an HDF5 file (");
  Put("checkpoint-20.h5", "unroll state file\nsha256 cut");
  ExpectWarning(10, "checkpoint-30.h5");
  Put("checkpoint-10.h5", "x");
  TEST_REFUSES(Find("auto", path), "no checkpoint of ");
  TEST_REFUSES(Find("auto", path), "checkpoint-30.h5, 0 bytes)");
  TEST_REFUSES(Find("auto", path), "try: -restart none");
}

Test(checkpoint, of_a_file)
{
  char path[PETSC_MAX_PATH_LEN], file[512];
  double x = 1;
  const UnrArray array = {"x", UNR_FLOAT64, 0, {0}, &x};

  Write(10);
  Write(20);
  TestPath("checkpoint-10.h5", file);
  TEST_CALL(Find(file, path));
  cr_expect(!strcmp(path, file));
  TestPath("absent.h5", file);
  TEST_REFUSES(Find(file, path), "cannot find checkpoint (");
  TestPath("model.h5", file);
  TEST_CALL(UnrStateFileWrite(file, "model", 1, &array));
  TEST_REFUSES(Find(file, path), "a file of kind model where a checkpoint is wanted");
  TEST_REFUSES(Find(directory, path), "not a file (");
}

/* -restart FILE leaves a branch: auto must not go back to it, and it is not lost. */
Test(checkpoint, leaves_a_branch)
{
  Write(10);
  Write(20);
  Write(15); /* of a run from 10 */
  ExpectNewest(15);
  cr_expect(TestExists("checkpoint-10.h5") && TestExists("previous/checkpoint-20.h5"));
}

Test(checkpoint, retires)
{
  static const char *const names[] = {"model*.h5", "history.csv", "summary.json", NULL};

  TEST_CALL(UnrCheckpointRetire(directory, names));
  cr_expect(!TestExists("previous"), "nothing to set aside");
  Write(10);
  Write(20);
  Put("history.csv", "first");
  Put("model.h5", "first");
  Put("model-stage1.h5", "first");
  Put("notes.txt", "mine");
  TEST_CALL(UnrCheckpointRetire(directory, names));
  ExpectNewest(-1);
  cr_expect(TestExists("previous/checkpoint-10.h5") && TestExists("previous/checkpoint-20.h5"));
  cr_expect(TestExists("previous/history.csv") && TestExists("previous/model.h5") && !TestExists("model.h5"));
  cr_expect(TestExists("previous/model-stage1.h5") && !TestExists("model-stage1.h5") &&
            TestExists("notes.txt"));
  Write(5);
  Put("history.csv", "second");
  TEST_CALL(UnrCheckpointRetire(directory, names));
  cr_expect(TestExists("previous/checkpoint-5.h5") && TestExists("previous/history.csv"));
  cr_expect(!TestExists("previous/checkpoint-20.h5") && !TestExists("previous/model.h5"),
            "one run, not two mixed");
  cr_expect(!TestExists("previous.part"));
  TEST_CALL(UnrCheckpointRetire(directory, names));
  cr_expect(TestExists("previous/checkpoint-5.h5"), "nothing new takes nothing away");
}

/* Killed half way: some files are in previous.part, or all of them and `previous` is already empty. */
Test(checkpoint, retires_after_a_kill)
{
  static const char *const names[] = {"history.csv", NULL};
  char path[512];

  TestPath("previous.part", path);
  if (!TestRank()) cr_expect(!mkdir(path, 0777));
  MPI_Barrier(PETSC_COMM_WORLD);
  Put("previous.part/checkpoint-10.h5", "of the killed run");
  Put("history.csv", "of the killed run");
  TEST_CALL(UnrCheckpointRetire(directory, names));
  cr_expect(TestExists("previous/checkpoint-10.h5") && TestExists("previous/history.csv"));
  cr_expect(!TestExists("previous.part") && !TestExists("history.csv"));
}

Test(checkpoint, mistakes)
{
  static const char *const names[] = {"history.csv", NULL};
  char path[512];

  TestPath("absent", path);
  TEST_REFUSES(WriteAt(path, 10), "cannot write a file (");
  Put("file", "x");
  TestPath("file", path);
  TEST_REFUSES(WriteAt(path, 10), "Not a directory");
  Put("history.csv", "x");
  Put("previous", "a file in the way");
  TEST_REFUSES(UnrCheckpointRetire(directory, names), "cannot set aside an earlier run's files (");
}
