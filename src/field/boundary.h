/* What a ghost cell beyond the domain holds.  Periodic is the only kind yet; walls, outflow and symmetry join
 * it here. */
#pragma once

typedef enum { UNR_BOUNDARY_PERIODIC, UNR_BOUNDARY_KINDS } UnrBoundary;
