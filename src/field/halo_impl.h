/* For the halo files of this folder only: run lists. */
#pragma once

#include "field/halo.h"

/* `cells` consecutive cells from number `from` on, times -1 if is_negative, become those from `to` on; cells
   are numbered through a tile of one sample with its ghosts, or through a message of one sample. */
typedef struct {
  size_t from, to, cells;
  bool is_negative;
} UnrHaloRun;

/* What goes to, comes from, or stays on: neighbours by ascending rank. */
typedef struct {
  PetscInt neighbours;
  PetscMPIInt *rank;
  size_t *first_run, *first_cell; /* [neighbours + 1] */
  UnrHaloRun *run;
  void *buffer; /* [neighbour][sample][cell][channel]; grows on demand; none for `self` and `zero` */
  size_t buffer_bytes;
} UnrHaloList;

struct UnrHalo_ {
  UnrGrid grid;
  PetscInt ghost[UNR_MAX_DIM], width[UNR_MAX_DIM];
  bool is_local;       /* no messages: UnrHaloCreateLocal() */
  UnrHaloList send;    /* interior cells of the tile -> message */
  UnrHaloList receive; /* message -> ghost cells of the tile */
  UnrHaloList self;    /* cells -> ghost cells of the same tile */
  UnrHaloList zero;    /* ghost cells that hold 0; from is of no meaning */
  MPI_Request *request;
  PetscMPIInt requests, tag;
  bool is_open; /* between Begin and End */
};

/* In halo_graph.c: the lists.  Collective on the grid, or local. */
PetscErrorCode UnrHaloListsMake(UnrHalo halo);
PetscErrorCode UnrHaloListDestroy(UnrHaloList *list);

/* In halo_copy.c, over the runs of neighbour i, on one sample: to = from; its reverse from = to; its
   transpose from += to; to = 0.  Local. */
void UnrHaloCopy(const UnrHaloList *list, PetscInt i, const UnrTileShape *shape, const void *from, void *to);
void UnrHaloCopyBack(const UnrHaloList *list, PetscInt i, const UnrTileShape *shape, void *from,
                     const void *to);
void UnrHaloAddBack(const UnrHaloList *list, PetscInt i, const UnrTileShape *shape, void *from,
                    const void *to);
void UnrHaloZero(const UnrHaloList *list, PetscInt i, const UnrTileShape *shape, void *to);
