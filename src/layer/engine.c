/* The engines of this build, by name. */
#include "layer/engine.h"

#define UNR_ENGINE(name, Table) extern const UnrEngineOps UnrEngineOps_##Table;
#define UNR_ENGINE_FIRST UNR_ENGINE
#include "layer/engine_list.h"
#undef UNR_ENGINE

#define UNR_ENGINE(name, Table) &UnrEngineOps_##Table,
static const UnrEngineOps *const engines[] = {
#include "layer/engine_list.h"
};
#undef UNR_ENGINE
#undef UNR_ENGINE_FIRST

#define UNR_ENGINE_FIRST(name, Table) #name
#define UNR_ENGINE(name, Table) "|" #name
const char UnrEngineNames[] =
#include "layer/engine_list.h"
    ;

const UnrEngineOps *UnrEngineFind(const char *name)
{
  for (size_t i = 0; i < sizeof(engines) / sizeof(engines[0]); ++i) {
    if (!strcmp(engines[i]->name, name)) return engines[i];
  }
  return NULL;
}
