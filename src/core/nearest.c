#include "core/nearest.h"

#include <string.h>

static int UnrMin(int a, int b)
{
  return a < b ? a : b;
}

/* Three rows of the table of Damerau and Levenshtein's distance (optimal string alignment). */
int UnrNearestDistance(const char *a, const char *b)
{
  enum { LENGTH = 127 };
  int rows[3][LENGTH + 1], *above = rows[0], *last = rows[1], *now = rows[2];
  int la = (int)strnlen(a, LENGTH), lb = (int)strnlen(b, LENGTH);

  for (int j = 0; j <= lb; j++) last[j] = j;
  for (int i = 1; i <= la; i++) {
    now[0] = i;
    for (int j = 1; j <= lb; j++) {
      now[j] = UnrMin(UnrMin(last[j], now[j - 1]) + 1, last[j - 1] + (a[i - 1] != b[j - 1]));
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        now[j] = UnrMin(now[j], above[j - 2] + 1);
    }
    int *row = above;
    above = last;
    last = now;
    now = row;
  }
  return last[lb];
}

void UnrNearestOffer(const char *word, const char *candidate, const char **nearest)
{
  if (!*nearest || UnrNearestDistance(word, candidate) < UnrNearestDistance(word, *nearest))
    *nearest = candidate;
}
