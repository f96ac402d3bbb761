/* For the files of the examination only (well_examine.c, well_axes.c): rank 0 alone, HDF5's own messages
 * silenced. */
#pragma once

#include "dataset/well_impl.h"

enum { UNR_WELL_RANK = UNR_MAX_DIM + 3 }; /* trajectory, time, space, component */

typedef struct {
  const char *path;
  hid_t file;
  UnrWellFacts *facts;
  char *message;
} UnrWellExam;

/* Writes the user error's text; false, so that an examination ends with `return UnrWellFail(...)`. */
bool UnrWellFail(UnrWellExam *exam, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* An open data set of a group, or -1. */
hid_t UnrWellOpenSet(hid_t file, const char *group, const char *name);
/* Rank and sizes of a data set; -1 where there are more than UNR_WELL_RANK axes. */
int UnrWellShape(hid_t set, hsize_t size[UNR_WELL_RANK]);
/* "(2, 3)" and "integers", for messages. */
const char *UnrWellShapeText(int rank, const hsize_t size[], char text[160]);
const char *UnrWellClassText(H5T_class_t class);

/* Coordinates, time, dimension count and scalars, after the field's shape is known. */
bool UnrWellExamineAxes(UnrWellExam *exam);
bool UnrWellExamineScalars(UnrWellExam *exam);
