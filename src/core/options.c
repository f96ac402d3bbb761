#include "core/options_impl.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/nearest.h"

enum { UNR_PATH_ROOM = 256 }; /* for a file's name behind a directory */

/* One reading of one option: where it is declared, what it was called, its text (NULL if unset). */
typedef struct {
  const UnrOption *option;
  char name[UNR_OPTION_NAME]; /* with the prefix */
  const char *text;
  bool given;
} UnrReading;

static PetscErrorCode UnrOptionFind(const UnrOption table[], const char *prefix, const char *name,
                                    UnrReading *reading)
{
  PetscBool is_set = PETSC_FALSE;

  PetscFunctionBeginUser;
  reading->option = table;
  while (reading->option->name && strcmp(reading->option->name, name)) reading->option++;
  PetscCheck(reading->option->name, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Option %s is not in its table", name);
  UnrOptionFullName(prefix, name, reading->name);
  if (prefix) PetscCall(PetscOptionsFindPair(NULL, NULL, reading->name, &reading->text, &is_set));
  if (!is_set) PetscCall(PetscOptionsFindPair(NULL, NULL, name, &reading->text, &is_set));
  reading->given = is_set;
  if (!is_set)
    reading->text = reading->option->value;
  else if (!reading->text)
    reading->text = "";
  PetscFunctionReturn(PETSC_SUCCESS);
}

void UnrOptionAllowedText(const UnrOption *option, char text[], size_t size)
{
  static const char *const kinds[] = {
      [UNR_BOOL] = "true, false", [UNR_INT] = "an integer", [UNR_REAL] = "a number", [UNR_WORD] = "a word",
      [UNR_PATH] = "a path",      [UNR_INTS] = "integers",  [UNR_REALS] = "numbers", [UNR_WORDS] = "words",
  };
  const bool is_int = option->kind == UNR_INT || option->kind == UNR_INTS;
  const bool is_list = option->kind == UNR_INTS || option->kind == UNR_REALS || option->kind == UNR_WORDS;
  const double most = is_int ? PETSC_MAX_INT : 1e300, low = option->low, high = option->high;
  char range[64] = "";

  if (low == 0 && high == 0)
    range[0] = '\0';
  else if (low > 0 && low <= 1e-300 && high >= most)
    snprintf(range, sizeof(range), " above 0");
  else if (high < most && low > -most)
    snprintf(range, sizeof(range), " from %.10g to %.10g", low, high);
  else if (low > -most)
    snprintf(range, sizeof(range), " from %.10g up", low);
  else if (high < most)
    snprintf(range, sizeof(range), " up to %.10g", high);
  snprintf(text, size, "%s%s%s", option->allowed ? option->allowed : kinds[option->kind],
           option->allowed ? "" : range, is_list ? ", separated by commas" : "");
}

/* User error if `what` is not NULL; `nearest` is a better word to try than the default, or NULL. */
static PetscErrorCode UnrOptionAgree(const UnrReading *reading, const char *what, const char *nearest)
{
  char allowed[1024];
  const char *value = nearest ? nearest : reading->option->value;

  PetscFunctionBeginUser;
  UnrOptionAllowedText(reading->option, allowed, sizeof(allowed));
  UnrUserCheck(!what, "%s %s (%s); allowed: %s; try: %s%s%s", reading->name, what, reading->text, allowed,
               value ? reading->name : "unroll -help", value ? " " : "", value ? value : "");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Each parser says what is wrong with the text, or NULL. */
static const char *UnrParseRange(const UnrOption *option, double value)
{
  if (option->low == 0 && option->high == 0) return NULL;
  return value >= option->low && value <= option->high ? NULL : "is out of range";
}

static const char *UnrParseInt(const UnrOption *option, const char *text, PetscInt *value)
{
  char *end;

  errno = 0;
  long long number = strtoll(text, &end, 10);
  if (end == text || *end || isspace((unsigned char)*text))
    return *text ? "is not an integer" : "has no value";
  if (errno || number > PETSC_MAX_INT || number < PETSC_MIN_INT)
    return sizeof(PetscInt) == 4 ? "does not fit this PETSc's 32-bit integers"
                                 : "does not fit 64-bit integers";
  *value = (PetscInt)number;
  return UnrParseRange(option, (double)number);
}

static const char *UnrParseReal(const UnrOption *option, const char *text, double *value)
{
  char *end;

  *value = strtod(text, &end);
  if (end == text || *end || isspace((unsigned char)*text)) return *text ? "is not a number" : "has no value";
  if (!isfinite(*value)) return "is not a finite number";
  return UnrParseRange(option, *value);
}

static const char *UnrParseBool(const char *text, bool *value)
{
  static const char *const yes[] = {"", "true", "yes", "on", "1"}, *const no[] = {"false", "no", "off", "0"};

  for (size_t i = 0; i < sizeof(yes) / sizeof(*yes); i++) {
    if (!strcasecmp(text, yes[i])) return *value = true, NULL;
  }
  for (size_t i = 0; i < sizeof(no) / sizeof(*no); i++) {
    if (!strcasecmp(text, no[i])) return *value = false, NULL;
  }
  return "is not a truth value";
}

/* *nearest: the allowed word nearest to a wrong one. */
static const char *UnrParseWord(const UnrOption *option, const char *text, const char **nearest)
{
  if (!*text) return "has no value";
  if (option->kind == UNR_PATH && strlen(text) >= PETSC_MAX_PATH_LEN - UNR_PATH_ROOM)
    return "is too long a path";
  if (!option->allowed) return NULL;
  for (const char *word = option->allowed; *word;) {
    size_t length = strcspn(word, "|");
    if (strlen(text) == length && !strncmp(word, text, length)) return NULL;
    UnrNearestOffer(text, UnrOptionsKeep(word, length), nearest);
    word += length + (word[length] == '|');
  }
  return "is not known";
}

PetscErrorCode UnrOptionBool(const UnrOption table[], const char *prefix, const char *name, bool *value)
{
  UnrReading reading;

  PetscFunctionBeginUser;
  PetscCall(UnrOptionFind(table, prefix, name, &reading));
  PetscCall(UnrOptionAgree(&reading, reading.text ? UnrParseBool(reading.text, value) : NULL, NULL));
  if (reading.text) UnrOptionsRecord(reading.name, *value ? "true" : "false");
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrOptionInt(const UnrOption table[], const char *prefix, const char *name, PetscInt *value)
{
  UnrReading reading;

  PetscFunctionBeginUser;
  PetscCall(UnrOptionFind(table, prefix, name, &reading));
  PetscCall(
      UnrOptionAgree(&reading, reading.text ? UnrParseInt(reading.option, reading.text, value) : NULL, NULL));
  if (reading.text) UnrOptionsRecord(reading.name, reading.text);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrOptionReal(const UnrOption table[], const char *prefix, const char *name, double *value)
{
  UnrReading reading;

  PetscFunctionBeginUser;
  PetscCall(UnrOptionFind(table, prefix, name, &reading));
  PetscCall(UnrOptionAgree(&reading, reading.text ? UnrParseReal(reading.option, reading.text, value) : NULL,
                           NULL));
  if (reading.text) UnrOptionsRecord(reading.name, reading.text);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrOptionCheckReal(const UnrOption table[], const char *name, double value, const char *where)
{
  UnrReading reading;
  char allowed[256];

  PetscFunctionBeginUser;
  PetscCall(UnrOptionFind(table, NULL, name, &reading));
  UnrOptionAllowedText(reading.option, allowed, sizeof(allowed));
  UnrUserCheck(isfinite(value) && !UnrParseRange(reading.option, value),
               "%s, from %s, is out of range (%g); allowed: %s; try: %s", name, where, value, allowed,
               reading.option->value ? reading.option->value : "unroll -help");
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrOptionWord(const UnrOption table[], const char *prefix, const char *name,
                             const char **value)
{
  UnrReading reading;
  const char *nearest = NULL, *what = NULL;

  PetscFunctionBeginUser;
  PetscCall(UnrOptionFind(table, prefix, name, &reading));
  if (reading.text) what = UnrParseWord(reading.option, reading.text, &nearest);
  PetscCall(UnrOptionAgree(&reading, what, nearest));
  *value = reading.text;
  if (reading.text) UnrOptionsRecord(reading.name, reading.text);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The three lists: exactly one of ints, reals, words is not NULL. */
static PetscErrorCode UnrOptionList(const UnrOption table[], const char *prefix, const char *name,
                                    PetscInt room, PetscInt ints[], double reals[], const char *words[],
                                    PetscInt *count)
{
  UnrReading reading;
  const char *what = NULL, *nearest = NULL;

  PetscFunctionBeginUser;
  *count = 0;
  PetscCall(UnrOptionFind(table, prefix, name, &reading));
  for (const char *at = reading.text; at && !what;) {
    size_t length = strcspn(at, ","), first = strspn(at, " \t");
    const char *next = at[length] ? at + length + 1 : NULL;
    while (length > first && isspace((unsigned char)at[length - 1])) length--;
    const char *entry = UnrOptionsKeep(at + first, length > first ? length - first : 0);
    if (*count == room)
      what = "has too many entries";
    else if (ints)
      what = UnrParseInt(reading.option, entry, &ints[*count]);
    else if (reals)
      what = UnrParseReal(reading.option, entry, &reals[*count]);
    else {
      what = UnrParseWord(reading.option, entry, &nearest);
      words[*count] = entry;
    }
    ++*count;
    at = next;
  }
  PetscCall(UnrOptionAgree(&reading, what, nearest));
  if (reading.text) UnrOptionsRecord(reading.name, reading.text);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrOptionInts(const UnrOption table[], const char *prefix, const char *name, PetscInt room,
                             PetscInt values[], PetscInt *count)
{
  return UnrOptionList(table, prefix, name, room, values, NULL, NULL, count);
}

PetscErrorCode UnrOptionReals(const UnrOption table[], const char *prefix, const char *name, PetscInt room,
                              double values[], PetscInt *count)
{
  return UnrOptionList(table, prefix, name, room, NULL, values, NULL, count);
}

PetscErrorCode UnrOptionWords(const UnrOption table[], const char *prefix, const char *name, PetscInt room,
                              const char *values[], PetscInt *count)
{
  return UnrOptionList(table, prefix, name, room, NULL, NULL, values, count);
}

PetscErrorCode UnrOptionGiven(const UnrOption table[], const char *prefix, const char *name, bool *given)
{
  UnrReading reading;

  PetscFunctionBeginUser;
  PetscCall(UnrOptionFind(table, prefix, name, &reading));
  *given = reading.given;
  PetscFunctionReturn(PETSC_SUCCESS);
}
