/* Start states of this build: a line names its file and its table UnrStartOps_<second>.  meson.build reads this. */
