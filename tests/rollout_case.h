/* Rollouts of a case, for the tests of their gradients and of their independence of layout, chunks and
 * memory. */
#pragma once

#include "model_case.h"

/* A plan by name, and whether its gradient goes through more than one step. */
typedef struct {
  const char *name, *mode;
  PetscInt warmup, truncate;
} PlanName;

static const PlanName plan_names[] = {
    {"one", "one", 0, 0},
    {"nog", "nog", 0, 0},
    {"wig", "wig", 0, 0},
    {"warm-up 3", "wig", 3, 0},
    {"truncated 3", "wig", 0, 3},
    {"warm-up 2, truncated 4", "wig", 2, 4},
    {"nog, warm-up 2", "nog", 2, 0},
};
enum { PLANS = sizeof(plan_names) / sizeof(plan_names[0]) };

static inline UnrRollout RolloutCreate(Case *c, const PlanName *name, PetscInt steps)
{
  UnrRollout rollout;
  UnrPlan plan;

  TEST_CALL(UnrPlanFill(name->mode, steps, name->warmup, name->truncate, &plan));
  TEST_CALL(UnrRolloutCreate(c->model, c->loss, &plan, &rollout));
  TEST_CALL(UnrPlanDestroy(&plan));
  return rollout;
}

/* Loss (this rank's part) and gradient; bar is cleared first. */
static inline double Gradient(Case *c, UnrRollout rollout, Triple *bar)
{
  double value;

  TripleZero(c, bar);
  TEST_CALL(UnrRolloutGradient(rollout, &c->window, &value, bar->theta, bar->u, bar->par));
  TripleWiden(c, bar);
  return value;
}

static inline bool IsSameBits(Case *c, const Triple *a, const Triple *b)
{
  return !memcmp(a->u->data, b->u->data, (size_t)a->u->samples * a->u->stride * sizeof(double)) &&
         !memcmp(a->par, b->par, (size_t)(c->samples * c->parameters) * sizeof(double)) &&
         !memcmp(a->theta, b->theta, c->weights * sizeof(double));
}

/* Largest distance of state, parameters, weights (of double), each relative to its largest entry. */
static inline double TripleDistance(Case *c, const Triple *a, const Triple *b)
{
  double u = ArrayDistance((size_t)a->u->samples * a->u->stride, a->u->data, b->u->data);
  double par = ArrayDistance((size_t)(c->samples * c->parameters), a->par, b->par);

  return TestMost(TestMost(u, par), ArrayDistance(c->weights, a->theta, b->theta));
}
