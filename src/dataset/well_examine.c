/* What a file of The Well's layout says, and what is wrong with it; rank 0 alone, for one verdict. */
#include "dataset/well_exam.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

const char *const UnrWellAxis[UNR_MAX_DIM] = {"x", "y", "z"};

bool UnrWellFail(UnrWellExam *exam, const char *format, ...)
{
  va_list args;

  va_start(args, format);
  vsnprintf(exam->message, UNR_WELL_MESSAGE, format, args);
  va_end(args);
  return false;
}

hid_t UnrWellOpenSet(hid_t file, const char *group, const char *name)
{
  char path[2 * UNR_WELL_NAME + 2];

  snprintf(path, sizeof path, "%s/%s", group, name);
  if (H5Lexists(file, group, H5P_DEFAULT) <= 0 || H5Lexists(file, path, H5P_DEFAULT) <= 0) return -1;
  return H5Dopen2(file, path, H5P_DEFAULT);
}

int UnrWellShape(hid_t set, hsize_t size[UNR_WELL_RANK])
{
  hid_t space = H5Dget_space(set);
  int rank = H5Sget_simple_extent_ndims(space);

  if (rank > UNR_WELL_RANK) rank = -1;
  if (rank > 0) H5Sget_simple_extent_dims(space, size, NULL);
  H5Sclose(space);
  return rank;
}

const char *UnrWellShapeText(int rank, const hsize_t size[], char text[160])
{
  size_t used = 1;

  strcpy(text, "(");
  for (int a = 0; a < rank; a++)
    used += (size_t)snprintf(text + used, 160 - used, a ? ", %llu" : "%llu", (unsigned long long)size[a]);
  snprintf(text + used, 160 - used, ")");
  return text;
}

const char *UnrWellClassText(H5T_class_t class)
{
  switch (class) {
  case H5T_INTEGER:
    return "integers";
  case H5T_FLOAT:
    return "floats of another width";
  case H5T_STRING:
    return "strings";
  case H5T_COMPOUND:
    return "compound values";
  case H5T_ENUM:
    return "enumerated values";
  default:
    return "another type";
  }
}

static bool ExamineOpen(UnrWellExam *exam)
{
  struct stat status;
  hid_t access;
  FILE *probe;

  if (stat(exam->path, &status))
    return UnrWellFail(
        exam,
        "cannot find data file (%s): %s; allowed: an HDF5 file in The Well's layout; try: check the path",
        exam->path, strerror(errno));
  if (!S_ISREG(status.st_mode))
    return UnrWellFail(
        exam, "not a file (%s); allowed: an HDF5 file in The Well's layout; try: check the path", exam->path);
  probe = fopen(exam->path, "rb");
  if (!probe)
    return UnrWellFail(exam,
                       "cannot read data file (%s): %s; allowed: a readable file; try: check its permissions",
                       exam->path, strerror(errno));
  fclose(probe);
  if (H5Fis_hdf5(exam->path) <= 0)
    return UnrWellFail(exam,
                       "not an HDF5 file (%s, %lld bytes); allowed: an HDF5 file in The Well's layout; "
                       "try: make it again",
                       exam->path, (long long)status.st_size);
  access = UnrHDF5SerialAccess();
  exam->file = H5Fopen(exam->path, H5F_ACC_RDONLY, access);
  H5Pclose(access);
  if (exam->file < 0)
    return UnrWellFail(exam,
                       "truncated or damaged HDF5 file (%s, %lld bytes); allowed: a complete file; "
                       "try: copy or make it again",
                       exam->path, (long long)status.st_size);
  return true;
}

static const char *const field_group[] = {"t0_fields", "t1_fields"};

static bool IsThere(hid_t file, const char *group, const char *name)
{
  const hid_t set = UnrWellOpenSet(file, group, name);

  if (set >= 0) H5Dclose(set);
  return set >= 0;
}

/* Name of the file's field: "u", "velocity" or its first. */
static bool FieldGuess(hid_t file, UnrWellName name)
{
  static const char *const usual[] = {"u", "velocity"};
  H5G_info_t links;

  for (int i = 0; i < 2; i++)
    for (int order = 0; order < 2; order++)
      if (IsThere(file, field_group[order], usual[i])) {
        snprintf(name, UNR_WELL_NAME, "%s", usual[i]);
        return true;
      }
  for (int order = 0; order < 2; order++) {
    const char *group = field_group[order];

    if (H5Lexists(file, group, H5P_DEFAULT) <= 0) continue;
    if (H5Gget_info_by_name(file, group, &links, H5P_DEFAULT) < 0 || !links.nlinks) continue;
    return H5Lget_name_by_idx(file, group, H5_INDEX_NAME, H5_ITER_INC, 0, name, UNR_WELL_NAME, H5P_DEFAULT) >
           0;
  }
  return false;
}

/* Sizes of a field against its place, (trajectory, time, x[, y[, z]][, component]), into *info. */
static bool ExamineField(UnrWellExam *exam, hid_t set, const UnrWellPart *part, UnrWellInfo *info)
{
  const char *group = field_group[part->is_vector];
  hsize_t size[UNR_WELL_RANK];
  int rank = UnrWellShape(set, size);
  hid_t type = H5Dget_type(set);
  H5T_class_t class = H5Tget_class(type);
  size_t bytes = H5Tget_size(type);
  char text[160];

  H5Tclose(type);
  if (class != H5T_FLOAT || (bytes != 4 && bytes != 8))
    return UnrWellFail(exam,
                       "wrong type of field '%s/%s' (%s) in %s; allowed: float32 or float64; "
                       "try: write it with dtype float32",
                       group, part->name, UnrWellClassText(class), exam->path);
  info->dim = rank - 2 - part->is_vector;
  if (rank < 0 || info->dim < 1 || info->dim > UNR_MAX_DIM)
    return UnrWellFail(
        exam, "wrong number of axes of field '%s/%s' (%d) in %s; allowed: %s; try: see docs/data-format.md",
        group, part->name, rank, exam->path,
        part->is_vector ? "(trajectory, time, x[, y[, z]], component)" : "(trajectory, time, x[, y[, z]])");
  for (int a = 0; a < rank; a++)
    if (!size[a] || size[a] > PETSC_MAX_INT)
      return UnrWellFail(exam,
                         "empty or too large axis of field '%s/%s' %s in %s; allowed: 1 to %lld along each; "
                         "try: see docs/data-format.md",
                         group, part->name, UnrWellShapeText(rank, size, text), exam->path,
                         (long long)PETSC_MAX_INT);
  info->trajectories = (PetscInt)size[0];
  info->frames = (PetscInt)size[1];
  for (int a = 0; a < UNR_MAX_DIM; a++) info->points[a] = a < info->dim ? (PetscInt)size[2 + a] : 1;
  info->components = part->is_vector ? (PetscInt)size[rank - 1] : 1;
  info->is_double = bytes == 8;
  return true;
}

static bool IsSameShape(const UnrWellInfo *a, const UnrWellInfo *b)
{
  bool same = a->dim == b->dim && a->trajectories == b->trajectories && a->frames == b->frames;

  for (int i = 0; i < UNR_MAX_DIM; i++) same = same && a->points[i] == b->points[i];
  return same && a->is_double == b->is_double;
}

/* Part p of the state: there, and of the same shape as the first, whose info is the file's. */
static bool ExaminePart(UnrWellExam *exam, int p)
{
  UnrWellFacts *facts = exam->facts;
  UnrWellPart *part = &facts->part[p];
  UnrWellInfo *all = &facts->info, info = {0};
  UnrWellName there = "";
  hid_t set = -1;
  bool good;

  for (int order = 0; order < 2 && set < 0; order++) {
    part->is_vector = order;
    set = UnrWellOpenSet(exam->file, field_group[order], part->name);
  }
  if (set < 0) {
    (void)FieldGuess(exam->file, there);
    return UnrWellFail(exam,
                       "no field 't0_fields/%s' or 't1_fields/%s' in %s%s%s%s; allowed: The Well's layout; "
                       "try: see docs/data-format.md",
                       part->name, part->name, exam->path, there[0] ? " (found '" : "", there,
                       there[0] ? "')" : "");
  }
  good = ExamineField(exam, set, part, &info);
  H5Dclose(set);
  if (!good) return false;
  part->first = p ? all->components : 0;
  part->components = info.components;
  if (!p) {
    *all = info;
    return true;
  }
  all->components += info.components;
  if (info.components != 1 || !IsSameShape(&info, all))
    return UnrWellFail(exam,
                       "fields '%s' and '%s' in %s do not make a state together; allowed: the same "
                       "trajectories, frames, points and number type, and one component of '%s'; try: see "
                       "docs/data-format.md",
                       facts->part[0].name, part->name, exam->path, part->name);
  return true;
}

static bool ExamineFields(UnrWellExam *exam, const char *field)
{
  UnrWellName guess = "...";
  bool good = true;

  if (!field) (void)FieldGuess(exam->file, guess);
  if (!UnrWellPartsName(field ? field : guess, exam->facts))
    return UnrWellFail(exam,
                       "no such fields (%s); allowed: up to %d names, joined by |; try: velocity|tracer",
                       field ? field : guess, UNR_WELL_PARTS);
  for (int p = 0; good && p < exam->facts->parts; p++) good = ExaminePart(exam, p);
  return good;
}

static bool ExamineAll(UnrWellExam *exam, const char *field)
{
  if (H5Lexists(exam->file, "dimensions", H5P_DEFAULT) <= 0)
    return UnrWellFail(exam,
                       "foreign HDF5 file, without group 'dimensions' (%s); allowed: The Well's layout; "
                       "try: see docs/data-format.md",
                       exam->path);
  return ExamineFields(exam, field) && UnrWellExamineAxes(exam) && UnrWellExamineScalars(exam);
}

void UnrWellExamine(const char *path, const char *field, UnrWellFacts *facts, char message[UNR_WELL_MESSAGE])
{
  UnrWellExam exam = {path, -1, facts, message};
  UnrHDF5Silence silence;

  message[0] = '\0';
  memset(facts, 0, sizeof *facts);
  UnrHDF5SilenceBegin(&silence);
  if (ExamineOpen(&exam)) (void)ExamineAll(&exam, field);
  if (exam.file >= 0) H5Fclose(exam.file);
  UnrHDF5SilenceEnd(&silence);
}
