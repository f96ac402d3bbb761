/* A state file is built in memory, so that a full disk meets plain writes and no library half way. */
#include "checkpoint/state_impl.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/call.h"
#include "core/event.h"
#include "core/file.h"
#include "core/provenance.h"
#include "core/sha256.h"

static bool PutArray(hid_t file, hid_t links, const UnrArray *array)
{
  hid_t stored = array->type == UNR_FLOAT32   ? H5T_IEEE_F32LE
                 : array->type == UNR_FLOAT64 ? H5T_IEEE_F64LE
                                              : H5T_STD_I64LE;
  hsize_t size[sizeof array->shape / sizeof *array->shape];
  hid_t space, creation = UnrHDF5Creation(), set;
  bool good;

  for (PetscInt a = 0; a < array->rank; a++) size[a] = (hsize_t)array->shape[a];
  space = array->rank ? H5Screate_simple((int)array->rank, size, NULL) : H5Screate(H5S_SCALAR);
  set = H5Dcreate2(file, array->name, stored, space, links, creation, H5P_DEFAULT);
  good = set >= 0 &&
         H5Dwrite(set, UnrStateNativeType(array->type), H5S_ALL, H5S_ALL, H5P_DEFAULT, array->data) >= 0;
  if (set >= 0) good = H5Dclose(set) >= 0 && good;
  H5Pclose(creation);
  H5Sclose(space);
  return good;
}

static bool PutAll(hid_t file, const char *kind, PetscInt arrays, const UnrArray array[])
{
  hid_t links = H5Pcreate(H5P_LINK_CREATE);
  bool good = UnrHDF5PutText(file, "kind", kind) && UnrHDF5PutInt(file, "schema", UNR_STATE_SCHEMA) &&
              UnrHDF5PutText(file, "version", UnrVersion) && UnrHDF5PutOptions(file);

  H5Pset_create_intermediate_group(links, 1);
  for (PetscInt i = 0; good && i < arrays; i++) good = PutArray(file, links, &array[i]);
  H5Pclose(links);
  return good;
}

/* The file's bytes, head included, owned by the caller; NULL: HDF5 had no memory for them. */
static char *Image(hid_t file, size_t *bytes)
{
  ssize_t length = H5Fflush(file, H5F_SCOPE_GLOBAL) < 0 ? -1 : H5Fget_file_image(file, NULL, 0);
  char *image = length > 0 ? calloc(UNR_STATE_HEAD + (size_t)length, 1) : NULL, digest[UNR_SHA256_TEXT];
  UnrSha256 sha;

  if (!image || H5Fget_file_image(file, image + UNR_STATE_HEAD, (size_t)length) != length) {
    free(image);
    return NULL;
  }
  UnrSha256Begin(&sha);
  UnrSha256Add(&sha, image + UNR_STATE_HEAD, (size_t)length);
  UnrSha256End(&sha, digest);
  UnrStateHead(image, digest, (unsigned long long)length);
  *bytes = UNR_STATE_HEAD + (size_t)length;
  return image;
}

static char *Build(const char *kind, PetscInt arrays, const UnrArray array[], size_t *bytes)
{
  hid_t access = H5Pcreate(H5P_FILE_ACCESS), file;
  char *image = NULL;

  H5Pset_fapl_core(access, 1 << 20, false);
  file = H5Fcreate("state", H5F_ACC_TRUNC, H5P_DEFAULT, access);
  if (file >= 0 && PutAll(file, kind, arrays, array)) image = Image(file, bytes);
  if (file >= 0) H5Fclose(file);
  H5Pclose(access);
  return image;
}

/*
  UnrStateFileWrite - see state_file.h.     Collective on the world.
  Errors  a user error, every rank's, if the file system refuses; a file of that name is then as before
*/
PetscErrorCode UnrStateFileWrite(const char *path, const char *kind, PetscInt arrays, const UnrArray array[])
{
  UnrHDF5Silence silence;
  PetscMPIInt rank;
  char *image = NULL;
  size_t bytes = 0;
  PetscErrorCode code;

  PetscFunctionBeginUser;
  PetscCall(UnrEventBegin(UNR_EVENT_HDF5));
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  if (!rank) {
    UnrHDF5SilenceBegin(&silence);
    image = Build(kind, arrays, array, &bytes);
    UnrHDF5SilenceEnd(&silence);
  }
  PetscCall(UnrFileAgree(rank || image ? 0 : ENOMEM, "cannot build a file", path));
  code = UnrFileWriteBytes(path, image, bytes);
  free(image);
  PetscCall(code);
  PetscCall(UnrEventEnd(UNR_EVENT_HDF5));
  PetscFunctionReturn(PETSC_SUCCESS);
}
