/* A run's directory for `info`: what it is, how far, and whether its files agree. */
#include "app/info.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "checkpoint/checkpoint.h"
#include "core/error.h"
#include "core/summary.h"

typedef struct {
  const char *directory;
  char *summary; /* text of summary.json on rank 0, or NULL */
  UnrInfoHistory history;
  char newest[PETSC_MAX_PATH_LEN]; /* whole checkpoint, "" if there is none */
  PetscInt64 update;               /* of it, -1 */
  double total;                    /* updates of the training, 0: not known */
  char problem[512];               /* the first; "" where all is well */
} UnrInfo;

static void Blame(UnrInfo *info, const char *problem)
{
  if (!info->problem[0]) snprintf(info->problem, sizeof info->problem, "%s", problem);
}

/* The file's text, to be freed; NULL if it cannot be read. */
static char *ReadText(const char *directory, const char *name)
{
  char path[PETSC_MAX_PATH_LEN], *text = NULL;
  size_t room = 0;
  ssize_t length;
  FILE *file;

  (void)snprintf(path, sizeof path, "%s/%s", directory, name);
  if (!(file = fopen(path, "r"))) return NULL;
  length = getdelim(&text, &room, '\0', file);
  fclose(file);
  if (length >= 0) return text;
  free(text);
  return strdup("");
}

/* Tells a file's verdict; *is_whole says it to all ranks. */
static PetscErrorCode Check(UnrInfo *info, const char *path, const char *kind, bool *is_whole)
{
  const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
  PetscErrorCode code = UnrStateFileCheck(path, kind);

  PetscFunctionBeginUser;
  *is_whole = !code;
  if (code != UNR_ERR_USER) PetscCall(code);
  const int what = (int)strcspn(UnrUserErrorMessage(), ";");
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "  %-13s %s: %.*s\n", kind, name, code ? what : 5,
                        code ? UnrUserErrorMessage() : "whole"));
  if (code) {
    char problem[512];

    snprintf(problem, sizeof problem, "%.*s", what, UnrUserErrorMessage());
    Blame(info, problem);
    UnrUserErrorClear();
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckCheckpoint(PetscInt64 update, const char *path, void *context)
{
  UnrInfo *info = context;
  bool is_whole;

  PetscFunctionBeginUser;
  PetscCall(Check(info, path, "checkpoint", &is_whole));
  if (is_whole) {
    info->update = update;
    snprintf(info->newest, sizeof info->newest, "%s", path);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckModel(UnrInfo *info)
{
  char path[PETSC_MAX_PATH_LEN];
  int rank, there = 0;
  bool is_whole;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(PetscSNPrintf(path, sizeof path, "%s/model.h5", info->directory));
  if (!rank) there = !access(path, F_OK);
  PetscCallMPI(MPI_Bcast(&there, 1, MPI_INT, 0, PETSC_COMM_WORLD));
  if (there) PetscCall(Check(info, path, "model", &is_whole));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TellOption(const char *name, const char *value, void *context)
{
  static const char *const said[] = {"-physics_type", "-model_type", "-net_type", "-rollout_mode"};

  PetscFunctionBeginUser;
  (void)context;
  for (size_t i = 0; i < sizeof said / sizeof *said; i++)
    if (!strcmp(name, said[i])) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "  %-13s %s\n", name, value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void TellSummary(UnrInfo *info)
{
  static const char *const keys[] = {"command", "status", "reason",  "version",
                                     "mode",    "model",  "updates", "seconds"};
  char value[256];

  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
    if (UnrJsonFind(info->summary, keys[i], value, sizeof value) &&
        (strcmp(keys[i], "seconds") || !info->history.exists))
      printf("  %-13s %s\n", keys[i], value);
  if (!UnrJsonFind(info->summary, "status", value, sizeof value))
    Blame(info, "summary.json is damaged: it has no status");
  else if (strcmp(value, "ok"))
    Blame(info, "the run failed, see `reason` in summary.json");
}

/* The last numbers, and how far they are from the end. */
static void TellHistory(UnrInfo *info)
{
  const UnrInfoHistory *h = &info->history;

  for (int c = 0; c < h->columns && h->rows; c++) {
    printf("  %-13s %s", h->name[c], h->value[c]);
    if (!strcmp(h->name[c], "update") && info->total > 0)
      printf(" of %.0f (%.0f %%)", info->total, 100 * (double)h->update / info->total);
    if (!strcmp(h->name[c], "skipped")) printf(" (%lld of %lld)", (long long)h->skipped, (long long)h->rows);
    printf("\n");
  }
  if (h->is_cut) printf("  half a line follows in history.csv: the run was killed, or is writing\n");
}

/* Do summary, history and checkpoints tell of the same run? */
static void Compare(UnrInfo *info)
{
  const UnrInfoHistory *h = &info->history;
  char text[256], value[64];

  if (h->problem[0]) Blame(info, h->problem);
  if (info->update >= 0 && (h->exists ? h->update : 0) < info->update) {
    snprintf(text, sizeof text, "history.csv ends at update %lld, before checkpoint-%lld.h5",
             (long long)PetscMax(h->update, 0), (long long)info->update);
    Blame(info, text);
  }
  if (info->summary && h->exists && UnrJsonFind(info->summary, "updates", value, sizeof value) &&
      strtoll(value, NULL, 10) != h->update) {
    snprintf(text, sizeof text, "summary.json has %s updates, history.csv %lld", value, (long long)h->update);
    Blame(info, text);
  }
}

static void Tell(UnrInfo *info)
{
  TellHistory(info);
  Compare(info);
  printf("  %-13s %s%s\n", "healthy", info->problem[0] ? "no: " : "yes", info->problem);
  if (info->history.exists) printf("  %-13s %.0f s ago\n", "written", info->history.age);
}

PetscErrorCode UnrInfoDirectory(const char *directory, bool *is_healthy)
{
  UnrInfo info = {.directory = directory, .update = -1};
  bool found = false;
  int rank;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  if (!rank) {
    info.summary = ReadText(directory, "summary.json");
    UnrInfoHistoryRead(directory, &info.history);
    printf("%s: %s\n", directory, info.summary ? "finished" : "not finished: no summary.json");
    if (info.summary) TellSummary(&info);
  }
  PetscCall(CheckModel(&info));
  PetscCall(UnrCheckpointEach(directory, CheckCheckpoint, &info));
  if (info.newest[0]) {
    PetscCall(UnrStateFileNumber(info.newest, "checkpoint", "total", &info.total, &found));
    PetscCall(UnrStateFileOptions(info.newest, "checkpoint", TellOption, NULL));
  }
  if (!rank) Tell(&info);
  free(info.summary);
  int healthy = !info.problem[0];
  PetscCallMPI(MPI_Bcast(&healthy, 1, MPI_INT, 0, PETSC_COMM_WORLD));
  *is_healthy = healthy;
  PetscFunctionReturn(PETSC_SUCCESS);
}
