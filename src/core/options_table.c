#include "core/options_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What outlives single calls: registered tables, kept strings, the resolved set. */
static struct {
  UnrOptionsEntry *entry;
  size_t entries;
  char **kept;
  size_t keeps;
  struct {
    const char *name, *value;
  } * resolved; /* sorted by name */
  size_t resolutions;
  bool held;
} options;

/* Room for one more of `count` items in an array that grows by doubling at powers of two. */
static void *UnrOptionsGrow(void *array, size_t count, size_t bytes)
{
  if (count & (count - 1)) return array;
  void *grown = realloc(array, (count ? 2 * count : 1) * bytes);
  if (!grown) abort();
  return grown;
}

PetscErrorCode UnrOptionsRegister(const char *title, const UnrOption table[], const char *prefix)
{
  UnrOptionsEntry *entry = options.entry;

  PetscFunctionBeginUser;
  while (entry < options.entry + options.entries && entry->table != table) entry++;
  if (entry == options.entry + options.entries) {
    options.entry = UnrOptionsGrow(options.entry, options.entries, sizeof(*options.entry));
    entry = &options.entry[options.entries++];
    *entry = (UnrOptionsEntry){.title = title, .table = table, .prefix = {""}, .prefixes = 1};
  }
  if (!prefix) PetscFunctionReturn(PETSC_SUCCESS);
  for (int i = 0; i < entry->prefixes; i++) {
    if (!strcmp(entry->prefix[i], prefix)) PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCheck(entry->prefixes < UNR_OPTION_PREFIXES, PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "%s has more than %d prefixes", title, UNR_OPTION_PREFIXES);
  entry->prefix[entry->prefixes++] = prefix;
  PetscFunctionReturn(PETSC_SUCCESS);
}

const UnrOptionsEntry *UnrOptionsEntryGet(size_t i)
{
  return i < options.entries ? &options.entry[i] : NULL;
}

void UnrOptionFullName(const char *prefix, const char *name, char full[UNR_OPTION_NAME])
{
  snprintf(full, UNR_OPTION_NAME, "-%s%s", prefix ? prefix : "", name + 1);
}

const char *UnrOptionsEach(bool (*is_it)(const char *name, void *context), void *context)
{
  static char full[UNR_OPTION_NAME];

  for (const UnrOptionsEntry *entry = options.entry; entry < options.entry + options.entries; entry++) {
    for (const UnrOption *option = entry->table; option->name; option++) {
      for (int i = 0; i < entry->prefixes; i++) {
        UnrOptionFullName(entry->prefix[i], option->name, full);
        if (is_it(full, context)) return full;
      }
    }
  }
  return NULL;
}

const UnrOption *UnrOptionsDeclared(const char *name)
{
  for (const UnrOptionsEntry *entry = options.entry; entry < options.entry + options.entries; entry++)
    for (const UnrOption *option = entry->table; option->name; option++)
      if (!strcasecmp(option->name, name)) return option;
  return NULL;
}

PetscErrorCode UnrOptionsVisit(const char *start,
                               PetscErrorCode (*visit)(const char *name, const char *value, void *context),
                               void *context)
{
  PetscFunctionBeginUser;
  for (size_t i = 0; i < options.entries; i++)
    for (const UnrOption *option = options.entry[i].table; option->name; option++)
      if (!strncmp(option->name, start, strlen(start)))
        PetscCall((*visit)(option->name, option->value, context));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static bool UnrIsThisName(const char *name, void *context)
{
  return !strcasecmp(name, context);
}

bool UnrOptionsKnows(const char *name)
{
  return UnrOptionsEach(UnrIsThisName, (void *)(uintptr_t)name) != NULL;
}

const char *UnrOptionsKeep(const char *text, size_t length)
{
  for (size_t i = 0; i < options.keeps; i++) {
    if (strlen(options.kept[i]) == length && !memcmp(options.kept[i], text, length)) return options.kept[i];
  }
  char *copy = malloc(length + 1);
  if (!copy) abort();
  memcpy(copy, text, length);
  copy[length] = '\0';
  options.kept = UnrOptionsGrow(options.kept, options.keeps, sizeof(*options.kept));
  return options.kept[options.keeps++] = copy;
}

void UnrOptionsHold(bool hold)
{
  options.held = hold;
}

void UnrOptionsRecord(const char *name, const char *value)
{
  size_t i = 0;

  if (options.held) return;
  while (i < options.resolutions && strcmp(options.resolved[i].name, name) < 0) i++;
  if (i == options.resolutions || strcmp(options.resolved[i].name, name)) {
    options.resolved = UnrOptionsGrow(options.resolved, options.resolutions, sizeof(*options.resolved));
    memmove(&options.resolved[i + 1], &options.resolved[i],
            (options.resolutions - i) * sizeof(*options.resolved));
    options.resolutions++;
    options.resolved[i].name = UnrOptionsKeep(name, strlen(name));
  }
  options.resolved[i].value = UnrOptionsKeep(value, strlen(value));
}

void UnrOptionsResolved(size_t i, const char **name, const char **value)
{
  *name = i < options.resolutions ? options.resolved[i].name : NULL;
  *value = i < options.resolutions ? options.resolved[i].value : NULL;
}
