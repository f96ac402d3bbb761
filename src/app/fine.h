/*
  The reference scheme on a grid of its own, finer than the case's: it draws the start states there, steps
  there, and its frames are coarsened to the case's grid.  Without -generate_points it is the case's own.
*/
#pragma once

#include "app/case.h"
#include "dataset/filter.h"

typedef struct {
  const UnrCase *c;
  UnrGrid grid; /* these three are the case's where there is no filter */
  UnrPhysics physics;
  UnrStepper stepper;
  UnrFilter filter; /* NULL: the case's grid */
} UnrFine;

/* -generate_points */
extern const UnrOption UnrFineOptions[];
/* c is borrowed and must outlive it.  Collective on the world; user errors where the grids do not go
 * together. */
PetscErrorCode UnrFineCreate(const UnrCase *c, UnrFine *fine);
PetscErrorCode UnrFineDestroy(UnrFine *fine);
/* Start states of this replica's samples, on fine->grid.  Collective on the world. */
PetscErrorCode UnrFineStart(const UnrFine *fine, UnrBatch u);
/* u, on fine->grid, as the case sees it: u itself, or `coarse` filled from it.  coarse NULL without a filter.
   Collective on the grid. */
PetscErrorCode UnrFineCoarsen(const UnrFine *fine, UnrBatch u, UnrBatch coarse, UnrBatch *seen);
