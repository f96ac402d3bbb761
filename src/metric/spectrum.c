/* The energy spectrum, mean over the frames: are all scales as strong as those of the reference? */
#include "metric/metric_impl.h"

#define NOTHING 1e-12 /* of the reference's energy: shells below it are rounding */

/* Mean over the shells that the reference fills, but that of the mean flow, of the distance in decades. */
static void UnrMetricFinish_Spectrum(const UnrMetricRecord *record, double series[], double *value)
{
  const double *ours = record->spectrum[UNR_METRIC_OURS], *theirs = record->spectrum[UNR_METRIC_REFERENCE];
  double all = 0, sum = 0;
  PetscInt filled = 0;

  (void)series;
  for (PetscInt s = 0; s < record->shells; s++) all += theirs[s];
  for (PetscInt s = 1; s < record->shells; s++) {
    if (!(theirs[s] > NOTHING * all)) continue;
    sum += fabs(log10(fmax(ours[s], NOTHING * all) / theirs[s]));
    filled++;
  }
  *value = filled && !isnan(ours[0]) ? sum / (double)filled : NAN;
}

const UnrMetricOps UnrMetricOps_Spectrum = {
    .name = "spectrum",
    .summary = "energy by shell, mean of the frames; mean distance of its logarithm from the reference's",
    .value_name = "spectrum_error",
    .goes_on = true,
    .is_spectrum = true,
    .finish = UnrMetricFinish_Spectrum,
};
