/* Losses of this build: a line names its file and its table UnrLossOps_<second>.  meson.build reads this. */
