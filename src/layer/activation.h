/*
  Activations y = f(z) on the interior of tiles, as one table.  The piecewise linear ones are fused into the
  engines' epilogue by their slope; the others are passes of their own.
  Maths: docs/method/network.md, eq. (2)
*/
#pragma once

#include "field/tile.h"

typedef struct {
  const char *name;
  bool is_kinked;   /* has a kink: Taylor and difference tests put tanh in its place */
  bool is_fused;    /* y = z > 0 ? z : slope z: an engine's epilogue does it, forward and reverse */
  bool needs_input; /* the derivative is taken from z; else from y */
  /* n numbers of a row, in single and double: y = f(z), in place allowed;
     y_bar = (y_bar + add) f'(saved), saved being z or y, add may be NULL. */
  void (*forward[2])(size_t n, double slope, const void *z, void *y);
  void (*reverse[2])(size_t n, double slope, const void *saved, const void *add, void *y_bar);
} UnrActivationOps;

typedef struct {
  const UnrActivationOps *ops;
  double slope; /* of the fused ones, where z <= 0 */
} UnrActivation;

/* "leaky_relu|relu|...", a constant expression for option tables. */
extern const char UnrActivationWords[];
#define UnrActivationNames (UnrActivationWords + 1)
/* By name (PETSC_ERR_ARG_WRONG if unknown); `slope` is leaky_relu's. */
PetscErrorCode UnrActivationFind(const char *name, double slope, UnrActivation *f);
/* f itself, or tanh where f is kinked. */
UnrActivation UnrActivationSmooth(UnrActivation f);

/* Interiors of tiles of one shape; local.  In place (z == y) allowed. */
PetscErrorCode UnrActivationForward(UnrActivation f, const UnrTileShape *shape, const void *z, void *y);
PetscErrorCode UnrActivationReverse(UnrActivation f, const UnrTileShape *shape, const void *saved,
                                    const void *add, void *y_bar);
/* y_bar += add. */
PetscErrorCode UnrSkipReverse(const UnrTileShape *shape, const void *add, void *y_bar);
