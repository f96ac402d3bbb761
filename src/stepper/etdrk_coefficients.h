/*
  The functions F of a tableau on the modes of a physics, for the parameters of a sample: computed once, kept
  by key. An entry is a function of its key alone, so the cache changes no bits.
*/
#pragma once

#include "physics/physics.h"
#include "stepper/etdrk_tableau.h"

typedef struct {
  UnrComplex *value[UNR_ETDRK_FUNCTIONS]; /* F: [component][mode] */
  UnrComplex *slope[UNR_ETDRK_FUNCTIONS]; /* dF/dL, where wanted */
  UnrComplex *symbol_par;                 /* dL/dpar: [parameter][component][mode], where wanted */
} UnrEtdrkCoefficients;

typedef struct UnrEtdrkCache_ *UnrEtdrkCache;

PetscErrorCode UnrEtdrkCacheCreate(UnrPhysics physics, const UnrEtdrkTableau *tableau, UnrEtdrkCache *cache);
PetscErrorCode UnrEtdrkCacheDestroy(UnrEtdrkCache *cache);
/* (*of)[sample]: the coefficients for par[sample][parameter]; borrowed, valid until the next call.  Local. */
PetscErrorCode UnrEtdrkCacheGet(UnrEtdrkCache cache, PetscInt samples, const double par[], double dt,
                                bool want_slope, const UnrEtdrkCoefficients *const **of);
