/*
  A network's program: nodes as a plugin adds them, then the plan of its memory.

  The plan is made once.  Forward without a tape, a tile lives in a slot of work memory from its node to its
  last reader; an identity skip read for the last time lends its slot to the sum.  In reverse, cotangents
  live in slots; an identity skip passes its slot on.  Maths: docs/method/network.md
*/
#include "net/net_impl.h"

/* Adds one convolution and its views. */
static PetscErrorCode AddLayer(UnrNet net, const char *name, PetscInt kernel, PetscInt in, PetscInt out,
                               UnrNetLayer *layer)
{
  const int dim = net->grid->dim;
  PetscInt shape[5], taps = 1;

  PetscFunctionBeginUser;
  PetscCall(UnrConvCreate(net->kernels, net->precision, dim, kernel, in, out, &layer->conv));
  for (int a = 0; a < dim; a++) {
    shape[a] = kernel;
    taps *= kernel;
  }
  shape[dim] = in;
  shape[dim + 1] = out;
  PetscCall(UnrNetAddView(net, name, "weight", dim + 2, shape, taps * in, &layer->weight));
  PetscCall(UnrNetAddView(net, name, "bias", 1, &out, taps * in, &layer->bias));
  net->width = PetscMax(net->width, layer->conv->width);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void AddReader(UnrNet net, PetscInt t, UnrConv conv)
{
  net->tile[t].readers++;
  if (conv) net->tile[t].width = PetscMax(net->tile[t].width, conv->width);
}

/*
  UnrNetAddConv - one node, y = f( conv(x) + skip ).     Local.
  In      conv   copied; x and skip are tiles made before
  Out     y      the tile it makes
*/
PetscErrorCode UnrNetAddConv(UnrNet net, const UnrNetConv *c, PetscInt *y)
{
  const PetscInt i = net->nodes;
  UnrNetNode *node;
  UnrNetTile *tile;

  PetscFunctionBeginUser;
  PetscCheck(c->x >= 0 && c->x <= i && c->skip >= UNR_NET_NO_TILE && c->skip <= i, PETSC_COMM_SELF,
             PETSC_ERR_ARG_OUTOFRANGE, "%s reads a tile that nobody made", c->name);
  PetscCall(PetscRealloc(sizeof(*node) * (size_t)(i + 1), &net->node));
  PetscCall(PetscRealloc(sizeof(*tile) * (size_t)(i + 2), &net->tile));
  node = &net->node[i];
  tile = net->tile;
  *node = (UnrNetNode){.x = c->x, .skip = c->skip, .is_activated = c->is_activated};
  if (i == 0) tile[0] = (UnrNetTile){.channels = net->in};
  tile[i + 1] = (UnrNetTile){.channels = c->features, .is_activated = c->is_activated};
  net->nodes = i + 1;
  PetscCall(AddLayer(net, c->name, c->kernel, tile[c->x].channels, c->features, &node->main));
  AddReader(net, c->x, node->main.conv);
  if (c->skip != UNR_NET_NO_TILE) {
    if (c->projection) {
      PetscCall(AddLayer(net, c->projection, 1, tile[c->skip].channels, c->features, &node->projection));
    }
    PetscCheck(c->projection || tile[c->skip].channels == c->features, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ,
               "%s adds a tile of %" PetscInt_FMT " channels to one of %" PetscInt_FMT, c->name,
               tile[c->skip].channels, c->features);
    AddReader(net, c->skip, node->projection.conv);
  }
  *y = i + 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Free slots: a stack of their numbers; `made` counts those that ever were. */
typedef struct {
  PetscInt *free, count, made;
} Slots;

static PetscInt Take(Slots *s)
{
  return s->count ? s->free[--s->count] : s->made++;
}
static void Give(Slots *s, PetscInt slot)
{
  s->free[s->count++] = slot;
}

/* Slots of the tiles when no tape keeps them. */
static void PlanForward(UnrNet net, PetscInt left[], Slots *slots)
{
  for (PetscInt t = 0; t <= net->nodes; t++) left[t] = net->tile[t].readers;
  net->tile[0].slot = Take(slots);
  for (PetscInt i = 0; i < net->nodes; i++) {
    const UnrNetNode *node = &net->node[i];
    UnrNetTile *y = &net->tile[i + 1];
    const bool has_skip = node->skip != UNR_NET_NO_TILE;
    bool lends;

    left[node->x]--;
    if (has_skip) left[node->skip]--;
    lends = has_skip && !node->projection.conv && !left[node->skip] && node->skip != node->x;
    y->slot = lends ? net->tile[node->skip].slot : Take(slots);
    if (!left[node->x]) Give(slots, net->tile[node->x].slot);
    if (has_skip && !lends && !left[node->skip] && node->skip != node->x)
      Give(slots, net->tile[node->skip].slot);
  }
}

/* Slots of the cotangents, and which part of each comes first and last, nodes in reverse order. */
static void PlanReverse(UnrNet net, PetscInt left[], PetscInt bar[], Slots *slots)
{
  for (PetscInt t = 0; t <= net->nodes; t++) {
    left[t] = net->tile[t].readers;
    bar[t] = UNR_NET_NO_TILE;
  }
  bar[net->nodes] = Take(slots);
  for (PetscInt i = net->nodes - 1; i >= 0; i--) {
    UnrNetNode *node = &net->node[i];
    bool is_passed_on = false;

    node->y_bar = bar[i + 1];
    node->x_adds = bar[node->x] != UNR_NET_NO_TILE;
    if (!node->x_adds) bar[node->x] = Take(slots);
    node->x_bar = bar[node->x];
    node->x_completes = !--left[node->x];
    if (node->skip != UNR_NET_NO_TILE) {
      node->skip_adds = bar[node->skip] != UNR_NET_NO_TILE;
      is_passed_on = !node->skip_adds && !node->projection.conv;
      if (!node->skip_adds) bar[node->skip] = is_passed_on ? node->y_bar : Take(slots);
      node->skip_bar = bar[node->skip];
      node->skip_completes = !--left[node->skip];
    }
    if (!is_passed_on) Give(slots, node->y_bar);
  }
}

/*
  UnrNetPlan - after the last node: slots, halos.     Collective on the grid.
  Errors  PETSC_ERR_ARG_WRONGSTATE if a tile but the last is never read, or the last has not net->out channels
*/
PetscErrorCode UnrNetPlan(UnrNet net)
{
  const PetscInt tiles = net->nodes + 1;
  Slots forward = {0}, reverse = {0};
  PetscInt *left, *bar;

  PetscFunctionBeginUser;
  for (PetscInt t = 0; t < tiles; t++) {
    PetscCheck((net->tile[t].readers > 0) == (t < net->nodes), PETSC_COMM_SELF, PETSC_ERR_ARG_WRONGSTATE,
               "tile %" PetscInt_FMT " of %" PetscInt_FMT " has %" PetscInt_FMT " readers", t, tiles,
               net->tile[t].readers);
  }
  PetscCheck(net->tile[net->nodes].channels == net->out, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONGSTATE,
             "the last tile has not %" PetscInt_FMT " channels", net->out);
  PetscCall(PetscMalloc4(tiles, &left, tiles, &bar, 2 * tiles, &forward.free, 2 * tiles, &reverse.free));
  PlanForward(net, left, &forward);
  PlanReverse(net, left, bar, &reverse);
  net->slots_forward = forward.made;
  net->slots_reverse = reverse.made;
  net->input_bar = bar[0];
  PetscCall(PetscFree4(left, bar, forward.free, reverse.free));
  PetscCall(UnrNetPlanGhosts(net));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LayerDestroy(UnrNetLayer *layer)
{
  PetscFunctionBeginUser;
  PetscCall(UnrConvDestroy(&layer->conv));
  PetscCall(UnrConvDestroy(&layer->conv_dot));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrNetProgramDestroy(UnrNet net)
{
  PetscFunctionBeginUser;
  for (PetscInt i = 0; i < net->nodes; i++) {
    PetscCall(LayerDestroy(&net->node[i].main));
    PetscCall(LayerDestroy(&net->node[i].projection));
  }
  PetscCall(UnrNetGhostsDestroy(net));
  PetscCall(PetscFree(net->node));
  PetscCall(PetscFree(net->tile));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The next tile of `bytes` behind *end, aligned. */
static size_t Append(size_t bytes, size_t *end)
{
  const size_t at = *end;

  *end += (bytes + UNR_BLOCK_ALIGN - 1) / UNR_BLOCK_ALIGN * UNR_BLOCK_ALIGN;
  return at;
}

/*
  UnrNetShape - shapes of the tiles, offsets in the tape, size of a slot.     Collective on the grid.
  The tape keeps what the reverse reads: tiles that a convolution reads or whose activation is judged by its
  output, the inputs of activations that need theirs, and the state where diagnostics are made from it.  It
  begins with 64 bytes that execute.c fills.
*/
PetscErrorCode UnrNetShape(UnrNet net, PetscInt samples)
{
  const bool needs_input = net->smoothed.ops->needs_input;
  size_t end = UNR_BLOCK_ALIGN;

  PetscFunctionBeginUser;
  if (net->samples == samples) PetscFunctionReturn(PETSC_SUCCESS);
  net->slot_bytes = 0;
  for (PetscInt t = 0; t <= net->nodes; t++) {
    UnrNetTile *tile = &net->tile[t];
    size_t bytes, slot = 0;

    UnrTileShapeSetAxes(&tile->shape, net->grid, samples, tile->channels, net->ghost, net->precision);
    bytes = (tile->shape.numbers + UNR_TILE_SLACK) * UnrPrecisionBytes(net->precision);
    tile->tape_y = tile->readers || (tile->is_activated && !needs_input) ? Append(bytes, &end) : SIZE_MAX;
    tile->tape_z = tile->is_activated && needs_input ? Append(bytes, &end) : SIZE_MAX;
    (void)Append(bytes, &slot);
    net->slot_bytes = PetscMax(net->slot_bytes, slot);
  }
  net->tape_state = end;
  if (net->diagnostics)
    (void)Append((size_t)samples * (size_t)(net->grid->local * net->components) * sizeof(double), &end);
  net->tape_bytes = end;
  PetscCall(UnrNetDiagnosticsShape(net, samples));
  net->samples = samples;
  PetscFunctionReturn(PETSC_SUCCESS);
}
