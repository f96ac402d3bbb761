/* Where the time of an update goes, in phases that do not overlap, from PETSc's log of core/event.h. */
#pragma once

#include "core/base.h"

typedef enum {
  UNR_PHASE_DATA,
  UNR_PHASE_SOLVER_FORWARD,
  UNR_PHASE_SOLVER_REVERSE,
  UNR_PHASE_NET_FORWARD,
  UNR_PHASE_NET_REVERSE,
  UNR_PHASE_HALO,      /* of solver and net, in neither of theirs */
  UNR_PHASE_TRANSPOSE, /* of the transforms, likewise */
  UNR_PHASE_ALLREDUCE,
  UNR_PHASE_UPDATE,
  UNR_PHASE_IO,
  UNR_PHASES
} UnrPhase;
extern const char *const UnrPhaseName[UNR_PHASES];

/* Seconds of this rank in each phase, all that PETSc has logged so far.  Local. */
PetscErrorCode UnrPhaseRead(double seconds[UNR_PHASES]);
