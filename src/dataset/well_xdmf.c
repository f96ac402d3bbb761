/*
  What makes a file of 2-D or 3-D fields readable by ParaView and VTK: a description beside it in XDMF, and
  the nodes' coordinates in it.

  VTK's grids of equal spacing run with x fastest, our fields with x slowest; so the grid is described as a
  curvilinear one, whose nodes may come in any order.  Then axes and vectors are what they are.
*/
#include "dataset/well_skeleton.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/file.h"

enum { MOST_GRIDS = 4096 };

static const char coordinates[] = "unroll/coordinates";

bool UnrWellHasXdmf(const UnrWellSpec *spec)
{
  const int dim = spec->grid->dim;

  for (PetscInt t = 1; t < spec->trajectories; t++)
    for (int a = 0; a < dim; a++)
      if (spec->length[t * dim + a] != spec->length[a]) return false;
  return dim > 1;
}

/* Coordinate `axis` of the nodes of plane x = i. */
static void FillPlane(const UnrWellSpec *spec, int axis, PetscInt i, float *plane)
{
  const PetscInt *n = spec->grid->points;
  const double dx = axis < spec->grid->dim ? spec->length[axis] / (double)n[axis] : 0;

  for (PetscInt j = 0; j < n[1]; j++)
    for (PetscInt k = 0; k < n[2]; k++) *plane++ = (float)(dx * (double)(PetscInt[]){i, j, k}[axis]);
}

/* (x, y, z), a plane a chunk, compressed: they hardly take room. */
static bool PutCoordinate(hid_t group, const UnrWellSpec *spec, int axis, float *plane)
{
  const PetscInt *n = spec->grid->points;
  const hsize_t size[] = {(hsize_t)n[0], (hsize_t)n[1], (hsize_t)n[2]}, one[] = {1, size[1], size[2]};
  hid_t creation = UnrHDF5Creation(), space = H5Screate_simple(3, size, NULL),
        memory = H5Screate_simple(3, one, NULL);
  hid_t set;
  bool good;

  H5Pset_chunk(creation, 3, one);
  if (H5Zfilter_avail(H5Z_FILTER_DEFLATE) > 0) H5Pset_deflate(creation, 4);
  set = H5Dcreate2(group, UnrWellAxis[axis], H5T_IEEE_F32LE, space, H5P_DEFAULT, creation, H5P_DEFAULT);
  good = set >= 0;
  for (PetscInt i = 0; good && i < n[0]; i++) {
    const hsize_t start[] = {(hsize_t)i, 0, 0};

    FillPlane(spec, axis, i, plane);
    good = H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, one, NULL) >= 0 &&
           H5Dwrite(set, H5T_NATIVE_FLOAT, memory, space, H5P_DEFAULT, plane) >= 0;
  }
  if (set >= 0) good = H5Dclose(set) >= 0 && good;
  H5Sclose(memory);
  H5Sclose(space);
  H5Pclose(creation);
  return good;
}

bool UnrWellCoordinates(hid_t file, const UnrWellSpec *spec)
{
  float *plane = malloc((size_t)spec->grid->points[1] * (size_t)spec->grid->points[2] * sizeof *plane);
  hid_t group = H5Gcreate2(file, coordinates, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  bool good = plane && group >= 0;

  for (int a = 0; good && a < UNR_MAX_DIM; a++) good = PutCoordinate(group, spec, a, plane);
  free(plane);
  if (group >= 0) good = H5Gclose(group) >= 0 && good;
  return good;
}

/* A file's name in XML. */
static void PutName(FILE *out, const char *path)
{
  const char *name = strrchr(path, '/');

  for (name = name ? name + 1 : path; *name; name++) {
    if (*name == '&')
      fputs("&amp;", out);
    else if (*name == '<')
      fputs("&lt;", out);
    else
      fputc(*name, out);
  }
}

/* The mesh: 3-D always, of one layer for 2-D fields, since VTK reads vectors of two components only so. */
static void PutMesh(FILE *out, const char *path, const PetscInt n[])
{
  fprintf(out, "<Topology TopologyType=\"3DSMesh\" Dimensions=\"%lld %lld %lld\"/>\n", (long long)n[0],
          (long long)n[1], (long long)n[2]);
  fputs("<Geometry GeometryType=\"X_Y_Z\">", out);
  for (int a = 0; a < UNR_MAX_DIM; a++) {
    fprintf(out,
            "<DataItem Format=\"HDF\" NumberType=\"Float\" Precision=\"4\" Dimensions=\"%lld %lld %lld\">",
            (long long)n[0], (long long)n[1], (long long)n[2]);
    PutName(out, path);
    fprintf(out, ":/%s/%s</DataItem>\n", coordinates, UnrWellAxis[a]);
  }
  fputs("</Geometry>\n", out);
}

/* " 5 7" for the points along the axes that there are, then the components of a vector. */
static void PutShape(FILE *out, const UnrWellInfo *info, const UnrWellPart *part)
{
  for (int a = 0; a < info->dim; a++) fprintf(out, " %lld", (long long)info->points[a]);
  if (part->is_vector) fprintf(out, " %lld", (long long)part->components);
}

/* One frame of a field: a slab of its data set. */
static void PutField(FILE *out, const char *path, const UnrWellInfo *info, const UnrWellPart *part,
                     PetscInt trajectory, PetscInt frame)
{
  const PetscInt *n = info->points;
  const int axes = 2 + info->dim + part->is_vector;
  char set[2 * UNR_WELL_NAME];

  fprintf(out,
          "<Attribute Name=\"%s\" AttributeType=\"%s\" Center=\"Node\"><DataItem ItemType=\"HyperSlab\" ",
          part->name, part->is_vector ? "Vector" : "Scalar");
  fprintf(out, "Dimensions=\"%lld %lld %lld", (long long)n[0], (long long)n[1], (long long)n[2]);
  if (part->is_vector) fprintf(out, " %lld", (long long)part->components);
  fprintf(out, "\"><DataItem Dimensions=\"3 %d\" Format=\"XML\">%lld %lld", axes, (long long)trajectory,
          (long long)frame);
  for (int a = 2; a < axes; a++) fputs(" 0", out);
  for (int a = 0; a < axes; a++) fputs(" 1", out);
  fputs(" 1 1", out);
  PutShape(out, info, part);
  fprintf(out,
          "</DataItem><DataItem Format=\"HDF\" NumberType=\"Float\" Precision=\"%d\" Dimensions=\"%lld %lld",
          info->is_double ? 8 : 4, (long long)info->trajectories, (long long)info->frames);
  PutShape(out, info, part);
  fputs("\">", out);
  PutName(out, path);
  UnrWellPartPath(part, set);
  fprintf(out, ":/%s</DataItem></DataItem></Attribute>\n", set);
}

static void PutAll(FILE *out, const char *path, const UnrWellFacts *facts)
{
  const UnrWellInfo *info = &facts->info;
  const PetscInt64 grids = (PetscInt64)info->trajectories * info->frames;
  const PetscInt every = (PetscInt)((grids + MOST_GRIDS - 1) / MOST_GRIDS);

  fputs("<?xml version=\"1.0\"?>\n<Xdmf Version=\"2.0\"><Domain>\n", out);
  for (PetscInt t = 0; t < info->trajectories; t++) {
    fprintf(out, "<Grid Name=\"trajectory%lld\" GridType=\"Collection\" CollectionType=\"Temporal\">\n",
            (long long)t);
    for (PetscInt f = 0; f < info->frames; f += every) {
      fprintf(out, "<Grid Name=\"frame%lld\"><Time Value=\"%.17g\"/>\n", (long long)f, facts->time[f]);
      PutMesh(out, path, info->points);
      for (int p = 0; p < facts->parts; p++) PutField(out, path, info, &facts->part[p], t, f);
      fputs("</Grid>\n", out);
    }
    fputs("</Grid>\n", out);
  }
  fputs("</Domain></Xdmf>\n", out);
}

int UnrWellXdmf(const char *path, const UnrWellFacts *facts)
{
  const char *end = strrchr(path, '.');
  const size_t stem = end && !strcmp(end, ".h5") ? (size_t)(end - path) : strlen(path);
  char name[PETSC_MAX_PATH_LEN], part[PETSC_MAX_PATH_LEN + 8];
  FILE *out;
  bool good;

  snprintf(name, sizeof name, "%.*s.xmf", (int)stem, path);
  snprintf(part, sizeof part, "%s.part", name);
  out = fopen(part, "w");
  if (!out) return errno;
  PutAll(out, path, facts);
  good = !ferror(out);
  if (fclose(out) || !good) return errno ? errno : EIO;
  return UnrFileCommit(part, name);
}
