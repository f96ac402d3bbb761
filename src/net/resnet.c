/*
  Residual networks of the paper.  Maths: docs/method/network.md, eq. (5), (6)
  One feature count c:  conv in->c, d blocks {conv, f, conv, + skip, f}, conv c->out; without blocks one f
  between.  Several:  one block {conv in->c, f, conv c->c, + 1x1 skip in->c, f} a count, conv c->out.
  Source  List, Chen, Bali & Thuerey 2025, arXiv:2402.12971, and github.com/tum-pbs/unrolling
*/
#include "core/error.h"
#include "net/net_impl.h"

enum { MAX_BLOCKS = 64 };

static const UnrOption options[] = {
    {"-net_resnet_features", UNR_INTS, "26", 1, 65536, "channels",
     "one: width of every block; several: one block each", NULL},
    {"-net_resnet_depth", UNR_INT, "8", 0, 1000, "blocks",
     "residual blocks, where one feature count is given", NULL},
    {NULL, UNR_BOOL, NULL, 0, 0, NULL, NULL, NULL},
};

/* conv, f, conv, + skip, f: from tile *x to tile *x. */
static PetscErrorCode AddBlock(UnrNet net, PetscInt block, PetscInt features, bool projects, PetscInt *x)
{
  char name[3][UNR_NET_NAME];
  PetscInt hidden;
  UnrNetConv conv = {.name = name[0],
                     .x = *x,
                     .features = features,
                     .kernel = net->kernel,
                     .skip = UNR_NET_NO_TILE,
                     .is_activated = true};

  PetscFunctionBeginUser;
  for (int k = 0; k < 2; k++) (void)snprintf(name[k], UNR_NET_NAME, "block%d.conv%d", (int)block, k);
  (void)snprintf(name[2], UNR_NET_NAME, "block%d.skip", (int)block);
  PetscCall(UnrNetAddConv(net, &conv, &hidden));
  conv.name = name[1];
  conv.x = hidden;
  conv.skip = *x;
  conv.projection = projects ? name[2] : NULL;
  PetscCall(UnrNetAddConv(net, &conv, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Build_ResNet(UnrNet net)
{
  PetscInt features[MAX_BLOCKS], counts, depth, tile = 0;
  bool has_depth;
  UnrNetConv conv = {.name = "first", .kernel = net->kernel, .skip = UNR_NET_NO_TILE};

  PetscFunctionBeginUser;
  PetscCall(UnrOptionInts(options, NULL, "-net_resnet_features", MAX_BLOCKS, features, &counts));
  PetscCall(UnrOptionInt(options, NULL, "-net_resnet_depth", &depth));
  PetscCall(UnrOptionGiven(options, NULL, "-net_resnet_depth", &has_depth));
  UnrUserCheck(counts == 1 || !has_depth,
               "-net_resnet_depth (%" PetscInt_FMT
               ") goes with one count of -net_resnet_features, not %" PetscInt_FMT
               "; allowed: one of the two; try: without -net_resnet_depth",
               depth, counts);
  if (counts == 1) {
    conv.features = features[0];
    conv.is_activated = depth == 0;
    PetscCall(UnrNetAddConv(net, &conv, &tile));
    for (PetscInt b = 0; b < depth; b++) PetscCall(AddBlock(net, b, features[0], false, &tile));
  } else {
    for (PetscInt b = 0; b < counts; b++) PetscCall(AddBlock(net, b, features[b], true, &tile));
  }
  conv = (UnrNetConv){
      .name = "last", .x = tile, .features = net->out, .kernel = net->kernel, .skip = UNR_NET_NO_TILE};
  PetscCall(UnrNetAddConv(net, &conv, &tile));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const UnrNetOps UnrNetOps_ResNet = {
    .name = "resnet", .summary = "Residual network", .options = options, .build = Build_ResNet};
