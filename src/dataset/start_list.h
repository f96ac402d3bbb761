/* Start states of this build: a line names its file and its table UnrStartOps_<second>.  meson.build reads
 * this. */
UNR_START(random_modes, RandomModes)
UNR_START(cosine, Cosine)
UNR_START(file, File)
UNR_START(taylor_green, TaylorGreen)
UNR_START(spectrum, Spectrum)
