/* What our HDF5 files have in common: attributes in the types that h5py writes, so that its readers get str,
 * bool, int and float back; the options of the run; the file access of rank 0 alone. */
#pragma once

#include <hdf5.h>
#include "core/base.h"

/* File access of rank 0 alone: without locks, which some parallel file systems lack.  The caller closes it.
 */
hid_t UnrHDF5SerialAccess(void);
/* HDF5 prints nothing between Begin and End: what fails there is the user's. */
typedef struct {
  H5E_auto2_t print;
  void *data;
} UnrHDF5Silence;
void UnrHDF5SilenceBegin(UnrHDF5Silence *silence);
void UnrHDF5SilenceEnd(const UnrHDF5Silence *silence);

/* Attributes: variable-length UTF-8 strings, booleans as h5py's enumeration, 64-bit integers.  false: failed.
 */
bool UnrHDF5PutText(hid_t object, const char *name, const char *value);
bool UnrHDF5PutTexts(hid_t object, const char *name, PetscInt count, const char *const value[]);
bool UnrHDF5PutBools(hid_t object, const char *name, PetscInt count, bool value); /* count 0: one scalar */
bool UnrHDF5PutInt(hid_t object, const char *name, PetscInt64 value);
bool UnrHDF5PutReals(hid_t object, const char *name, PetscInt count,
                     const double value[]); /* count 0: one scalar */
/* h5py's boolean type; the caller closes it. */
hid_t UnrHDF5BoolType(void);
/* A group `options` in `parent`: one attribute for every resolved option, its name without the dash. */
bool UnrHDF5PutOptions(hid_t parent);
/* Creation of data sets without the time of the day, so that the same run writes the same file. */
hid_t UnrHDF5Creation(void);
/* An attribute that is one string of any kind, or one integer; false if there is none such. */
bool UnrHDF5GetText(hid_t object, const char *name, char value[], size_t size);
bool UnrHDF5GetInt(hid_t object, const char *name, PetscInt64 *value);
