/* model.h5: the weights by name, the constants of normalisation, and the options that describe the network
 * and the model. */
#pragma once

#include "checkpoint/state_file.h"
#include "net/net.h"

extern const UnrOption UnrModelFileOptions[]; /* -model_file */
/*
  UnrModelFileDescribe - options of the model file where the user gave none: -net_... and -model_...;
  before the case is created.     Collective on the world.  No -model_file:
  nothing. Errors  user error where a given option contradicts the file's (but -net_precision: weights are
  converted)
*/
PetscErrorCode UnrModelFileDescribe(void);
/* Reads -model_file, if given, into the net.  Collective on the world. */
PetscErrorCode UnrModelFileLoad(UnrNet net, bool *is_loaded);
/* theta NULL: the net's own weights; else these (the best so far).  Collective on the world. */
PetscErrorCode UnrModelFileWrite(const char *path, UnrNet net, const void *theta);
/* Can its numbers be a net's?  Finite, std above 0.  Local. */
bool UnrModelArrayIsUsable(const UnrArray *array);
/* The arrays of a net for a state file, appended at array[*arrays]: weights under prefix "weights/" from
   theta (flat), and, if `constants`, mean, std and scale.  room: of array. */
PetscErrorCode UnrModelArrays(UnrNet net, const char *prefix, void *theta, bool constants, PetscInt room,
                              PetscInt *arrays, UnrArray array[]);
