#include "core/summary.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH = 32 };

struct UnrJson_ {
  char *text;
  size_t length, room;
  int depth;
  char close[DEPTH];     /* of the open objects and arrays */
  bool has_entry[DEPTH]; /* a comma comes before the next entry */
};

PetscErrorCode UnrJsonCreate(UnrJson *json)
{
  PetscFunctionBeginUser;
  PetscCall(PetscNew(json));
  PetscCall(PetscCalloc1(1, &(*json)->text));
  (*json)->room = 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrJsonDestroy(UnrJson *json)
{
  PetscFunctionBeginUser;
  if (*json) PetscCall(PetscFree((*json)->text));
  PetscCall(PetscFree(*json));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode UnrJsonAdd(UnrJson json, const char *text, size_t length)
{
  PetscFunctionBeginUser;
  if (json->length + length + 1 > json->room) {
    json->room = 2 * (json->length + length + 1);
    PetscCall(PetscRealloc(json->room, &json->text));
  }
  memcpy(json->text + json->length, text, length);
  json->length += length;
  json->text[json->length] = '\0';
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode UnrJsonQuote(UnrJson json, const char *text)
{
  PetscFunctionBeginUser;
  PetscCall(UnrJsonAdd(json, "\"", 1));
  for (; *text; text++) {
    char escape[8] = {*text};
    if (*text == '"' || *text == '\\')
      snprintf(escape, sizeof(escape), "\\%c", *text);
    else if ((unsigned char)*text < 0x20)
      snprintf(escape, sizeof(escape), "\\u%04x", (unsigned char)*text);
    PetscCall(UnrJsonAdd(json, escape, strlen(escape)));
  }
  PetscCall(UnrJsonAdd(json, "\"", 1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Comma, line, indent and key in front of a value. */
static PetscErrorCode UnrJsonKey(UnrJson json, const char *key)
{
  PetscFunctionBeginUser;
  if (json->has_entry[json->depth]) PetscCall(UnrJsonAdd(json, ",", 1));
  if (json->depth) PetscCall(UnrJsonAdd(json, "\n", 1));
  for (int i = 0; i < json->depth; i++) PetscCall(UnrJsonAdd(json, "  ", 2));
  json->has_entry[json->depth] = true;
  if (key) {
    PetscCall(UnrJsonQuote(json, key));
    PetscCall(UnrJsonAdd(json, ": ", 2));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrJsonBegin(UnrJson json, const char *key, char kind)
{
  PetscFunctionBeginUser;
  PetscCheck(json->depth + 1 < DEPTH, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "JSON is nested too deep");
  PetscCall(UnrJsonKey(json, key));
  PetscCall(UnrJsonAdd(json, &kind, 1));
  json->depth++;
  json->close[json->depth] = kind == '{' ? '}' : ']';
  json->has_entry[json->depth] = false;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrJsonEnd(UnrJson json)
{
  PetscFunctionBeginUser;
  PetscCheck(json->depth > 0, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONGSTATE, "JSON has nothing open to end");
  if (json->has_entry[json->depth]) {
    PetscCall(UnrJsonAdd(json, "\n", 1));
    for (int i = 1; i < json->depth; i++) PetscCall(UnrJsonAdd(json, "  ", 2));
  }
  PetscCall(UnrJsonAdd(json, &json->close[json->depth], 1));
  json->depth--;
  if (!json->depth) PetscCall(UnrJsonAdd(json, "\n", 1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrJsonString(UnrJson json, const char *key, const char *value)
{
  PetscFunctionBeginUser;
  PetscCall(UnrJsonKey(json, key));
  if (value)
    PetscCall(UnrJsonQuote(json, value));
  else
    PetscCall(UnrJsonAdd(json, "null", 4));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The shortest of 15 to 17 digits that reads back to the same bits. */
PetscErrorCode UnrJsonReal(UnrJson json, const char *key, double value)
{
  char text[32] = "null";

  PetscFunctionBeginUser;
  for (int digits = 15; isfinite(value) && digits <= 17; digits++) {
    snprintf(text, sizeof(text), "%.*g", digits, value);
    if (strtod(text, NULL) == value) break;
  }
  PetscCall(UnrJsonKey(json, key));
  PetscCall(UnrJsonAdd(json, text, strlen(text)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrJsonInt(UnrJson json, const char *key, PetscInt64 value)
{
  char text[32];

  PetscFunctionBeginUser;
  snprintf(text, sizeof(text), "%lld", (long long)value);
  PetscCall(UnrJsonKey(json, key));
  PetscCall(UnrJsonAdd(json, text, strlen(text)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrJsonBool(UnrJson json, const char *key, bool value)
{
  PetscFunctionBeginUser;
  PetscCall(UnrJsonKey(json, key));
  PetscCall(UnrJsonAdd(json, value ? "true" : "false", value ? 4 : 5));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const char *UnrJsonText(UnrJson json)
{
  return json->text;
}
