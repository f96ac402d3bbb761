#include <stdio.h>

#include "app/command.h"
#include "core/error.h"
#include "core/nearest.h"

static const UnrOption options[] = {
    {"-markdown", UNR_BOOL, "false", 0, 0, NULL, "print all options as docs/options.md", NULL},
    {0},
};

static void UnrHelpUsage(FILE *file)
{
  fprintf(file, "mpiexec -n N unroll COMMAND -options_file DECK.yaml [-option value ...]\n\n"
                "Trains neural networks inside PDE solvers by unrolling them in time.\n\nCommands:\n");
  for (size_t i = 0; UnrCommandGet(i); i++)
    fprintf(file, "  %-9s %s\n", UnrCommandGet(i)->name, UnrCommandGet(i)->summary);
  fprintf(file,
          "\nThe deck comes first, the command line over it.  unroll COMMAND -help: its options and those of "
          "every class;\nunroll help -markdown: the same as docs/options.md; unroll info: every plugin; "
          "unroll -version.\n");
}

static void UnrHelpMarkdown(FILE *file)
{
  fprintf(file,
          "# Options\n\nMade by `unroll help -markdown`; a test compares.  A deck gives the same names as "
          "nested keys:\n"
          "`-train_batch 16` is `train: {batch: 16}`.  The deck comes first, the command line over it.\n"
          "`include: FILE` puts another deck, named relative to this one, below it.\n");
}

/* The command's own options, then those of the classes; those of other commands are left to their help. */
static PetscErrorCode UnrHelpCommand(FILE *file, const UnrCommand *command)
{
  PetscFunctionBeginUser;
  fprintf(file, "mpiexec -n N unroll %s -options_file DECK.yaml [-option value ...]\n\nunroll %s: %s\n",
          command->name, command->name, command->summary);
  PetscCall(UnrOptionsPrintTable(file, command->name));
  for (size_t i = 0; UnrOptionsTitle(i); i++)
    if (!UnrCommandFind(UnrOptionsTitle(i))) PetscCall(UnrOptionsPrintTable(file, UnrOptionsTitle(i)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Help is for rank 0 to print, once; words: none, or a command. */
static PetscErrorCode UnrHelpRun(int argc, char **argv)
{
  const UnrCommand *command = argc ? UnrCommandFind(argv[0]) : NULL;
  const char *nearest = NULL;
  bool markdown;
  int rank;

  PetscFunctionBeginUser;
  PetscCall(UnrOptionBool(options, NULL, "-markdown", &markdown));
  for (size_t i = 0; argc && UnrCommandGet(i); i++)
    UnrNearestOffer(argv[0], UnrCommandGet(i)->name, &nearest);
  UnrUserCheck(command || !argc, "unknown command (%s); allowed: see unroll -help; try: unroll help %s",
               argv[0], nearest);
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  if (rank) PetscFunctionReturn(PETSC_SUCCESS);
  if (markdown) {
    UnrHelpMarkdown(stdout);
    PetscCall(UnrOptionsPrint(stdout));
  } else if (command)
    PetscCall(UnrHelpCommand(stdout, command));
  else
    UnrHelpUsage(stdout);
  PetscFunctionReturn(PETSC_SUCCESS);
}

const UnrCommand UnrCommand_Help = {.name = "help",
                                    .summary = "says what a command does and every option",
                                    .options = options,
                                    .run = UnrHelpRun,
                                    .words = 1};
