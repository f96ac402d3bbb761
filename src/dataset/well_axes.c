/* Coordinates, time and scalars of a file under examination: rank 0 alone. */
#include "dataset/well_exam.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
  Values of a data set of `dimensions` or `scalars` as doubles: all finite.  *values is the caller's.
  The last axis must have `last` entries (0: there is none), an axis before it one a trajectory; *rows 1 or
  trajectories.
*/
static bool ReadNumbers(UnrWellExam *exam, hid_t set, const char *name, PetscInt last, PetscInt *rows,
                        double **values)
{
  const PetscInt trajectories = exam->facts->info.trajectories;
  const int axes = last ? 1 : 0;
  hsize_t size[UNR_WELL_RANK];
  int rank = UnrWellShape(set, size);
  hid_t type = H5Dget_type(set);
  H5T_class_t class = H5Tget_class(type);
  size_t count;
  char text[160];

  H5Tclose(type);
  *values = NULL;
  if (class != H5T_FLOAT && class != H5T_INTEGER)
    return UnrWellFail(exam, "wrong type of '%s' (%s) in %s; allowed: numbers; try: see docs/data-format.md",
                       name, UnrWellClassText(class), exam->path);
  /* a scalar is stored as () or (1), and the Well's (1) and (trajectories) look alike */
  if (!last && rank == 1 && size[0] == 1) rank = 0;
  if (rank < 0 || (rank != axes && rank != axes + 1) || (rank > axes && size[0] != (hsize_t)trajectories) ||
      (last && size[rank - 1] != (hsize_t)last)) {
    const char *found = rank < 0 ? "(too many axes)" : UnrWellShapeText(rank, size, text);
    if (last)
      return UnrWellFail(
          exam,
          "inconsistent shape of '%s' %s in %s; allowed: (%lld) or (%lld, %lld) for a field of %lld "
          "trajectories; try: see docs/data-format.md",
          name, found, exam->path, (long long)last, (long long)trajectories, (long long)last,
          (long long)trajectories);
    return UnrWellFail(exam,
                       "inconsistent shape of '%s' %s in %s; allowed: () or (%lld), one a trajectory; try: "
                       "see docs/data-format.md",
                       name, found, exam->path, (long long)trajectories);
  }
  *rows = rank > axes ? trajectories : 1;
  count = (size_t)*rows * (size_t)(last ? last : 1);
  *values = malloc(count * sizeof **values);
  if (!*values)
    return UnrWellFail(exam, "no memory for '%s' (%zu numbers) of %s; allowed: fewer; try: a smaller file",
                       name, count, exam->path);
  if (H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, *values) < 0)
    return UnrWellFail(exam, "cannot read '%s' in %s; allowed: an undamaged file; try: copy or make it again",
                       name, exam->path);
  for (size_t i = 0; i < count; i++)
    if (!isfinite((*values)[i]))
      return UnrWellFail(
          exam,
          "'%s' is not finite (%g at entry %zu) in %s; allowed: finite numbers; try: make the file again",
          name, (*values)[i], i, exam->path);
  return true;
}

/* Side length along one axis for every trajectory, from evenly spaced coordinates: n nodes, length n dx. */
static bool ExamineAxis(UnrWellExam *exam, int axis)
{
  UnrWellFacts *facts = exam->facts;
  const PetscInt n = facts->info.points[axis];
  hid_t set = UnrWellOpenSet(exam->file, "dimensions", UnrWellAxis[axis]);
  PetscInt rows = 0;
  double *x = NULL;
  char name[32];
  bool good;

  snprintf(name, sizeof name, "dimensions/%s", UnrWellAxis[axis]);
  if (set < 0)
    return UnrWellFail(exam,
                       "no coordinates '%s' in %s; allowed: one data set for each of the field's %d axes; "
                       "try: see docs/data-format.md",
                       name, exam->path, facts->info.dim);
  good = ReadNumbers(exam, set, name, n, &rows, &x);
  if (good && n < 2)
    good = UnrWellFail(
        exam,
        "too few points along '%s' (1) in %s; allowed: 2 or more, or no such axis; try: leave the axis out",
        name, exam->path);
  for (PetscInt t = 0; good && t < facts->info.trajectories; t++) {
    const double *row = x + (rows > 1 ? t * n : 0), dx = (row[n - 1] - row[0]) / (double)(n - 1);
    /* float32 coordinates carry their rounding: some units in the last place of the largest of them */
    const double slack = 16 * FLT_EPSILON * PetscMax(fabs(row[0]), fabs(row[n - 1]));
    if (!(dx > slack / (double)n))
      good = UnrWellFail(
          exam, "coordinates '%s' (%g to %g) in %s; allowed: increasing; try: turn axis and field around",
          name, row[0], row[n - 1], exam->path);
    for (PetscInt i = 0; good && i < n; i++)
      if (fabs(row[i] - row[0] - (double)i * dx) > PetscMin(slack, dx / 4))
        good =
            UnrWellFail(exam,
                        "coordinates '%s' are not evenly spaced (%g at point %lld, even would be %g) in %s; "
                        "allowed: a uniform grid; try: interpolate onto one",
                        name, row[i], (long long)i, row[0] + (double)i * dx, exam->path);
    if (good) facts->length[t * facts->info.dim + axis] = dx * (double)n;
  }
  free(x);
  H5Dclose(set);
  return good;
}

/* A file of one frame needs no time axis. */
static bool ExamineTime(UnrWellExam *exam)
{
  UnrWellFacts *facts = exam->facts;
  hid_t set = UnrWellOpenSet(exam->file, "dimensions", "time");
  PetscInt rows;
  double *time = NULL;
  bool good;

  if (set < 0 && facts->info.frames == 1) return true;
  if (set < 0)
    return UnrWellFail(exam,
                       "no 'dimensions/time' for %lld frames in %s; allowed: one time a frame; "
                       "try: see docs/data-format.md",
                       (long long)facts->info.frames, exam->path);
  good = ReadNumbers(exam, set, "dimensions/time", facts->info.frames, &rows, &time);
  if (good) memcpy(facts->time, time, (size_t)facts->info.frames * sizeof *time);
  free(time);
  H5Dclose(set);
  return good;
}

/* The attribute n_spatial_dims, and the number of names in dimensions@spatial_dims, where they are given. */
static bool ExamineDimension(UnrWellExam *exam)
{
  const int dim = exam->facts->info.dim;
  hid_t attribute, space;
  long long said = dim;
  hssize_t names = dim;

  if (H5Aexists(exam->file, "n_spatial_dims") > 0) {
    attribute = H5Aopen(exam->file, "n_spatial_dims", H5P_DEFAULT);
    space = H5Aget_space(attribute);
    if (H5Sget_simple_extent_npoints(space) != 1 || H5Aread(attribute, H5T_NATIVE_LLONG, &said) < 0)
      said = -1;
    H5Sclose(space);
    H5Aclose(attribute);
  }
  if (H5Aexists_by_name(exam->file, "dimensions", "spatial_dims", H5P_DEFAULT) > 0) {
    attribute = H5Aopen_by_name(exam->file, "dimensions", "spatial_dims", H5P_DEFAULT, H5P_DEFAULT);
    space = H5Aget_space(attribute);
    names = H5Sget_simple_extent_npoints(space);
    H5Sclose(space);
    H5Aclose(attribute);
  }
  if (said != dim)
    return UnrWellFail(exam,
                       "wrong dimension count 'n_spatial_dims' (%lld) in %s; allowed: %d, as the field has; "
                       "try: see docs/data-format.md",
                       said, exam->path, dim);
  if (names != dim)
    return UnrWellFail(exam,
                       "wrong number of 'spatial_dims' (%lld) in %s; allowed: %d, as the field has; try: see "
                       "docs/data-format.md",
                       (long long)names, exam->path, dim);
  return true;
}

bool UnrWellExamineAxes(UnrWellExam *exam)
{
  UnrWellFacts *facts = exam->facts;
  bool good;

  facts->length = calloc((size_t)facts->info.trajectories * (size_t)facts->info.dim, sizeof *facts->length);
  facts->time = calloc((size_t)facts->info.frames, sizeof *facts->time);
  if (!facts->length || !facts->time)
    return UnrWellFail(
        exam, "no memory for the axes of %s; allowed: fewer trajectories and frames; try: a smaller file",
        exam->path);
  good = ExamineDimension(exam) && ExamineTime(exam);
  for (int a = 0; good && a < facts->info.dim; a++) good = ExamineAxis(exam, a);
  return good;
}

/* The value of a boolean attribute; false where there is none. */
static bool IsTrue(hid_t object, const char *name)
{
  unsigned char value[64] = {0};
  bool is = false;
  hid_t attribute, type, space;

  if (H5Aexists(object, name) <= 0) return false;
  attribute = H5Aopen(object, name, H5P_DEFAULT);
  type = H5Aget_type(attribute);
  space = H5Aget_space(attribute);
  /* an enumeration or an integer of any width: zero bytes are false */
  if (H5Sget_simple_extent_npoints(space) == 1 && H5Tget_size(type) <= sizeof value &&
      (H5Tget_class(type) == H5T_ENUM || H5Tget_class(type) == H5T_INTEGER) &&
      H5Aread(attribute, type, value) >= 0)
    for (size_t i = 0; i < sizeof value; i++) is = is || value[i];
  H5Sclose(space);
  H5Tclose(type);
  H5Aclose(attribute);
  return is;
}

/*
  Scalars that are constant in time; others, and names longer than any parameter's, are left alone.  What is
  no finite number a trajectory becomes NaN: UnrWellScalar() refuses it where a parameter has its name.
*/
bool UnrWellExamineScalars(UnrWellExam *exam)
{
  UnrWellFacts *facts = exam->facts;
  H5G_info_t links;

  if (H5Lexists(exam->file, "scalars", H5P_DEFAULT) <= 0) return true;
  if (H5Gget_info_by_name(exam->file, "scalars", &links, H5P_DEFAULT) < 0)
    return UnrWellFail(
        exam, "'scalars' is not a group in %s; allowed: The Well's layout; try: see docs/data-format.md",
        exam->path);
  facts->scalar_name = calloc((size_t)links.nlinks + 1, sizeof *facts->scalar_name);
  facts->scalar =
      calloc(((size_t)links.nlinks + 1) * (size_t)facts->info.trajectories, sizeof *facts->scalar);
  if (!facts->scalar_name || !facts->scalar)
    return UnrWellFail(
        exam, "no memory for the scalars of %s; allowed: fewer scalars and trajectories; try: a smaller file",
        exam->path);
  for (hsize_t i = 0; i < links.nlinks; i++) {
    char name[UNR_WELL_NAME], path[UNR_WELL_NAME + 8];
    double *value = NULL;
    PetscInt rows;
    hid_t set;
    ssize_t length = H5Lget_name_by_idx(exam->file, "scalars", H5_INDEX_NAME, H5_ITER_INC, i, name,
                                        sizeof name, H5P_DEFAULT);

    if (length <= 0 || length >= (ssize_t)sizeof name ||
        (set = UnrWellOpenSet(exam->file, "scalars", name)) < 0)
      continue;
    snprintf(path, sizeof path, "scalars/%s", name);
    if (!IsTrue(set, "time_varying")) {
      const bool is_read = ReadNumbers(exam, set, path, 0, &rows, &value);
      for (PetscInt t = 0; t < facts->info.trajectories; t++)
        facts->scalar[(size_t)facts->scalars * (size_t)facts->info.trajectories + (size_t)t] =
            is_read ? value[rows > 1 ? t : 0] : NAN;
      memcpy(facts->scalar_name[facts->scalars++], name, sizeof name);
      free(value);
      exam->message[0] = '\0';
    }
    H5Dclose(set);
  }
  return true;
}
