#include "core/hdf5.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/options.h"

hid_t UnrHDF5SerialAccess(void)
{
  hid_t access = H5Pcreate(H5P_FILE_ACCESS);

#if H5_VERSION_GE(1, 12, 1) || (H5_VERSION_GE(1, 10, 7) && !H5_VERSION_GE(1, 12, 0))
  H5Pset_file_locking(access, 0, 1);
#endif
  return access;
}

void UnrHDF5SilenceBegin(UnrHDF5Silence *silence)
{
  H5Eget_auto2(H5E_DEFAULT, &silence->print, &silence->data);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

void UnrHDF5SilenceEnd(const UnrHDF5Silence *silence)
{
  H5Eset_auto2(H5E_DEFAULT, silence->print, silence->data);
}

hid_t UnrHDF5Creation(void)
{
  hid_t creation = H5Pcreate(H5P_DATASET_CREATE);

  H5Pset_obj_track_times(creation, false);
  return creation;
}

hid_t UnrHDF5BoolType(void)
{
  hid_t type = H5Tenum_create(H5T_NATIVE_INT8);
  int8_t value = 0;

  H5Tenum_insert(type, "FALSE", &value);
  value = 1;
  H5Tenum_insert(type, "TRUE", &value);
  return type;
}

/* rank 0: a scalar; 1: a list of `count`, which may be empty. */
static bool Put(hid_t object, const char *name, hid_t type, int rank, PetscInt count, const void *value)
{
  const hsize_t size = (hsize_t)count;
  hid_t space = rank ? H5Screate_simple(1, &size, NULL) : H5Screate(H5S_SCALAR);
  hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  bool good = attribute >= 0 && ((rank && !count) || H5Awrite(attribute, type, value) >= 0);

  if (attribute >= 0) H5Aclose(attribute);
  H5Sclose(space);
  return good;
}

static hid_t TextType(void)
{
  hid_t type = H5Tcopy(H5T_C_S1);

  H5Tset_size(type, H5T_VARIABLE);
  H5Tset_cset(type, H5T_CSET_UTF8);
  return type;
}

bool UnrHDF5PutText(hid_t object, const char *name, const char *value)
{
  hid_t type = TextType();
  bool good = Put(object, name, type, 0, 1, &value);

  H5Tclose(type);
  return good;
}

bool UnrHDF5PutTexts(hid_t object, const char *name, PetscInt count, const char *const value[])
{
  hid_t type = TextType();
  bool good = Put(object, name, type, 1, count, value);

  H5Tclose(type);
  return good;
}

bool UnrHDF5PutBools(hid_t object, const char *name, PetscInt count, bool value)
{
  int8_t values[8];
  hid_t type = UnrHDF5BoolType();
  bool good;

  memset(values, value ? 1 : 0, sizeof values);
  good = count <= 8 && Put(object, name, type, count > 0, count, values);
  H5Tclose(type);
  return good;
}

bool UnrHDF5PutInt(hid_t object, const char *name, PetscInt64 value)
{
  return Put(object, name, H5T_NATIVE_INT64, 0, 1, &value);
}

bool UnrHDF5PutReals(hid_t object, const char *name, PetscInt count, const double value[])
{
  return Put(object, name, H5T_NATIVE_DOUBLE, count > 0, count, value);
}

bool UnrHDF5PutOptions(hid_t parent)
{
  hid_t options = H5Gcreate2(parent, "options", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  const char *name, *value;
  bool good = options >= 0;

  for (size_t i = 0; good; i++) {
    UnrOptionsResolved(i, &name, &value);
    if (!name) break;
    good = UnrHDF5PutText(options, name + strspn(name, "-"), value ? value : "");
  }
  return H5Gclose(options) >= 0 && good;
}

/* One value of this class, or -1. */
static hid_t OpenScalar(hid_t object, const char *name, H5T_class_t class)
{
  hid_t attribute, type, space;
  bool good;

  if (H5Aexists(object, name) <= 0 || (attribute = H5Aopen(object, name, H5P_DEFAULT)) < 0) return -1;
  type = H5Aget_type(attribute);
  space = H5Aget_space(attribute);
  good = H5Tget_class(type) == class && H5Sget_simple_extent_npoints(space) == 1;
  H5Sclose(space);
  H5Tclose(type);
  if (good) return attribute;
  H5Aclose(attribute);
  return -1;
}

bool UnrHDF5GetText(hid_t object, const char *name, char value[], size_t size)
{
  hid_t attribute = OpenScalar(object, name, H5T_STRING), type;
  char *text = NULL;
  bool good = attribute >= 0;

  if (!good) return false;
  type = H5Aget_type(attribute);
  if (H5Tis_variable_str(type) > 0) {
    good = H5Aread(attribute, type, &text) >= 0;
    snprintf(value, size, "%s", good && text ? text : "");
    if (text) H5free_memory(text);
  } else { /* of fixed length: it may lack an end */
    text = calloc(H5Tget_size(type) + 1, 1);
    good = text && H5Aread(attribute, type, text) >= 0;
    snprintf(value, size, "%s", good ? text : "");
    free(text);
  }
  H5Tclose(type);
  H5Aclose(attribute);
  return good;
}

bool UnrHDF5GetInt(hid_t object, const char *name, PetscInt64 *value)
{
  hid_t attribute = OpenScalar(object, name, H5T_INTEGER);
  bool good = attribute >= 0 && H5Aread(attribute, H5T_NATIVE_INT64, value) >= 0;

  if (attribute >= 0) H5Aclose(attribute);
  return good;
}
