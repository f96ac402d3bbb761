/* The viscosity of Burgers' equation: its option. */
#include "physics/burgers_options.h"

#include <float.h>

const UnrOption UnrBurgersOptions[] = {
    {"-physics_burgers_viscosity", UNR_REAL, "0.05", 0, DBL_MAX, "length^2/time",
     "viscosity of Burgers' equation", NULL},
    {"-physics_burgers_dealias", UNR_BOOL, "true", 0, 0, NULL,
     "burgers_spectral: drop the modes above two thirds from the state and from products", NULL},
    {NULL, UNR_BOOL, NULL, 0, 0, NULL, NULL, NULL},
};
const char *const UnrBurgersParameters[] = {"-physics_burgers_viscosity", NULL};
