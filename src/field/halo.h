/*
  Halo exchange of tiles, of any width, and its transpose.  A ghost cell is a copy of the cell with its global
  index, or of the one that the grid's boundary kinds name (field/boundary.h: a sign, or zero), whoever owns
  that: a halo may be wider than a block and than the domain.

  The graph comes from a PetscSF; the messages are packed here (whole samples and channels of all cells a
  neighbour needs in one message), so that the transpose adds in a fixed order and any number type goes.
  Maths: docs/method/halo.md.
*/
#pragma once

#include "field/boundary.h"
#include "field/tile.h"

typedef struct UnrHalo_ *UnrHalo;

/* For tiles with `ghost` cells per side in memory, of which the inner `width` <= ghost are exchanged.
 * Collective on the grid. */
PetscErrorCode UnrHaloCreate(UnrGrid grid, PetscInt ghost, PetscInt width, UnrHalo *halo);
/* With numbers of their own for every axis of the grid. */
PetscErrorCode UnrHaloCreateAxes(UnrGrid grid, const PetscInt ghost[UNR_MAX_DIM],
                                 const PetscInt width[UNR_MAX_DIM], UnrHalo *halo);
/*
  Without messages, for tiles whose ghosts are this rank's own work: fills only what copies cells of the same
  tile, that is, along an axis of one block all ghosts, along others those beyond a boundary of the domain;
  the ghosts inside the domain count as the block's own.  Local.
*/
PetscErrorCode UnrHaloCreateLocal(UnrGrid grid, const PetscInt ghost[UNR_MAX_DIM],
                                  const PetscInt width[UNR_MAX_DIM], UnrHalo *halo);
PetscErrorCode UnrHaloDestroy(UnrHalo *halo);
/* Does it fill any ghost of this rank's tiles? */
bool UnrHaloIsEmpty(UnrHalo halo);
/* Does it wait for others, or they for this rank? */
bool UnrHaloHasMessages(UnrHalo halo);

/* Fill the ghosts of a tile.  The interior may be read, not written, between Begin and End; so may ghosts
   that copy this rank's own cells.  One exchange at a time. */
PetscErrorCode UnrHaloExchangeBegin(UnrHalo halo, const UnrTileShape *shape, void *tile);
PetscErrorCode UnrHaloExchangeEnd(UnrHalo halo, const UnrTileShape *shape, void *tile);
PetscErrorCode UnrHaloExchange(UnrHalo halo, const UnrTileShape *shape, void *tile);
/* Transpose: ADD every ghost, times its sign, to its owner's interior cell, then set the ghosts to zero.
 * Collective on the grid. */
PetscErrorCode UnrHaloReduce(UnrHalo halo, const UnrTileShape *shape, void *tile);

/* Batch <-> tile of doubles with as many channels as components: ghosts filled; interior added. */
PetscErrorCode UnrHaloLoad(UnrHalo halo, const UnrTileShape *shape, UnrBatch u, double *tile);
/* u += interior + transpose of the ghosts; destroys the tile. */
PetscErrorCode UnrHaloLoadTranspose(UnrHalo halo, const UnrTileShape *shape, double *tile, UnrBatch u);
