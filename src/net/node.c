/*
  One node of a network, y = f( conv(x) + skip ): forward, reverse, tangent.  Maths: docs/method/network.md

  A tile's ghosts are filled once, when it is made, as wide as its readers need; kept in the tape with them,
  it needs no exchange for the gradient of the weights.  In reverse the cotangent's ghosts are filled instead
  where halos go per layer on a periodic domain; else x's cotangent gets ghosts, and the fill of x is
  transposed.
*/
#include "net/net_impl.h"

static const void *Bias(UnrNet net, const void *theta, const UnrNetLayer *layer)
{
  return (const char *)theta + layer->bias * UnrPrecisionBytes(net->precision);
}

static const UnrNetTile *Skip(UnrNet net, const UnrNetNode *node)
{
  return node->skip == UNR_NET_NO_TILE ? NULL : &net->tile[node->skip];
}

/* A layer from tile x to tile y, where y is computed. */
static PetscErrorCode LayerForward(UnrNet net, UnrConv conv, const UnrNetTile *x, const void *x_data,
                                   const UnrConvEpilogue *e, const UnrNetTile *y, void *y_data)
{
  const UnrTileShape from = UnrNetRegion(net, x, y->reach, 0), to = UnrNetRegion(net, y, y->reach, 0);

  PetscFunctionBeginUser;
  PetscCall(UnrConvForward(conv, &from, x_data, e, &to, y_data));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same on a box of cells, counted from the block's first. */
static PetscErrorCode BoxForward(UnrConv conv, const UnrNetTile *x, const UnrConvEpilogue *e,
                                 const UnrNetTile *y, const PetscInt first[UNR_MAX_DIM],
                                 const PetscInt count[UNR_MAX_DIM], void *z)
{
  const UnrTileShape from = UnrTileShapeBox(&x->shape, first, count),
                     to = UnrTileShapeBox(&y->shape, first, count);

  PetscFunctionBeginUser;
  PetscCall(UnrConvForward(conv, &from, x->y, e, &to, z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  LayerForward() while x's ghosts are on their way: first what reads none of them, then the rim, in two slabs
  an axis.  The same bits: a pixel's sum does not depend on its neighbours.
*/
static PetscErrorCode PendingForward(UnrNet net, UnrConv conv, const UnrNetTile *x, const UnrConvEpilogue *e,
                                     const UnrNetTile *y, void *z)
{
  const UnrTileShape all = UnrNetRegion(net, y, y->reach, 0);
  PetscInt first[UNR_MAX_DIM], count[UNR_MAX_DIM], inner[UNR_MAX_DIM], cells[UNR_MAX_DIM];
  bool has_inner = true;

  PetscFunctionBeginUser;
  for (int a = 0; a < UNR_MAX_DIM; a++) {
    first[a] = -(all.count[a] - y->shape.count[a]) / 2;
    count[a] = all.count[a];
    inner[a] = net->is_divided[a] ? conv->width : first[a];
    cells[a] = net->is_divided[a] ? y->shape.count[a] - 2 * conv->width : count[a];
    has_inner = has_inner && cells[a] > 0;
  }
  if (has_inner) PetscCall(BoxForward(conv, x, e, y, inner, cells, z));
  PetscCall(UnrNetGhostsEnd(net));
  if (!has_inner) PetscCall(BoxForward(conv, x, e, y, first, count, z));
  for (int a = 0; a < UNR_MAX_DIM && has_inner; a++) {
    const PetscInt low = first[a], high = first[a] + count[a], end = inner[a] + cells[a];

    count[a] = inner[a] - low;
    if (count[a]) PetscCall(BoxForward(conv, x, e, y, first, count, z));
    first[a] = end;
    count[a] = high - end;
    if (count[a]) PetscCall(BoxForward(conv, x, e, y, first, count, z));
    first[a] = inner[a];
    count[a] = cells[a];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* f', the derivative of the activation that made a tile, times `bar`, where the tile is computed. */
static PetscErrorCode ActivationReverse(UnrNet net, const UnrNetTile *tile, void *bar)
{
  const UnrTileShape region = UnrNetRegion(net, tile, tile->reach, 0);

  PetscFunctionBeginUser;
  PetscCall(UnrActivationReverse(net->smoothed, &region, UnrNetSaved(net, tile), NULL, bar));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* y = f( conv(x) + bias + skip ), ghosts of y filled or under way. */
PetscErrorCode UnrNetNodeForward(UnrNet net, PetscInt i)
{
  const UnrNetNode *node = &net->node[i];
  const UnrNetTile *x = &net->tile[node->x], *y = &net->tile[i + 1], *skip = Skip(net, node);
  const UnrActivation f = net->smoothed;
  UnrConvEpilogue e = {.slope = 1};
  void *z = node->is_activated ? y->z : y->y;

  PetscFunctionBeginUser;
  if (skip && y->reach) PetscCall(UnrNetGhostsEnd(net)); /* ghosts of the skip are read, too */
  if (node->projection.conv) {
    e.bias = Bias(net, net->theta.data, &node->projection);
    PetscCall(LayerForward(net, node->projection.conv, skip, skip->y, &e, y, y->z));
    e.add = y->z;
  } else if (skip) {
    e.add = skip->y;
  }
  e.bias = Bias(net, net->theta.data, &node->main);
  if (node->is_activated && f.ops->is_fused) e.slope = f.slope;
  if (net->pending.halo && net->pending.data == x->y)
    PetscCall(PendingForward(net, node->main.conv, x, &e, y, z));
  else
    PetscCall(LayerForward(net, node->main.conv, x, x->y, &e, y, z));
  if (node->is_activated && !f.ops->is_fused) {
    const UnrTileShape region = UnrNetRegion(net, y, y->reach, 0);

    PetscCall(UnrActivationForward(f, &region, y->z, y->y));
  }
  PetscCall(UnrNetGhostsBegin(net, y->fill, &y->shape, y->y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Reverse of  conv(x)  for the data: x_bar = conv^T(z_bar) [+ x_bar] [f'], ghosts of z_bar filled. */
static PetscErrorCode GatherReverse(UnrNet net, UnrConv conv, const UnrNetTile *z, const void *z_bar,
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
  if (is_activated && !f.ops->is_fused) PetscCall(ActivationReverse(net, x, x_bar));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The last part of a tile's cotangent is there: its ghosts' go home, f'.  Where cotangents have ghosts. */
static PetscErrorCode Complete(UnrNet net, const UnrNetTile *x, void *x_bar)
{
  PetscFunctionBeginUser;
  PetscCall(UnrNetGhostsReduce(net, x, x_bar));
  if (x->is_activated) PetscCall(ActivationReverse(net, x, x_bar));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Reverse of  conv(x)  for the data, z_bar being zero beyond where z was computed: x_bar with its ghosts. */
static PetscErrorCode ScatterReverse(UnrNet net, UnrConv conv, const UnrNetTile *z, const void *z_bar,
                                     const UnrNetTile *x, bool adds, bool completes, void *x_bar)
{
  const UnrTileShape from = UnrNetRegion(net, z, z->reach, conv->width),
                     to = UnrNetRegion(net, x, z->reach, conv->width);
  UnrConvEpilogue e = {.slope = 1};

  PetscFunctionBeginUser;
  if (adds)
    e.add = x_bar;
  else
    UnrTileZeroAround(&x->shape, &to, x_bar);
  PetscCall(UnrConvReverseData(conv, &from, z_bar, &e, &to, x_bar));
  if (completes) PetscCall(Complete(net, x, x_bar));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LayerReverseData(UnrNet net, UnrConv conv, const UnrNetTile *z, const void *z_bar,
                                       const UnrNetTile *x, bool adds, bool completes, void *x_bar)
{
  PetscFunctionBeginUser;
  PetscCall((net->gathers ? GatherReverse : ScatterReverse)(net, conv, z, z_bar, x, adds, completes, x_bar));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Reverse of  conv(x) + bias  for the weights. */
static PetscErrorCode LayerReverseWeights(UnrNet net, const UnrNetLayer *layer, const UnrNetTile *x,
                                          const UnrNetTile *z, const void *z_bar, void *theta_bar)
{
  const size_t bytes = UnrPrecisionBytes(net->precision);
  const UnrTileShape from = UnrNetRegion(net, x, z->reach, 0), to = UnrNetRegion(net, z, z->reach, 0);

  PetscFunctionBeginUser;
  PetscCall(UnrConvReverseWeights(layer->conv, &from, x->y, &to, z_bar,
                                  (char *)theta_bar + layer->weight * bytes,
                                  (char *)theta_bar + layer->bias * bytes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Reverse of  z + skip, y = f(z):  the skip's part.  Where its slot is z_bar's, it is there already. */
static PetscErrorCode SkipReverse(UnrNet net, const UnrNetNode *node, const UnrNetTile *z, const void *z_bar)
{
  const UnrNetTile *skip = &net->tile[node->skip];
  const UnrTileShape region = UnrNetRegion(net, skip, z->reach, 0);
  void *skip_bar = UnrNetSlot(net, node->skip_bar);

  PetscFunctionBeginUser;
  if (node->projection.conv) {
    PetscCall(LayerReverseData(net, node->projection.conv, z, z_bar, skip, node->skip_adds,
                               node->skip_completes, skip_bar));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (node->skip_adds) PetscCall(UnrSkipReverse(&region, z_bar, skip_bar));
  if (!node->skip_completes) PetscFunctionReturn(PETSC_SUCCESS);
  if (!net->gathers)
    PetscCall(Complete(net, skip, skip_bar));
  else if (skip->is_activated)
    PetscCall(ActivationReverse(net, skip, skip_bar));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Reverse of UnrNetNodeForward().  The cotangent of y is complete and has f' in it already: it is z_bar, the
  cotangent of z = conv(x) + skip.  Whoever completes a tile's cotangent multiplies by that tile's f', mostly
  in the convolution's epilogue.  Its ghosts travel while the weights' gradient, which reads none, is made.
*/
PetscErrorCode UnrNetNodeReverse(UnrNet net, PetscInt i, bool wants_input, void *theta_bar)
{
  const UnrNetNode *node = &net->node[i];
  const UnrNetTile *x = &net->tile[node->x], *z = &net->tile[i + 1];
  char *z_bar = UnrNetSlot(net, node->y_bar);
  const bool has_skip = node->skip != UNR_NET_NO_TILE, has_data = node->x > 0 || wants_input;

  PetscFunctionBeginUser;
  if (has_data) PetscCall(UnrNetGhostsBegin(net, node->bar_fill, &z->shape, z_bar));
  if (theta_bar) {
    PetscCall(LayerReverseWeights(net, &node->main, x, z, z_bar, theta_bar));
    if (node->projection.conv) {
      PetscCall(LayerReverseWeights(net, &node->projection, &net->tile[node->skip], z, z_bar, theta_bar));
    }
  }
  PetscCall(UnrNetGhostsEnd(net));
  if (has_data)
    PetscCall(LayerReverseData(net, node->main.conv, z, z_bar, x, node->x_adds, node->x_completes,
                               UnrNetSlot(net, node->x_bar)));
  if (has_skip && (node->skip > 0 || wants_input)) PetscCall(SkipReverse(net, node, z, z_bar));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* UnrNetOutputReverse - y_bar of the last tile: f', and zeros around.     Local. */
PetscErrorCode UnrNetOutputReverse(UnrNet net, void *y_bar)
{
  const UnrNetTile *out = &net->tile[net->nodes];

  PetscFunctionBeginUser;
  if (!net->gathers) UnrTileZeroAround(&out->shape, &out->shape, y_bar);
  if (out->is_activated) PetscCall(ActivationReverse(net, out, y_bar));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* z_dot = conv(x_dot) + skip_dot + conv_dot(x) + bias_dot of node i. */
static PetscErrorCode TangentSum(UnrNet net, PetscInt i, const void *theta_dot, char *z_dot)
{
  const UnrNetNode *node = &net->node[i];
  const UnrNetTile *x = &net->tile[node->x], *y = &net->tile[i + 1], *skip = Skip(net, node);
  const char *skip_dot = skip ? UnrNetSlot(net, net->slots_forward + skip->slot) : NULL;
  UnrConvEpilogue e = {.slope = 1};

  PetscFunctionBeginUser;
  if (node->projection.conv) {
    PetscCall(LayerForward(net, node->projection.conv, skip, skip_dot, &e, y, z_dot));
    skip_dot = z_dot;
  }
  e.add = skip_dot;
  PetscCall(
      LayerForward(net, node->main.conv, x, UnrNetSlot(net, net->slots_forward + x->slot), &e, y, z_dot));
  if (!theta_dot) PetscFunctionReturn(PETSC_SUCCESS);
  e.add = z_dot;
  e.bias = Bias(net, theta_dot, &node->main);
  PetscCall(LayerForward(net, node->main.conv_dot, x, x->y, &e, y, z_dot));
  if (node->projection.conv) {
    e.bias = Bias(net, theta_dot, &node->projection);
    PetscCall(LayerForward(net, node->projection.conv_dot, skip, skip->y, &e, y, z_dot));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* UnrNetNodeForward() with its tangent, whose ghosts are filled too. */
PetscErrorCode UnrNetNodeTangent(UnrNet net, PetscInt i, const void *theta_dot)
{
  const UnrNetTile *y = &net->tile[i + 1];
  char *y_dot = UnrNetSlot(net, net->slots_forward + y->slot);

  PetscFunctionBeginUser;
  PetscCall(UnrNetGhostsEnd(net));
  PetscCall(TangentSum(net, i, theta_dot, y_dot));
  PetscCall(UnrNetNodeForward(net, i));
  if (y->is_activated) PetscCall(ActivationReverse(net, y, y_dot));
  PetscCall(UnrNetGhostsBegin(net, y->fill, &y->shape, y_dot));
  PetscFunctionReturn(PETSC_SUCCESS);
}
