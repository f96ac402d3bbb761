/* Networks of this build: a line names its file and its table UnrNetOps_<second>.  meson.build reads this. */
UNR_NET(resnet, ResNet)
UNR_NET(cnn, CNN)
