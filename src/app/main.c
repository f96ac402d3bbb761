#include <hdf5.h>
#include <stdio.h>
#include <string.h>

#include "app/command.h"
#include "core/error.h"
#include "core/nearest.h"
#include "core/provenance.h"

enum { STATUS_USER = 2, STATUS_FAULT = 70 };

/* The command that the words name: help where it was asked for, and then of that command. */
static PetscErrorCode UnrProgramCommand(int *argc, char ***argv, const UnrCommand **command)
{
  const char *nearest = NULL;

  PetscFunctionBeginUser;
  --*argc, ++*argv;
  if (UnrOptionsHelpAsked()) {
    *command = UnrCommandFind("help");
    if (*argc && UnrCommandFind((*argv)[0]) == *command) --*argc, ++*argv;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  UnrUserCheck(*argc, "no command (); allowed: see unroll -help; try: unroll info");
  for (size_t i = 0; UnrCommandGet(i); i++) UnrNearestOffer((*argv)[0], UnrCommandGet(i)->name, &nearest);
  *command = UnrCommandFind((*argv)[0]);
  UnrUserCheck(*command, "unknown command (%s); allowed: see unroll -help; try: unroll %s", (*argv)[0],
               nearest);
  --*argc, ++*argv;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode UnrProgramRun(int argc, char **argv, int *status)
{
  const UnrCommand *command = NULL;

  PetscFunctionBeginUser;
  if (UnrOptionsVersionAsked()) {
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "unroll %s\n", UnrVersion));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(UnrProgramRegister());
  PetscCall(UnrProgramCommand(&argc, &argv, &command));
  const char *extra = argc > command->words ? argv[command->words] : NULL;
  const bool is_deck = extra && (strstr(extra, ".yaml") || strstr(extra, ".yml"));
  UnrUserCheck(!extra, "a word that is no option's value (%s); allowed: %d behind the command %s; try: -%s%s",
               extra, command->words, command->name, is_deck ? "options_file " : "", extra);
  PetscCall(UnrOptionsCheckUnknown());
  PetscCall(command->run(argc, argv));
  PetscCall(UnrOptionsListUnused(PETSC_COMM_WORLD));
  if (command->status) *status = command->status();
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* After a fault some ranks may wait for others: all are ended. */
static int UnrProgramAbort(void)
{
  int is_started = 0, is_ended = 0;

  fflush(NULL);
  MPI_Initialized(&is_started);
  MPI_Finalized(&is_ended);
  if (is_started && !is_ended) MPI_Abort(MPI_COMM_WORLD, STATUS_FAULT);
  return STATUS_FAULT;
}

/* A mistake is told once and ends all ranks alike; the trace of a fault is PETSc's. */
static int UnrProgramEnd(PetscErrorCode code, int status)
{
  int rank = 0;

  if (code && code != UNR_ERR_USER) return UnrProgramAbort();
  if (code) {
    MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
    fflush(stdout);
    /* A file that the mistake left open (a full disk) may not close: HDF5 would talk of it at the end. */
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    if (!rank) fprintf(stderr, "unroll: error: %s\n", UnrUserErrorMessage());
    status = STATUS_USER;
  }
  return PetscFinalize() ? UnrProgramAbort() : status;
}

int main(int argc, char **argv)
{
  int status = 0;
  PetscErrorCode code = UnrOptionsStart(&argc, &argv, "unroll: see unroll -help\n");

  if (!code) code = UnrProgramRun(argc, argv, &status);
  return UnrProgramEnd(code, status);
}
