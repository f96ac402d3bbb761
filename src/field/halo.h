/*
  Halo exchange of tiles, of any width, and its transpose.  A ghost cell is a copy of the cell with its global
  index (wrapped round periodic axes, as often as it takes), whoever owns that: a halo may be wider than a
  block.

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
PetscErrorCode UnrHaloDestroy(UnrHalo *halo);

/* Fill the ghosts of a tile.  The interior may be read, not written, between Begin and End; one exchange at a
 * time. */
PetscErrorCode UnrHaloExchangeBegin(UnrHalo halo, const UnrTileShape *shape, void *tile);
PetscErrorCode UnrHaloExchangeEnd(UnrHalo halo, const UnrTileShape *shape, void *tile);
PetscErrorCode UnrHaloExchange(UnrHalo halo, const UnrTileShape *shape, void *tile);
/* Transpose: ADD every ghost to its owner's interior cell, then set the ghosts to zero.  Collective on the
 * grid. */
PetscErrorCode UnrHaloReduce(UnrHalo halo, const UnrTileShape *shape, void *tile);

/* Batch <-> tile of doubles with as many channels as components: ghosts filled; interior added. */
PetscErrorCode UnrHaloLoad(UnrHalo halo, const UnrTileShape *shape, UnrBatch u, double *tile);
/* u += interior + transpose of the ghosts; destroys the tile. */
PetscErrorCode UnrHaloLoadTranspose(UnrHalo halo, const UnrTileShape *shape, double *tile, UnrBatch u);
