/* theta: one flat array with named views; its first values; its packing for the engines. */
#include "core/rng.h"
#include "core/seed.h"
#include "net/net_impl.h"

#include <math.h>

/*
  UnrNetAddView - the next numbers of theta get a name.     Local.
  In      layer, what   the name is layer.what
          fan_in        taps x input channels: values start uniform in +-1/sqrt(fan_in), PyTorch's default
  Out     offset        number in theta where it begins
*/
PetscErrorCode UnrNetAddView(UnrNet net, const char *layer, const char *what, PetscInt rank,
                             const PetscInt shape[], PetscInt fan_in, size_t *offset)
{
  UnrNetViewData *view;
  int length;

  PetscFunctionBeginUser;
  PetscCall(PetscRealloc(sizeof(*view) * (size_t)(net->views + 1), &net->view));
  view = &net->view[net->views++];
  *view = (UnrNetViewData){
      .rank = rank, .offset = net->parameters, .bound = 1 / sqrt((double)fan_in), .numbers = 1};
  length = snprintf(view->name, sizeof(view->name), "%s.%s", layer, what);
  PetscCheck(length < (int)sizeof(view->name), PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ, "%s.%s is too long a name",
             layer, what);
  for (PetscInt a = 0; a < rank; a++) {
    view->shape[a] = shape[a];
    view->numbers *= (size_t)shape[a];
  }
  net->parameters += view->numbers;
  *offset = view->offset;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  UnrNetThetaDraw - the first weights.     Collective on the world.
  A number depends on -seed_weights, its view's name and its place there: not on ranks.  Singles are
  rounded doubles.
  Source  PyTorch's Conv1d and Conv2d defaults: weights and biases uniform, +-1/sqrt(fan_in)
*/
PetscErrorCode UnrNetThetaDraw(UnrNet net)
{
  UnrRng rng;

  PetscFunctionBeginUser;
  PetscCall(UnrSeedGet("weights", &rng.seed));
  PetscCall(
      UnrBlockReserve(&net->theta, (net->parameters + UNR_TILE_SLACK) * UnrPrecisionBytes(net->precision)));
  for (PetscInt v = 0; v < net->views; v++) {
    const UnrNetViewData *view = &net->view[v];

    rng.stream = UnrRngStream(view->name, 0, 0);
    for (size_t j = 0; j < view->numbers; j++) {
      const double value = view->bound * (2 * UnrRngUniform(rng, j) - 1);
      if (net->precision == UNR_SINGLE)
        ((float *)net->theta.data)[view->offset + j] = (float)value;
      else
        ((double *)net->theta.data)[view->offset + j] = value;
    }
  }
  net->is_packed = net->is_packed_reverse = false;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const void *Weights(UnrNet net, const void *theta, size_t number)
{
  return (const char *)theta + number * UnrPrecisionBytes(net->precision);
}

/* UnrNetPack - weights for the forward, if they changed.     Local. */
PetscErrorCode UnrNetPack(UnrNet net)
{
  PetscFunctionBeginUser;
  for (PetscInt i = 0; i < net->nodes && !net->is_packed; i++) {
    const UnrNetLayer *main = &net->node[i].main, *projection = &net->node[i].projection;

    PetscCall(UnrConvPack(main->conv, Weights(net, net->theta.data, main->weight)));
    if (projection->conv)
      PetscCall(UnrConvPack(projection->conv, Weights(net, net->theta.data, projection->weight)));
  }
  net->is_packed = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* UnrNetPackReverse - weights for the reverse of the data, if they changed.     Local. */
PetscErrorCode UnrNetPackReverse(UnrNet net)
{
  PetscFunctionBeginUser;
  for (PetscInt i = 0; i < net->nodes && !net->is_packed_reverse; i++) {
    const UnrNetLayer *main = &net->node[i].main, *projection = &net->node[i].projection;

    PetscCall(UnrConvPackReverse(main->conv, Weights(net, net->theta.data, main->weight)));
    if (projection->conv) {
      PetscCall(UnrConvPackReverse(projection->conv, Weights(net, net->theta.data, projection->weight)));
    }
  }
  net->is_packed_reverse = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The layer's convolution with tangent weights. */
static PetscErrorCode PackDot(UnrNet net, UnrNetLayer *layer, const void *theta_dot)
{
  const UnrConv conv = layer->conv;

  PetscFunctionBeginUser;
  if (!layer->conv_dot) {
    PetscCall(UnrConvCreate(net->kernels, net->precision, net->grid->dim, conv->kernel[2], conv->in,
                            conv->out, &layer->conv_dot));
  }
  PetscCall(UnrConvPack(layer->conv_dot, Weights(net, theta_dot, layer->weight)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* UnrNetPackDot - weights of a tangent, on every jvp that has one.     Local. */
PetscErrorCode UnrNetPackDot(UnrNet net, const void *theta_dot)
{
  PetscFunctionBeginUser;
  for (PetscInt i = 0; i < net->nodes; i++) {
    PetscCall(PackDot(net, &net->node[i].main, theta_dot));
    if (net->node[i].projection.conv) PetscCall(PackDot(net, &net->node[i].projection, theta_dot));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrNetTheta(UnrNet net, void **theta)
{
  PetscFunctionBeginUser;
  *theta = net->theta.data;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrNetThetaChanged(UnrNet net)
{
  PetscFunctionBeginUser;
  net->is_packed = net->is_packed_reverse = false;
  PetscFunctionReturn(PETSC_SUCCESS);
}

size_t UnrNetParameters(UnrNet net)
{
  return net->parameters;
}

PetscErrorCode UnrNetView(UnrNet net, PetscInt i, const char **name, PetscInt *rank, PetscInt shape[5],
                          size_t *offset)
{
  PetscFunctionBeginUser;
  *name = NULL;
  if (i < 0 || i >= net->views) PetscFunctionReturn(PETSC_SUCCESS);
  *name = net->view[i].name;
  *rank = net->view[i].rank;
  *offset = net->view[i].offset;
  for (PetscInt a = 0; a < *rank; a++) shape[a] = net->view[i].shape[a];
  PetscFunctionReturn(PETSC_SUCCESS);
}
