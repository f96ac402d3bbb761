/*
  A network N(u, c): batches of doubles in and out, channels-last tiles of -net_precision inside.

  Input channels: the state's components, then fields that the physics makes from the state (diagnostics),
  both normalised, then the constant channels c (parameters of the sample or their reciprocals, scaled).
  Constants of normalisation belong to the net and are stored with the model.  theta is one flat array of the
  net's precision with named views.  vjp ADDS; u_bar, par_bar, theta_bar may be NULL; par_bar and theta_bar
  are this rank's part.
*/
#pragma once

#include "core/tape.h"
#include "layer/layer.h"
#include "physics/physics.h"

typedef struct UnrNet_ *UnrNet;

PetscErrorCode UnrNetRegister(void);
/* Calls visit for every network of this build. */
PetscErrorCode UnrNetList(UnrPluginVisit visit, void *context);
/* Before a grid exists: what -net_type with its options asks of the layout. */
PetscErrorCode UnrNetDescribe(int dim, UnrNeeds *needs);
/* From the state's components to as many.  Weights are drawn from -seed_weights, the same on every layout. */
PetscErrorCode UnrNetCreate(UnrPhysics physics, UnrNet *net);
PetscErrorCode UnrNetDestroy(UnrNet *net);
const char *UnrNetName(UnrNet net);
UnrPrecision UnrNetPrecision(UnrNet net);
size_t UnrNetParameters(UnrNet net);
/*
  Floating-point operations of the convolutions for one sample on the whole grid, a multiply-add counting two:
  forward; and of those that read the input.  The reverse takes twice the forward's, and one of the input's
  less where nobody wants its cotangent.
*/
void UnrNetFlops(UnrNet net, double *forward, double *input);
PetscInt UnrNetComponents(UnrNet net); /* of the state */
PetscInt UnrNetFields(UnrNet net);     /* of the state and of the diagnostics */
/* The flat weights, owned by the net; after writing to them call UnrNetThetaChanged. */
PetscErrorCode UnrNetTheta(UnrNet net, void **theta);
PetscErrorCode UnrNetThetaChanged(UnrNet net);
/* View i: its name ("block0.conv0.weight"), shape (rank numbers), first number; name NULL past the last. */
PetscErrorCode UnrNetView(UnrNet net, PetscInt i, const char **name, PetscInt *rank, PetscInt shape[5],
                          size_t *offset);
/* Kinked activations become tanh (or back): for Taylor and difference tests. */
PetscErrorCode UnrNetSmooth(UnrNet net, bool smooth);

/*
  Constants of normalisation, mean and std [field], scale [component]: the net sees (u - mean) / std, the
  diagnostics likewise, and gives scale * N.
  Defaults 0, 1, 1.  Copied; any of the three may be NULL: unchanged.  Get: borrowed, lives with the net.
*/
PetscErrorCode UnrNetNormalisationSet(UnrNet net, const double mean[], const double std[],
                                      const double scale[]);
PetscErrorCode UnrNetNormalisationGet(UnrNet net, const double *mean[], const double *std[],
                                      const double *scale[]);

PetscErrorCode UnrNetApply(UnrNet net, const double par[], UnrBatch u, UnrBatch out, UnrTape tape);
PetscErrorCode UnrNetJvp(UnrNet net, const double par[], UnrBatch u, UnrBatch u_dot, const double par_dot[],
                         const void *theta_dot, UnrBatch out, UnrBatch out_dot);
PetscErrorCode UnrNetVjp(UnrNet net, const double par[], UnrTape tape, UnrBatch out_bar, UnrBatch u_bar,
                         double par_bar[], void *theta_bar);
