/* Convolution engines: a line names its file and its table UnrEngineOps_<second>.  meson.build reads this. */
UNR_ENGINE_FIRST(ref, Ref)
UNR_ENGINE(simd, SIMD)
#ifdef UNR_HAVE_ONEDNN
UNR_ENGINE(onednn, OneDNN)
#endif
