/*
  Layers on tiles: convolution (layer/conv.h; weights packed once per change) and activation
  (layer/activation.h), each forward with its reverse.  The net's executor calls them; halos are the
  executor's business.
*/
#pragma once

#include "core/options.h"
#include "layer/activation.h"
#include "layer/conv.h"

PetscErrorCode UnrLayerRegister(void);
/* The kernels chosen by -layer_engine and -layer_isa; a user error names what there is. */
PetscErrorCode UnrLayerKernels(UnrPrecision precision, const UnrConvKernels **kernels);
