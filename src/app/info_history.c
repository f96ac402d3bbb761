/* history.csv of a training, read for `info`: its last numbers, and whether its lines agree. */
#include "app/info.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

/* The cells of a line, which is cut into pieces; their number. */
static int Split(char *line, char *cell[UNR_INFO_COLUMNS])
{
  int cells = 0;

  line[strcspn(line, "\r\n")] = '\0';
  for (char *at = line; at && cells < UNR_INFO_COLUMNS;) cell[cells++] = strsep(&at, ",");
  return cells;
}

static int Column(const UnrInfoHistory *history, const char *name)
{
  for (int c = 0; c < history->columns; c++)
    if (!strcmp(history->name[c], name)) return c;
  return -1;
}

static void AddRow(UnrInfoHistory *h, char *line, int update, int skipped)
{
  char *cell[UNR_INFO_COLUMNS];
  const int cells = Split(line, cell);
  const PetscInt64 number = update < cells ? strtoll(cell[update], NULL, 10) : 0;

  if (cells != h->columns)
    snprintf(h->problem, sizeof h->problem, "line %lld of history.csv has %d columns, not %d",
             (long long)h->rows + 2, cells, h->columns);
  else if (h->rows && number != h->update + 1)
    snprintf(h->problem, sizeof h->problem, "line %lld of history.csv is of update %lld, not %lld",
             (long long)h->rows + 2, (long long)number, (long long)h->update + 1);
  if (h->problem[0]) return;
  h->rows++;
  h->update = number;
  if (skipped >= 0) h->skipped += strcmp(cell[skipped], "none") != 0;
  for (int c = 0; c < cells; c++)
    if (cell[c][0]) snprintf(h->value[c], UNR_INFO_CELL, "%s", cell[c]);
}

/* A skipped update may have any loss: the weights did not take it. */
static void CheckLast(UnrInfoHistory *h, int loss, int skipped)
{
  if (h->problem[0] || !h->rows || loss < 0) return;
  if (skipped >= 0 && strcmp(h->value[skipped], "none")) return;
  if (!isfinite(strtod(h->value[loss], NULL)))
    snprintf(h->problem, sizeof h->problem, "the last loss is not finite (%s)", h->value[loss]);
}

void UnrInfoHistoryRead(const char *directory, UnrInfoHistory *h)
{
  char path[PETSC_MAX_PATH_LEN], *line = NULL, *cell[UNR_INFO_COLUMNS];
  size_t room = 0;
  struct stat about;
  FILE *file;

  *h = (UnrInfoHistory){.update = -1};
  (void)snprintf(path, sizeof path, "%s/history.csv", directory);
  file = fopen(path, "r");
  if (!file) return;
  h->exists = true;
  if (!fstat(fileno(file), &about)) h->age = difftime(time(NULL), about.st_mtime);
  if (getline(&line, &room, file) > 0) h->columns = Split(line, cell);
  for (int c = 0; c < h->columns; c++) snprintf(h->name[c], UNR_INFO_CELL, "%s", cell[c]);
  const int update = Column(h, "update"), skipped = Column(h, "skipped");
  if (update < 0) snprintf(h->problem, sizeof h->problem, "history.csv has no column 'update'");
  while (!h->problem[0] && getline(&line, &room, file) > 0) {
    h->is_cut = !strchr(line, '\n'); /* the last line only */
    if (!h->is_cut) AddRow(h, line, update, skipped);
  }
  free(line);
  fclose(file);
  CheckLast(h, Column(h, "loss"), skipped);
}
