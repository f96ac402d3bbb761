/* A plain convolutional network: one convolution a feature count, activated, then one to the output. */
#include "net/net_impl.h"

enum { MAX_LAYERS = 64 };

static const UnrOption options[] = {
    {"-net_cnn_features", UNR_INTS, "32,32", 1, 65536, "channels", "of the hidden layers, one each", NULL},
    {NULL, UNR_BOOL, NULL, 0, 0, NULL, NULL, NULL},
};

static PetscErrorCode Build_CNN(UnrNet net)
{
  PetscInt features[MAX_LAYERS], layers, tile = 0;
  char name[UNR_NET_NAME];
  UnrNetConv conv = {.name = name, .kernel = net->kernel, .skip = UNR_NET_NO_TILE};

  PetscFunctionBeginUser;
  PetscCall(UnrOptionInts(options, NULL, "-net_cnn_features", MAX_LAYERS, features, &layers));
  for (PetscInt l = 0; l <= layers; l++) {
    const bool is_last = l == layers;

    (void)snprintf(name, sizeof(name), is_last ? "last" : "conv%d", (int)l);
    conv.x = tile;
    conv.features = is_last ? net->out : features[l];
    conv.is_activated = !is_last;
    PetscCall(UnrNetAddConv(net, &conv, &tile));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

const UnrNetOps UnrNetOps_CNN = {
    .name = "cnn", .summary = "Plain convolutional network", .options = options, .build = Build_CNN};
