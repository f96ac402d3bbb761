/* The four things that are done with the runs of a list: copy, copy back, add back, zero. */
#include "field/halo_impl.h"

#include <string.h>

static void CopyFloats(size_t n, bool is_negative, const float *restrict from, float *restrict to)
{
  if (!is_negative)
    memcpy(to, from, n * sizeof(float));
  else
    for (size_t i = 0; i < n; i++) to[i] = -from[i];
}

static void CopyDoubles(size_t n, bool is_negative, const double *restrict from, double *restrict to)
{
  if (!is_negative)
    memcpy(to, from, n * sizeof(double));
  else
    for (size_t i = 0; i < n; i++) to[i] = -from[i];
}

static void AddFloats(size_t n, bool is_negative, const float *restrict from, float *restrict to)
{
  if (!is_negative)
    for (size_t i = 0; i < n; i++) to[i] += from[i];
  else
    for (size_t i = 0; i < n; i++) to[i] -= from[i];
}

static void AddDoubles(size_t n, bool is_negative, const double *restrict from, double *restrict to)
{
  if (!is_negative)
    for (size_t i = 0; i < n; i++) to[i] += from[i];
  else
    for (size_t i = 0; i < n; i++) to[i] -= from[i];
}

/* Cells of a run, from number f to number t. */
static void CopyCells(const UnrTileShape *shape, const UnrHaloRun *run, const void *from, size_t f, void *to,
                      size_t t)
{
  const size_t channels = (size_t)shape->channels, n = run->cells * channels;

  if (shape->precision == UNR_SINGLE)
    CopyFloats(n, run->is_negative, (const float *)from + f * channels, (float *)to + t * channels);
  else
    CopyDoubles(n, run->is_negative, (const double *)from + f * channels, (double *)to + t * channels);
}

void UnrHaloCopy(const UnrHaloList *list, PetscInt i, const UnrTileShape *shape, const void *from, void *to)
{
  for (size_t r = list->first_run[i]; r < list->first_run[i + 1]; r++)
    CopyCells(shape, &list->run[r], from, list->run[r].from, to, list->run[r].to);
}

void UnrHaloCopyBack(const UnrHaloList *list, PetscInt i, const UnrTileShape *shape, void *from,
                     const void *to)
{
  for (size_t r = list->first_run[i]; r < list->first_run[i + 1]; r++)
    CopyCells(shape, &list->run[r], to, list->run[r].to, from, list->run[r].from);
}

void UnrHaloAddBack(const UnrHaloList *list, PetscInt i, const UnrTileShape *shape, void *from,
                    const void *to)
{
  const size_t channels = (size_t)shape->channels;

  for (size_t r = list->first_run[i]; r < list->first_run[i + 1]; r++) {
    const UnrHaloRun *run = &list->run[r];
    const size_t f = run->from * channels, t = run->to * channels, n = run->cells * channels;

    if (shape->precision == UNR_SINGLE)
      AddFloats(n, run->is_negative, (const float *)to + t, (float *)from + f);
    else
      AddDoubles(n, run->is_negative, (const double *)to + t, (double *)from + f);
  }
}

void UnrHaloZero(const UnrHaloList *list, PetscInt i, const UnrTileShape *shape, void *to)
{
  const size_t cell = (size_t)shape->channels * UnrPrecisionBytes(shape->precision);

  for (size_t r = list->first_run[i]; r < list->first_run[i + 1]; r++)
    memset((char *)to + list->run[r].to * cell, 0, list->run[r].cells * cell);
}
