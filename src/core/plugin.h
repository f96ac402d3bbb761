/*
  What the rooms do alike with their plugins.  A table (UnrPhysicsOps ...) begins with UNR_PLUGIN_HEAD; a room
  expands its list header into a NULL-terminated list of heads and the joined names "a|b|c" of the option that
  chooses.
*/
#pragma once

#include "core/options.h"

typedef struct {
  const char *name, *summary;
  const UnrOption *options; /* of its own, or NULL */
} UnrPlugin;

/* First in a table: the three fields by their own names, and together as `plugin`. */
#define UNR_PLUGIN_HEAD                                                                                      \
  union {                                                                                                    \
    struct {                                                                                                 \
      const char *name, *summary;                                                                            \
      const UnrOption *options;                                                                              \
    };                                                                                                       \
    UnrPlugin plugin;                                                                                        \
  }

typedef struct {
  const char *title;              /* of the room's options in -help and docs/options.md */
  const UnrOption *options;       /* the room's own; the first is the one that chooses, "-physics_type" */
  const UnrPlugin *const *plugin; /* [..] heads, NULL behind the last */
} UnrPluginClass;

typedef PetscErrorCode (*UnrPluginVisit)(const char *name, const char *summary, void *context);

/* Makes the options of the class and of its plugins known, with an optional prefix besides the plain names.
 */
PetscErrorCode UnrPluginsRegister(const UnrPluginClass *class, const char *prefix);
PetscErrorCode UnrPluginsVisit(const UnrPluginClass *class, UnrPluginVisit visit, void *context);
/* *(const XOps **)ops = the table that the class's first option names.  Collective on the world. */
PetscErrorCode UnrPluginChoose(const UnrPluginClass *class, const char *prefix, void *ops);
