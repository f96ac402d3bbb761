/*
  The one loop: m augmented steps in segments between cuts, forward and reverse.  A mode is a filling of cut[]
  and weight[], never another loop; docs/method/rollout.md.

      u^0 --step--> u^1 --step--> u^2 ... --step--> u^m     loss = sum_k weight[k] l(u^k, reference^k)

  cut[k]: no gradient flows back from step k+1 into u^k.  cut[0] says that nobody wants dJ/du^0.
*/
#pragma once

#include "loss/loss.h"
#include "model/model.h"

typedef struct {
  const char *mode; /* "one", "nog", "wig"; static */
  PetscInt steps;
  bool *cut;      /* [steps]: cut[k] before step k+1, k = 0 .. steps-1 */
  double *weight; /* [steps + 1]: weight[0] unused */
  double weight_sum;
} UnrPlan;

PetscErrorCode UnrRolloutRegister(void);
extern const UnrOption UnrRolloutOptions[];
/* From -rollout_mode, -rollout_steps, -rollout_warmup, -rollout_truncate.  Collective on the world (user
 * errors). */
PetscErrorCode UnrPlanCreate(UnrPlan *plan);
/* The same for a stage of a curriculum; mode NULL, steps 0: the option's. */
PetscErrorCode UnrPlanCreateFor(const char *mode, PetscInt steps, UnrPlan *plan);
/* A mode by name, without options: for tests and check. */
PetscErrorCode UnrPlanFill(const char *mode, PetscInt steps, PetscInt warmup, PetscInt truncate,
                           UnrPlan *plan);
PetscErrorCode UnrPlanDestroy(UnrPlan *plan);
/* Does any segment hold more than one step (so that a stepper's adjoint is needed)? */
bool UnrPlanNeedsAdjoint(const UnrPlan *plan);

typedef struct UnrRollout_ *UnrRollout;

/* `wig` without an adjoint is refused here, by name.  Reads -rollout_memory, -rollout_chunk.  Collective on
 * the world. */
PetscErrorCode UnrRolloutCreate(UnrModel model, UnrLoss loss, const UnrPlan *plan, UnrRollout *rollout);
PetscErrorCode UnrRolloutDestroy(UnrRollout *rollout);

/* Frames 0 .. steps of this replica's samples: frame[0] the start states, frame[k] the references (frame[k]
   may be NULL where weight[k] is 0).  par [sample][parameter]. */
typedef struct {
  PetscInt batch_samples; /* of the whole batch, all replicas */
  const double *par;
  UnrBatch *frame;
} UnrWindow;

/*
  UnrRolloutGradient - loss of a window and its gradients.     Collective on the grid communicator; with
  -rollout_memory on the world for the first window and for one of a larger batch. Out     value      this
  rank's part of the loss In/out  theta_bar  flat, net's precision;  u0_bar, par_bar: ADDED to, NULL: not
  wanted.  u0_bar holds dJ/du^0 of the first segment only (later segments start from detached states); it also
  differentiates nothing through the references.
*/
PetscErrorCode UnrRolloutGradient(UnrRollout rollout, const UnrWindow *window, double *value, void *theta_bar,
                                  UnrBatch u0_bar, double par_bar[]);
/* Loss only; last (NULL: not wanted) is u^m. */
PetscErrorCode UnrRolloutValue(UnrRollout rollout, const UnrWindow *window, double *value, UnrBatch last);
/* Tangent of the same map as the gradient's: cut tangents included.  value_dot is this rank's part. */
PetscErrorCode UnrRolloutJvp(UnrRollout rollout, const UnrWindow *window, UnrBatch u0_dot,
                             const double par_dot[], const void *theta_dot, double *value_dot);
/* Bytes of the fullest rank while a window is on its way, for the largest chunk of any replica. */
typedef struct {
  double tape;      /* one step's tape */
  double state;     /* one state */
  double least;     /* the least -rollout_memory that works */
  double all;       /* without a bound: every tape and state of the longest segment */
  double held;      /* with -rollout_memory */
  double recompute; /* and what it costs: steps run forward over those of the window */
} UnrRolloutMemory;
/* Runs one step to measure, and chooses what is kept.  Collective on the world. */
PetscErrorCode UnrRolloutMeasure(UnrRollout rollout, const UnrWindow *window, UnrRolloutMemory *memory);
/* Model steps run forward by the last gradient over the least possible, >= 1. */
double UnrRolloutRecompute(UnrRollout rollout);
