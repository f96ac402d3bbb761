/* For files in this folder only: what the discretisations of Burgers' equation share. */
#pragma once

#include "physics/physics_impl.h"

/* Parameter 0 is the viscosity; lengths are those of -grid_length. */
extern const UnrOption UnrBurgersOptions[];
extern const char *const UnrBurgersParameters[];
