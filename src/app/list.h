/* Commands of this build: a line names its file and its table UnrCommand_<second>.  meson.build reads this. */
