/* For the files of the writer only: what rank 0 puts into a new file before all ranks open it. */
#pragma once

#include "dataset/well_impl.h"

/*
  UnrWellSkeleton - everything but the field's values, at path.     Not collective; for rank 0.
  In   facts  of the fields
  Out  false: HDF5 could not write (errno may say why)
*/
bool UnrWellSkeleton(const char *path, const UnrWellSpec *spec, const UnrWellFacts *facts);
/* Group `unroll`: version, options, seeds, units, sources.  false: failed. */
bool UnrWellProvenance(hid_t file, const UnrWellSpec *spec);
