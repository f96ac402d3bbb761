/* JSON text built in order. */
#pragma once

#include "core/file.h"

typedef struct UnrJson_ *UnrJson;

PetscErrorCode UnrJsonCreate(UnrJson *json);
PetscErrorCode UnrJsonDestroy(UnrJson *json);
/* key NULL inside an array.  Numbers are written so that they read back bit for bit; NaN and Inf as null. */
PetscErrorCode UnrJsonBegin(UnrJson json, const char *key, char kind); /* '{' or '[' */
PetscErrorCode UnrJsonEnd(UnrJson json);
PetscErrorCode UnrJsonString(UnrJson json, const char *key, const char *value);
PetscErrorCode UnrJsonReal(UnrJson json, const char *key, double value);
PetscErrorCode UnrJsonInt(UnrJson json, const char *key, PetscInt64 value);
PetscErrorCode UnrJsonBool(UnrJson json, const char *key, bool value);
const char *UnrJsonText(UnrJson json);
/* The scalar under a key of the outermost object, as text without quotes; false if there is none. */
bool UnrJsonFind(const char *text, const char *key, char value[], size_t size);
