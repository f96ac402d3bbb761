#include "app/output.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>
#include "core/file.h"
#include "core/provenance.h"

static void PartOf(const UnrOutput *out, char part[PETSC_MAX_PATH_LEN])
{
  snprintf(part, PETSC_MAX_PATH_LEN, "%s.part", out->path);
}

PetscErrorCode UnrOutputBegin(const char *path, UnrOutput *out)
{
  char part[PETSC_MAX_PATH_LEN];
  PetscMPIInt rank;

  PetscFunctionBeginUser;
  *out = (UnrOutput){.path = path, .file = -1};
  UnrHDF5SilenceBegin(&out->silence);
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PartOf(out, part);
  errno = 0;
  if (!rank) {
    hid_t access = UnrHDF5SerialAccess();
    out->file = H5Fcreate(part, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    out->good = out->file >= 0;
    H5Pclose(access);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrOutputEnd(UnrOutput *out)
{
  char part[PETSC_MAX_PATH_LEN];
  PetscMPIInt rank;
  int verdict = 0;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PartOf(out, part);
  if (!rank) {
    if (out->file >= 0) out->good = H5Fclose(out->file) >= 0 && out->good;
    verdict = out->good ? UnrFileCommit(part, out->path) : errno ? errno : EIO;
    if (verdict) (void)unlink(part);
  }
  UnrHDF5SilenceEnd(&out->silence);
  PetscCall(UnrFileAgree(verdict, "cannot write the results", out->path));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void UnrOutputArray(UnrOutput *out, const char *group, const char *name, hid_t type, int rank,
                    const hsize_t size[], const void *data)
{
  char path[128];
  hid_t links, space, creation, set;

  if (!out->good) return;
  snprintf(path, sizeof path, "%s/%s", group, name);
  links = H5Pcreate(H5P_LINK_CREATE);
  H5Pset_create_intermediate_group(links, 1);
  space = H5Screate_simple(rank, size, NULL);
  creation = UnrHDF5Creation();
  set = H5Dcreate2(out->file, path, type, space, links, creation, H5P_DEFAULT);
  out->good = set >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0;
  if (set >= 0) out->good = H5Dclose(set) >= 0 && out->good;
  H5Pclose(creation);
  H5Sclose(space);
  H5Pclose(links);
}

void UnrOutputReals(UnrOutput *out, const char *group, const char *name, PetscInt n, const double data[])
{
  UnrOutputArray(out, group, name, H5T_NATIVE_DOUBLE, 1, (const hsize_t[]){(hsize_t)n}, data);
}

void UnrOutputWords(UnrOutput *out, const char *group, const char *name, PetscInt n, const char *const word[])
{
  hid_t type;

  if (!out->good) return;
  type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, H5T_VARIABLE);
  H5Tset_cset(type, H5T_CSET_UTF8);
  UnrOutputArray(out, group, name, type, 1, (const hsize_t[]){(hsize_t)n}, word);
  H5Tclose(type);
}

void UnrOutputText(UnrOutput *out, const char *group, const char *name, const char *text)
{
  hid_t object;

  if (!out->good) return;
  object = H5Gopen2(out->file, group, H5P_DEFAULT);
  out->good = object >= 0 && UnrHDF5PutText(object, name, text);
  if (object >= 0) H5Gclose(object);
}
