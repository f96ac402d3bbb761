/* For the halo files of this folder only: run lists. */
#pragma once

#include "field/halo.h"

/* `cells` consecutive cells from number `from` on become those from `to` on; cells are numbered through a
   tile of one sample with its ghosts, or through a message of one sample. */
typedef struct {
  size_t from, to, cells;
} UnrHaloRun;

/* What goes to, comes from, or stays on: neighbours by ascending rank. */
typedef struct {
  PetscInt neighbours;
  PetscMPIInt *rank;
  size_t *first_run, *first_cell; /* [neighbours + 1] */
  UnrHaloRun *run;
  void *buffer; /* [neighbour][sample][cell][channel]; grows on demand; none for `self` */
  size_t buffer_bytes;
} UnrHaloList;

struct UnrHalo_ {
  UnrGrid grid;
  PetscInt ghost, width;
  UnrBoundary boundary[UNR_MAX_DIM];
  UnrHaloList send;    /* interior cells of the tile -> message */
  UnrHaloList receive; /* message -> ghost cells of the tile */
  UnrHaloList self;    /* interior cells -> ghost cells of the same tile */
  MPI_Request *request;
  PetscMPIInt requests, tag;
  bool is_open; /* between Begin and End */
};

/* In halo_graph.c: the three lists.  Collective on the grid. */
PetscErrorCode UnrHaloListsMake(UnrHalo halo);
PetscErrorCode UnrHaloListDestroy(UnrHaloList *list);
