#include "core/summary.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* The character behind a string that starts at its opening quote; the end of the text where it is not closed.
 */
static const char *UnrJsonSkipString(const char *at)
{
  for (at++; *at && *at != '"'; at++) {
    if (*at == '\\' && at[1]) at++;
  }
  return *at ? at + 1 : at;
}

/* The text of a scalar, strings without quotes; escapes other than of quote and backslash stay as they are.
 */
static void UnrJsonScalar(const char *at, char value[], size_t size)
{
  size_t length = 0;

  if (*at == '"') {
    const char *end = UnrJsonSkipString(at) - 1;
    for (at++; at < end && length + 1 < size; at++) {
      if (*at == '\\' && (at[1] == '"' || at[1] == '\\')) at++;
      value[length++] = *at;
    }
  } else {
    while (*at && !strchr(",}] \t\r\n", *at) && length + 1 < size) value[length++] = *at++;
  }
  value[length] = '\0';
}

bool UnrJsonFind(const char *text, const char *key, char value[], size_t size)
{
  const size_t length = strlen(key);
  int depth = 0;

  for (const char *at = text; *at;) {
    if (*at == '"') {
      const char *end = UnrJsonSkipString(at), *colon = end + strspn(end, " \t\r\n");
      if (depth == 1 && *colon == ':' && (size_t)(end - at) == length + 2 && !strncmp(at + 1, key, length)) {
        colon += 1 + strspn(colon + 1, " \t\r\n");
        if (*colon == '{' || *colon == '[') return false;
        UnrJsonScalar(colon, value, size);
        return true;
      }
      at = end;
      continue;
    }
    depth += (*at == '{' || *at == '[') - (*at == '}' || *at == ']');
    at++;
  }
  return false;
}
