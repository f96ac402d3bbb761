/* Which windows make a batch: a function of (seed, epoch, batch), computed where it is asked for. */
#include "dataset/sampler_impl.h"

#include <stdlib.h>
#include <string.h>
#include "core/permutation.h"

/* Of two trajectories by their parameters; of equals by their number. */
static int CompareParameters(const void *a, const void *b, void *sampler)
{
  const struct UnrSampler_ *s = sampler;
  const PetscInt i = *(const PetscInt *)a, j = *(const PetscInt *)b;

  for (PetscInt p = 0; p < s->parameters; p++) {
    const double x = s->par[i * s->parameters + p], y = s->par[j * s->parameters + p];
    if (x != y) return x < y ? -1 : 1;
  }
  return i < j ? -1 : i > j;
}

static bool HasSameParameters(UnrSampler s, PetscInt i, PetscInt j)
{
  return !memcmp(s->par + i * s->parameters, s->par + j * s->parameters,
                 (size_t)s->parameters * sizeof *s->par);
}

PetscErrorCode UnrSamplerGroup(UnrSampler s, bool is_mixed)
{
  PetscFunctionBeginUser;
  PetscCall(PetscMalloc3(s->trajectories, &s->member, s->trajectories + 1, &s->begin, s->trajectories + 1,
                         &s->batch_begin));
  for (PetscInt t = 0; t < s->trajectories; t++) s->member[t] = t;
  if (!is_mixed) qsort_r(s->member, (size_t)s->trajectories, sizeof *s->member, CompareParameters, s);
  for (PetscInt t = 0; t < s->trajectories; t++)
    if (!t || (!is_mixed && !HasSameParameters(s, s->member[t - 1], s->member[t]))) s->begin[s->groups++] = t;
  s->begin[s->groups] = s->trajectories;
  s->batch_begin[0] = 0;
  for (PetscInt g = 0; g < s->groups; g++) {
    const PetscInt64 windows = (PetscInt64)(s->begin[g + 1] - s->begin[g]) * s->per_trajectory;
    s->batch_begin[g + 1] = s->batch_begin[g] + (windows + s->batch - 1) / s->batch;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscInt64 UnrSamplerWindows(UnrSampler s)
{
  return (PetscInt64)s->trajectories * s->per_trajectory;
}

PetscInt64 UnrSamplerBatches(UnrSampler s)
{
  return s->batch_begin[s->groups];
}

/* The group that unshuffled batch b belongs to. */
static PetscInt GroupOfBatch(UnrSampler s, PetscInt64 b)
{
  PetscInt low = 0, high = s->groups;

  while (high - low > 1) {
    const PetscInt middle = low + (high - low) / 2;
    if (s->batch_begin[middle] <= b)
      low = middle;
    else
      high = middle;
  }
  return low;
}

PetscErrorCode UnrSamplerPlaces(UnrSampler s, PetscInt64 epoch, PetscInt64 batch, PetscInt *samples,
                                UnrPlace place[])
{
  const UnrRng order = {s->seed, UnrRngStream("order of batches", (uint64_t)epoch, 0)};

  PetscFunctionBeginUser;
  PetscCheck(epoch >= 0 && batch >= 0 && batch < UnrSamplerBatches(s), PETSC_COMM_SELF,
             PETSC_ERR_ARG_OUTOFRANGE, "batch %lld of epoch %lld; an epoch has %lld", (long long)batch,
             (long long)epoch, (long long)UnrSamplerBatches(s));
  batch = (PetscInt64)UnrPermute((uint64_t)UnrSamplerBatches(s), order, (uint64_t)batch);
  const PetscInt g = GroupOfBatch(s, batch);
  const UnrRng inside = {s->seed, UnrRngStream("order of windows", (uint64_t)epoch, (uint64_t)g)};
  const PetscInt64 windows = (PetscInt64)(s->begin[g + 1] - s->begin[g]) * s->per_trajectory;
  const PetscInt64 first = (batch - s->batch_begin[g]) * s->batch;
  *samples = (PetscInt)PetscMin((PetscInt64)s->batch, windows - first);
  for (PetscInt i = 0; i < *samples; i++) {
    const PetscInt64 window = (PetscInt64)UnrPermute((uint64_t)windows, inside, (uint64_t)(first + i));
    place[i] = (UnrPlace){s->member[s->begin[g] + (PetscInt)(window / s->per_trajectory)],
                          s->first + (PetscInt)(window % s->per_trajectory)};
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
