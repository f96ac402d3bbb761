/* Rank 0 reads, all ranks get the numbers or the one verdict. */
#include "checkpoint/state_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/error.h"
#include "core/event.h"

bool UnrStateExists(hid_t file, const char *name)
{
  char part[sizeof((UnrArray *)0)->name];

  for (const char *slash = strchr(name, '/');; slash = strchr(slash + 1, '/')) {
    snprintf(part, sizeof part, "%.*s", (int)(slash ? (size_t)(slash - name) : strlen(name)), name);
    if (H5Lexists(file, part, H5P_DEFAULT) <= 0) return false;
    if (!slash) return true;
  }
}

/* The data set of that name if it is there, else -1. */
static hid_t OpenArray(hid_t file, const char *name)
{
  return UnrStateExists(file, name) ? H5Dopen2(file, name, H5P_DEFAULT) : -1;
}

static bool ExamineArray(UnrStateExam *exam, const UnrArray *wanted)
{
  char text[UNR_STATE_TEXT] = "", want[UNR_STATE_TEXT];
  hid_t set = OpenArray(exam->file, wanted->name);
  UnrArray found;
  bool good;

  UnrStateArrayText(wanted, want);
  if (set < 0)
    return UnrStateFail(exam,
                        "no array '%s' in the %s %s; allowed: %s; try: the options that it was written with",
                        wanted->name, exam->kind, exam->path, want);
  good = UnrStateArrayOf(set, &found, text) && found.rank == wanted->rank &&
         (found.type == UNR_INT64) == (wanted->type == UNR_INT64) &&
         !memcmp(found.shape, wanted->shape, (size_t)wanted->rank * sizeof *found.shape);
  H5Dclose(set);
  return good ||
         UnrStateFail(exam,
                      "array '%s' of the %s %s is %s; allowed: %s; try: the options that it was written "
                      "with",
                      wanted->name, exam->kind, exam->path, text, want);
}

static bool ReadArray(UnrStateExam *exam, const UnrArray *array)
{
  hid_t set = OpenArray(exam->file, array->name);
  bool good = set >= 0 &&
              H5Dread(set, UnrStateNativeType(array->type), H5S_ALL, H5S_ALL, H5P_DEFAULT, array->data) >= 0;

  if (set >= 0) H5Dclose(set);
  return good ||
         UnrStateFail(exam, "damaged array '%s' in the %s %s; allowed: a complete file; try: an earlier one",
                      array->name, exam->kind, exam->path);
}

PetscErrorCode UnrStateBroadcast(void *data, size_t bytes)
{
  PetscFunctionBeginUser;
  for (size_t at = 0; at < bytes;) {
    const size_t piece = PetscMin(bytes - at, (size_t)1 << 30);

    PetscCallMPI(MPI_Bcast((char *)data + at, (PetscMPIInt)piece, MPI_BYTE, 0, PETSC_COMM_WORLD));
    at += piece;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrStateOnRank0(const char *path, const char *kind,
                               bool (*work)(UnrStateExam *exam, void *context), void *context)
{
  UnrStateExam exam = {.message = ""};
  UnrHDF5Silence silence;
  PetscMPIInt rank;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  if (!rank) {
    PetscCall(UnrEventBegin(UNR_EVENT_HDF5));
    UnrHDF5SilenceBegin(&silence);
    if (UnrStateOpen(&exam, path, kind)) (void)work(&exam, context);
    UnrStateClose(&exam);
    UnrHDF5SilenceEnd(&silence);
    PetscCall(UnrEventEnd(UNR_EVENT_HDF5));
  }
  UnrUserCheck(!exam.message[0], "%s", exam.message);
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  PetscInt arrays;
  const UnrArray *array;
} UnrStateWanted;

/* Nothing is read before all is found right. */
static bool ReadWork(UnrStateExam *exam, void *context)
{
  const UnrStateWanted *wanted = context;

  for (PetscInt i = 0; i < wanted->arrays; i++)
    if (!ExamineArray(exam, &wanted->array[i])) return false;
  for (PetscInt i = 0; i < wanted->arrays; i++)
    if (!ReadArray(exam, &wanted->array[i])) return false;
  return true;
}

PetscErrorCode UnrStateFileRead(const char *path, const char *kind, PetscInt arrays, const UnrArray array[])
{
  UnrStateWanted wanted = {arrays, array};

  PetscFunctionBeginUser;
  PetscCall(UnrStateOnRank0(path, kind, ReadWork, &wanted));
  for (PetscInt i = 0; i < arrays; i++)
    PetscCall(UnrStateBroadcast(array[i].data, UnrStateArrayBytes(&array[i])));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static bool NoWork(UnrStateExam *exam, void *context)
{
  (void)exam, (void)context;
  return true;
}

PetscErrorCode UnrStateFileCheck(const char *path, const char *kind)
{
  return UnrStateOnRank0(path, kind, NoWork, NULL);
}

typedef struct {
  const char *name;
  double value;
  int found;
} UnrStateNumber;

static bool NumberWork(UnrStateExam *exam, void *context)
{
  UnrStateNumber *number = context;
  char text[UNR_STATE_TEXT];
  hid_t set = OpenArray(exam->file, number->name);
  UnrArray array;

  if (set < 0) return true;
  number->found = UnrStateArrayOf(set, &array, text) && array.type != UNR_FLOAT32 &&
                  UnrStateArrayBytes(&array) == 8 &&
                  H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, &number->value) >= 0;
  H5Dclose(set);
  return true;
}

PetscErrorCode UnrStateFileNumber(const char *path, const char *kind, const char *name, double *value,
                                  bool *found)
{
  UnrStateNumber number = {.name = name};

  PetscFunctionBeginUser;
  PetscCall(UnrStateOnRank0(path, kind, NumberWork, &number));
  PetscCall(UnrStateBroadcast(&number.value, sizeof number.value));
  PetscCall(UnrStateBroadcast(&number.found, sizeof number.found));
  *found = number.found;
  if (*found) *value = number.value;
  PetscFunctionReturn(PETSC_SUCCESS);
}
