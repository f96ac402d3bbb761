/* Attributes in the types that h5py writes, so that its readers get str, bool, int and float back. */
#include "dataset/well_impl.h"

#include <string.h>

hid_t UnrWellBoolType(void)
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

bool UnrWellPutText(hid_t object, const char *name, const char *value)
{
  hid_t type = TextType();
  bool good = Put(object, name, type, 0, 1, &value);

  H5Tclose(type);
  return good;
}

bool UnrWellPutTexts(hid_t object, const char *name, PetscInt count, const char *const value[])
{
  hid_t type = TextType();
  bool good = Put(object, name, type, 1, count, value);

  H5Tclose(type);
  return good;
}

bool UnrWellPutBools(hid_t object, const char *name, PetscInt count, bool value)
{
  int8_t values[8];
  hid_t type = UnrWellBoolType();
  bool good;

  memset(values, value ? 1 : 0, sizeof values);
  good = count <= 8 && Put(object, name, type, count > 0, count, values);
  H5Tclose(type);
  return good;
}

bool UnrWellPutInt(hid_t object, const char *name, PetscInt64 value)
{
  return Put(object, name, H5T_NATIVE_INT64, 0, 1, &value);
}

bool UnrWellPutReals(hid_t object, const char *name, PetscInt count, const double value[])
{
  return Put(object, name, H5T_NATIVE_DOUBLE, count > 0, count, value);
}

bool UnrWellPutVarying(hid_t object, bool sample, bool time)
{
  return UnrWellPutBools(object, "sample_varying", 0, sample) &&
         UnrWellPutBools(object, "time_varying", 0, time);
}
