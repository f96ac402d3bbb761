/* For files in this folder only: a state file on rank 0, open after its checksum was found right. */
#pragma once

#include "checkpoint/state_file.h"
#include "core/hdf5.h"

enum { UNR_STATE_MESSAGE = 6144, UNR_STATE_HEAD = 512, UNR_STATE_TEXT = 160 };

/* The head of the file, HDF5's user block: UNR_STATE_MAGIC, the sha256 of all behind the head, its bytes. */
#define UNR_STATE_MAGIC "unroll state file\n"
void UnrStateHead(char head[UNR_STATE_HEAD], const char *digest, unsigned long long bytes);

typedef struct {
  const char *path;
  hid_t file;
  char kind[32];
  char message[UNR_STATE_MESSAGE]; /* "" or the user error's text */
} UnrStateExam;

/*
  UnrStateOpen - the file, if it is whole and of this kind and schema.     Not collective; for rank 0, within
  silence. In   kind  NULL: any Out  false: exam->message says why.  UnrStateClose in any case
*/
bool UnrStateOpen(UnrStateExam *exam, const char *path, const char *kind);
void UnrStateClose(UnrStateExam *exam);
/* Can it be opened?  If not, message says why.  Not collective; for rank 0. */
bool UnrStateExamine(const char *path, const char *kind, char message[UNR_STATE_MESSAGE]);
/* Writes the user error's text; false, so that an examination ends with `return UnrStateFail(...)`. */
bool UnrStateFail(UnrStateExam *exam, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Type, rank and shape of an open data set; false where no UnrArray can hold it.  text: "float32 (26, 1, 3)".
 */
bool UnrStateArrayOf(hid_t set, UnrArray *array, char text[UNR_STATE_TEXT]);
const char *UnrStateArrayText(const UnrArray *array, char text[UNR_STATE_TEXT]);
/* Type in memory. */
hid_t UnrStateNativeType(UnrNumberType type);
size_t UnrStateArrayBytes(const UnrArray *array);
/* Does the name, group by group, lead to something? */
bool UnrStateExists(hid_t file, const char *name);
/* Calls work on rank 0 with the open file; its verdict is every rank's.  Collective on the world. */
PetscErrorCode UnrStateOnRank0(const char *path, const char *kind,
                               bool (*work)(UnrStateExam *exam, void *context), void *context);
/* From rank 0, in pieces that MPI can count. */
PetscErrorCode UnrStateBroadcast(void *data, size_t bytes);
