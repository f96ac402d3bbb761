/* What a state file says and what is wrong with it; rank 0 alone, for one verdict. */
#include "checkpoint/state_impl.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include "core/sha256.h"

bool UnrStateFail(UnrStateExam *exam, const char *format, ...)
{
  va_list args;

  va_start(args, format);
  vsnprintf(exam->message, sizeof exam->message, format, args);
  va_end(args);
  return false;
}

size_t UnrStateArrayBytes(const UnrArray *array)
{
  size_t bytes = array->type == UNR_FLOAT32 ? 4 : 8;

  for (PetscInt a = 0; a < array->rank; a++) bytes *= (size_t)array->shape[a];
  return bytes;
}

hid_t UnrStateNativeType(UnrNumberType type)
{
  return type == UNR_FLOAT32 ? H5T_NATIVE_FLOAT : type == UNR_FLOAT64 ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT64;
}

const char *UnrStateArrayText(const UnrArray *array, char text[UNR_STATE_TEXT])
{
  static const char *const types[] = {"float32", "float64", "int64"};
  int used = snprintf(text, UNR_STATE_TEXT, "%s (", types[array->type]);

  for (PetscInt a = 0; a < array->rank; a++)
    used += snprintf(text + used, (size_t)(UNR_STATE_TEXT - used), a ? ", %lld" : "%lld",
                     (long long)array->shape[a]);
  snprintf(text + used, (size_t)(UNR_STATE_TEXT - used), ")");
  return text;
}

bool UnrStateArrayOf(hid_t set, UnrArray *array, char text[UNR_STATE_TEXT])
{
  enum { MOST = (int)(sizeof array->shape / sizeof *array->shape) };
  hid_t type = H5Dget_type(set), space = H5Dget_space(set);
  const H5T_class_t class = H5Tget_class(type);
  const size_t bytes = H5Tget_size(type);
  const int rank = H5Sget_simple_extent_ndims(space);
  const bool is_float = class == H5T_FLOAT && (bytes == 4 || bytes == 8);
  const bool is_int = class == H5T_INTEGER && bytes == 8 && H5Tget_sign(type) == H5T_SGN_2;
  const bool good = rank >= 0 && rank <= MOST && (is_float || is_int);
  hsize_t size[MOST] = {0};

  H5Tclose(type);
  if (good && rank) H5Sget_simple_extent_dims(space, size, NULL);
  H5Sclose(space);
  array->type = is_int ? UNR_INT64 : bytes == 4 ? UNR_FLOAT32 : UNR_FLOAT64;
  array->rank = rank;
  for (int a = 0; a < MOST; a++) array->shape[a] = (PetscInt64)size[a];
  if (good)
    UnrStateArrayText(array, text);
  else
    snprintf(text, UNR_STATE_TEXT, "another type, %d axes", rank);
  return good;
}

void UnrStateHead(char head[UNR_STATE_HEAD], const char *digest, unsigned long long bytes)
{
  memset(head, 0, UNR_STATE_HEAD);
  snprintf(head, UNR_STATE_HEAD, UNR_STATE_MAGIC "sha256 %s\nbytes %llu\n", digest, bytes);
}

bool UnrStateFileIsHead(const char *head)
{
  return !strncmp(head, UNR_STATE_MAGIC, strlen(UNR_STATE_MAGIC));
}

/* The file's bytes against its head.  *has_head false: a file that another program wrote, without a checksum.
 */
static bool ExamineBytes(UnrStateExam *exam, FILE *file, unsigned long long bytes, bool *has_head)
{
  char head[UNR_STATE_HEAD + 1] = "", wanted[UNR_STATE_HEAD], buffer[65536], digest[UNR_SHA256_TEXT];
  unsigned long long whole = 0;
  UnrSha256 sha;
  size_t got = fread(head, 1, UNR_STATE_HEAD, file);

  *has_head = UnrStateFileIsHead(head);
  if (!*has_head) return true;
  if (sscanf(head, UNR_STATE_MAGIC "sha256 %*64[0-9a-f]\nbytes %llu", &whole) == 1 &&
      whole + UNR_STATE_HEAD > bytes)
    return UnrStateFail(
        exam,
        "truncated file (%s): %llu of %llu bytes; allowed: a complete file; try: copy it again, or "
        "an earlier one",
        exam->path, bytes, whole + UNR_STATE_HEAD);
  UnrSha256Begin(&sha);
  while ((got = fread(buffer, 1, sizeof buffer, file)) > 0) UnrSha256Add(&sha, buffer, got);
  if (ferror(file))
    return UnrStateFail(exam, "cannot read file (%s): %s; allowed: a readable file; try: a copy of it",
                        exam->path, strerror(errno));
  UnrSha256End(&sha, digest);
  UnrStateHead(wanted, digest, bytes - UNR_STATE_HEAD);
  return !memcmp(head, wanted, UNR_STATE_HEAD) ||
         UnrStateFail(
             exam,
             "damaged file (%s): its bytes have another sha256 than when it was written; allowed: a file "
             "as it was written; try: copy it again, or an earlier one",
             exam->path);
}

static bool ExamineFile(UnrStateExam *exam, const char *noun, bool *has_head)
{
  struct stat status;
  FILE *file;
  bool good;

  if (stat(exam->path, &status))
    return UnrStateFail(exam,
                        "cannot find %s (%s): %s; allowed: a file that unroll wrote; try: check the path",
                        noun, exam->path, strerror(errno));
  if (!S_ISREG(status.st_mode))
    return UnrStateFail(exam, "not a file (%s); allowed: a %s that unroll wrote; try: a file in it",
                        exam->path, noun);
  file = fopen(exam->path, "rb");
  if (!file)
    return UnrStateFail(exam, "cannot read %s (%s): %s; allowed: a readable file; try: check its permissions",
                        noun, exam->path, strerror(errno));
  good = ExamineBytes(exam, file, (unsigned long long)status.st_size, has_head);
  fclose(file);
  if (!good) return false;
  if (!*has_head && H5Fis_hdf5(exam->path) <= 0)
    return UnrStateFail(
        exam, "not an HDF5 file (%s, %lld bytes); allowed: a %s that unroll wrote; try: check the path",
        exam->path, (long long)status.st_size, noun);
  return true;
}

static bool ExamineKind(UnrStateExam *exam, const char *kind, const char *noun)
{
  char version[64] = "unknown";
  PetscInt64 schema;

  if (!UnrHDF5GetText(exam->file, "kind", exam->kind, sizeof exam->kind) ||
      !UnrHDF5GetInt(exam->file, "schema", &schema))
    return UnrStateFail(
        exam,
        "foreign HDF5 file, without attributes 'kind' and 'schema' (%s); allowed: a %s that unroll "
        "wrote; try: see docs/data-format.md",
        exam->path, noun);
  (void)UnrHDF5GetText(exam->file, "version", version, sizeof version);
  if (kind && strcmp(kind, exam->kind))
    return UnrStateFail(
        exam, "a file of kind %s where a %s is wanted (%s); allowed: a %s that unroll wrote; try: %s",
        exam->kind, kind, exam->path, kind,
        strcmp(kind, "model") ? "a checkpoint-*.h5 of the same run" : "model.h5 of the same run");
  if (schema != UNR_STATE_SCHEMA)
    return UnrStateFail(
        exam,
        "unknown schema (%lld) of the %s %s, written by version %s; allowed: %d; try: that version of "
        "unroll",
        (long long)schema, exam->kind, exam->path, version, UNR_STATE_SCHEMA);
  return true;
}

bool UnrStateOpen(UnrStateExam *exam, const char *path, const char *kind)
{
  const char *noun = kind ? kind : "model or checkpoint";
  hid_t access, creation;
  hsize_t block = 0;
  bool has_head;

  *exam = (UnrStateExam){.path = path, .file = -1};
  if (!ExamineFile(exam, noun, &has_head)) return false;
  access = UnrHDF5SerialAccess();
  exam->file = H5Fopen(path, H5F_ACC_RDONLY, access);
  H5Pclose(access);
  if (exam->file >= 0) {
    creation = H5Fget_create_plist(exam->file);
    H5Pget_userblock(creation, &block);
    H5Pclose(creation);
  }
  if (exam->file < 0 || (block && !has_head))
    return UnrStateFail(
        exam, "truncated or damaged HDF5 file (%s); allowed: a complete %s; try: an earlier one", path, noun);
  return ExamineKind(exam, kind, noun);
}

void UnrStateClose(UnrStateExam *exam)
{
  if (exam->file >= 0) H5Fclose(exam->file);
  exam->file = -1;
}

bool UnrStateExamine(const char *path, const char *kind, char message[UNR_STATE_MESSAGE])
{
  UnrHDF5Silence silence;
  UnrStateExam exam;
  bool good;

  UnrHDF5SilenceBegin(&silence);
  good = UnrStateOpen(&exam, path, kind);
  UnrStateClose(&exam);
  UnrHDF5SilenceEnd(&silence);
  memcpy(message, exam.message, UNR_STATE_MESSAGE);
  return good;
}
