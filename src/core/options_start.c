#include "core/options_impl.h"

#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/provenance.h"

static const char *deck;
static bool help_asked, version_asked;
static char **line; /* the command line's options and their values, NULL-terminated */

const char *UnrOptionsDeck(void)
{
  return deck;
}

bool UnrOptionsHelpAsked(void)
{
  return help_asked;
}

bool UnrOptionsVersionAsked(void)
{
  return version_asked;
}

bool UnrOptionOnCommandLine(const char *name)
{
  for (char **word = line; word && *word; word++) {
    if (!strcmp((*word)[0] == '-' && (*word)[1] == '-' ? *word + 1 : *word, name)) return true;
  }
  return false;
}

static bool UnrIsOneOf(const char *word, const char *a, const char *b)
{
  return !strcmp(word, a) || !strcmp(word, b);
}

/* An option's name as PETSc sees it: "-x" and "--x", but neither "-1" nor "-.5"; without PETSc's "-inf",
 * "-nan". */
static bool UnrIsOption(const char *word)
{
  const char *first = word + 1 + (word[0] == '-' && word[1] == '-');

  if (word[0] != '-' || !strcasecmp(word, "-inf") || !strcasecmp(word, "-nan")) return false;
  return (*first >= 'a' && *first <= 'z') || (*first >= 'A' && *first <= 'Z');
}

/*
  Splits the command line: options with their values for PETSc, words (the program, the command, what is no
  option and no option's value) for the program; deck, help and version are noted and go to neither. What is
  wrong, or NULL.
*/
static const char *UnrCommandLineSplit(int argc, char **argv, int *words, char **word, int *options,
                                       char **option)
{
  const char *what = NULL;
  int decks = 0;

  word[(*words)++] = option[(*options)++] = argv[0];
  for (int i = 1; i < argc; i++) {
    const bool has_value = i + 1 < argc && !UnrIsOption(argv[i + 1]);
    if (UnrIsOneOf(argv[i], "-help", "--help") || !strcmp(argv[i], "-h"))
      help_asked = true;
    else if (UnrIsOneOf(argv[i], "-version", "--version"))
      version_asked = true;
    else if (UnrIsOneOf(argv[i], "-options_file", "--options_file")) {
      if (!has_value)
        what = "-options_file has no value (); allowed: a YAML file; try: -options_file inputs/ks/smoke.yaml";
      else
        deck = argv[++i];
      if (decks++)
        what = "-options_file is given twice (see the command line); allowed: one deck; try: one deck and "
               "options";
    } else if (UnrIsOption(argv[i])) {
      option[(*options)++] = argv[i];
      if (has_value) option[(*options)++] = argv[++i];
    } else
      word[(*words)++] = argv[i];
  }
  return what;
}

PetscErrorCode UnrOptionsStart(int *argc, char ***argv, const char *usage)
{
  /* PETSc keeps these two for as long as the program runs. */
  char **word = calloc((size_t)*argc + 1, sizeof(*word)),
       **option = calloc((size_t)*argc + 1, sizeof(*option));
  int words = 0, options = 0;

  if (!word || !option || *argc < 1) return PETSC_ERR_MEM;
  UnrClockStart();
  const char *what = UnrCommandLineSplit(*argc, *argv, &words, word, &options, option);
  PetscErrorCode code = PetscInitialize(&options, &option, NULL, usage);
  if (code) return code;
  *argc = words;
  *argv = word;
  line = option;

  PetscFunctionBeginUser;
  PetscCall(UnrErrorHandlerPush());
  UnrUserCheck(!what, "%s", what);
  if (deck) {
    PetscCall(UnrDeckInsert(deck));
    PetscCall(PetscOptionsInsertArgs(NULL, options - 1, option + 1));
  }
  /* What a command does not use is told by UnrOptionsListUnused(): PETSc would warn of it once more at the
   * end. */
  PetscBool is_set;
  PetscCall(PetscOptionsHasName(NULL, NULL, "-options_left", &is_set));
  if (!is_set) PetscCall(PetscOptionsSetValue(NULL, "-options_left", "0"));
  PetscCall(PetscOptionsHasName(NULL, NULL, "-options_left", &is_set));
  PetscFunctionReturn(PETSC_SUCCESS);
}
