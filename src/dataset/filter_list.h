/* Filters of this build: a line names its file and its table UnrFilterOps_<second>.  meson.build reads this.
 */
UNR_FILTER(spectral, Spectral)
UNR_FILTER(volume, Volume)
