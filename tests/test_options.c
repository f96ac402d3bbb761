/* Options: what each reader takes and refuses, prefixes, the resolved set, unknown names, user errors across
 * ranks. */
#include <math.h>
#include <string.h>

#include "core/plugin.h"
#include "support.h"

static const UnrOption table[] = {
    {"-core_bool", UNR_BOOL, "false", 0, 0, NULL, "a truth", NULL},
    {"-core_int", UNR_INT, "4", 1, 8, "points", "an integer", NULL},
    {"-core_free", UNR_INT, NULL, 0, 0, "1", "an integer without default or range", NULL},
    {"-core_real", UNR_REAL, "0.5", 0, 1e3, "time", "a number", NULL},
    {"-core_word", UNR_WORD, "one", 0, 0, NULL, "a word", "one|nog|wig"},
    {"-core_path", UNR_PATH, NULL, 0, 0, NULL, "a path", NULL},
    {"-core_ints", UNR_INTS, "64,32", 1, 1000, "points", "some integers", NULL},
    {"-core_reals", UNR_REALS, NULL, 0, 0, "1", "some numbers", NULL},
    {"-core_words", UNR_WORDS, NULL, 0, 0, NULL, "some words", "mse|half_sum"},
    {0},
};

Test(options, defaults)
{
  PetscInt n = 99, unset = 99, ints[3], count;
  double x, reals[2];
  bool yes = true, given;
  const char *word, *path;

  TEST_CALL(UnrOptionBool(table, NULL, "-core_bool", &yes));
  TEST_CALL(UnrOptionInt(table, NULL, "-core_int", &n));
  TEST_CALL(UnrOptionInt(table, NULL, "-core_free", &unset));
  TEST_CALL(UnrOptionReal(table, NULL, "-core_real", &x));
  TEST_CALL(UnrOptionWord(table, NULL, "-core_word", &word));
  TEST_CALL(UnrOptionWord(table, NULL, "-core_path", &path));
  cr_expect(!yes && n == 4 && unset == 99 && x == 0.5 && !strcmp(word, "one") && !path);
  TEST_CALL(UnrOptionInts(table, NULL, "-core_ints", 3, ints, &count));
  cr_expect(count == 2 && ints[0] == 64 && ints[1] == 32);
  TEST_CALL(UnrOptionReals(table, NULL, "-core_reals", 2, reals, &count));
  cr_expect(count == 0);
  TEST_CALL(UnrOptionGiven(table, NULL, "-core_int", &given));
  cr_expect(!given);
}

Test(options, values)
{
  static const char options[] =
      "-core_bool -core_int 8 -core_free -12 -core_real 1e-3 -core_word wig -core_path a/b.h5 "
      "-core_ints 1,20,300 -core_reals -1.5,2e2 -core_words half_sum,mse";
  PetscInt n, unset, ints[3], count;
  double x, reals[2];
  bool yes = false, given;
  const char *word, *path, *words[4];

  TestOptionsSet(options);
  TEST_CALL(UnrOptionBool(table, NULL, "-core_bool", &yes));
  TEST_CALL(UnrOptionInt(table, NULL, "-core_int", &n));
  TEST_CALL(UnrOptionInt(table, NULL, "-core_free", &unset));
  TEST_CALL(UnrOptionReal(table, NULL, "-core_real", &x));
  TEST_CALL(UnrOptionWord(table, NULL, "-core_word", &word));
  TEST_CALL(UnrOptionWord(table, NULL, "-core_path", &path));
  cr_expect(yes && n == 8 && unset == -12 && x == 1e-3 && !strcmp(word, "wig") && !strcmp(path, "a/b.h5"));
  TEST_CALL(UnrOptionInts(table, NULL, "-core_ints", 3, ints, &count));
  cr_expect(count == 3 && ints[0] == 1 && ints[1] == 20 && ints[2] == 300);
  TEST_CALL(UnrOptionReals(table, NULL, "-core_reals", 2, reals, &count));
  cr_expect(count == 2 && reals[0] == -1.5 && reals[1] == 200);
  TEST_CALL(UnrOptionWords(table, NULL, "-core_words", 4, words, &count));
  cr_expect(count == 2 && !strcmp(words[0], "half_sum") && !strcmp(words[1], "mse"));
  TEST_CALL(UnrOptionGiven(table, NULL, "-core_int", &given));
  cr_expect(given);
  TestOptionsUnset(options);
}

static PetscErrorCode ReadAny(const char *name)
{
  PetscInt ints[3], count;
  double reals[2];
  bool yes;
  const char *words[2];

  PetscFunctionBeginUser;
  if (!strcmp(name, "-core_bool"))
    PetscCall(UnrOptionBool(table, NULL, name, &yes));
  else if (!strcmp(name, "-core_int") || !strcmp(name, "-core_free"))
    PetscCall(UnrOptionInt(table, NULL, name, ints));
  else if (!strcmp(name, "-core_real"))
    PetscCall(UnrOptionReal(table, NULL, name, reals));
  else if (!strcmp(name, "-core_ints"))
    PetscCall(UnrOptionInts(table, NULL, name, 3, ints, &count));
  else if (!strcmp(name, "-core_reals"))
    PetscCall(UnrOptionReals(table, NULL, name, 2, reals, &count));
  else if (!strcmp(name, "-core_words"))
    PetscCall(UnrOptionWords(table, NULL, name, 2, words, &count));
  else
    PetscCall(UnrOptionWord(table, NULL, name, words));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Each refusal names the option, the value, and what is allowed. */
Test(options, refusals)
{
  static const struct {
    const char *name, *value, *says;
  } bad[] = {
      {"-core_bool", "maybe",
       "-core_bool is not a truth value (maybe); allowed: true, false; try: -core_bool false"},
      {"-core_int", "3x",
       "-core_int is not an integer (3x); allowed: an integer from 1 to 8; try: -core_int 4"},
      {"-core_int", "3.0", "not an integer"},
      {"-core_int", "1e1", "not an integer"},
      {"-core_int", "0", "out of range (0)"},
      {"-core_int", "9", "out of range (9)"},
      {"-core_int", NULL, "-core_int has no value"},
      {"-core_free", "99999999999999999999", "does not fit"},
      {"-core_real", "0.5s", "not a number"},
      {"-core_real", "nan", "not a finite number"},
      {"-core_real", "1e999", "not a finite number"},
      {"-core_real", "-1e-9", "out of range"},
      {"-core_word", "wgi", "-core_word is not known (wgi); allowed: one|nog|wig; try: -core_word wig"},
      {"-core_word", "wig|nog", "not known"},
      {"-core_path", NULL, "has no value"},
      {"-core_ints", "1,2,3,4", "too many entries (1,2,3,4)"},
      {"-core_ints", "1,,2", "has no value"},
      {"-core_ints", "1,2,", "has no value"},
      {"-core_ints", "1,2000",
       "out of range (1,2000); allowed: integers from 1 to 1000, separated by commas"},
      {"-core_reals", "1,b", "not a number (1,b)"},
      {"-core_words", "mse,halfsum", "allowed: mse|half_sum, separated by commas; try: -core_words half_sum"},
  };

  for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
    TEST_CALL(PetscOptionsSetValue(NULL, bad[i].name, bad[i].value));
    TEST_REFUSES(ReadAny(bad[i].name), bad[i].says);
    TEST_CALL(PetscOptionsClearValue(NULL, bad[i].name));
  }
}

#if defined(PETSC_USE_64BIT_INDICES)
#define JUST_FITS "9223372036854775807"
#define TOO_LARGE "9223372036854775808"
#else
#define JUST_FITS "2147483647"
#define TOO_LARGE "2147483648"
#endif

Test(options, widest_integer)
{
  PetscInt n = 0;

  TestOptionsSet("-core_free " JUST_FITS);
  TEST_CALL(UnrOptionInt(table, NULL, "-core_free", &n));
  cr_expect(n == PETSC_MAX_INT);
  TestOptionsSet("-core_free " TOO_LARGE);
  TEST_REFUSES(ReadAny("-core_free"), "(" TOO_LARGE ")");
  TestOptionsUnset("-core_free");
}

/* -reference_core_int wins over -core_int, which wins over the default; the resolved set has the prefixed
 * name. */
Test(options, prefix)
{
  PetscInt n;
  bool is_found = false;
  const char *name, *value;

  TEST_CALL(UnrOptionInt(table, "reference_", "-core_int", &n));
  cr_expect(n == 4);
  TestOptionsSet("-core_int 5");
  TEST_CALL(UnrOptionInt(table, "reference_", "-core_int", &n));
  cr_expect(n == 5);
  TestOptionsSet("-reference_core_int 6");
  TEST_CALL(UnrOptionInt(table, "reference_", "-core_int", &n));
  cr_expect(n == 6);
  TEST_CALL(UnrOptionInt(table, NULL, "-core_int", &n));
  cr_expect(n == 5);
  TestOptionsUnset("-core_int -reference_core_int");

  const char *last = "";
  for (size_t i = 0; UnrOptionsResolved(i, &name, &value), name; i++) {
    cr_expect(strcmp(last, name) < 0, "%s before %s", last, name);
    if (!strcmp(name, "-reference_core_int")) is_found = !strcmp(value, "6");
    last = name;
  }
  cr_expect(is_found);
}

Test(options, unknown)
{
  PetscInt n;

  TestOptionsUnset("--verbose --filter --timeout --fail-fast"); /* of the runner */
  TEST_CALL(UnrOptionsRegister("core", table, "reference_"));
  TestOptionsSet("-core_int 5 -reference_core_real 2 -pressure_ksp_type cg -log_view -ts_adapt_type none");
  TEST_REFUSES(UnrOptionsCheckUnknown(), "unknown option (-pressure_ksp_type)");
  TEST_CALL(UnrOptionsPrefixDeclare("pressure_"));
  TEST_CALL(UnrOptionsCheckUnknown());
  TestOptionsSet("-core_itn 5");
  TEST_REFUSES(UnrOptionsCheckUnknown(),
               "unknown option (-core_itn); allowed: see unroll -help; try: -core_int");
  TestOptionsUnset("-core_itn");
  TestOptionsSet("-refrence_core_word wig");
  TEST_REFUSES(UnrOptionsCheckUnknown(), "try: -reference_core_word");
  TestOptionsUnset("-refrence_core_word");
  TEST_CALL(UnrOptionInt(table, NULL, "-core_int", &n));
  TEST_CALL(UnrOptionsCheckUnknown());
  TestOptionsUnset("-core_int -reference_core_real -pressure_ksp_type -log_view -ts_adapt_type");
}

/* The lowest rank's message reaches all, whoever else is wrong; no mistake, no message. */
Test(error, lowest_rank_speaks)
{
  int size = TestRanks(), rank;
  char expected[32];

  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  for (int first = 0; first < size; first++) {
    UnrUserErrorClear();
    PetscErrorCode code = UnrUserAgree(rank >= first, "rank %d of %s", rank, "many");
    snprintf(expected, sizeof(expected), "rank %d of many", first);
    cr_expect(code == UNR_ERR_USER && !strcmp(UnrUserErrorMessage(), expected), "%s", UnrUserErrorMessage());
  }
  UnrUserErrorClear();
  cr_expect(UnrUserAgree(false, "nothing") == PETSC_SUCCESS && !*UnrUserErrorMessage());
}

/* While held, a reading leaves the resolved set alone. */
Test(options, held)
{
  const char *name, *value;
  PetscInt n;

  TestOptionsUnset("-core_int");
  TEST_CALL(UnrOptionInt(table, NULL, "-core_int", &n));
  TestOptionsSet("-core_int 7");
  UnrOptionsHold(true);
  TEST_CALL(UnrOptionInt(table, NULL, "-core_int", &n));
  UnrOptionsHold(false);
  TestOptionsUnset("-core_int");
  for (size_t i = 0; UnrOptionsResolved(i, &name, &value), name; i++) {
    if (!strcmp(name, "-core_int")) cr_expect(n == 7 && !strcmp(value, "4"), "%s", value);
  }
}

/* Plugins of a class: each told once, in the order of the list; the option chooses, under a prefix too. */
typedef struct {
  UNR_PLUGIN_HEAD;
  int mark;
} FruitOps;

static const UnrOption apple_options[] = {{"-fruit_apple_size", UNR_INT, "3", 1, 9, "1", "of an apple", NULL},
                                          {0}};
static const FruitOps apple = {.name = "apple", .summary = "round", .options = apple_options, .mark = 1};
static const FruitOps banana = {.name = "banana", .summary = "bent", .mark = 2};
static const UnrPlugin *const fruits[] = {&apple.plugin, &banana.plugin, NULL};
static const UnrOption fruit_options[] = {
    {"-fruit_type", UNR_WORD, "apple", 0, 0, NULL, "a fruit", "apple|banana|cherry"}, {0}};
static const UnrPluginClass fruit = {"fruit", fruit_options, fruits};

static PetscErrorCode Append(const char *name, const char *summary, void *context)
{
  strcat(strcat(strcat(context, name), " "), summary);
  return PETSC_SUCCESS;
}

Test(options, plugins)
{
  const FruitOps *ops = NULL;
  char told[64] = "";

  TEST_CALL(UnrPluginsRegister(&fruit, "reference_"));
  TEST_CALL(UnrPluginsVisit(&fruit, Append, told));
  cr_expect_str_eq(told, "apple roundbanana bent");
  TEST_CALL(UnrPluginChoose(&fruit, NULL, &ops));
  cr_expect(ops == &apple && ops->mark == 1 && ops->plugin.options == apple_options);
  TestOptionsSet("-reference_fruit_type banana -reference_fruit_apple_size 4");
  TEST_CALL(UnrOptionsCheckUnknown());
  TEST_CALL(UnrPluginChoose(&fruit, "reference_", &ops));
  cr_expect(ops == &banana && ops->mark == 2);
  TestOptionsUnset("-reference_fruit_type -reference_fruit_apple_size");
  TestOptionsSet("-fruit_type pear");
  TEST_REFUSES(UnrPluginChoose(&fruit, NULL, &ops),
               "-fruit_type is not known (pear); allowed: apple|banana|cherry");
  TestOptionsUnset("-fruit_type");
}
