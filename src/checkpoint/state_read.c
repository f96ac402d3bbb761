/* Rank 0 reads, all ranks get the numbers or the one verdict. */
#include "checkpoint/state_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/error.h"
#include "core/event.h"

/* Does the name, group by group, lead to something? */
static bool Exists(hid_t file, const char *name)
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
  return Exists(file, name) ? H5Dopen2(file, name, H5P_DEFAULT) : -1;
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

/* From rank 0, in pieces that MPI can count. */
static PetscErrorCode Broadcast(void *data, size_t bytes)
{
  PetscFunctionBeginUser;
  for (size_t at = 0; at < bytes;) {
    const size_t piece = PetscMin(bytes - at, (size_t)1 << 30);

    PetscCallMPI(MPI_Bcast((char *)data + at, (PetscMPIInt)piece, MPI_BYTE, 0, PETSC_COMM_WORLD));
    at += piece;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Calls work on rank 0 with the open file; its verdict is every rank's. */
static PetscErrorCode OnRank0(const char *path, const char *kind,
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
  PetscCall(OnRank0(path, kind, ReadWork, &wanted));
  for (PetscInt i = 0; i < arrays; i++) PetscCall(Broadcast(array[i].data, UnrStateArrayBytes(&array[i])));
  PetscFunctionReturn(PETSC_SUCCESS);
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
  PetscCall(OnRank0(path, kind, NumberWork, &number));
  PetscCall(Broadcast(&number.value, sizeof number.value));
  PetscCall(Broadcast(&number.found, sizeof number.found));
  *found = number.found;
  if (*found) *value = number.value;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What rank 0 gathers for all: texts or arrays one behind the other. */
typedef struct {
  char *data;
  size_t bytes;
} UnrStateList;

static bool Append(UnrStateList *list, const void *data, size_t bytes)
{
  char *grown = realloc(list->data, list->bytes + bytes);

  if (!grown) return false;
  list->data = grown;
  memcpy(list->data + list->bytes, data, bytes);
  list->bytes += bytes;
  return true;
}

static PetscErrorCode BroadcastList(UnrStateList *list)
{
  PetscFunctionBeginUser;
  PetscCall(Broadcast(&list->bytes, sizeof list->bytes));
  if (!list->data) list->data = malloc(list->bytes + 1);
  PetscCheck(list->data, PETSC_COMM_SELF, PETSC_ERR_MEM, "no memory for %zu bytes", list->bytes);
  PetscCall(Broadcast(list->data, list->bytes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* "-name", "value": each with its end. */
static herr_t OptionVisit(hid_t group, const char *name, const H5A_info_t *info, void *context)
{
  char value[4096];

  (void)info;
  if (!UnrHDF5GetText(group, name, value, sizeof value)) return 0;
  return Append(context, "-", 1) && Append(context, name, strlen(name) + 1) &&
                 Append(context, value, strlen(value) + 1)
             ? 0
             : -1;
}

static bool OptionsWork(UnrStateExam *exam, void *context)
{
  hid_t group;
  herr_t status;

  if (!Exists(exam->file, "options")) return true;
  group = H5Gopen2(exam->file, "options", H5P_DEFAULT);
  status = group < 0 ? -1 : H5Aiterate2(group, H5_INDEX_NAME, H5_ITER_INC, NULL, OptionVisit, context);
  if (group >= 0) H5Gclose(group);
  return status >= 0 ||
         UnrStateFail(exam, "damaged group 'options' in %s; allowed: a complete file; try: an earlier one",
                      exam->path);
}

PetscErrorCode UnrStateFileOptions(const char *path, const char *kind,
                                   PetscErrorCode (*visit)(const char *name, const char *value,
                                                           void *context),
                                   void *context)
{
  UnrStateList list = {0};
  PetscErrorCode code = PETSC_SUCCESS;

  PetscFunctionBeginUser;
  PetscCall(OnRank0(path, kind, OptionsWork, &list));
  PetscCall(BroadcastList(&list));
  for (const char *at = list.data, *value; !code && at < list.data + list.bytes;
       at = value + strlen(value) + 1) {
    value = at + strlen(at) + 1;
    code = (*visit)(at, value, context);
  }
  free(list.data);
  PetscCall(code);
  PetscFunctionReturn(PETSC_SUCCESS);
}
