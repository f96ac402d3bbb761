/* For files in this folder only: an open file of The Well's layout, and the pieces that reader and writer
 * share. */
#pragma once

#include "core/block.h"
#include "core/hdf5.h"
#include "dataset/well.h"

enum { UNR_WELL_NAME = 64, UNR_WELL_MESSAGE = 6144, UNR_WELL_PARTS = 4 };
typedef char UnrWellName[UNR_WELL_NAME];

/* A field of the file, and the components of a state that it holds: a state of "velocity|tracer" has two. */
typedef struct {
  UnrWellName name;
  bool is_vector;
  PetscInt first, components;
} UnrWellPart;

/* What the file says of itself: on rank 0 by UnrWellExamine, then the same on every rank. */
typedef struct {
  UnrWellInfo info;
  UnrWellName field; /* "u", "velocity|tracer" */
  int parts;
  UnrWellPart part[UNR_WELL_PARTS];
  PetscInt scalars;
  double *length;           /* [trajectory][dim] */
  double *time;             /* [frame], of the first trajectory; of a new file on rank 0, if UnrWellXdmf() */
  UnrWellName *scalar_name; /* [scalar] */
  double *scalar;           /* [scalar][trajectory] */
} UnrWellFacts;

struct UnrWell_ {
  UnrWellFacts facts;
  char *path, *part; /* part: the file beside `path` while it is written, else NULL */
  hid_t file, data[UNR_WELL_PARTS], transfer;
  int lock;      /* rank 0's hold on `part` against other runs, else -1 */
  float *single; /* one state of this rank, for float32 files; made when first needed */
  size_t single_room;
  UnrBlock part_room; /* one part of the states of a block, where there is more than one */
  char
      *cache; /* all states, as the file has them: [trajectory][frame][this rank's block]; NULL: not cached */
  size_t cache_stride;
  PetscInt64 written; /* states this rank has written as first rank of its grid */
};

extern const char *const UnrWellAxis[UNR_MAX_DIM]; /* "x", "y", "z" */

/*
  UnrWellExamine - what the file says and whether it can be used.     Not collective; for rank 0.
  In   field    NULL: "u", "velocity" or the first there is
  Out  message  "" or the user error's text;  facts: arrays owned by the caller, also after an error
*/
void UnrWellExamine(const char *path, const char *field, UnrWellFacts *facts, char message[UNR_WELL_MESSAGE]);

/* Opens path for all ranks of the world, and its field; closed again on failure.  Collective on the world. */
PetscErrorCode UnrWellOpenParallel(UnrWell well, const char *path, unsigned mode, bool *good);
/* Numbers of a block on this rank; 0 for one of no trajectories. */
size_t UnrWellBlockNumbers(const UnrWellBlock *block, UnrGrid grid);
/* PATH.xmf beside PATH.h5: what a visualiser opens; facts->time is needed.  0 or errno.  Not collective; for
   rank 0. */
int UnrWellXdmf(const char *path, const UnrWellFacts *facts);
/* Splits "velocity|tracer" into parts by name; false: too many, or a name is too long or empty. */
bool UnrWellPartsName(const char *field, UnrWellFacts *facts);
/* Their places in a state of so many components: all but the first have one. */
void UnrWellPartsPlace(PetscInt components, UnrWellFacts *facts);
/* "t1_fields/velocity" */
void UnrWellPartPath(const UnrWellPart *part, char path[2 * UNR_WELL_NAME]);
/* The block between the file and values [trajectory][frame][cell][component] in the file's precision; *good
   false: HDF5 failed.  Collective on the world. */
PetscErrorCode UnrWellMove(UnrWell well, bool is_write, const UnrWellBlock *block, UnrGrid grid, void *values,
                           bool *good);
/* The buffer for float32 files, of at least so many numbers. */
PetscErrorCode UnrWellSingle(UnrWell well, size_t numbers, float **single);
/* Why a block cannot be read on this grid, "" if it can; and the messages for what only reading finds. */
void UnrWellReadRefusal(UnrWell well, const UnrWellBlock *block, UnrGrid grid,
                        char message[UNR_WELL_MESSAGE]);
void UnrWellDamaged(UnrWell well, char message[UNR_WELL_MESSAGE]);
void UnrWellNotFinite(UnrWell well, PetscInt trajectory, PetscInt frame, double value,
                      char message[UNR_WELL_MESSAGE]);
/* UnrWellReadBlock() of a cached file: not collective, its refusals are faults. */
PetscErrorCode UnrWellReadCached(UnrWell well, const UnrWellBlock *block, UnrGrid grid, double u[]);
