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
  char allowed[1024];

  fprintf(file, "\n## %s\n\n", entry->title);
  for (int i = 1; i < entry->prefixes; i++)
    fprintf(file, "Also as `-%s...`; what is not given so is taken from the plain name.\n\n",
            entry->prefix[i]);
  fprintf(file, "| option | default | unit | allowed | meaning |\n|---|---|---|---|---|\n");
  for (const UnrOption *option = entry->table; option->name; option++) {
    UnrOptionAllowedText(option, allowed, sizeof(allowed));
    fprintf(file, "| `%s` ", option->name);
    UnrPrintCell(file, option->value ? option->value : "");
    UnrPrintCell(file, option->unit ? option->unit : "");
    UnrPrintCell(file, allowed);
    UnrPrintCell(file, option->help);
    fputs("|\n", file);
  }
}

/* Words from column INDENT on, on lines of at most WIDTH. */
static void UnrPrintWrapped(FILE *file, const char *text)
{
  enum { INDENT = 37, WIDTH = 110 };
  size_t column = INDENT;

  while (*text) {
    const size_t length = strcspn(text, " ");

    if (column > INDENT && column + 1 + length > WIDTH) {
      fprintf(file, "\n%*s", INDENT, "");
      column = INDENT;
    }
    if (column > INDENT) column += (size_t)fprintf(file, " ");
    column += (size_t)fprintf(file, "%.*s", (int)length, text);
    text += length + (text[length] == ' ');
  }
}

static void UnrPrintText(FILE *file, const UnrOptionsEntry *entry)
{
  char allowed[1024];

  fprintf(file, "\n%s", entry->title);
  for (int i = 1; i < entry->prefixes; i++)
    fprintf(file, "%s-%s...", i == 1 ? " (also as " : ", ", entry->prefix[i]);
  fprintf(file, "%s\n", entry->prefixes > 1 ? ")" : "");
  for (const UnrOption *option = entry->table; option->name; option++) {
    UnrOptionAllowedText(option, allowed, sizeof(allowed));
    fprintf(file, "  %-34s ", option->name);
    UnrPrintWrapped(file, option->help);
    fprintf(file, "\n%37s", "");
    if (option->unit) fprintf(file, "[%s] ", option->unit);
    fprintf(file, "%s; default: %s\n", allowed, option->value ? option->value : "none");
  }
}

PetscErrorCode UnrOptionsPrint(FILE *file)
{
  PetscFunctionBeginUser;
  for (size_t i = 0; UnrOptionsEntryGet(i); i++) UnrPrintMarkdown(file, UnrOptionsEntryGet(i));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrOptionsPrintTable(FILE *file, const char *title)
{
  PetscFunctionBeginUser;
  for (size_t i = 0; UnrOptionsEntryGet(i); i++) {
    if (!strcmp(UnrOptionsEntryGet(i)->title, title)) UnrPrintText(file, UnrOptionsEntryGet(i));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

const char *UnrOptionsTitle(size_t i)
{
  return UnrOptionsEntryGet(i) ? UnrOptionsEntryGet(i)->title : NULL;
}
