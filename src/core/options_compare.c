/* Values of options as texts: which mean the same. */
#include "core/options_impl.h"

#include <stdlib.h>
#include <string.h>

/* 1, 0; -1: no truth value. */
static int Truth(const char *text)
{
  static const char *const word[] = {"false", "no", "off", "0", "", "true", "yes", "on", "1"};

  for (int i = 0; i < 9; i++)
    if (!strcasecmp(text, word[i])) return i > 3;
  return -1;
}

/* Entries of lists and single values: equal as numbers, or letter by letter. */
static bool SameEntry(const char *a, size_t a_length, const char *b, size_t b_length)
{
  char *a_end, *b_end;
  const double x = strtod(a, &a_end), y = strtod(b, &b_end);

  if (a_length && b_length && a_end == a + a_length && b_end == b + b_length) return x == y;
  return a_length == b_length && !strncmp(a, b, a_length);
}

/* Without blanks round it. */
static size_t Trim(const char **entry, size_t length)
{
  const size_t first = strspn(*entry, " \t");

  if (first >= length) return 0;
  *entry += first;
  length -= first;
  while (length && strchr(" \t", (*entry)[length - 1])) length--;
  return length;
}

bool UnrOptionsSame(const char *name, const char *a, const char *b)
{
  const UnrOption *option = UnrOptionsDeclared(name);

  if (option && option->kind == UNR_BOOL) return Truth(a) == Truth(b) && Truth(a) >= 0;
  for (;;) {
    const size_t a_length = strcspn(a, ","), b_length = strcspn(b, ",");
    const char *x = a, *y = b;
    const size_t x_length = Trim(&x, a_length), y_length = Trim(&y, b_length);

    if (!SameEntry(x, x_length, y, y_length) || a[a_length] != b[b_length]) return false;
    if (!a[a_length]) return true;
    a += a_length + 1;
    b += b_length + 1;
  }
}
