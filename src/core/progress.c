#include "core/progress.h"

#include <stdio.h>
#include <unistd.h>

static bool UnrProgressIsMine(void)
{
  int rank;

  return !MPI_Comm_rank(PETSC_COMM_WORLD, &rank) && rank == 0;
}

void UnrProgressBegin(UnrProgress *progress, const char *what, PetscInt64 total)
{
  const double now = MPI_Wtime();

  *progress = (UnrProgress){
      .what = what, .total = total, .begun = now, .told = now, .is_terminal = isatty(STDERR_FILENO)};
}

/* "1:02:03" or "2:03". */
static void UnrProgressTime(double seconds, char text[32])
{
  const long s = seconds < 0 ? 0 : seconds > 1e8 ? 100000000 : (long)(seconds + 0.5);

  if (s >= 3600)
    snprintf(text, 32, "%ld:%02ld:%02ld", s / 3600, s / 60 % 60, s % 60);
  else
    snprintf(text, 32, "%ld:%02ld", s / 60, s % 60);
}

static void UnrProgressTell(const UnrProgress *progress, PetscInt64 done, const char *note, double now,
                            bool is_last)
{
  const double taken = now - progress->begun, rate = taken > 0 ? (double)done / taken : 0;
  const double left = rate > 0 ? (double)(progress->total - done) / rate : 0;
  char time[32];

  UnrProgressTime(is_last ? taken : left, time);
  fprintf(stderr, "%s%s %lld/%lld %3.0f%%  %.3g/s  %s %s%s%s%s", progress->is_terminal ? "\r\033[K" : "",
          progress->what, (long long)done, (long long)progress->total,
          progress->total > 0 ? 100 * (double)done / (double)progress->total : 100, rate, time,
          is_last ? "taken" : "left", note ? "  " : "", note ? note : "",
          progress->is_terminal && !is_last ? "" : "\n");
  fflush(stderr);
}

void UnrProgressStep(UnrProgress *progress, PetscInt64 done, const char *note)
{
  const double now = MPI_Wtime(), interval = progress->is_terminal ? 0.2 : 5;

  if (now - progress->told < interval || !UnrProgressIsMine()) return;
  progress->told = now;
  UnrProgressTell(progress, done, note, now, false);
}

void UnrProgressEnd(UnrProgress *progress, PetscInt64 done, const char *note)
{
  if (UnrProgressIsMine()) UnrProgressTell(progress, done, note, MPI_Wtime(), true);
}
