#include "app/command.h"

#include <string.h>

#define UNR_COMMAND(file, Name) extern const UnrCommand UnrCommand_##Name;
#include "app/list.h"
#undef UNR_COMMAND

static const UnrCommand *const commands[] = {
#define UNR_COMMAND(file, Name) &UnrCommand_##Name,
#include "app/list.h"
#undef UNR_COMMAND
};

const UnrCommand *UnrCommandGet(size_t i)
{
  return i < sizeof(commands) / sizeof(*commands) ? commands[i] : NULL;
}

const UnrCommand *UnrCommandFind(const char *name)
{
  for (size_t i = 0; UnrCommandGet(i); i++) {
    if (!strcmp(UnrCommandGet(i)->name, name)) return UnrCommandGet(i);
  }
  return NULL;
}
