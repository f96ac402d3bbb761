/* What the files of options share: the registered tables, kept strings. */
#pragma once

#include "core/options.h"

enum { UNR_OPTION_NAME = 256, UNR_OPTION_PREFIXES = 4 };

/* A registered table; its names go with each of the prefixes, the first of which is "". */
typedef struct {
  const char *title;
  const UnrOption *table;
  const char *prefix[UNR_OPTION_PREFIXES];
  int prefixes;
} UnrOptionsEntry;

/* Entry i of what was registered, NULL past the end. */
const UnrOptionsEntry *UnrOptionsEntryGet(size_t i);
/* The first registered name, prefixes included, for which is_it says yes, until the next call; else NULL. */
const char *UnrOptionsEach(bool (*is_it)(const char *name, void *context), void *context);
/* The registered option of that name, without prefixes; NULL: none. */
const UnrOption *UnrOptionsDeclared(const char *name);
/* Is "-name" in a registered table? */
bool UnrOptionsKnows(const char *name);
/* "-" prefix name, for an option's name "-name". */
void UnrOptionFullName(const char *prefix, const char *name, char full[UNR_OPTION_NAME]);
/* A copy that lives as long as the program; equal strings share it. */
const char *UnrOptionsKeep(const char *text, size_t length);
/* Puts a value into the resolved set. */
void UnrOptionsRecord(const char *name, const char *value);
/* "integers from 1 to 8" and such: what the option takes. */
void UnrOptionAllowedText(const UnrOption *option, char text[], size_t size);
/* Puts the deck's options over those there are; a bad deck is a user error.  Collective on the world. */
PetscErrorCode UnrDeckInsert(const char *path);
