/* Losses of this build: a line names its file and its table UnrLossOps_<second>.  meson.build reads this. */
UNR_LOSS(mse, MSE)
UNR_LOSS(half_sum, HalfSum)
UNR_LOSS(relative, Relative)
