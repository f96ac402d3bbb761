/*
  One node of a network, y = f( conv(x) + skip ): forward, reverse, tangent.  Maths: docs/method/network.md

  A tile's ghosts are filled once, when it is made, as wide as its readers need; kept in the tape with them,
  it needs no exchange for the gradient of the weights.  In reverse the cotangent's ghosts are filled instead.
*/
#include "core/event.h"
#include "net/net_impl.h"

static const void *Bias(UnrNet net, const void *theta, const UnrNetLayer *layer)
{
  return (const char *)theta + layer->bias * UnrPrecisionBytes(net->precision);
}

static const UnrNetTile *Skip(UnrNet net, const UnrNetNode *node)
{
  return node->skip == UNR_NET_NO_TILE ? NULL : &net->tile[node->skip];
}

PetscErrorCode UnrNetFillGhosts(UnrNet net, PetscInt width, const UnrTileShape *shape, void *data)
{
  PetscFunctionBeginUser;
  if (!width) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(UnrEventBegin(UNR_EVENT_NET_HALO));
  PetscCall(UnrHaloExchange(net->halo[width], shape, data));
  PetscCall(UnrEventEnd(UNR_EVENT_NET_HALO));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* y = f( conv(x) + bias + skip ), ghosts of y filled. */
PetscErrorCode UnrNetNodeForward(UnrNet net, PetscInt i)
{
  const UnrNetNode *node = &net->node[i];
  const UnrNetTile *x = &net->tile[node->x], *y = &net->tile[i + 1], *skip = Skip(net, node);
  const UnrActivation f = net->smoothed;
  UnrConvEpilogue e = {.slope = 1};

  PetscFunctionBeginUser;
  if (node->projection.conv) {
    e.bias = Bias(net, net->theta.data, &node->projection);
    PetscCall(UnrConvForward(node->projection.conv, &skip->shape, skip->y, &e, &y->shape, y->z));
    e.add = y->z;
  } else if (skip) {
    e.add = skip->y;
  }
  e.bias = Bias(net, net->theta.data, &node->main);
  if (node->is_activated && f.ops->is_fused) e.slope = f.slope;
  PetscCall(
      UnrConvForward(node->main.conv, &x->shape, x->y, &e, &y->shape, node->is_activated ? y->z : y->y));
  if (node->is_activated && !f.ops->is_fused) PetscCall(UnrActivationForward(f, &y->shape, y->z, y->y));
  PetscCall(UnrNetFillGhosts(net, y->width, &y->shape, y->y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Reverse of  conv(x)  for the data: x_bar = conv^T(z_bar) [+ x_bar] [f'], ghosts of z_bar filled. */
static PetscErrorCode LayerReverseData(UnrNet net, UnrConv conv, const UnrNetTile *z, const void *z_bar,
                                       const UnrNetTile *x, bool adds, bool completes, void *x_bar)
{
  const UnrActivation f = net->smoothed;
  const bool is_activated = completes && x->is_activated;
  UnrConvEpilogue e = {.slope = 1};

  PetscFunctionBeginUser;
  if (adds) e.add = x_bar;
  if (is_activated && f.ops->is_fused) {
    e.mask = x->y;
    e.slope = f.slope;
  }
  PetscCall(UnrConvReverseData(conv, &z->shape, z_bar, &e, &x->shape, x_bar));
  if (is_activated && !f.ops->is_fused)
    PetscCall(UnrActivationReverse(f, &x->shape, UnrNetSaved(net, x), NULL, x_bar));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Reverse of  conv(x) + bias  for the weights. */
static PetscErrorCode LayerReverseWeights(UnrNet net, const UnrNetLayer *layer, const UnrNetTile *x,
                                          const UnrNetTile *z, const void *z_bar, void *theta_bar)
{
  const size_t bytes = UnrPrecisionBytes(net->precision);

  PetscFunctionBeginUser;
  PetscCall(UnrConvReverseWeights(layer->conv, &x->shape, x->y, &z->shape, z_bar,
                                  (char *)theta_bar + layer->weight * bytes,
                                  (char *)theta_bar + layer->bias * bytes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Reverse of  z + skip, y = f(z):  the skip's part.  Where its slot is z_bar's, it is there already. */
static PetscErrorCode SkipReverse(UnrNet net, const UnrNetNode *node, const UnrNetTile *z, const void *z_bar)
{
  const UnrNetTile *skip = &net->tile[node->skip];
  void *skip_bar = UnrNetSlot(net, node->skip_bar);

  PetscFunctionBeginUser;
  if (node->projection.conv) {
    PetscCall(LayerReverseData(net, node->projection.conv, z, z_bar, skip, node->skip_adds,
                               node->skip_completes, skip_bar));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (node->skip_adds) PetscCall(UnrSkipReverse(&skip->shape, z_bar, skip_bar));
  if (node->skip_completes && skip->is_activated) {
    PetscCall(UnrActivationReverse(net->smoothed, &skip->shape, UnrNetSaved(net, skip), NULL, skip_bar));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Reverse of UnrNetNodeForward().  The cotangent of y is complete and has f' in it already: it is z_bar, the
  cotangent of z = conv(x) + skip.  Whoever completes a tile's cotangent multiplies by that tile's f', mostly
  in the convolution's epilogue.
*/
PetscErrorCode UnrNetNodeReverse(UnrNet net, PetscInt i, bool wants_input, void *theta_bar)
{
  const UnrNetNode *node = &net->node[i];
  const UnrNetTile *x = &net->tile[node->x], *z = &net->tile[i + 1];
  char *z_bar = UnrNetSlot(net, node->y_bar);
  const bool has_skip = node->skip != UNR_NET_NO_TILE;

  PetscFunctionBeginUser;
  if (theta_bar) {
    PetscCall(LayerReverseWeights(net, &node->main, x, z, z_bar, theta_bar));
    if (node->projection.conv) {
      PetscCall(LayerReverseWeights(net, &node->projection, &net->tile[node->skip], z, z_bar, theta_bar));
    }
  }
  if (node->x > 0 || wants_input) {
    PetscCall(UnrNetFillGhosts(net, node->main.conv->width, &z->shape, z_bar));
    PetscCall(LayerReverseData(net, node->main.conv, z, z_bar, x, node->x_adds, node->x_completes,
                               UnrNetSlot(net, node->x_bar)));
  }
  if (has_skip && (node->skip > 0 || wants_input)) PetscCall(SkipReverse(net, node, z, z_bar));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Tangent of UnrNetNodeForward(), before it: z_dot = conv(x_dot) + skip_dot + conv_dot(x) + bias_dot. */
PetscErrorCode UnrNetNodeTangent(UnrNet net, PetscInt i, const void *theta_dot)
{
  const UnrNetNode *node = &net->node[i];
  const UnrNetTile *x = &net->tile[node->x], *y = &net->tile[i + 1], *skip = Skip(net, node);
  char *z_dot = UnrNetSlot(net, net->slots_forward + y->slot);
  const char *skip_dot = skip ? UnrNetSlot(net, net->slots_forward + skip->slot) : NULL;
  UnrConvEpilogue e = {.slope = 1};

  PetscFunctionBeginUser;
  if (node->projection.conv) {
    PetscCall(UnrConvForward(node->projection.conv, &skip->shape, skip_dot, &e, &y->shape, z_dot));
    skip_dot = z_dot;
  }
  e.add = skip_dot;
  PetscCall(UnrConvForward(node->main.conv, &x->shape, UnrNetSlot(net, net->slots_forward + x->slot), &e,
                           &y->shape, z_dot));
  if (!theta_dot) PetscFunctionReturn(PETSC_SUCCESS);
  e.add = z_dot;
  e.bias = Bias(net, theta_dot, &node->main);
  PetscCall(UnrConvForward(node->main.conv_dot, &x->shape, x->y, &e, &y->shape, z_dot));
  if (node->projection.conv) {
    e.bias = Bias(net, theta_dot, &node->projection);
    PetscCall(UnrConvForward(node->projection.conv_dot, &skip->shape, skip->y, &e, &y->shape, z_dot));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
