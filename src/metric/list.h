/* Metrics of this build: a line names its file and its table UnrMetricOps_<second>.  meson.build reads this.
 */
UNR_METRIC(rel, Rel)
UNR_METRIC(one_frame, OneFrame)
UNR_METRIC(mse, MSE)
UNR_METRIC(correlation, Correlation)
UNR_METRIC(residual, Residual)
UNR_METRIC(divergence_time, DivergenceTime)
UNR_METRIC(label, Label)
