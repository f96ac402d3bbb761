/* Models of this build: a line names its file and its table UnrModelOps_<second>.  meson.build reads this. */
UNR_MODEL(predict, Predict)
UNR_MODEL(predict_residual, PredictResidual)
UNR_MODEL(correct_parallel, CorrectParallel)
UNR_MODEL(correct_sequential, CorrectSequential)
UNR_MODEL(transition, Transition)
UNR_MODEL(solver, Solver)
