/* The deck: a YAML file that PETSc's reader turns into options.  Rank 0 reads it, every rank gets the same
 * text. */
#include "core/options_impl.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/error.h"

/* What is wrong with the file, or NULL; its text in *text, to be freed. */
static const char *UnrDeckRead(const char *path, char **text, long long *bytes)
{
  enum { DECK_BYTES = 1 << 20 };
  struct stat about;

  if (stat(path, &about)) return errno == ENOENT ? "does not exist" : "cannot be read";
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

/* Keeps the first message of PETSc's YAML reader in place of a trace. */
static PetscErrorCode UnrDeckErrorHandler(MPI_Comm comm, int line, const char *function, const char *file,
                                          PetscErrorCode code, PetscErrorType type, const char *message,
                                          void *context)
{
  char *kept = context;

  (void)comm, (void)line, (void)function, (void)file;
  if (type == PETSC_ERROR_INITIAL && message && !kept[0]) snprintf(kept, 256, "%s", message);
  return code;
}

static PetscErrorCode UnrDeckInsertText(PetscOptions options, const char *text, char problem[256])
{
  problem[0] = '\0';
  PetscErrorCode code = PetscPushErrorHandler(UnrDeckErrorHandler, problem);
  if (!code) code = PetscOptionsInsertStringYAML(options, text);
  if (code && !problem[0]) snprintf(problem, 256, "PETSc's reader refuses it");
  PetscErrorCode popped = PetscPopErrorHandler();
  return code ? code : popped;
}

/*
  The reader gives no line.  It is the first of the last run of lines that cannot be read together with all
  before them: an earlier line that fails so may be half of something that ends later.
*/
static PetscErrorCode UnrDeckBadLine(const char *text, int *line)
{
  size_t length = strlen(text);
  char *part, problem[256];

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

/*
  The line that gives an option a second value, 0 if none: PETSc takes the last without a word.  Sees keys at
  the start of their line, which is how decks are written; a repeated key without value only goes on with its
  mapping.
*/
static int UnrDeckTwice(const char *text, char name[UNR_OPTION_NAME])
{
  enum { DEPTH = 16, NAMES = 512 };
  const char *seen[NAMES];
  size_t indent[DEPTH], end[DEPTH], names = 0; /* end: length of the name up to that level */
  int depth = 0, number = 1;

  name[0] = '\0';
  for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n', number++) {
    size_t white = strspn(line, " "),
           key = strspn(line + white, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    const char *value = line + white + key;
    if (!key || *value != ':' || (value[1] && !isspace((unsigned char)value[1]))) continue;
    while (depth > 0 && indent[depth - 1] >= white) depth--;
    size_t length = depth ? end[depth - 1] : 0;
    if (depth == DEPTH || length + key + 2 > UNR_OPTION_NAME) return 0;
    length += (size_t)snprintf(name + length, UNR_OPTION_NAME - length, "%c%.*s", depth ? '_' : '-', (int)key,
                               line + white);
    indent[depth] = white;
    end[depth++] = length;
    value += 1 + strspn(value + 1, " \t\r");
    if (!*value || *value == '\n' || *value == '#') continue;
    for (size_t i = 0; i < names; i++) {
      if (!strcmp(seen[i], name)) return number;
    }
    if (names < NAMES) seen[names++] = UnrOptionsKeep(name, length);
  }
  return 0;
}

/* Puts the deck's options over those there are.  Collective on the world. */
PetscErrorCode UnrDeckInsert(const char *path)
{
  int rank, line = 0;
  long long bytes = 0;
  char *text = NULL, problem[256], name[UNR_OPTION_NAME];
  const char *what = NULL;
  PetscBool nested;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  if (!rank) what = UnrDeckRead(path, &text, &bytes);
  UnrUserCheck(!what, "the deck %s (%s); allowed: a YAML file; try: -options_file inputs/ks/demo.yaml", what,
               path);
  PetscCallMPI(MPI_Bcast(&bytes, 1, MPI_LONG_LONG, 0, PETSC_COMM_WORLD));
  if (rank) text = calloc(1, (size_t)bytes + 1);
  PetscCheck(text, PETSC_COMM_SELF, PETSC_ERR_MEM, "No memory for the deck");
  PetscCallMPI(MPI_Bcast(text, (int)bytes, MPI_CHAR, 0, PETSC_COMM_WORLD));
  if (UnrDeckInsertText(NULL, text, problem)) {
    PetscCall(UnrDeckBadLine(text, &line));
    UnrUserCheck(
        false,
        "the deck is no YAML of options: %s (%s, near line %d); allowed: nested `name: value` lines; "
        "try: look for tabs, unclosed quotes and brackets, wrong indents",
        problem, path, line);
  }
  line = UnrDeckTwice(text, name);
  UnrUserCheck(!line, "the deck gives an option twice (%s, line %d of %s); allowed: once; try: remove one",
               name, line, path);
  PetscCall(PetscOptionsHasName(NULL, NULL, "-options_file", &nested));
  UnrUserCheck(
      !nested,
      "a deck names another deck (%s); allowed: -options_file on the command line only; try: one deck", path);
  free(text);
  PetscFunctionReturn(PETSC_SUCCESS);
}
