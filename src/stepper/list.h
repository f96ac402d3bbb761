/* Steppers of this build: a line names its file and its table UnrStepperOps_<second>.  meson.build reads
 * this. */
UNR_STEPPER(etdrk, ETDRK)
UNR_STEPPER(rk, RK)
UNR_STEPPER(ts, TS)
