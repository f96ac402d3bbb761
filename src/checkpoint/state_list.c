/* What a state file holds, for those who do not know it: its options, its arrays. */
#include "checkpoint/state_impl.h"

#include <stdlib.h>
#include <string.h>

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
  PetscCall(UnrStateBroadcast(&list->bytes, sizeof list->bytes));
  if (!list->data) list->data = malloc(list->bytes + 1);
  PetscCheck(list->data, PETSC_COMM_SELF, PETSC_ERR_MEM, "no memory for %zu bytes", list->bytes);
  PetscCall(UnrStateBroadcast(list->data, list->bytes));
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

  if (!UnrStateExists(exam->file, "options")) return true;
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
  PetscCall(UnrStateOnRank0(path, kind, OptionsWork, &list));
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

/* Every data set that an UnrArray can hold. */
static herr_t ArrayVisit(hid_t file, const char *name, const H5O_info_t *info, void *context)
{
  UnrArray array = {.data = NULL};
  char text[UNR_STATE_TEXT];
  hid_t set;
  bool good;

  if (info->type != H5O_TYPE_DATASET || strlen(name) >= sizeof array.name) return 0;
  if ((set = H5Dopen2(file, name, H5P_DEFAULT)) < 0) return -1;
  good = UnrStateArrayOf(set, &array, text);
  H5Dclose(set);
  strcpy(array.name, name);
  return !good || Append(context, &array, sizeof array) ? 0 : -1;
}

static bool ArraysWork(UnrStateExam *exam, void *context)
{
  return H5Ovisit2(exam->file, H5_INDEX_NAME, H5_ITER_INC, ArrayVisit, context, H5O_INFO_BASIC) >= 0 ||
         UnrStateFail(exam, "damaged groups in %s; allowed: a complete file; try: an earlier one",
                      exam->path);
}

PetscErrorCode UnrStateFileArrays(const char *path, const char *kind,
                                  PetscErrorCode (*visit)(const UnrArray *array, void *context),
                                  void *context)
{
  UnrStateList list = {0};
  PetscErrorCode code = PETSC_SUCCESS;

  PetscFunctionBeginUser;
  PetscCall(UnrStateOnRank0(path, kind, ArraysWork, &list));
  PetscCall(BroadcastList(&list));
  for (size_t at = 0; !code && at < list.bytes; at += sizeof(UnrArray))
    code = (*visit)((const UnrArray *)(list.data + at), context);
  free(list.data);
  PetscCall(code);
  PetscFunctionReturn(PETSC_SUCCESS);
}
