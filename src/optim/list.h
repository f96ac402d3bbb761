/* Optimisers of this build: a line names its file and its table UnrOptimOps_<second>.  meson.build reads
 * this. */
UNR_OPTIM(adam, Adam)
UNR_OPTIM(adamw, AdamW)
UNR_OPTIM(sgd, SGD)
