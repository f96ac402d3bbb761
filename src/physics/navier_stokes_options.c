/* The incompressible Navier-Stokes equations: their options. */
#include "physics/navier_stokes.h"

#include <float.h>

const UnrOption UnrNavierStokesOptions[] = {
    {"-physics_navier_stokes_viscosity", UNR_REAL, "0.01", 0, DBL_MAX, "length^2/time", "kinematic viscosity",
     NULL},
    {"-physics_navier_stokes_forcing_amplitude", UNR_REAL, "1", 0, 0, NULL,
     "kolmogorov: amplitude of the force (velocity/time); linear: its rate (1/time); low_wavenumber: its "
     "power "
     "(velocity^2/time)",
     NULL},
    {"-physics_navier_stokes_drag", UNR_REAL, "0", 0, DBL_MAX, "1/time",
     "linear drag of the velocity, its mean included", NULL},
    {"-physics_navier_stokes_diffusivity", UNR_REAL, "0.01", 0, DBL_MAX, "length^2/time",
     "diffusivity of the tracer", NULL},
    {"-physics_navier_stokes_forcing", UNR_WORD, "none", 0, 0, NULL,
     "force per mass: a steady wave in y along x; proportional to the velocity; of constant power on its "
     "large "
     "scales",
     "none|kolmogorov|linear|low_wavenumber"},
    {"-physics_navier_stokes_forcing_wavenumber", UNR_INT, NULL, 1, 1 << 20, "waves per domain",
     "kolmogorov: of the wave (unset: 6); low_wavenumber: the highest that is forced, per longest side "
     "(unset: "
     "2)",
     NULL},
    {"-physics_navier_stokes_closure", UNR_WORD, "none", 0, 0, NULL,
     "stress of what the grid does not resolve; dynamic_smagorinsky has no adjoint",
     "none|smagorinsky|dynamic_smagorinsky"},
    {"-physics_navier_stokes_smagorinsky_constant", UNR_REAL, "0.17", 0, DBL_MAX, "1",
     "C_s of the closure smagorinsky, nu_t = (C_s Delta)^2 |S|", NULL},
    {"-physics_navier_stokes_tracer", UNR_BOOL, "false", 0, 0, NULL,
     "one more component: a passive scalar, convected and diffused", NULL},
    {"-physics_navier_stokes_dealias", UNR_BOOL, "true", 0, 0, NULL,
     "drop the modes above two thirds from the state and from products", NULL},
    {NULL, UNR_BOOL, NULL, 0, 0, NULL, NULL, NULL},
};
const char *const UnrNavierStokesParameters[] = {"-physics_navier_stokes_viscosity",
                                                 "-physics_navier_stokes_forcing_amplitude",
                                                 "-physics_navier_stokes_drag",
                                                 "-physics_navier_stokes_diffusivity",
                                                 "-physics_navier_stokes_smagorinsky_constant",
                                                 NULL};
