/*
  The one executor of networks: a program's nodes in order, in reverse order, or with their tangents.
  node.c runs one node.  Maths: docs/method/network.md
*/
#include "core/count.h"
#include "core/event.h"
#include "net/net_impl.h"

#include <string.h>

/* What the tape begins with. */
typedef struct {
  PetscInt samples;
  const UnrActivationOps *activation;
} TapeHead;

/* Tiles live in slots, or in the tape if it keeps them; z_slot: where a z goes that must stay, or NO_TILE. */
static void PlaceTiles(UnrNet net, char *tape, PetscInt z_slot)
{
  for (PetscInt t = 0; t <= net->nodes; t++) {
    UnrNetTile *tile = &net->tile[t];

    tile->y = tape && tile->tape_y != SIZE_MAX ? tape + tile->tape_y : UnrNetSlot(net, tile->slot);
    tile->z = z_slot != UNR_NET_NO_TILE          ? UnrNetSlot(net, z_slot)
              : tape && tile->tape_z != SIZE_MAX ? tape + tile->tape_z
                                                 : tile->y;
  }
}

static PetscErrorCode CheckBatch(UnrNet net, UnrBatch like, UnrBatch batch)
{
  PetscFunctionBeginUser;
  if (!batch) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(batch->grid == net->grid && batch->samples == like->samples, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ,
             "a batch of %" PetscInt_FMT " samples where the net works on %" PetscInt_FMT
             ", or on another grid",
             batch->samples, like->samples);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  UnrNetApply - out = scale N((u - mean)/std, c).     Collective on the grid.
  In      par    [sample][parameter]
          u      states, borrowed
  Out     out    may be u
          tape   what UnrNetVjp() reads; NULL: forward only
*/
PetscErrorCode UnrNetApply(UnrNet net, const double par[], UnrBatch u, UnrBatch out, UnrTape tape)
{
  void *block = NULL;

  PetscFunctionBeginUser;
  PetscCall(CheckBatch(net, u, u));
  PetscCall(CheckBatch(net, u, out));
  PetscCall(UnrEventBegin(UNR_EVENT_NET));
  PetscCall(UnrNetShape(net, u->samples));
  PetscCall(UnrNetPack(net));
  PetscCall(UnrBlockReserve(&net->work, (size_t)net->slots_forward * net->slot_bytes));
  if (tape) {
    PetscCall(UnrTapeReserve(tape, net->tape_bytes, &block));
    *(TapeHead *)block = (TapeHead){.samples = u->samples, .activation = net->smoothed.ops};
    if (net->diagnostics)
      memcpy((char *)block + net->tape_state, u->data, (size_t)u->samples * u->stride * sizeof(double));
  }
  PlaceTiles(net, block, UNR_NET_NO_TILE);
  PetscCall(UnrNetLoad(net, par, u, net->tile[0].y));
  PetscCall(UnrNetGhostsBegin(net, net->tile[0].fill, &net->tile[0].shape, net->tile[0].y));
  for (PetscInt i = 0; i < net->nodes; i++) PetscCall(UnrNetNodeForward(net, i));
  PetscCall(UnrNetGhostsEnd(net));
  PetscCall(UnrNetStore(net, net->tile[net->nodes].y, out));
  UnrCountAdd(UNR_COUNT_NET_APPLY, u->samples);
  PetscCall(UnrEventEnd(UNR_EVENT_NET));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  UnrNetVjp - reverse of UnrNetApply().     Collective on the grid.
  In      tape       of the matching apply; the weights and par must be the same
          out_bar    borrowed
  In/out  u_bar, par_bar [sample][parameter], theta_bar   this rank's part is ADDED; NULL: not wanted.
                     Without u_bar and par_bar nothing goes back through the data of the first layers.
  Errors  PETSC_ERR_ARG_WRONGSTATE if the tape is unfilled, or of other samples or another activation
*/
PetscErrorCode UnrNetVjp(UnrNet net, const double par[], UnrTape tape, UnrBatch out_bar, UnrBatch u_bar,
                         double par_bar[], void *theta_bar)
{
  const bool wants_input = u_bar || (par_bar && (net->constants || net->diagnostics));
  const void *block;
  char *y_bar;

  PetscFunctionBeginUser;
  PetscCall(UnrTapeRead(tape, &block));
  PetscCheck(((const TapeHead *)block)->samples == out_bar->samples &&
                 ((const TapeHead *)block)->activation == net->smoothed.ops,
             PETSC_COMM_SELF, PETSC_ERR_ARG_WRONGSTATE, "the tape is of other samples or another activation");
  PetscCall(CheckBatch(net, out_bar, out_bar));
  PetscCall(CheckBatch(net, out_bar, u_bar));
  PetscCall(UnrEventBegin(UNR_EVENT_NET_VJP));
  PetscCall(UnrNetShape(net, out_bar->samples));
  PetscCall(UnrNetPackReverse(net));
  PetscCall(UnrBlockReserve(&net->work, (size_t)net->slots_reverse * net->slot_bytes));
  PlaceTiles(net, (char *)block, UNR_NET_NO_TILE);
  y_bar = UnrNetSlot(net, net->node[net->nodes - 1].y_bar);
  PetscCall(UnrNetStoreReverse(net, out_bar, y_bar));
  PetscCall(UnrNetOutputReverse(net, y_bar));
  for (PetscInt i = net->nodes - 1; i >= 0; i--) PetscCall(UnrNetNodeReverse(net, i, wants_input, theta_bar));
  if (wants_input)
    PetscCall(UnrNetLoadReverse(net, par, (const double *)((const char *)block + net->tape_state),
                                UnrNetSlot(net, net->input_bar), u_bar, par_bar));
  UnrCountAdd(UNR_COUNT_NET_VJP, out_bar->samples);
  if (u_bar) UnrCountAdd(UNR_COUNT_NET_INPUT_VJP, out_bar->samples);
  PetscCall(UnrEventEnd(UNR_EVENT_NET_VJP));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  UnrNetJvp - tangent of UnrNetApply().     Collective on the grid.
  In      u_dot, par_dot, theta_dot   NULL: zero
  Out     out       may be NULL
          out_dot   may be u_dot
*/
PetscErrorCode UnrNetJvp(UnrNet net, const double par[], UnrBatch u, UnrBatch u_dot, const double par_dot[],
                         const void *theta_dot, UnrBatch out, UnrBatch out_dot)
{
  const PetscInt tiles = net->slots_forward;
  const UnrNetTile *x = net->tile;
  char *x_dot;

  PetscFunctionBeginUser;
  PetscCall(CheckBatch(net, u, u_dot));
  PetscCall(CheckBatch(net, u, out));
  PetscCall(CheckBatch(net, u, out_dot));
  PetscCall(UnrNetShape(net, u->samples));
  PetscCall(UnrNetPack(net));
  if (theta_dot) PetscCall(UnrNetPackDot(net, theta_dot));
  PetscCall(UnrBlockReserve(&net->work, (size_t)(2 * tiles + 1) * net->slot_bytes));
  PlaceTiles(net, NULL, net->smoothed.ops->needs_input ? 2 * tiles : UNR_NET_NO_TILE);
  x_dot = UnrNetSlot(net, tiles + x->slot);
  PetscCall(UnrNetLoad(net, par, u, x->y));
  PetscCall(UnrNetGhostsBegin(net, x->fill, &x->shape, x->y));
  PetscCall(UnrNetLoadTangent(net, par, u, u_dot, par_dot, x_dot));
  PetscCall(UnrNetGhostsBegin(net, x->fill, &x->shape, x_dot));
  for (PetscInt i = 0; i < net->nodes; i++) PetscCall(UnrNetNodeTangent(net, i, theta_dot));
  PetscCall(UnrNetGhostsEnd(net));
  if (out) PetscCall(UnrNetStore(net, net->tile[net->nodes].y, out));
  PetscCall(UnrNetStore(net, UnrNetSlot(net, tiles + net->tile[net->nodes].slot), out_dot));
  PetscFunctionReturn(PETSC_SUCCESS);
}
