/*
  Which ghosts a program needs, and how they are filled.  Maths: docs/method/network.md

  Per layer, every tile's ghosts are exchanged, as wide as its readers need.  Deep, only the input's are, as
  wide as all layers together need along axes that several blocks share: there every tile is computed beyond
  the block, by its `reach`; what lies beyond the domain, or along axes of one block, is refilled from the
  tile itself.
*/
#include "core/event.h"
#include "net/net_impl.h"

/* The halo of this kind and these widths, made when first asked for; NULL if it fills nothing. */
static PetscErrorCode FindHalo(UnrNet net, bool is_local, const PetscInt width[UNR_MAX_DIM], UnrHalo *halo)
{
  PetscInt most = 0;
  UnrNetHalo *made;

  PetscFunctionBeginUser;
  *halo = NULL;
  for (int a = 0; a < net->grid->dim; a++) most = PetscMax(most, width[a]);
  if (!most) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt h = 0; h < net->halos; h++) {
    bool is_same = net->halo[h].is_local == is_local;

    for (int a = 0; a < net->grid->dim; a++) is_same = is_same && net->halo[h].width[a] == width[a];
    if (is_same) *halo = net->halo[h].halo;
  }
  if (!*halo) {
    PetscCall(PetscRealloc(sizeof(*net->halo) * (size_t)(net->halos + 1), &net->halo));
    made = &net->halo[net->halos++];
    made->is_local = is_local;
    for (int a = 0; a < net->grid->dim; a++) made->width[a] = width[a];
    if (is_local)
      PetscCall(UnrHaloCreateLocal(net->grid, net->ghost, width, halo));
    else
      PetscCall(UnrHaloCreateAxes(net->grid, net->ghost, width, halo));
    made->halo = *halo;
  }
  if (is_local && UnrHaloIsEmpty(*halo)) *halo = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* How far beyond the block each tile is computed: its readers' reach, and what their kernels add. */
static void PlanReach(UnrNet net)
{
  for (PetscInt i = net->is_deep ? net->nodes - 1 : -1; i >= 0; i--) {
    const UnrNetNode *node = &net->node[i];
    const PetscInt reach = net->tile[i + 1].reach;
    UnrNetTile *x = &net->tile[node->x];

    x->reach = PetscMax(x->reach, reach + node->main.conv->width);
    if (node->skip != UNR_NET_NO_TILE)
      net->tile[node->skip].reach = PetscMax(net->tile[node->skip].reach, reach);
  }
}

/*
  UnrNetPlanGhosts - after the last node: reaches, ghosts in memory, halos.     Collective on the grid.
  A transpose scatters from cotangents that are zero around what was computed, as far as two kernels.
*/
PetscErrorCode UnrNetPlanGhosts(UnrNet net)
{
  const UnrGrid g = net->grid;
  PetscInt width[UNR_MAX_DIM];

  PetscFunctionBeginUser;
  net->gathers = !net->is_deep && UnrGridIsPeriodic(g);
  PlanReach(net);
  for (int a = 0; a < g->dim; a++) {
    net->is_divided[a + UNR_MAX_DIM - g->dim] = g->blocks[a] > 1;
    net->ghost[a] = net->gathers                       ? net->width
                    : net->is_deep && g->blocks[a] > 1 ? net->tile[0].reach + net->width
                                                       : 2 * net->width;
  }
  for (PetscInt t = 0; t <= net->nodes; t++) {
    UnrNetTile *tile = &net->tile[t];

    for (int a = 0; a < g->dim; a++) width[a] = net->is_deep && g->blocks[a] > 1 ? tile->reach : tile->width;
    PetscCall(FindHalo(net, net->is_deep && t > 0, width, &tile->fill));
  }
  for (PetscInt i = 0; i < net->nodes && net->gathers; i++) {
    for (int a = 0; a < g->dim; a++) width[a] = net->node[i].main.conv->width;
    PetscCall(FindHalo(net, false, width, &net->node[i].bar_fill));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrNetGhostsDestroy(UnrNet net)
{
  PetscFunctionBeginUser;
  for (PetscInt h = 0; h < net->halos; h++) PetscCall(UnrHaloDestroy(&net->halo[h].halo));
  PetscCall(PetscFree(net->halo));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  UnrNetRegion - a view of a tile.     Local.
  Its block, and beyond it `reach` cells along axes that several blocks share, where halos are deep, and
  `width` cells along all axes.
*/
UnrTileShape UnrNetRegion(UnrNet net, const UnrNetTile *tile, PetscInt reach, PetscInt width)
{
  PetscInt more[UNR_MAX_DIM];

  for (int e = 0; e < UNR_MAX_DIM; e++) {
    more[e] = e < UNR_MAX_DIM - net->grid->dim ? 0 : width;
    if (net->is_deep && net->is_divided[e]) more[e] += reach;
  }
  return UnrTileShapeGrow(&tile->shape, more);
}

/*
  UnrNetGhostsBegin - fill a tile's ghosts, or begin to.     Collective on the grid.
  With -net_overlap, messages are under way on return: until UnrNetGhostsEnd() the tile's block may be read,
  and ghosts along axes of one block.  One tile at a time: another one's fill ends first.
*/
PetscErrorCode UnrNetGhostsBegin(UnrNet net, UnrHalo halo, const UnrTileShape *shape, void *data)
{
  PetscFunctionBeginUser;
  PetscCall(UnrNetGhostsEnd(net));
  if (!halo) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(UnrEventBegin(UNR_EVENT_NET_HALO));
  PetscCall(UnrHaloExchangeBegin(halo, shape, data));
  net->pending = (UnrNetPending){halo, shape, data};
  PetscCall(UnrEventEnd(UNR_EVENT_NET_HALO));
  if (!net->overlaps || !UnrHaloHasMessages(halo)) PetscCall(UnrNetGhostsEnd(net));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* UnrNetGhostsEnd - the fill that is under way, if one is.     Collective on the grid. */
PetscErrorCode UnrNetGhostsEnd(UnrNet net)
{
  UnrNetPending *p = &net->pending;

  PetscFunctionBeginUser;
  if (!p->halo) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(UnrEventBegin(UNR_EVENT_NET_HALO));
  PetscCall(UnrHaloExchangeEnd(p->halo, p->shape, p->data));
  p->halo = NULL;
  PetscCall(UnrEventEnd(UNR_EVENT_NET_HALO));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* UnrNetGhostsReduce - transpose of a tile's fill.     Collective on the grid. */
PetscErrorCode UnrNetGhostsReduce(UnrNet net, const UnrNetTile *tile, void *data)
{
  PetscFunctionBeginUser;
  (void)net;
  if (!tile->fill) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(UnrEventBegin(UNR_EVENT_NET_HALO));
  PetscCall(UnrHaloReduce(tile->fill, &tile->shape, data));
  PetscCall(UnrEventEnd(UNR_EVENT_NET_HALO));
  PetscFunctionReturn(PETSC_SUCCESS);
}
