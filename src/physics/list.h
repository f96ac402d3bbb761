/* Physics of this build: a line names its file and its table UnrPhysicsOps_<second>.  meson.build reads this. */
UNR_PHYSICS(ks_spectral, KSSpectral)
UNR_PHYSICS(burgers_spectral, BurgersSpectral)
UNR_PHYSICS(kdv_spectral, KdVSpectral)
UNR_PHYSICS(swift_hohenberg_spectral, SwiftHohenbergSpectral)
UNR_PHYSICS(navier_stokes_spectral, NavierStokesSpectral)
UNR_PHYSICS(ks_fd, KSFD)
UNR_PHYSICS(burgers_fv, BurgersFV)
