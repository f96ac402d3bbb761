/* The deck: a YAML file that PETSc's reader turns into options.  Rank 0 reads it, every rank gets the same
 * text.  `include: FILE` puts another deck below it: what both give, the including one decides. */
#include "core/options_impl.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "core/error.h"

typedef struct UnrDeck_ {
  char path[PETSC_MAX_PATH_LEN];
  const struct UnrDeck_ *includer; /* NULL: that of the command line */
} UnrDeck;

/* What is wrong with the file, or NULL; its text in *text, to be freed. */
static const char *UnrDeckRead(const UnrDeck *deck, char **text, long long *bytes)
{
  enum { DECK_BYTES = 1 << 20 };
  const char *path = deck->path;
  struct stat about, other;

  if (stat(path, &about)) return errno == ENOENT ? "does not exist" : "cannot be read";
  for (const UnrDeck *outer = deck->includer; outer; outer = outer->includer) {
    if (!stat(outer->path, &other) && other.st_dev == about.st_dev && other.st_ino == about.st_ino)
      return "includes itself";
  }
  if (!S_ISREG(about.st_mode)) return "is not a file";
  if (about.st_size == 0) return "is empty";
  if (about.st_size > DECK_BYTES) return "is larger than a deck may be (1 MiB)";
  FILE *file = fopen(path, "r");
  if (!file) return "cannot be read";
  *bytes = about.st_size;
  *text = calloc(1, (size_t)*bytes + 1);
  size_t got = *text ? fread(*text, 1, (size_t)*bytes, file) : 0;
  fclose(file);
  if (got != (size_t)*bytes) return "cannot be read";
  if (memchr(*text, '\0', got)) return "is not a text";
  return NULL;
}

static PetscErrorCode UnrDeckInsertText(PetscOptions options, const char *text, char problem[UNR_ERROR_TEXT])
{
  PetscErrorCode code = UnrErrorCaptureBegin(problem);
  if (!code) code = PetscOptionsInsertStringYAML(options, text);
  PetscErrorCode ended = UnrErrorCaptureEnd(code, problem);
  return code ? code : ended;
}

/*
  The reader gives no line.  It is the first of the last run of lines that cannot be read together with all
  before them: an earlier line that fails so may be half of something that ends later.
*/
static PetscErrorCode UnrDeckBadLine(const char *text, int *line)
{
  size_t length = strlen(text);
  char *part, problem[UNR_ERROR_TEXT];

  PetscFunctionBeginUser;
  PetscCall(PetscStrallocpy(text, &part));
  *line = 1;
  for (size_t i = 0; i + 1 < length; i++) *line += text[i] == '\n';
  for (; *line > 1; --*line) {
    PetscOptions scratch;
    if (part[length - 1] == '\n') length--;
    while (length && part[length - 1] != '\n') length--;
    part[length] = '\0';
    PetscCall(PetscOptionsCreate(&scratch));
    PetscErrorCode code = UnrDeckInsertText(scratch, part, problem);
    PetscCall(PetscOptionsDestroy(&scratch));
    if (!code) break;
  }
  PetscCall(PetscFree(part));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The options that the deck sets, as PETSc's reader sees them, and the first that it sets again. */
static struct {
  bool is_reading;
  const char **name;
  size_t names;
  const char *twice, *include;
} seen;

/* PETSc calls it for every option that is set, and has no way to take it back. */
static PetscErrorCode UnrDeckSee(const char name[], const char value[], void *context)
{
  (void)context;
  PetscFunctionBeginUser;
  if (!seen.is_reading) PetscFunctionReturn(PETSC_SUCCESS);
  if (!strcmp(name, "include")) seen.include = UnrOptionsKeep(value ? value : "", value ? strlen(value) : 0);
  for (size_t i = 0; i < seen.names && !seen.twice; i++) {
    if (!strcasecmp(seen.name[i], name)) seen.twice = seen.name[i];
  }
  seen.name = realloc(seen.name, (seen.names + 1) * sizeof(*seen.name));
  PetscCheck(seen.name, PETSC_COMM_SELF, PETSC_ERR_MEM, "No memory for the deck's options");
  seen.name[seen.names++] = UnrOptionsKeep(name, strlen(name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Reads text into PETSc's options, where PETSc would take the last of two values without a word. */
static PetscErrorCode UnrDeckInsertSeen(const char *text, char problem[UNR_ERROR_TEXT])
{
  seen.names = 0;
  seen.twice = seen.include = NULL;
  seen.is_reading = true;
  PetscErrorCode code = UnrDeckInsertText(NULL, text, problem);
  seen.is_reading = false;
  return code;
}

/* The line that gives an option a second value: the first up to which the deck can be read and has one. */
static PetscErrorCode UnrDeckLineTwice(const char *text, int *line)
{
  char *part, problem[UNR_ERROR_TEXT];

  PetscFunctionBeginUser;
  PetscCall(PetscStrallocpy(text, &part));
  *line = 0;
  for (size_t length = 0; text[length];) {
    length += strcspn(text + length, "\n");
    length += text[length] == '\n';
    memcpy(part, text, length);
    part[length] = '\0';
    ++*line;
    if (!UnrDeckInsertSeen(part, problem) && seen.twice) break;
  }
  PetscCall(PetscFree(part));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The deck's text on every rank, to be freed.  Collective on the world. */
static PetscErrorCode UnrDeckLoad(const UnrDeck *deck, char **text)
{
  int rank;
  long long bytes = 0;
  const char *what = NULL;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  if (!rank) what = UnrDeckRead(deck, text, &bytes);
  UnrUserCheck(!what, "the deck %s (%s%s%s); allowed: a YAML file; try: %s", what, deck->path,
               deck->includer ? ", included by " : "", deck->includer ? deck->includer->path : "",
               deck->includer ? "a path relative to the including deck, or none"
                              : "-options_file inputs/ks/smoke.yaml");
  PetscCallMPI(MPI_Bcast(&bytes, 1, MPI_LONG_LONG, 0, PETSC_COMM_WORLD));
  if (rank) *text = calloc(1, (size_t)bytes + 1);
  PetscCheck(*text, PETSC_COMM_SELF, PETSC_ERR_MEM, "No memory for the deck");
  PetscCallMPI(MPI_Bcast(*text, (int)bytes, MPI_CHAR, 0, PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Puts one deck's options over those there are.  Collective on the world. */
static PetscErrorCode UnrDeckInsertOne(const char *path, const char *text)
{
  int line = 0;
  char problem[UNR_ERROR_TEXT];
  PetscBool nested;

  PetscFunctionBeginUser;
  if (UnrDeckInsertSeen(text, problem)) {
    PetscCall(UnrDeckBadLine(text, &line));
    UnrUserCheck(
        false,
        "the deck is no YAML of options: %s (%s, near line %d); allowed: nested `name: value` lines; "
        "try: look for tabs, unclosed quotes and brackets, wrong indents",
        problem, path, line);
  }
  UnrUserCheck(seen.names,
               "the deck gives no option (%s); allowed: nested `name: value` lines; try: -options_file "
               "inputs/ks/smoke.yaml",
               path);
  const char *twice = seen.twice;
  if (twice) PetscCall(UnrDeckLineTwice(text, &line));
  UnrUserCheck(!twice, "the deck gives an option twice (-%s, line %d of %s); allowed: once; try: remove one",
               twice, line, path);
  PetscCall(PetscOptionsHasName(NULL, NULL, "-options_file", &nested));
  UnrUserCheck(!nested,
               "a deck gives -options_file (%s); allowed: on the command line only; try: include: FILE",
               path);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same with all that it includes, below it. */
static PetscErrorCode UnrDeckInsertAll(const UnrDeck *deck)
{
  UnrDeck below = {.includer = deck};
  char *text = NULL;

  PetscFunctionBeginUser;
  PetscCall(UnrDeckLoad(deck, &text));
  PetscCall(UnrDeckInsertOne(deck->path, text));
  if (seen.include) {
    const char *slash = strrchr(deck->path, '/');
    const int folder = seen.include[0] != '/' && slash ? (int)(slash - deck->path) + 1 : 0;

    PetscCall(PetscSNPrintf(below.path, sizeof(below.path), "%.*s%s", folder, deck->path, seen.include));
    PetscCall(UnrDeckInsertAll(&below));
    PetscCall(UnrDeckInsertOne(deck->path, text));
  }
  free(text);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrDeckInsert(const char *path)
{
  UnrDeck deck = {.includer = NULL};

  PetscFunctionBeginUser;
  PetscCall(PetscStrncpy(deck.path, path, sizeof(deck.path)));
  PetscCall(PetscOptionsMonitorSet(UnrDeckSee, NULL, NULL));
  PetscCall(UnrDeckInsertAll(&deck));
  free(seen.name);
  PetscCall(PetscOptionsClearValue(NULL, "-include"));
  PetscFunctionReturn(PETSC_SUCCESS);
}
