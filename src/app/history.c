#include "app/history.h"
#include "core/error.h"
#include "core/summary.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROW = 256, ROWS = 256 };
static const char header[] =
    "update,stage,epoch,loss,validation,learning_rate,gradient_norm,skipped,seconds\n";

struct UnrHistory_ {
  char path[PETSC_MAX_PATH_LEN];
  FILE *file;  /* NULL but on rank 0 */
  int verdict; /* errno of the first write that failed */
  size_t length;
  double written; /* MPI_Wtime() of the last write */
  char text[ROW * ROWS];
};

static bool IsRankZero(void)
{
  int rank;

  return !MPI_Comm_rank(PETSC_COMM_WORLD, &rank) && rank == 0;
}

/* The old file's rows up to `update`, as text to be freed; NULL and *what if it is no history. */
static char *OldRows(const char *path, PetscInt64 update, const char **what)
{
  FILE *file = fopen(path, "r");
  char *text = NULL, *line = NULL;
  size_t length = 0, line_room = 0;
  FILE *kept = open_memstream(&text, &length);

  *what = NULL;
  if (!file && errno != ENOENT) *what = strerror(errno);
  fputs(header, kept);
  if (file && (getline(&line, &line_room, file) < 0 || strcmp(line, header))) *what = "not a history";
  while (file && !*what && getline(&line, &line_room, file) > 0) {
    const bool is_whole = strchr(line, '\n') != NULL; /* a killed run may have cut its last row */

    if (is_whole && atoll(line) <= update && atoll(line) > 0) fputs(line, kept);
  }
  free(line);
  if (file) fclose(file);
  fclose(kept);
  return text;
}

PetscErrorCode UnrHistoryOpen(const char *directory, PetscInt64 update, UnrHistory *history)
{
  const char *what = NULL;
  char *text = NULL;
  UnrHistory h;

  PetscFunctionBeginUser;
  PetscCall(PetscNew(&h));
  PetscCall(PetscSNPrintf(h->path, sizeof(h->path), "%s/history.csv", directory));
  if (IsRankZero()) text = update ? OldRows(h->path, update, &what) : strdup(header);
  UnrUserCheck(
      !what,
      "history of the run (%s): %s; allowed: the file that train writes, or none; try: move it away, "
      "and a new one begins",
      h->path, what ? what : "");
  PetscCall(UnrFileWriteAtomic(h->path, text ? text : ""));
  free(text);
  if (IsRankZero()) {
    h->file = fopen(h->path, "a");
    if (!h->file)
      h->verdict = errno;
    else
      setvbuf(h->file, NULL, _IONBF, 0); /* rows are written whole from our own buffer */
  }
  h->written = MPI_Wtime();
  *history = h;
  PetscCall(UnrHistoryFlush(h));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void Write(UnrHistory h)
{
  if (h->length && !h->verdict && fwrite(h->text, 1, h->length, h->file) != h->length) h->verdict = errno;
  h->length = 0;
  h->written = MPI_Wtime();
}

PetscErrorCode UnrHistoryAdd(UnrHistory h, const UnrHistoryRow *row)
{
  char validation[32] = "";
  int length;

  PetscFunctionBeginUser;
  if (!h->file) PetscFunctionReturn(PETSC_SUCCESS);
  if (!isnan(row->validation)) snprintf(validation, sizeof(validation), "%.9g", row->validation);
  length = snprintf(h->text + h->length, ROW, "%lld,%d,%.6f,%.17g,%s,%.9g,%.9g,%s,%.6f\n",
                    (long long)row->update, (int)row->stage, row->epoch, row->loss, validation, row->rate,
                    row->norm, row->skipped, row->seconds);
  PetscCheck(length > 0 && length < ROW, PETSC_COMM_SELF, PETSC_ERR_PLIB, "a row of %d characters", length);
  h->length += (size_t)length;
  if (h->length > sizeof(h->text) - ROW || MPI_Wtime() - h->written > 5) Write(h);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrHistoryFlush(UnrHistory h)
{
  PetscFunctionBeginUser;
  if (h->file) Write(h);
  UnrUserCheck(!h->verdict,
               "cannot write the history of the run (%s): %s; allowed: a place with room; try: another -out",
               h->path, strerror(h->verdict));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrHistoryClose(UnrHistory *history)
{
  UnrHistory h = *history;

  PetscFunctionBeginUser;
  if (!h) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(UnrHistoryFlush(h));
  if (h->file) fclose(h->file);
  PetscCall(PetscFree(*history));
  PetscFunctionReturn(PETSC_SUCCESS);
}
