/* Memory that cannot be had is refused before it is asked for: later it would be a trace, or the node's swap.
 */
#pragma once

#include "core/base.h"

/*
  UnrMemoryCheck - user error if the ranks of a node need more than it has.     Collective on the world.
  In   bytes   of this rank, not above what it will ask for: a lower bound is enough to refuse what is
  hopeless what    "the states of the grid";  advice: "fewer -grid_points"
*/
PetscErrorCode UnrMemoryCheck(double bytes, const char *what, const char *advice);
