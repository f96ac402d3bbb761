#include "app/probe.h"
#include "field/random.h"

const char *const UnrQuantityName[UNR_QUANTITIES] = {"weights", "start", "parameters"};

enum { SEED = 20251130 }; /* of the directions: any will do, but the same for every layout */

static PetscErrorCode point_create(const UnrCase *c, UnrPoint *p)
{
  PetscFunctionBeginUser;
  PetscCall(PetscMemzero(p, sizeof(*p)));
  if (c->net)
    PetscCall(PetscCalloc(UnrNetParameters(c->net) * UnrPrecisionBytes(UnrNetPrecision(c->net)), &p->theta));
  PetscCall(UnrBatchCreate(c->grid, c->count, &p->u0));
  PetscCall(PetscCalloc1((size_t)(c->count * UnrPhysicsParameters(c->physics)) + 1, &p->par));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode point_destroy(UnrPoint *p)
{
  PetscFunctionBeginUser;
  PetscCall(PetscFree(p->theta));
  PetscCall(UnrBatchDestroy(&p->u0));
  PetscCall(PetscFree(p->par));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static double theta_get(const UnrCase *c, const void *theta, size_t i)
{
  return UnrNetPrecision(c->net) == UNR_SINGLE ? (double)((const float *)theta)[i]
                                               : ((const double *)theta)[i];
}

static void theta_set(const UnrCase *c, void *theta, size_t i, double value)
{
  if (UnrNetPrecision(c->net) == UNR_SINGLE)
    ((float *)theta)[i] = (float)value;
  else
    ((double *)theta)[i] = value;
}

PetscErrorCode UnrProbeSum(const UnrProbe *probe, double local, double *sum)
{
  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Allreduce(&local, sum, 1, MPI_DOUBLE, MPI_SUM, probe->c->layout.world));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static double local_dot(const UnrBatch a, const UnrBatch b)
{
  double sum = 0;

  for (size_t i = 0; i < (size_t)a->samples * a->stride; i++) sum += a->data[i] * b->data[i];
  return sum;
}

/* Normal numbers, each quantity scaled to the size of what it perturbs, so that one range of eps serves all.
 */
static PetscErrorCode draw_direction(UnrProbe *probe)
{
  const UnrCase *c = probe->c;
  const PetscInt n = UnrPhysicsParameters(c->physics);
  UnrPoint *d = &probe->direction;
  UnrBatch u = probe->window.frame[0];
  double square, number;

  PetscFunctionBeginUser;
  if (c->net) {
    const UnrRng rng = {SEED, UnrRngStream("direction of the weights", 0, 0)};
    const size_t weights = UnrNetParameters(c->net);
    void *theta;

    PetscCall(UnrNetTheta(c->net, &theta));
    square = 0;
    for (size_t i = 0; i < weights; i++) square += theta_get(c, theta, i) * theta_get(c, theta, i);
    for (size_t i = 0; i < weights; i++)
      theta_set(c, d->theta, i, UnrRngNormal(rng, i) * PetscSqrtReal(square / (double)weights));
  }
  PetscCall(UnrProbeSum(probe, local_dot(u, u), &square));
  PetscCall(UnrProbeSum(probe, (double)u->samples * (double)u->stride, &number));
  PetscCall(
      UnrBatchFillRandom(d->u0, (UnrRng){SEED, UnrRngStream("direction of the start", 0, 0)}, c->first));
  for (size_t i = 0; i < (size_t)u->samples * u->stride; i++)
    d->u0->data[i] *= PetscSqrtReal(square / number);
  for (PetscInt i = 0; i < c->count * n; i++) {
    const UnrRng rng = {
        SEED, UnrRngStream("direction of the parameters", (uint64_t)(c->first + i / n), (uint64_t)(i % n))};

    d->par[i] = UnrRngNormal(rng, 0) * (c->par[i] != 0 ? c->par[i] : 0.1);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The states from which the later segments start: the unperturbed rollout at the cuts. */
static PetscErrorCode keep_states(UnrProbe *probe)
{
  const PetscInt m = probe->plan.steps;
  const UnrCase *c = probe->c;
  UnrBatch u, next;

  PetscFunctionBeginUser;
  PetscCall(PetscCalloc1((size_t)m + 1, &probe->state));
  PetscCall(UnrBatchCreate(c->grid, c->count, &u));
  PetscCall(UnrBatchCreate(c->grid, c->count, &next));
  PetscCall(UnrBatchCopy(probe->window.frame[0], u));
  for (PetscInt k = 1; k < m; k++) {
    PetscCall(UnrModelApply(c->model, c->par, u, next, NULL));
    PetscCall(UnrBatchCopy(next, u));
    if (!probe->plan.cut[k]) continue;
    PetscCall(UnrBatchCreate(c->grid, c->count, &probe->state[k]));
    PetscCall(UnrBatchCopy(u, probe->state[k]));
  }
  PetscCall(UnrBatchDestroy(&u));
  PetscCall(UnrBatchDestroy(&next));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrProbeCreate(const UnrCase *c, const UnrWindow *window, UnrProbe *probe)
{
  PetscFunctionBeginUser;
  PetscCall(PetscMemzero(probe, sizeof(*probe)));
  probe->c = c;
  PetscCall(UnrPlanCreate(&probe->plan));
  PetscCall(UnrRolloutCreate(c->model, c->loss, &probe->plan, &probe->rollout));
  PetscCall(UnrCaseWindow(c, probe->plan.steps, &probe->window));
  if (window)
    for (PetscInt k = 0; k <= probe->plan.steps; k++)
      PetscCall(UnrBatchCopy(window->frame[k], probe->window.frame[k]));
  PetscCall(point_create(c, &probe->direction));
  PetscCall(point_create(c, &probe->gradient));
  PetscCall(draw_direction(probe));
  PetscCall(keep_states(probe));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrProbeDestroy(UnrProbe *probe)
{
  PetscFunctionBeginUser;
  for (PetscInt k = 0; k <= probe->plan.steps; k++) PetscCall(UnrBatchDestroy(&probe->state[k]));
  PetscCall(PetscFree(probe->state));
  PetscCall(point_destroy(&probe->gradient));
  PetscCall(point_destroy(&probe->direction));
  PetscCall(UnrCaseWindowDestroy(probe->plan.steps, &probe->window));
  PetscCall(UnrRolloutDestroy(&probe->rollout));
  PetscCall(UnrPlanDestroy(&probe->plan));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Does any frame before the first cut enter the loss?  Not with a warm-up: then the start has no gradient. */
static bool first_segment_counts(const UnrPlan *plan)
{
  for (PetscInt k = 1; k <= plan->steps; k++) {
    if (plan->weight[k] != 0) return true;
    if (k < plan->steps && plan->cut[k]) return false;
  }
  return false;
}

bool UnrProbeHas(const UnrProbe *probe, UnrQuantity q)
{
  if (q == UNR_WEIGHTS) return probe->c->net != NULL;
  /* A solver without an adjoint leaves only the weights'. */
  if (!UnrModelHasAdjoint(probe->c->model)) return false;
  if (q == UNR_START) return first_segment_counts(&probe->plan);
  return UnrPhysicsParameters(probe->c->physics) > 0;
}

PetscErrorCode UnrProbeGradient(UnrProbe *probe)
{
  const UnrCase *c = probe->c;
  UnrPoint *g = &probe->gradient;
  double value = 0;

  PetscFunctionBeginUser;
  if (c->net)
    PetscCall(PetscMemzero(g->theta, UnrNetParameters(c->net) * UnrPrecisionBytes(UnrNetPrecision(c->net))));
  PetscCall(UnrBatchZero(g->u0));
  PetscCall(PetscArrayzero(g->par, (size_t)(c->count * UnrPhysicsParameters(c->physics))));
  PetscCall(UnrRolloutGradient(probe->rollout, &probe->window, &value, g->theta,
                               UnrProbeHas(probe, UNR_START) ? g->u0 : NULL,
                               UnrProbeHas(probe, UNR_PARAMETERS) ? g->par : NULL));
  PetscCall(UnrProbeSum(probe, value, &probe->value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* theta_bar and par_bar are this rank's parts of sums over the world and over the grid; u0_bar is this rank's
 * cells. */
PetscErrorCode UnrProbeSlope(const UnrProbe *probe, UnrQuantity q, double *slope, double *scale)
{
  const UnrCase *c = probe->c;
  const UnrPoint *g = &probe->gradient, *d = &probe->direction;
  double local[3] = {0, 0, 0}, sum[3]; /* <g, d>, |g|^2, |d|^2; the latter two are scales only */

  PetscFunctionBeginUser;
  if (q == UNR_WEIGHTS) {
    for (size_t i = 0; i < UnrNetParameters(c->net); i++) {
      const double a = theta_get(c, g->theta, i), b = theta_get(c, d->theta, i);

      local[0] += a * b;
      local[1] += a * a;
      local[2] += b * b / c->layout.size;
    }
  } else if (q == UNR_START) {
    local[0] = local_dot(g->u0, d->u0);
    local[1] = local_dot(g->u0, g->u0);
    local[2] = local_dot(d->u0, d->u0);
  } else {
    for (PetscInt i = 0; i < c->count * UnrPhysicsParameters(c->physics); i++) {
      local[0] += g->par[i] * d->par[i];
      local[1] += g->par[i] * g->par[i];
      local[2] += d->par[i] * d->par[i] / c->grid->size;
    }
  }
  PetscCallMPI(MPI_Allreduce(local, sum, 3, MPI_DOUBLE, MPI_SUM, c->layout.world));
  *slope = sum[0];
  *scale = PetscSqrtReal(sum[1] * sum[2]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrProbeTangent(UnrProbe *probe, UnrQuantity q, double *slope)
{
  const UnrPoint *d = &probe->direction;
  double local = 0;

  PetscFunctionBeginUser;
  PetscCall(UnrRolloutJvp(probe->rollout, &probe->window, q == UNR_START ? d->u0 : NULL,
                          q == UNR_PARAMETERS ? d->par : NULL, q == UNR_WEIGHTS ? d->theta : NULL, &local));
  PetscCall(UnrProbeSum(probe, local, slope));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* theta or par += eps direction; called with the opposite eps it is undone by the caller's saved copy. */
static PetscErrorCode shift(UnrProbe *probe, UnrQuantity q, double eps, const UnrPoint *base, double *par)
{
  const UnrCase *c = probe->c;
  void *theta;

  PetscFunctionBeginUser;
  if (q == UNR_WEIGHTS) {
    PetscCall(UnrNetTheta(c->net, &theta));
    for (size_t i = 0; i < UnrNetParameters(c->net); i++)
      theta_set(c, theta, i, theta_get(c, base->theta, i) + eps * theta_get(c, probe->direction.theta, i));
    PetscCall(UnrNetThetaChanged(c->net));
  }
  for (PetscInt i = 0; i < c->count * UnrPhysicsParameters(c->physics); i++)
    par[i] = c->par[i] + (q == UNR_PARAMETERS ? eps * probe->direction.par[i] : 0);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* *value += loss of the steps first + 1 .. last, one segment of the plan, from the state `start`. */
static PetscErrorCode segment_value(UnrProbe *probe, PetscInt first, PetscInt last, UnrBatch start,
                                    const double *par, double *value)
{
  const UnrPlan *whole = &probe->plan;
  UnrPlan plan;
  UnrRollout rollout;
  UnrWindow window = {probe->window.batch_samples, par, NULL};
  double part;

  PetscFunctionBeginUser;
  PetscCall(UnrPlanFill("wig", last - first, 0, 0, &plan));
  for (PetscInt k = 1; k <= plan.steps; k++) plan.weight[k] = whole->weight[first + k];
  plan.weight_sum = whole->weight_sum;
  PetscCall(PetscMalloc1((size_t)plan.steps + 1, &window.frame));
  window.frame[0] = start;
  for (PetscInt k = 1; k <= plan.steps; k++) window.frame[k] = probe->window.frame[first + k];
  PetscCall(UnrRolloutCreate(probe->c->model, probe->c->loss, &plan, &rollout));
  PetscCall(UnrRolloutValue(rollout, &window, &part, NULL));
  *value += part;
  PetscCall(UnrRolloutDestroy(&rollout));
  PetscCall(PetscFree(window.frame));
  PetscCall(UnrPlanDestroy(&plan));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrProbeValue(UnrProbe *probe, UnrQuantity q, double eps, double *value)
{
  const UnrCase *c = probe->c;
  UnrPoint base;
  UnrBatch start;
  double *par, local = 0;
  void *theta;

  PetscFunctionBeginUser;
  PetscCall(point_create(c, &base));
  PetscCall(PetscMalloc1((size_t)(c->count * UnrPhysicsParameters(c->physics)) + 1, &par));
  if (c->net) {
    PetscCall(UnrNetTheta(c->net, &theta));
    PetscCall(PetscMemcpy(base.theta, theta,
                          UnrNetParameters(c->net) * UnrPrecisionBytes(UnrNetPrecision(c->net))));
  }
  PetscCall(shift(probe, q, eps, &base, par));
  PetscCall(UnrBatchCopy(probe->window.frame[0], base.u0));
  if (q == UNR_START) PetscCall(UnrBatchAXPY(base.u0, eps, probe->direction.u0));
  for (PetscInt first = 0, last; first < probe->plan.steps; first = last) {
    for (last = first + 1; last < probe->plan.steps && !probe->plan.cut[last];) last++;
    start = first ? probe->state[first] : base.u0;
    PetscCall(segment_value(probe, first, last, start, par, &local));
  }
  PetscCall(shift(probe, q, 0, &base, par));
  PetscCall(UnrProbeSum(probe, local, value));
  PetscCall(PetscFree(par));
  PetscCall(point_destroy(&base));
  PetscFunctionReturn(PETSC_SUCCESS);
}
