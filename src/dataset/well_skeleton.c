/* A new file without its field's values: rank 0 writes what is small, all ranks then what is large. */
#include "dataset/well_skeleton.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* sample_varying and time_varying, which every data set and boundary has. */
static bool PutVarying(hid_t object, bool sample, bool time)
{
  return UnrHDF5PutBools(object, "sample_varying", 0, sample) &&
         UnrHDF5PutBools(object, "time_varying", 0, time);
}

/* A data set with values; kept open for its attributes, -1 on failure. */
static hid_t PutSet(hid_t group, const char *name, hid_t type, int rank, const hsize_t size[],
                    const void *values)
{
  hid_t space = H5Screate_simple(rank, size, NULL), creation = UnrHDF5Creation();
  hid_t set = H5Dcreate2(group, name, type, space, H5P_DEFAULT, creation, H5P_DEFAULT);

  H5Pclose(creation);
  H5Sclose(space);
  if (set >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0) {
    H5Dclose(set);
    set = -1;
  }
  return set;
}

static bool Close(hid_t set, bool good)
{
  return H5Dclose(set) >= 0 && good;
}

static hid_t Group(hid_t file, const char *name)
{
  return H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
}

static bool CloseGroup(hid_t group, bool good)
{
  return H5Gclose(group) >= 0 && good;
}

/* x_i = i dx; (points), or (trajectories, points) where their lengths differ. */
static bool PutAxis(hid_t group, const UnrWellSpec *spec, int axis)
{
  const int dim = spec->grid->dim;
  const PetscInt n = spec->grid->points[axis];
  PetscInt rows = 1;
  double *x;
  hid_t set;

  for (PetscInt t = 1; t < spec->trajectories; t++)
    if (spec->length[t * dim + axis] != spec->length[axis]) rows = spec->trajectories;
  x = malloc((size_t)(rows * n) * sizeof *x);
  if (!x) return false;
  for (PetscInt r = 0; r < rows; r++)
    for (PetscInt i = 0; i < n; i++) x[r * n + i] = (double)i * spec->length[r * dim + axis] / (double)n;
  const hsize_t size[] = {(hsize_t)rows, (hsize_t)n};
  set = PutSet(group, UnrWellAxis[axis], H5T_NATIVE_DOUBLE, rows > 1 ? 2 : 1, rows > 1 ? size : size + 1, x);
  free(x);
  return set >= 0 && Close(set, PutVarying(set, rows > 1, false));
}

static bool PutDimensions(hid_t file, const UnrWellSpec *spec)
{
  hid_t group = Group(file, "dimensions"), set;
  const hsize_t frames = (hsize_t)spec->frames;
  double *time = malloc((size_t)spec->frames * sizeof *time);
  bool good = group >= 0 && time && UnrHDF5PutTexts(group, "spatial_dims", spec->grid->dim, UnrWellAxis);

  for (PetscInt f = 0; time && f < spec->frames; f++) time[f] = UnrWellFrameTime(spec, f);
  for (int a = 0; good && a < spec->grid->dim; a++) good = PutAxis(group, spec, a);
  set = good ? PutSet(group, "time", H5T_NATIVE_DOUBLE, 1, &frames, time) : -1;
  good = set >= 0 && Close(set, UnrHDF5PutBools(set, "sample_varying", 0, false));
  free(time);
  return CloseGroup(group, good);
}

/* One periodic boundary an axis; the mask names its first and last node. */
static bool PutBoundaries(hid_t file, const UnrWellSpec *spec)
{
  hid_t group = Group(file, "boundary_conditions"), type = UnrHDF5BoolType();
  bool good = group >= 0;

  for (int a = 0; good && a < spec->grid->dim; a++) {
    const hsize_t n = (hsize_t)spec->grid->points[a];
    int8_t *mask = calloc(n, 1);
    char name[16];
    hid_t side, set;

    snprintf(name, sizeof name, "%s_periodic", UnrWellAxis[a]);
    side = Group(group, name);
    good = mask && side >= 0 && UnrHDF5PutTexts(side, "associated_dims", 1, UnrWellAxis + a) &&
           UnrHDF5PutTexts(side, "associated_fields", 0, NULL) &&
           UnrHDF5PutText(side, "bc_type", "PERIODIC") && UnrHDF5PutText(side, "unroll_kind", "periodic") &&
           PutVarying(side, false, false);
    if (good) mask[0] = mask[n - 1] = 1;
    set = good ? PutSet(side, "mask", type, 1, &n, mask) : -1;
    good = set >= 0 && Close(set, true);
    free(mask);
    good = CloseGroup(side, good);
  }
  H5Tclose(type);
  return CloseGroup(group, good);
}

/* Each scalar with a value a trajectory; as an attribute of the root one number, or all if they differ. */
static bool PutScalars(hid_t file, const UnrWellSpec *spec)
{
  const hsize_t n = (hsize_t)spec->trajectories;
  hid_t group = Group(file, "scalars");
  double *value = malloc(n * sizeof *value);
  bool good = group >= 0 && value &&
              UnrHDF5PutTexts(group, "field_names", spec->scalars, spec->scalar_name) &&
              UnrHDF5PutTexts(file, "simulation_parameters", spec->scalars, spec->scalar_name);

  for (PetscInt s = 0; good && s < spec->scalars; s++) {
    bool same = true;
    hid_t set;

    for (PetscInt t = 0; t < spec->trajectories; t++) {
      value[t] = spec->scalar[t * spec->scalars + s];
      same = same && value[t] == value[0];
    }
    set = PutSet(group, spec->scalar_name[s], H5T_NATIVE_DOUBLE, 1, &n, value);
    good = set >= 0 && Close(set, PutVarying(set, true, false)) &&
           UnrHDF5PutReals(file, spec->scalar_name[s], same ? 0 : spec->trajectories, value);
  }
  free(value);
  return CloseGroup(group, good);
}

/*
  The field's data set, contiguous, so that one state is one piece of the file: its space is laid out now,
  nothing is written into it.
*/
static bool PutField(hid_t group, const UnrWellSpec *spec, const UnrWellPart *part)
{
  const int dim = spec->grid->dim;
  hsize_t size[UNR_MAX_DIM + 3] = {(hsize_t)spec->trajectories, (hsize_t)spec->frames};
  hid_t layout = UnrHDF5Creation(), space, set;

  for (int a = 0; a < dim; a++) size[2 + a] = (hsize_t)spec->grid->points[a];
  size[2 + dim] = (hsize_t)part->components;
  space = H5Screate_simple(2 + dim + part->is_vector, size, NULL);
  H5Pset_layout(layout, H5D_CONTIGUOUS);
  H5Pset_alloc_time(layout, H5D_ALLOC_TIME_EARLY);
  H5Pset_fill_time(layout, H5D_FILL_TIME_NEVER);
  set = H5Dcreate2(group, part->name, spec->precision == UNR_SINGLE ? H5T_IEEE_F32LE : H5T_IEEE_F64LE, space,
                   H5P_DEFAULT, layout, H5P_DEFAULT);
  H5Pclose(layout);
  H5Sclose(space);
  return set >= 0 &&
         Close(set, UnrHDF5PutBools(set, "dim_varying", dim, true) && PutVarying(set, true, true) &&
                        UnrHDF5PutText(set, "units", "nondimensional"));
}

/* The groups t0_fields, t1_fields, t2_fields, and the fields in them. */
static bool PutFields(hid_t file, const UnrWellSpec *spec, const UnrWellFacts *facts)
{
  static const char *const group_name[] = {"t0_fields", "t1_fields", "t2_fields"};
  bool good = true;

  for (int order = 0; good && order < 3; order++) {
    hid_t group = Group(file, group_name[order]);
    const char *name[UNR_WELL_PARTS];
    PetscInt names = 0;

    good = group >= 0;
    for (int p = 0; p < facts->parts; p++) {
      if (facts->part[p].is_vector != (order == 1) || order == 2) continue;
      name[names++] = facts->part[p].name;
      good = good && PutField(group, spec, &facts->part[p]);
    }
    good = good && UnrHDF5PutTexts(group, "field_names", names, name);
    good = CloseGroup(group, good);
  }
  return good;
}

bool UnrWellSkeleton(const char *path, const UnrWellSpec *spec, const UnrWellFacts *facts)
{
  hid_t access = UnrHDF5SerialAccess(), file;
  UnrHDF5Silence silence;
  bool good;

  UnrHDF5SilenceBegin(&silence);
  file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access);
  good = file >= 0 && UnrHDF5PutText(file, "dataset_name", spec->dataset_name) &&
         UnrHDF5PutText(file, "grid_type", "cartesian") &&
         UnrHDF5PutInt(file, "n_spatial_dims", spec->grid->dim) &&
         UnrHDF5PutInt(file, "n_trajectories", spec->trajectories) && PutDimensions(file, spec) &&
         PutBoundaries(file, spec) && PutScalars(file, spec) && PutFields(file, spec, facts) &&
         UnrWellProvenance(file, spec) && (!UnrWellHasXdmf(spec) || UnrWellCoordinates(file, spec));
  if (file >= 0) good = H5Fclose(file) >= 0 && good;
  H5Pclose(access);
  UnrHDF5SilenceEnd(&silence);
  return good;
}
