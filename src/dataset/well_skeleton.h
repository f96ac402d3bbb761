/* For the files of the writer only: what rank 0 puts into a new file before all ranks open it. */
#pragma once

#include "dataset/well_impl.h"

/*
  UnrWellSkeleton - everything but the field's values, at path.     Not collective; for rank 0.
  In   facts  of the fields
  Out  false: HDF5 could not write (errno may say why)
*/
bool UnrWellSkeleton(const char *path, const UnrWellSpec *spec, const UnrWellFacts *facts);
static inline double UnrWellFrameTime(const UnrWellSpec *spec, PetscInt f)
{
  return spec->time ? spec->time[f] : (double)f * spec->frame_time;
}

/* Is the file one of 2-D or 3-D fields on one grid, which a visualiser opens? */
bool UnrWellHasXdmf(const UnrWellSpec *spec);
/* The nodes' coordinates, in the group `unroll` of an open file.  false: failed. */
bool UnrWellCoordinates(hid_t file, const UnrWellSpec *spec);
/* Group `unroll`: version, options, seeds, units, sources.  false: failed. */
bool UnrWellProvenance(hid_t file, const UnrWellSpec *spec);
