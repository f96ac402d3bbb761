/* What is in a file, for `info`: a model, a checkpoint, a data set, the results of evaluate. */
#include "app/info.h"

#include <stdio.h>
#include <string.h>
#include "checkpoint/state_file.h"
#include "core/error.h"
#include "core/hdf5.h"
#include "dataset/well.h"

typedef enum { NO_HDF5, OF_STATE, OF_DATA, OTHER_HDF5 } Content;

/* By rank 0; what cannot be opened is refused by the reader of data files. */
static Content Sniff(const char *path)
{
  char head[64] = "";
  Content content = NO_HDF5;
  hid_t access, file;
  FILE *bytes = fopen(path, "rb");

  if (bytes && fread(head, 1, sizeof head - 1, bytes) > 0 && UnrStateFileIsHead(head)) content = OF_STATE;
  if (bytes) fclose(bytes);
  if (content == OF_STATE || H5Fis_hdf5(path) <= 0) return content;
  access = UnrHDF5SerialAccess();
  file = H5Fopen(path, H5F_ACC_RDONLY, access);
  H5Pclose(access);
  if (file < 0) return OF_DATA;
  content = H5Aexists(file, "kind") > 0                      ? OF_STATE
            : H5Lexists(file, "dimensions", H5P_DEFAULT) > 0 ? OF_DATA
                                                             : OTHER_HDF5;
  H5Fclose(file);
  return content;
}

/* "float32", "int64", "strings" ... */
static void TypeText(hid_t type, char text[32])
{
  const H5T_class_t class = H5Tget_class(type);
  const char *name = class == H5T_FLOAT     ? "float"
                     : class == H5T_INTEGER ? "int"
                     : class == H5T_ENUM    ? "enum"
                                            : NULL;

  if (name)
    snprintf(text, 32, "%s%zu", name, 8 * H5Tget_size(type));
  else
    snprintf(text, 32, "%s", class == H5T_STRING ? "strings" : "values");
}

static herr_t TellSet(hid_t file, const char *name, const H5O_info_t *about, void *context)
{
  enum { AXES = 32 };
  char text[32];
  hsize_t size[AXES];
  hid_t set, type, space;
  double value;
  int axes;

  (void)context;
  if (about->type != H5O_TYPE_DATASET) return 0;
  if ((set = H5Dopen2(file, name, H5P_DEFAULT)) < 0) return -1;
  type = H5Dget_type(set);
  space = H5Dget_space(set);
  axes = H5Sget_simple_extent_dims(space, size, NULL);
  TypeText(type, text);
  printf("  %-40s %s (", name, text);
  for (int a = 0; a < axes; a++) printf("%s%llu", a ? ", " : "", (unsigned long long)size[a]);
  printf(")");
  if (H5Sget_simple_extent_npoints(space) == 1 &&
      (H5Tget_class(type) == H5T_FLOAT || H5Tget_class(type) == H5T_INTEGER) &&
      H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value) >= 0)
    printf(" = %.10g", value);
  printf("\n");
  H5Sclose(space);
  H5Tclose(type);
  return H5Dclose(set);
}

static herr_t TellAttribute(hid_t object, const char *name, const H5A_info_t *about, void *context)
{
  const char *start = context;
  char text[4096];
  PetscInt64 number;

  (void)about;
  if (UnrHDF5GetText(object, name, text, sizeof text))
    printf("  %s%s %s\n", start, name, text);
  else if (UnrHDF5GetInt(object, name, &number))
    printf("  %s%s %lld\n", start, name, (long long)number);
  return 0;
}

/* `start` stands before each name. */
static bool TellAttributes(hid_t object, const char *start)
{
  return H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, NULL, TellAttribute, (void *)(uintptr_t)start) >= 0;
}

/* Of a group and one in it, where they are there. */
static bool TellGroup(hid_t parent, const char *name, const char *start, const char *inner)
{
  hid_t group;
  bool good;

  if (H5Lexists(parent, name, H5P_DEFAULT) <= 0) return true;
  if ((group = H5Gopen2(parent, name, H5P_DEFAULT)) < 0) return false;
  good = TellAttributes(group, start) && (!inner || TellGroup(group, inner, "-", NULL));
  return H5Gclose(group) >= 0 && good;
}

/* All of it, on rank 0: attributes, arrays, options. */
static bool TellAll(const char *path)
{
  UnrHDF5Silence silence;
  hid_t access = UnrHDF5SerialAccess(), file;
  bool good;

  UnrHDF5SilenceBegin(&silence);
  file = H5Fopen(path, H5F_ACC_RDONLY, access);
  H5Pclose(access);
  good = file >= 0 && TellAttributes(file, "") &&
         H5Ovisit2(file, H5_INDEX_NAME, H5_ITER_INC, TellSet, NULL, H5O_INFO_BASIC) >= 0 &&
         TellGroup(file, "options", "-", NULL) && TellGroup(file, "unroll", "", "options");
  if (file >= 0) H5Fclose(file);
  UnrHDF5SilenceEnd(&silence);
  return good;
}

static PetscErrorCode CountWeights(const UnrArray *array, void *context)
{
  PetscInt64 numbers = 1;

  PetscFunctionBeginUser;
  for (PetscInt a = 0; a < array->rank; a++) numbers *= array->shape[a];
  if (!strncmp(array->name, "weights/", 8)) *(PetscInt64 *)context += numbers;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TellState(const char *path)
{
  PetscInt64 parameters = 0;

  PetscFunctionBeginUser;
  PetscCall(UnrStateFileArrays(path, NULL, CountWeights, &parameters));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s: whole\n  parameters %lld\n", path, (long long)parameters));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TellData(const char *path)
{
  UnrWell well;
  UnrWellInfo info;
  double first = 0, last = 0;
  int rank;

  PetscFunctionBeginUser;
  PetscCall(UnrWellOpen(path, NULL, &well));
  PetscCall(UnrWellInfoGet(well, &info));
  PetscCall(UnrWellTime(well, 0, &first));
  PetscCall(UnrWellTime(well, info.frames - 1, &last));
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  if (!rank) {
    printf("%s: data in The Well's layout\n", path);
    printf("  field %s, %lld trajectories of %lld frames, time %g to %g\n", UnrWellField(well),
           (long long)info.trajectories, (long long)info.frames, first, last);
  }
  PetscCall(UnrWellClose(&well));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrInfoFile(const char *path)
{
  int rank, content = NO_HDF5;
  UnrHDF5Silence silence;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  if (!rank) {
    UnrHDF5SilenceBegin(&silence);
    content = (int)Sniff(path);
    UnrHDF5SilenceEnd(&silence);
  }
  PetscCallMPI(MPI_Bcast(&content, 1, MPI_INT, 0, PETSC_COMM_WORLD));
  UnrUserCheck(
      content != NO_HDF5,
      "not an HDF5 file (%s); allowed: a model, a checkpoint, a data file, metrics.h5, or the -out of a run; "
      "try: unroll info DIR",
      path);
  if (content == OF_STATE)
    PetscCall(TellState(path));
  else if (content == OF_DATA)
    PetscCall(TellData(path));
  else
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s: HDF5\n", path));
  UnrUserCheck(rank || TellAll(path), "damaged HDF5 file (%s); allowed: a complete file; try: make it again",
               path);
  PetscFunctionReturn(PETSC_SUCCESS);
}
