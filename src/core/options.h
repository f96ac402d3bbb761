/*
  Options as data.  A class has one table; from it come reading and its checks, -help, docs/options.md, the
  search for the nearest name, and the resolved set that goes into every output file.

  Values: the deck first, the command line over it (UnrOptionsInsertDeck).  A name may have a prefix: with
  prefix "reference_", "-stepper_type" is read from "-reference_stepper_type", then from "-stepper_type".
*/
#pragma once

#include <stdio.h>

#include "core/base.h"

typedef enum {
  UNR_BOOL,
  UNR_INT,
  UNR_REAL,
  UNR_WORD,
  UNR_PATH,
  UNR_INTS,
  UNR_REALS,
  UNR_WORDS
} UnrOptionKind;

typedef struct {
  const char *name; /* "-physics_ks_domain_size"; a table ends with name NULL */
  UnrOptionKind kind;
  const char *value; /* the default as text; NULL: unset unless given */
  double low, high;  /* inclusive range of each number; not checked where both are 0 */
  const char *unit;  /* "points", "1", "time" ...; NULL for words */
  const char *help;
  const char *allowed; /* words: "a|b|c"; NULL: any text */
} UnrOption;

/* Makes a table known (to help, unknown-option search, docs), with an optional prefix besides the plain
 * names. */
PetscErrorCode UnrOptionsRegister(const char *title, const UnrOption table[], const char *prefix);

/*
  Readers.     Collective on the world.  A malformed, out-of-range or not allowed value is a user error.
  prefix is NULL or "reference_" ...; the name must be in the table.  Each records the resolved value.
  Where an option is unset and has no default, a bool, an integer and a real are left as they are.
  Strings are owned by the options database.  Lists: at most `room` entries, *count says how many (0 if
  unset).
*/
PetscErrorCode UnrOptionBool(const UnrOption table[], const char *prefix, const char *name, bool *value);
PetscErrorCode UnrOptionInt(const UnrOption table[], const char *prefix, const char *name, PetscInt *value);
PetscErrorCode UnrOptionReal(const UnrOption table[], const char *prefix, const char *name, double *value);
/* Word or path; *value is NULL if unset without a default. */
PetscErrorCode UnrOptionWord(const UnrOption table[], const char *prefix, const char *name,
                             const char **value);
PetscErrorCode UnrOptionInts(const UnrOption table[], const char *prefix, const char *name, PetscInt room,
                             PetscInt values[], PetscInt *count);
PetscErrorCode UnrOptionReals(const UnrOption table[], const char *prefix, const char *name, PetscInt room,
                              double values[], PetscInt *count);
PetscErrorCode UnrOptionWords(const UnrOption table[], const char *prefix, const char *name, PetscInt room,
                              const char *values[], PetscInt *count);
/* User error if a value from elsewhere (`where`) is not one that this UNR_REAL option takes. */
PetscErrorCode UnrOptionCheckReal(const UnrOption table[], const char *name, double value, const char *where);
/* Was it given by deck or command line? */
PetscErrorCode UnrOptionGiven(const UnrOption table[], const char *prefix, const char *name, bool *given);
/* Was "-name" given on the command line, not only by the deck?  Local. */
bool UnrOptionOnCommandLine(const char *name);

/*
  UnrOptionsStart - PetscInitialize() with the deck of -options_file below the command line.     Collective.
  On return argv holds the words only: the program's name and what is neither an option nor an option's value.
  -options_file FILE, -help and -version are taken out and can be asked for below.  A bad deck is a user
  error.
*/
PetscErrorCode UnrOptionsStart(int *argc, char ***argv, const char *usage);
const char *UnrOptionsDeck(void); /* its path, NULL without one */
bool UnrOptionsHelpAsked(void);
bool UnrOptionsVersionAsked(void);

/* Options that start with this ("pressure_") are a PETSc solver's: never unknown.  The text is borrowed. */
PetscErrorCode UnrOptionsPrefixDeclare(const char *prefix);
/* An option given but in no registered table (PETSc's own excepted) is a user error that names the nearest.
 */
PetscErrorCode UnrOptionsCheckUnknown(void);
/* Prints once the given, known options that no reader asked for: "not used by this command: ...". */
PetscErrorCode UnrOptionsListUnused(MPI_Comm comm);

/* While held, what is read stays out of the resolved set: for a comparison with other options than the run's.
 */
void UnrOptionsHold(bool hold);
/* Do two texts give the registered option "-name" the same value: "0.01" and "1e-2", "yes" and "true"? Local.
 */
bool UnrOptionsSame(const char *name, const char *a, const char *b);
/* Calls visit for every registered option whose name begins so, with its default or NULL.  Local. */
PetscErrorCode UnrOptionsVisit(const char *start,
                               PetscErrorCode (*visit)(const char *name, const char *value, void *context),
                               void *context);
/* The resolved set, sorted by name: entry i, NULL name past the end.  For files and summary.json. */
void UnrOptionsResolved(size_t i, const char **name, const char **value);
/* Prints every registered table as markdown (docs/options.md): name, default, unit, range, help. */
PetscErrorCode UnrOptionsPrint(FILE *file);
/* One registered table by its title, as text; nothing if there is none.  And the title of table i, NULL past
 * the end. */
PetscErrorCode UnrOptionsPrintTable(FILE *file, const char *title);
const char *UnrOptionsTitle(size_t i);
