/* Model files: the weights come back in either precision, the options make the same net, contradictions are
 * refused. */
#include "net_case.h"
#include "support_directory.h"

#include "checkpoint/model_file.h"
#include "model/model.h"

static void Begin(void)
{
  TestDirectoryBegin();
  TEST_CALL(UnrNetRegister());
  TEST_CALL(UnrModelRegister());
}

TestSuite(model_file, .init = Begin, .fini = TestDirectoryEnd);

static const NetConfig small = {
    "small", 1, {13, 1, 1}, 2, {{"-net_resnet_features", "5"}, {"-net_resnet_depth", "2"}}};

/* A net of its own seed, so that no two have the same weights by themselves. */
static void Create(NetCase *c, const NetConfig *config, const char *precision, const char *seed)
{
  TEST_CALL(PetscOptionsSetValue(NULL, "-seed_weights", seed));
  NetCaseCreate(c, config, precision, "leaky_relu", false);
  TEST_CALL(PetscOptionsClearValue(NULL, "-seed_weights"));
}

/* Other constants than those of NetCaseCreate, for what is to be overwritten. */
static void Spoil(NetCase *c)
{
  const double zero[] = {0, 0, 0}, one[] = {1, 1, 1};

  TEST_CALL(UnrNetNormalisationSet(c->net, zero, one, one));
}

static PetscErrorCode Load(NetCase *c, const char *path)
{
  bool is_loaded = false;
  PetscErrorCode code;

  TEST_CALL(PetscOptionsSetValue(NULL, "-model_file", path));
  code = UnrModelFileLoad(c->net, &is_loaded);
  TEST_CALL(PetscOptionsClearValue(NULL, "-model_file"));
  cr_expect(is_loaded == !code);
  return code;
}

static PetscErrorCode Describe(const char *path)
{
  PetscErrorCode code;

  TEST_CALL(PetscOptionsSetValue(NULL, "-model_file", path));
  code = UnrModelFileDescribe();
  TEST_CALL(PetscOptionsClearValue(NULL, "-model_file"));
  return code;
}

/* Weights of b are those of a, rounded where b is single; constants are the same. */
static void ExpectSame(NetCase *a, NetCase *b)
{
  const double *x[3], *y[3];
  void *theta_a, *theta_b;
  size_t wrong = 0;

  TEST_CALL(UnrNetTheta(a->net, &theta_a));
  TEST_CALL(UnrNetTheta(b->net, &theta_b));
  for (size_t j = 0; j < a->parameters; j++) {
    const double value = NetGet(a, theta_a, j);
    wrong += NetGet(b, theta_b, j) != (UnrNetPrecision(b->net) == UNR_SINGLE ? (double)(float)value : value);
  }
  cr_expect(a->parameters == b->parameters && !wrong, "%zu weights differ", wrong);
  TEST_CALL(UnrNetNormalisationGet(a->net, &x[0], &x[1], &x[2]));
  TEST_CALL(UnrNetNormalisationGet(b->net, &y[0], &y[1], &y[2]));
  for (int k = 0; k < 3; k++) cr_expect(!memcmp(x[k], y[k], (size_t)a->net->components * sizeof(double)));
}

/* Does the net compute with the weights that were loaded, not with some packed before? */
static void ExpectSameOutput(NetCase *a, NetCase *b)
{
  NetCase *c[] = {a, b};
  UnrBatch out[2];

  for (int k = 0; k < 2; k++) {
    UnrBatch u = NetCaseBatch(c[k], "u");

    out[k] = NetCaseBatch(c[k], NULL);
    TEST_CALL(UnrNetApply(c[k]->net, c[k]->par, u, out[k], NULL));
    TEST_CALL(UnrBatchDestroy(&u));
  }
  cr_expect(!memcmp(out[0]->data, out[1]->data, NET_SAMPLES * out[0]->stride * sizeof(double)));
  for (int k = 0; k < 2; k++) TEST_CALL(UnrBatchDestroy(&out[k]));
}

Test(model_file, round_trip)
{
  static const char *const precision[] = {"single", "double"};
  char path[512];

  TestPath("model.h5", path);
  for (int p = 0; p < 4; p++) {
    NetCase a, b;

    Create(&a, &small, precision[p / 2], "1");
    Create(&b, &small, precision[p % 2], "2");
    ExpectSameOutput(&b, &b); /* packs the weights that are then replaced */
    Spoil(&b);
    TEST_CALL(UnrModelFileWrite(path, a.net, NULL));
    TEST_CALL(Load(&b, path));
    ExpectSame(&a, &b);
    if (p / 2 == p % 2) ExpectSameOutput(&a, &b);
    NetCaseDestroy(&a);
    NetCaseDestroy(&b);
  }
}

/* The best weights so far are not those that the net holds. */
Test(model_file, other_weights)
{
  char path[512];
  NetCase a, b;
  double *best;
  void *theta;

  TestPath("model.h5", path);
  Create(&a, &small, "double", "1");
  Create(&b, &small, "double", "2");
  best = NetTheta(&a);
  for (size_t j = 0; j < a.parameters; j++) best[j] = (double)j;
  TEST_CALL(UnrModelFileWrite(path, a.net, best));
  TEST_CALL(Load(&b, path));
  TEST_CALL(UnrNetTheta(b.net, &theta));
  cr_expect(!memcmp(theta, best, a.parameters * sizeof *best));
  TEST_CALL(PetscFree(best));
  NetCaseDestroy(&a);
  NetCaseDestroy(&b);
}

/* Of one feature count, and of several, where a depth may not be given. */
static const NetConfig described[] = {
    {"ks",
     1,
     {13, 1, 1},
     1,
     {{"-net_resnet_features", "5"},
      {"-net_resnet_depth", "2"},
      {"-net_kernel", "5"},
      {"-net_constants", "alpha"},
      {"-net_constant_scale", "8"}}},
    {"kolm",
     2,
     {7, 6, 1},
     2,
     {{"-net_resnet_features", "4,6,6,3"},
      {"-net_slope", "0.125"},
      {"-net_constants", "beta,alpha"},
      {"-net_constant_scale", "2,8"}}},
};

/* A model of that net and of -model_type predict, with -model_scale 0.25. */
static void Write(NetCase *c, const NetConfig *config, const char *path)
{
  static const UnrOption model[] = {{"-model_type", UNR_WORD, "predict", 0, 0, NULL, "", NULL},
                                    {"-model_scale", UNR_WORD, "0.25", 0, 0, NULL, "", NULL},
                                    {"-model_project", UNR_WORD, "false", 0, 0, NULL, "", NULL},
                                    {0}};
  const char *value;

  Create(c, config, "double", "1");
  for (int k = 0; k < 3; k++) TEST_CALL(UnrOptionWord(model, NULL, model[k].name, &value));
  TEST_CALL(UnrModelFileWrite(path, c->net, NULL));
}

static void ExpectOption(const char *name, const char *value)
{
  PetscBool is_set;
  const char *text;

  TEST_CALL(PetscOptionsFindPair(NULL, NULL, name, &text, &is_set));
  cr_expect(is_set == (value != NULL), "%s", name);
  if (is_set && value) cr_expect(!strcmp(text, value), "%s %s", name, text);
}

static const char all[] =
    "-net_type -net_resnet_features -net_resnet_depth -net_kernel -net_slope -net_constants "
    "-net_constant_scale -net_precision -net_activation -model_type -model_scale -model_project";

/* The file's options alone make the same net. */
Test(model_file, describes)
{
  char path[512];

  TestPath("model.h5", path);
  for (int k = 0; k < 2; k++) {
    NetConfig bare = described[k];
    NetCase a, b;

    Write(&a, &described[k], path);
    memset(bare.option, 0, sizeof bare.option);
    TEST_CALL(Describe(path));
    ExpectOption("-model_type", "predict");
    ExpectOption("-model_scale", "0.25");
    ExpectOption("-net_precision", "double");
    ExpectOption("-net_resnet_features", k ? "4,6,6,3" : "5");
    ExpectOption("-net_resnet_depth", k ? NULL : "2"); /* 8, the default, where it has no meaning */
    Create(&b, &bare, "double", "2");
    Spoil(&b);
    TEST_CALL(Load(&b, path));
    ExpectSame(&a, &b);
    ExpectSameOutput(&a, &b);
    NetCaseDestroy(&a);
    NetCaseDestroy(&b);
    TestOptionsUnset(all);
  }
}

/* What is given beside the file must say the same, in whatever spelling; the precision is free. */
Test(model_file, contradictions)
{
  static const char *const same[] = {
      "-net_resnet_depth 02", "-net_constant_scale 8.0", "-net_kernel 5",
      "-model_scale 2.5e-1",  "-net_precision single",   "-net_type resnet",
      "-model_type predict",  "-model_project no",       "-net_cnn_features 3"};
  static const char *const other[][2] = {
      {"-net_resnet_features 6", "-net_resnet_features (6) contradicts -model_file"},
      {"-net_resnet_features 5,5", "allowed: 5, as in that file; try: without -net_resnet_features"},
      {"-net_constants alpha,beta", "-net_constants (alpha,beta) contradicts"},
      {"-net_type cnn", "-net_type (cnn) contradicts"},
      {"-model_scale 0.5", "-model_scale (0.5) contradicts"},
      {"-model_project", "-model_project () contradicts"},
      {"-model_type solver",
       "allowed: predict, as in that file; try: without -model_type, or without -model_file"},
      {"-net_activation tanh", "-net_activation (tanh) contradicts"}};
  char path[512];
  NetCase a;

  TestPath("model.h5", path);
  Write(&a, &described[0], path);
  for (size_t k = 0; k < sizeof same / sizeof *same; k++) {
    TestOptionsSet(same[k]);
    TEST_CALL(Describe(path));
    TestOptionsUnset(all);
  }
  for (size_t k = 0; k < sizeof other / sizeof *other; k++) {
    TestOptionsSet(other[k][0]);
    TEST_REFUSES(Describe(path), other[k][1]);
    TestOptionsUnset(all);
  }
  TestOptionsUnset("-net_cnn_features");
  NetCaseDestroy(&a);
}

/* A file without an option that has no default was made without it. */
Test(model_file, unset_in_the_file)
{
  char path[512];
  double x = 0;
  const UnrArray array = {"weights/x", UNR_FLOAT64, 0, {0}, &x};
  static const UnrOption table[] = {{"-net_test", UNR_REAL, NULL, 0, 0, "1", "of this test", NULL}, {0}};

  TEST_CALL(UnrOptionsRegister("Test", table, NULL));
  TestPath("model.h5", path);
  TEST_CALL(UnrStateFileWrite(path, "model", 1, &array));
  TestOptionsSet("-net_test 0.5");
  TEST_REFUSES(Describe(path), "-net_test (0.5) contradicts -model_file");
  TEST_REFUSES(Describe(path), "allowed: unset, as in that file; try: without -net_test");
  TestOptionsUnset("-net_test");
}

/* The arrays of a good model, one of them changed, as a file. */
static void WriteChanged(NetCase *c, const char *path, PetscInt at, double value)
{
  double data[64] = {0};
  UnrArray array[32];
  PetscInt arrays = 0;

  TEST_CALL(UnrModelArrays(c->net, "weights/", NULL, true, 32, &arrays, array));
  if (at < 0) at += arrays;
  cr_expect(at < arrays && array[at].rank == 1 && array[at].shape[0] <= 64);
  for (int j = 0; j < 64; j++) data[j] = value;
  array[at].type = UNR_FLOAT64;
  array[at].data = data;
  TEST_CALL(UnrStateFileWrite(path, "model", arrays, array));
}

Test(model_file, mistakes)
{
  const NetConfig wide = {
      "wide", 1, {13, 1, 1}, 2, {{"-net_resnet_features", "7"}, {"-net_resnet_depth", "2"}}};
  const NetConfig deep = {
      "deep", 1, {13, 1, 1}, 2, {{"-net_resnet_features", "5"}, {"-net_resnet_depth", "3"}}};
  char path[512];
  NetCase a, b, c, good;

  TestPath("model.h5", path);
  Create(&a, &small, "single", "1");
  Create(&b, &wide, "single", "1");
  Create(&c, &deep, "single", "1");
  Create(&good, &small, "single", "2");
  TEST_CALL(UnrModelFileWrite(path, a.net, NULL));
  TEST_REFUSES(Load(&b, path), "array 'weights/first.weight' of the model");
  TEST_REFUSES(Load(&b, path), "is float32 (3, 2, 5); allowed: float32 (3, 2, 7)");
  TEST_REFUSES(Load(&c, path), "no array 'weights/block2.conv0.weight'");
  TEST_CALL(UnrModelFileWrite(path, c.net, NULL));
  TEST_REFUSES(Load(&a, path), "has 16 arrays of weights; allowed: 12");
  WriteChanged(&good, path, 1, 1); /* first.bias: as float64, which is converted */
  TEST_CALL(Load(&a, path));
  WriteChanged(&good, path, 1, NAN);
  TEST_REFUSES(Load(&a, path), "array 'weights/first.bias' of the model");
  WriteChanged(&good, path, 1, 1e300); /* beyond single precision */
  TEST_REFUSES(Load(&a, path), "holds numbers that cannot be used");
  WriteChanged(&good, path, -2, 0);
  TEST_REFUSES(Load(&a, path), "array 'normalisation/std' of the model");
  TestPath("absent.h5", path);
  TEST_REFUSES(Describe(path), "cannot find model");
  TEST_REFUSES(Load(&a, path), "cannot find model");
  NetCaseDestroy(&a);
  NetCaseDestroy(&b);
  NetCaseDestroy(&c);
  NetCaseDestroy(&good);
}

Test(model_file, not_given)
{
  NetCase a;
  bool is_loaded = true;

  Create(&a, &small, "single", "1");
  TEST_CALL(UnrModelFileDescribe());
  TEST_CALL(UnrModelFileLoad(a.net, &is_loaded));
  cr_expect(!is_loaded);
  NetCaseDestroy(&a);
}
