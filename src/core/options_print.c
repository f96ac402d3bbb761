#include "core/options_impl.h"

#include <stdio.h>
#include <string.h>

/* Text for a cell of a markdown table: the bars that separate words would end it. */
static void UnrPrintCell(FILE *file, const char *text)
{
  fputs("| ", file);
  for (; *text; text++) fprintf(file, *text == '|' ? "\\|" : "%c", *text);
  fputc(' ', file);
}

static void UnrPrintMarkdown(FILE *file, const UnrOptionsEntry *entry)
{
  char name[UNR_OPTION_NAME], allowed[1024];

  fprintf(file, "\n## %s\n\n", entry->title);
  if (entry->prefix[0]) fprintf(file, "With the prefix `%s`; a name without it is the default.\n\n", entry->prefix);
  fprintf(file, "| option | default | unit | allowed | meaning |\n|---|---|---|---|---|\n");
  for (const UnrOption *option = entry->table; option->name; option++) {
    UnrOptionFullName(entry->prefix, option->name, name);
    UnrOptionAllowedText(option, allowed, sizeof(allowed));
    fprintf(file, "| `%s` ", name);
    UnrPrintCell(file, option->value ? option->value : "");
    UnrPrintCell(file, option->unit ? option->unit : "");
    UnrPrintCell(file, allowed);
    UnrPrintCell(file, option->help);
    fputs("|\n", file);
  }
}

static void UnrPrintText(FILE *file, const UnrOptionsEntry *entry)
{
  char name[UNR_OPTION_NAME], allowed[1024];

  fprintf(file, "\n%s%s%s\n", entry->title, entry->prefix[0] ? ", prefix " : "", entry->prefix);
  for (const UnrOption *option = entry->table; option->name; option++) {
    UnrOptionFullName(entry->prefix, option->name, name);
    UnrOptionAllowedText(option, allowed, sizeof(allowed));
    fprintf(file, "  %-34s %s\n%37s", name, option->help, "");
    if (option->unit) fprintf(file, "[%s] ", option->unit);
    fprintf(file, "%s; default: %s\n", allowed, option->value ? option->value : "none");
  }
}

PetscErrorCode UnrOptionsPrint(FILE *file, bool markdown)
{
  PetscFunctionBeginUser;
  for (size_t i = 0; UnrOptionsEntryGet(i); i++) {
    if (markdown) UnrPrintMarkdown(file, UnrOptionsEntryGet(i));
    else UnrPrintText(file, UnrOptionsEntryGet(i));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
