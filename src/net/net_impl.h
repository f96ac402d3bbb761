/*
  For files in this folder only.  A network is a PROGRAM of nodes, built by a plugin and run by execute.c:
  node i makes tile i + 1, y = f( conv(x) + skip ); tile 0 is the input, the last one the output.
*/
#pragma once

#include "field/halo.h"
#include "net/net.h"

enum {
  UNR_NET_NO_TILE = -1,
  UNR_NET_NAME = 48,
  UNR_NET_CONSTANTS = 16,
  UNR_NET_DIAGNOSTICS = 8 /* at most */
};

/* What a plugin says of a node; UnrNetAddConv() does the rest. */
typedef struct {
  const char *name;       /* of the views: name.weight, name.bias */
  PetscInt x;             /* tile read */
  PetscInt features;      /* channels of the tile made */
  PetscInt kernel;        /* taps an axis */
  PetscInt skip;          /* tile added before the activation, or UNR_NET_NO_TILE */
  const char *projection; /* a 1x1 convolution of the skip, named so; NULL: the skip itself */
  bool is_activated;
} UnrNetConv;

/* A convolution with its place in theta, in numbers. */
typedef struct {
  UnrConv conv;
  UnrConv conv_dot; /* weights of theta_dot; made by the first jvp */
  size_t weight, bias;
} UnrNetLayer;

/* One instruction.  UnrNetPlan() fills the plan's part: which slot of work memory holds what, and when. */
typedef struct {
  PetscInt x, skip;
  bool is_activated;
  UnrNetLayer main, projection;     /* projection.conv NULL: none */
  PetscInt y_bar, x_bar, skip_bar;  /* slots of the cotangents; skip_bar == y_bar: the slot is passed on */
  bool x_adds, skip_adds;           /* is there a part of that cotangent already? */
  bool x_completes, skip_completes; /* is this its last part? */
  UnrHalo bar_fill;                 /* of y_bar's ghosts, where the net gathers; NULL: none */
} UnrNetNode;

typedef struct {
  PetscInt channels;
  PetscInt width; /* ghost cells that its readers need */
  PetscInt reach; /* cells computed beyond the block; 0 where halos are not deep */
  UnrHalo fill;   /* of its other ghosts; NULL: none */
  PetscInt readers;
  bool is_activated;
  PetscInt slot;         /* in work memory, when there is no tape */
  UnrTileShape shape;    /* for net->samples */
  size_t tape_y, tape_z; /* bytes from the tape's start: activation's output, input, or SIZE_MAX */
  char *y, *z;           /* where they are in this call; z == y where not kept apart */
} UnrNetTile;

/* A halo that several tiles use. */
typedef struct {
  bool is_local;
  PetscInt width[UNR_MAX_DIM];
  UnrHalo halo;
} UnrNetHalo;

/* A fill that is under way; halo NULL: none. */
typedef struct {
  UnrHalo halo;
  const UnrTileShape *shape;
  void *data;
} UnrNetPending;

/* A constant channel: a parameter of the sample, or 1 over it, over a divisor. */
typedef struct {
  PetscInt parameter; /* index among the sample's */
  bool is_reciprocal;
  double divisor;
} UnrNetConstant;

/* A field that the physics makes from the state; `channel` of the input is its first. */
typedef struct {
  const char *name; /* static */
  UnrGrid grid;     /* the physics' */
  PetscInt channel;
  UnrBatch batch; /* its values, tangents or cotangents in a call */
} UnrNetDiagnostic;

typedef struct {
  char name[UNR_NET_NAME];
  PetscInt rank, shape[5];
  size_t offset, numbers;
  double bound; /* initial values are uniform in [-bound, bound) */
} UnrNetViewData;

typedef struct {
  UNR_PLUGIN_HEAD;
  /* Adds the nodes from tile 0 (net->in channels) to a last tile of net->out channels. */
  PetscErrorCode (*build)(UnrNet);
} UnrNetOps;

struct UnrNet_ {
  const UnrNetOps *ops;
  UnrPhysics physics; /* borrowed */
  UnrGrid grid;
  UnrPrecision precision;
  const UnrConvKernels *kernels;
  UnrActivation activation, smoothed; /* of the options; the one in use */
  /* The input's channels: fields = components of the state and of diagnostics; then constants. */
  PetscInt kernel, components, fields, constants, in, out;

  /* constant.c, diagnostic.c, convert.c */
  UnrNetConstant *constant; /* [constants] */
  PetscInt diagnostics;
  UnrNetDiagnostic diagnostic[UNR_NET_DIAGNOSTICS];
  UnrBatch state;             /* for the reverse of diagnostics; NULL without */
  double *mean, *std, *scale; /* [fields], [fields], [components] */

  /* program.c */
  PetscInt nodes, views;
  UnrNetNode *node; /* [nodes] */
  UnrNetTile *tile; /* [nodes + 1] */
  UnrNetViewData *view;
  PetscInt width;                        /* the widest kernel's half */
  PetscInt slots_forward, slots_reverse; /* of work memory: tiles without a tape; cotangents */
  PetscInt input_bar;                    /* slot where the input's cotangent ends up */

  /* ghosts.c */
  bool is_deep, overlaps;
  bool gathers;                 /* reverse by exchanging cotangents, else by transposing fills */
  bool is_divided[UNR_MAX_DIM]; /* do several blocks share this engine axis? */
  PetscInt ghost[UNR_MAX_DIM];  /* of every tile, per axis of the grid */
  PetscInt halos;
  UnrNetHalo *halo;
  UnrNetPending pending;

  /* weights.c */
  UnrBlock theta;
  size_t parameters;
  bool is_packed, is_packed_reverse;

  /* execute.c */
  PetscInt samples; /* the shapes and the tape's offsets are for these, -1: none yet */
  size_t slot_bytes, tape_bytes;
  size_t tape_state; /* bytes from the tape's start to the state, where there are diagnostics */
  UnrBlock work;
};

/* net.c: what UnrNetCreate() does once it has the plugin. */
PetscErrorCode UnrNetCreateOps(UnrPhysics physics, const UnrNetOps *ops, UnrNet *net);

/* program.c */
PetscErrorCode UnrNetAddConv(UnrNet net, const UnrNetConv *conv, PetscInt *y);
PetscErrorCode UnrNetPlan(UnrNet net);
PetscErrorCode UnrNetProgramDestroy(UnrNet net);
/* Shapes and offsets for so many samples; nothing to do when they are the same as last time. */
PetscErrorCode UnrNetShape(UnrNet net, PetscInt samples);

/* weights.c */
PetscErrorCode UnrNetAddView(UnrNet net, const char *layer, const char *what, PetscInt rank,
                             const PetscInt shape[], PetscInt fan_in, size_t *offset);
PetscErrorCode UnrNetThetaDraw(UnrNet net);
PetscErrorCode UnrNetPack(UnrNet net);
PetscErrorCode UnrNetPackReverse(UnrNet net);
PetscErrorCode UnrNetPackDot(UnrNet net, const void *theta_dot);

/* Work memory: slot i. */
static inline char *UnrNetSlot(UnrNet net, PetscInt slot)
{
  return (char *)net->work.data + (size_t)slot * net->slot_bytes;
}
/* What the derivative of the activation that made a tile is taken from. */
static inline const void *UnrNetSaved(UnrNet net, const UnrNetTile *tile)
{
  return net->smoothed.ops->needs_input ? tile->z : tile->y;
}

/* ghosts.c */
PetscErrorCode UnrNetPlanGhosts(UnrNet net);
PetscErrorCode UnrNetGhostsDestroy(UnrNet net);
UnrTileShape UnrNetRegion(UnrNet net, const UnrNetTile *tile, PetscInt reach, PetscInt width);
PetscErrorCode UnrNetGhostsBegin(UnrNet net, UnrHalo halo, const UnrTileShape *shape, void *data);
PetscErrorCode UnrNetGhostsEnd(UnrNet net);
PetscErrorCode UnrNetGhostsReduce(UnrNet net, const UnrNetTile *tile, void *data);

/* node.c, on tiles that execute.c has placed.  Collective on the grid. */
PetscErrorCode UnrNetNodeForward(UnrNet net, PetscInt i);
PetscErrorCode UnrNetNodeReverse(UnrNet net, PetscInt i, bool wants_input, void *theta_bar);
PetscErrorCode UnrNetOutputReverse(UnrNet net, void *y_bar);
PetscErrorCode UnrNetNodeTangent(UnrNet net, PetscInt i, const void *theta_dot);

/* constant.c */
PetscErrorCode UnrNetConstantsCreate(UnrNet net, PetscInt constants, const char *const names[],
                                     PetscInt divisors, const double divisor[]);
PetscErrorCode UnrNetConstants(UnrNet net, const double par[], PetscInt sample, double c[]);
PetscErrorCode UnrNetConstantsTangent(UnrNet net, const double par[], const double par_dot[], PetscInt sample,
                                      double c_dot[]);
PetscErrorCode UnrNetConstantsReverse(UnrNet net, const double par[], PetscInt sample, const double c_bar[],
                                      double par_bar[]);

/* diagnostic.c: fields of the state into their batches, and back */
PetscErrorCode UnrNetDiagnosticsCreate(UnrNet net, PetscInt diagnostics, const char *const names[]);
PetscErrorCode UnrNetDiagnosticsDestroy(UnrNet net);
PetscErrorCode UnrNetDiagnosticsShape(UnrNet net, PetscInt samples);
PetscErrorCode UnrNetDiagnose(UnrNet net, const double par[], UnrBatch u);
PetscErrorCode UnrNetDiagnoseTangent(UnrNet net, const double par[], UnrBatch u, UnrBatch u_dot,
                                     const double par_dot[]);
PetscErrorCode UnrNetDiagnoseReverse(UnrNet net, const double par[], const double *state, UnrBatch u_bar,
                                     double par_bar[]);

/* convert.c: batches of doubles <-> interior of tiles */
PetscErrorCode UnrNetConvertCreate(UnrNet net);
PetscErrorCode UnrNetConvertDestroy(UnrNet net);
PetscErrorCode UnrNetLoad(UnrNet net, const double par[], UnrBatch u, void *x);
PetscErrorCode UnrNetLoadTangent(UnrNet net, const double par[], UnrBatch u, UnrBatch u_dot,
                                 const double par_dot[], void *x_dot);
PetscErrorCode UnrNetLoadReverse(UnrNet net, const double par[], const double *state, const void *x_bar,
                                 UnrBatch u_bar, double par_bar[]);
PetscErrorCode UnrNetStore(UnrNet net, const void *y, UnrBatch out);
PetscErrorCode UnrNetStoreReverse(UnrNet net, UnrBatch out_bar, void *y_bar);
