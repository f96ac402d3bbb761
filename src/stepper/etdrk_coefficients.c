/* Coefficients of exponential Runge-Kutta, kept by (parameters, lengths, dt). */
#include "stepper/etdrk_coefficients.h"

#include <string.h>
#include "stepper/phi.h"

/* Entries beyond those of the present batch are kept while they take no more than this. */
static const size_t spare_bytes = (size_t)64 << 20;

typedef struct {
  UnrEtdrkCoefficients coefficients;
  double *key;     /* par[parameters], lengths, dt */
  PetscInt64 used; /* number of the call that last used it */
} Entry;

struct UnrEtdrkCache_ {
  UnrPhysics physics;
  const UnrEtdrkTableau *tableau;
  size_t modes; /* components x modes of a field */
  PetscInt key_numbers;
  PetscInt entries, room;
  Entry **entry;
  PetscInt64 calls;
  const UnrEtdrkCoefficients **of; /* [sample] of the present call */
  PetscInt of_room;
  double *key; /* of the sample looked for */
};

PetscErrorCode UnrEtdrkCacheCreate(UnrPhysics physics, const UnrEtdrkTableau *tableau,
                                   UnrEtdrkCache *cache_out)
{
  UnrEtdrkCache cache;

  PetscFunctionBeginUser;
  PetscCall(PetscNew(&cache));
  cache->physics = physics;
  cache->tableau = tableau;
  cache->modes = (size_t)UnrPhysicsGrid(physics)->components * (size_t)UnrPhysicsFFT(physics)->modes;
  cache->key_numbers = UnrPhysicsParameters(physics) + UNR_MAX_DIM + 1;
  PetscCall(PetscMalloc1(cache->key_numbers, &cache->key));
  *cache_out = cache;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode EntryDestroy(Entry **entry)
{
  PetscFunctionBeginUser;
  PetscCall(PetscFree((*entry)->coefficients.value[0]));
  PetscCall(PetscFree((*entry)->coefficients.slope[0]));
  PetscCall(PetscFree((*entry)->key));
  PetscCall(PetscFree(*entry));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrEtdrkCacheDestroy(UnrEtdrkCache *cache)
{
  PetscFunctionBeginUser;
  for (PetscInt i = 0; i < (*cache)->entries; i++) PetscCall(EntryDestroy(&(*cache)->entry[i]));
  PetscCall(PetscFree((*cache)->entry));
  PetscCall(PetscFree((*cache)->of));
  PetscCall(PetscFree((*cache)->key));
  PetscCall(PetscFree(*cache));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One function at one mode, from phi[node][k] at node z; with its derivative with respect to z. */
static UnrComplex Value(const UnrEtdrkTerm term[], UnrComplex phi[][UNR_PHI_MAX + 1])
{
  UnrComplex sum = 0;

  for (int t = 0; t < UNR_ETDRK_TERMS && term[t].alpha != 0; t++)
    sum += term[t].alpha * phi[term[t].node][term[t].k];
  return sum;
}

/* phi_k' = phi_k - k phi_{k+1}. */
static UnrComplex Slope(const UnrEtdrkTerm term[], UnrComplex phi[][UNR_PHI_MAX + 1])
{
  UnrComplex sum = 0;

  for (int t = 0; t < UNR_ETDRK_TERMS && term[t].alpha != 0; t++) {
    const UnrComplex *p = phi[term[t].node];
    const int k = term[t].k;

    sum += term[t].alpha * UnrEtdrkNodeValue[term[t].node] * (k ? p[k] - k * p[k + 1] : p[0]);
  }
  return sum;
}

/* Fills the values, or the slopes, of an entry. */
static PetscErrorCode Evaluate(UnrEtdrkCache cache, const double par[], double dt, bool slope, Entry *entry)
{
  const UnrEtdrkTableau *tableau = cache->tableau;
  UnrEtdrkCoefficients *c = &entry->coefficients;
  UnrComplex **to = slope ? c->slope : c->value;
  const size_t rows = (size_t)tableau->functions + (slope ? (size_t)UnrPhysicsParameters(cache->physics) : 0);
  UnrComplex *symbol;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc1(rows * cache->modes, &to[0]));
  for (int f = 1; f < tableau->functions; f++) to[f] = to[0] + (size_t)f * cache->modes;
  if (slope) c->symbol_par = to[0] + (size_t)tableau->functions * cache->modes;
  PetscCall(PetscMalloc1(cache->modes, &symbol));
  PetscCall(UnrPhysicsSymbol(cache->physics, par, symbol, slope ? c->symbol_par : NULL));
  for (size_t m = 0; m < cache->modes; m++) {
    UnrComplex phi[UNR_ETDRK_NODES][UNR_PHI_MAX + 1];

    for (int n = 0; n < UNR_ETDRK_NODES; n++)
      UnrPhi(UNR_PHI_MAX, UnrEtdrkNodeValue[n] * dt * symbol[m], phi[n]);
    for (int f = 0; f < tableau->functions; f++) {
      const double scale = tableau->function[f][0].k ? dt : 1;

      to[f][m] =
          slope ? scale * dt * Slope(tableau->function[f], phi) : scale * Value(tableau->function[f], phi);
    }
  }
  PetscCall(PetscFree(symbol));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Room for one entry more, at the end: the least recently used gives way, unless this call uses it. */
static PetscErrorCode MakeRoom(UnrEtdrkCache cache)
{
  const size_t bytes = 2 * (size_t)cache->tableau->functions * cache->modes * sizeof(UnrComplex);
  PetscInt oldest = 0;

  PetscFunctionBeginUser;
  if (cache->entries > 0 && (size_t)cache->entries * bytes > spare_bytes) {
    for (PetscInt i = 1; i < cache->entries; i++) {
      if (cache->entry[i]->used < cache->entry[oldest]->used) oldest = i;
    }
    if (cache->entry[oldest]->used < cache->calls) {
      PetscCall(EntryDestroy(&cache->entry[oldest]));
      cache->entry[oldest] = cache->entry[--cache->entries];
    }
  }
  if (cache->entries == cache->room) {
    cache->room = 2 * cache->room + 8;
    PetscCall(PetscRealloc((size_t)cache->room * sizeof(Entry *), &cache->entry));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode FindOrMake(UnrEtdrkCache cache, const double par[], double dt, Entry **entry)
{
  const PetscInt parameters = UnrPhysicsParameters(cache->physics);
  const size_t key_bytes = (size_t)cache->key_numbers * sizeof(double);

  PetscFunctionBeginUser;
  PetscCall(PetscArraycpy(cache->key, par, parameters));
  PetscCall(UnrPhysicsLength(cache->physics, par, cache->key + parameters));
  cache->key[cache->key_numbers - 1] = dt;
  for (PetscInt i = 0; i < cache->entries; i++) {
    *entry = cache->entry[i];
    if (!memcmp((*entry)->key, cache->key, key_bytes)) PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(MakeRoom(cache));
  PetscCall(PetscNew(entry));
  PetscCall(PetscMalloc1(cache->key_numbers, &(*entry)->key));
  PetscCall(PetscArraycpy((*entry)->key, cache->key, cache->key_numbers));
  PetscCall(Evaluate(cache, par, dt, false, *entry));
  cache->entry[cache->entries++] = *entry;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrEtdrkCacheGet(UnrEtdrkCache cache, PetscInt samples, const double par[], double dt,
                                bool want_slope, const UnrEtdrkCoefficients *const **of)
{
  PetscFunctionBeginUser;
  if (samples > cache->of_room) {
    cache->of_room = samples;
    PetscCall(PetscRealloc((size_t)samples * sizeof(*cache->of), &cache->of));
  }
  cache->calls++;
  for (PetscInt s = 0; s < samples; s++) {
    const double *par_s = par + s * UnrPhysicsParameters(cache->physics);
    Entry *entry;

    PetscCall(FindOrMake(cache, par_s, dt, &entry));
    entry->used = cache->calls;
    if (want_slope && !entry->coefficients.slope[0]) PetscCall(Evaluate(cache, par_s, dt, true, entry));
    cache->of[s] = &entry->coefficients;
  }
  *of = cache->of;
  PetscFunctionReturn(PETSC_SUCCESS);
}
