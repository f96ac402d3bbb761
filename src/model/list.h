/* Models of this build: a line names its file and its table UnrModelOps_<second>.  meson.build reads this. */
