/* Numbered checkpoints of a directory: the last few are kept, a new run sets those of an earlier one aside.
 */
#include "checkpoint/checkpoint.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "checkpoint/checkpoint_impl.h"
#include "checkpoint/state_impl.h"
#include "core/error.h"
#include "core/file.h"

const UnrOption UnrCheckpointOptions[] = {
    {"-checkpoint_interval", UNR_INT, "1000", 0, PETSC_MAX_INT, "updates",
     "between checkpoints; 0: only at the end and on a signal", NULL},
    {"-checkpoint_keep", UNR_INT, "2", 1, 1e6, "files", "checkpoints kept: the last ones", NULL},
    {"-restart", UNR_PATH, "none", 0, 0, NULL,
     "auto: go on from the newest checkpoint in -out, if there is one; FILE: from that one; none: begin anew",
     NULL},
    {NULL, UNR_BOOL, NULL, 0, 0, NULL, NULL, NULL},
};

static const char kind[] = "checkpoint";

PetscErrorCode UnrCheckpointInterval(PetscInt64 *updates)
{
  PetscInt interval;

  PetscFunctionBeginUser;
  PetscCall(UnrOptionInt(UnrCheckpointOptions, NULL, "-checkpoint_interval", &interval));
  *updates = interval;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  UnrCheckpointWrite - one more, then without those before the last -checkpoint_keep.     Collective on the
  world. Those of a later update are of a run that this one has left by -restart FILE: they go to DIR/previous
  first, so that -restart auto does not go back to them.
*/
PetscErrorCode UnrCheckpointWrite(const char *directory, PetscInt64 update, PetscInt arrays,
                                  const UnrArray array[])
{
  char path[PETSC_MAX_PATH_LEN];
  PetscInt keep;
  PetscMPIInt rank;

  PetscFunctionBeginUser;
  PetscCall(UnrOptionInt(UnrCheckpointOptions, NULL, "-checkpoint_keep", &keep));
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(UnrFileAgree(rank ? 0 : UnrCheckpointSetAsideLater(directory, update),
                         "cannot set aside later checkpoints", directory));
  UnrCheckpointPath(directory, update, path);
  PetscCall(UnrStateFileWrite(path, kind, arrays, array));
  PetscCall(UnrFileAgree(rank ? 0 : UnrCheckpointPrune(directory, (size_t)keep),
                         "cannot remove older checkpoints", directory));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* On rank 0: the newest whole one; path "" if there is none, message then says why the newest is not. */
static int FindNewest(const char *directory, char path[PETSC_MAX_PATH_LEN], char message[UNR_STATE_MESSAGE])
{
  char damaged[UNR_STATE_MESSAGE] = "";
  PetscInt64 *update;
  size_t count;
  int verdict = UnrCheckpointList(directory, &update, &count);

  path[0] = message[0] = '\0';
  for (size_t i = count; i-- > 0 && !path[0];) {
    UnrCheckpointPath(directory, update[i], path);
    if (UnrStateExamine(path, kind, message)) break;
    if (!damaged[0]) memcpy(damaged, message, sizeof damaged);
    path[0] = '\0';
  }
  free(update);
  memcpy(message, damaged, sizeof damaged);
  return verdict;
}

static PetscErrorCode FindAuto(const char *directory, char path[PETSC_MAX_PATH_LEN])
{
  char message[UNR_STATE_MESSAGE] = "";
  PetscMPIInt rank;
  int verdict = 0;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  if (!rank) verdict = FindNewest(directory, path, message);
  PetscCall(UnrFileAgree(verdict, "cannot look for checkpoints", directory));
  PetscCallMPI(MPI_Bcast(path, PETSC_MAX_PATH_LEN, MPI_CHAR, 0, PETSC_COMM_WORLD));
  const int what = (int)strcspn(message, ";");
  UnrUserCheck(
      !message[0] || path[0],
      "no checkpoint of %s can be used; the newest: %.*s; allowed: -restart auto with a whole one; try: "
      "-restart none, which sets them aside",
      directory, what, message);
  if (message[0]) fprintf(stderr, "unroll: warning: %.*s; going on from %s\n", what, message, path);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrCheckpointFind(const char *directory, char path[PETSC_MAX_PATH_LEN])
{
  char message[UNR_STATE_MESSAGE] = "";
  const char *restart;
  PetscMPIInt rank;

  PetscFunctionBeginUser;
  path[0] = '\0';
  PetscCall(UnrOptionWord(UnrCheckpointOptions, NULL, "-restart", &restart));
  if (!strcmp(restart, "none")) PetscFunctionReturn(PETSC_SUCCESS);
  if (!strcmp(restart, "auto")) {
    PetscCall(FindAuto(directory, path));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  UnrUserCheck(rank || UnrStateExamine(restart, kind, message), "%s", message);
  snprintf(path, PETSC_MAX_PATH_LEN, "%s", restart);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrCheckpointEach(const char *directory,
                                 PetscErrorCode (*visit)(PetscInt64 update, const char *path, void *context),
                                 void *context)
{
  char path[PETSC_MAX_PATH_LEN];
  PetscInt64 *update = NULL, each = 0;
  PetscMPIInt rank;
  size_t count = 0;
  int verdict = 0;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  if (!rank) verdict = UnrCheckpointList(directory, &update, &count);
  PetscCall(UnrFileAgree(verdict, "cannot look for checkpoints", directory));
  PetscCall(UnrStateBroadcast(&count, sizeof count));
  for (size_t i = 0; i < count; i++) {
    if (!rank) each = update[i];
    PetscCall(UnrStateBroadcast(&each, sizeof each));
    UnrCheckpointPath(directory, each, path);
    PetscCall((*visit)(each, path, context));
  }
  free(update);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrCheckpointRetire(const char *directory, const char *const names[])
{
  PetscMPIInt rank;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(UnrFileAgree(rank ? 0 : UnrCheckpointSetAside(directory, names),
                         "cannot set aside an earlier run's files", directory));
  PetscFunctionReturn(PETSC_SUCCESS);
}
