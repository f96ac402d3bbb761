/* Networks by name: options, creation, what others ask of them.  The work is in execute.c. */
#include "core/memory.h"
#include "net/net_impl.h"

#include <string.h>

#define UNR_NET(name, Table) extern const UnrNetOps UnrNetOps_##Table;
#include "net/list.h"
#undef UNR_NET

#define UNR_NET(name, Table) &UnrNetOps_##Table.plugin,
static const UnrPlugin *const plugins[] = {
#include "net/list.h"
    NULL,
};
#undef UNR_NET

#define UNR_NET(name, Table) "|" #name
static const char joined[] =
#include "net/list.h"
    ;
#undef UNR_NET

static const UnrOption options[] = {
    {"-net_type", UNR_WORD, "resnet", 0, 0, NULL, "architecture of the network", joined + 1},
    {"-net_precision", UNR_WORD, "single", 0, 0, NULL, "of the network's weights and tensors",
     "single|double"},
    {"-net_activation", UNR_WORD, "leaky_relu", 0, 0, NULL, "activation between the layers",
     UnrActivationNames},
    {"-net_slope", UNR_REAL, "0.01", 0, 1, "1", "slope of leaky_relu for negative arguments", NULL},
    {"-net_kernel", UNR_INT, "3", 1, 31, "points", "taps of the convolutions along every axis", NULL},
    {"-net_constants", UNR_WORDS, NULL, 0, 0, NULL,
     "parameters of the sample fed as constant channels: domain_size, 1/viscosity ...", NULL},
    {"-net_constant_scale", UNR_REALS, NULL, 0, 0, "the parameter's own",
     "each constant channel is its parameter divided by this; default 1", NULL},
    {"-net_halo", UNR_WORD, "layer", 0, 0, NULL,
     "ghosts from other ranks: exchanged after every layer, or once, as deep as all layers need",
     "layer|deep"},
    {"-net_overlap", UNR_BOOL, "true", 0, 0, NULL,
     "compute what needs no ghosts while they are on their way; the same numbers", NULL},
    {"-net_diagnostics", UNR_WORDS, NULL, 0, 0, NULL,
     "fields of the state fed as channels: pressure, vorticity, where the physics has them", NULL},
    {NULL, UNR_BOOL, NULL, 0, 0, NULL, NULL, NULL},
};

static const UnrPluginClass class = {"Network", options, plugins};

PetscErrorCode UnrNetRegister(void)
{
  PetscFunctionBeginUser;
  PetscCall(UnrPluginsRegister(&class, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrNetList(UnrPluginVisit visit, void *context)
{
  PetscFunctionBeginUser;
  PetscCall(UnrPluginsVisit(&class, visit, context));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  UnrNetDescribe - what -net_type asks of the layout, before a grid exists.     Collective on the world.
  Out     needs   nothing: halos of networks come from any owner, at any width
*/
PetscErrorCode UnrNetDescribe(int dim, UnrNeeds *needs)
{
  const UnrNetOps *ops;

  (void)dim;
  PetscFunctionBeginUser;
  PetscCall(UnrPluginChoose(&class, NULL, &ops));
  *needs = UnrNeedsNone;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The channels besides the state's. */
static PetscErrorCode SetChannelsFromOptions(UnrNet net)
{
  const char *names[UNR_NET_CONSTANTS], *fields[UNR_NET_DIAGNOSTICS];
  double divisor[UNR_NET_CONSTANTS];
  PetscInt constants, divisors, diagnostics;

  PetscFunctionBeginUser;
  PetscCall(UnrOptionWords(options, NULL, "-net_constants", UNR_NET_CONSTANTS, names, &constants));
  PetscCall(UnrOptionReals(options, NULL, "-net_constant_scale", UNR_NET_CONSTANTS, divisor, &divisors));
  PetscCall(UnrNetConstantsCreate(net, constants, names, divisors, divisor));
  PetscCall(UnrOptionWords(options, NULL, "-net_diagnostics", UNR_NET_DIAGNOSTICS, fields, &diagnostics));
  PetscCall(UnrNetDiagnosticsCreate(net, diagnostics, fields));
  PetscCall(UnrNetConvertCreate(net));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Precision, kernels, activation, halos. */
static PetscErrorCode SetFromOptions(UnrNet net)
{
  const char *word;
  double slope;

  PetscFunctionBeginUser;
  PetscCall(UnrOptionWord(options, NULL, "-net_precision", &word));
  net->precision = strcmp(word, "double") ? UNR_SINGLE : UNR_DOUBLE;
  PetscCall(UnrLayerKernels(net->precision, &net->kernels));
  PetscCall(UnrOptionReal(options, NULL, "-net_slope", &slope));
  PetscCall(UnrOptionWord(options, NULL, "-net_activation", &word));
  PetscCall(UnrActivationFind(word, slope, &net->activation));
  net->smoothed = net->activation;
  PetscCall(UnrOptionInt(options, NULL, "-net_kernel", &net->kernel));
  PetscCall(UnrOptionWord(options, NULL, "-net_halo", &word));
  net->is_deep = !strcmp(word, "deep");
  PetscCall(UnrOptionBool(options, NULL, "-net_overlap", &net->overlaps));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  UnrNetCreateOps - a network of one plugin for a physics' states.     Collective on the world.
  In      ops   static: of the list, or a test's own
*/
PetscErrorCode UnrNetCreateOps(UnrPhysics physics, const UnrNetOps *ops, UnrNet *net_out)
{
  UnrNet net;

  PetscFunctionBeginUser;
  PetscCall(PetscNew(&net));
  net->ops = ops;
  net->physics = physics;
  net->grid = UnrPhysicsGrid(physics);
  net->components = net->grid->components;
  net->samples = -1;
  PetscCall(SetFromOptions(net));
  PetscCall(SetChannelsFromOptions(net));
  net->in = net->fields + net->constants;
  net->out = net->components;
  PetscCall(net->ops->build(net));
  PetscCall(UnrMemoryCheck(2 * (double)net->parameters * (double)UnrPrecisionBytes(net->precision),
                           "the network's weights", "a narrower network"));
  PetscCall(UnrNetPlan(net));
  PetscCall(UnrNetThetaDraw(net));
  *net_out = net;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  UnrNetCreate - the network of -net_type for a physics' states.     Collective on the world.
  In      physics   borrowed, must outlive the net
  Out     net       with weights drawn from -seed_weights
  Errors  a user error for an option that does not fit the physics
*/
PetscErrorCode UnrNetCreate(UnrPhysics physics, UnrNet *net)
{
  const UnrNetOps *ops;

  PetscFunctionBeginUser;
  PetscCall(UnrPluginChoose(&class, NULL, &ops));
  PetscCall(UnrNetCreateOps(physics, ops, net));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrNetDestroy(UnrNet *net)
{
  PetscFunctionBeginUser;
  if (!*net) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(UnrNetProgramDestroy(*net));
  PetscCall(UnrNetDiagnosticsDestroy(*net));
  PetscCall(UnrNetConvertDestroy(*net));
  PetscCall(UnrBlockFree(&(*net)->theta));
  PetscCall(UnrBlockFree(&(*net)->work));
  PetscCall(PetscFree((*net)->view));
  PetscCall(PetscFree(*net));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const char *UnrNetName(UnrNet net)
{
  return net->ops->name;
}

UnrPrecision UnrNetPrecision(UnrNet net)
{
  return net->precision;
}

/* Adds a layer that reads a tile: to the input's too if that is tile 0. */
static void AddFlops(UnrNet net, const UnrNetLayer *layer, PetscInt tile, double *forward, double *input)
{
  const double flops = 2 * (double)layer->conv->weights * (double)net->grid->total;

  *forward += flops;
  if (tile == 0) *input += flops;
}

void UnrNetFlops(UnrNet net, double *forward, double *input)
{
  *forward = *input = 0;
  for (PetscInt i = 0; i < net->nodes; i++) {
    const UnrNetNode *node = &net->node[i];

    AddFlops(net, &node->main, node->x, forward, input);
    if (node->projection.conv) AddFlops(net, &node->projection, node->skip, forward, input);
  }
}

PetscInt UnrNetComponents(UnrNet net)
{
  return net->components;
}

PetscInt UnrNetFields(UnrNet net)
{
  return net->fields;
}

/* UnrNetSmooth - tanh in place of a kinked activation, or the options' one again.     Local; spoils tapes. */
PetscErrorCode UnrNetSmooth(UnrNet net, bool smooth)
{
  PetscFunctionBeginUser;
  net->smoothed = smooth ? UnrActivationSmooth(net->activation) : net->activation;
  net->samples = -1;
  PetscFunctionReturn(PETSC_SUCCESS);
}
