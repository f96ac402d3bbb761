#include "app/check_item.h"
#include "core/call.h"
#include "core/count.h"
#include "field/random.h"

const char *const UnrCheckKindName[UNR_CHECK_KINDS] = {"dot", "taylor", "finite-difference", "rank", "calls"};

static PetscErrorCode append(UnrCheckList *list, UnrCheckKind kind, const char *what, const char *of,
                             double value, double bound)
{
  UnrCheckItem *item = &list->item[list->count++];

  PetscFunctionBeginUser;
  PetscCheck(list->count <= (PetscInt)PETSC_STATIC_ARRAY_LENGTH(list->item), PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "too many items");
  PetscCall(PetscSNPrintf(item->name, sizeof(item->name), of ? "%s.%s" : "%s", what, of));
  item->kind = kind;
  item->value = value;
  item->bound = bound;
  /* Written so that NaN fails. */
  if (kind == UNR_CHECK_TAYLOR)
    item->pass = value >= bound;
  else if (kind == UNR_CHECK_CALLS)
    item->pass = value == bound;
  else
    item->pass = value <= bound;
  if (!item->pass) list->failed++;
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%-18s %-24s %12.4g  %s %-10.3g %s\n", UnrCheckKindName[kind],
                        item->name, value,
                        kind == UNR_CHECK_TAYLOR  ? ">="
                        : kind == UNR_CHECK_CALLS ? "=="
                                                  : "<=",
                        bound, item->pass ? "ok" : "FAILED"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rounding of a float net shows in its dot products; a solver's own exactness is what its stepper states. */
static double dot_bound(const UnrProbe *probe, bool net, bool stepper)
{
  double bound = 1e-12;

  if (stepper && probe->c->stepper) bound = PetscMax(bound, UnrStepperExactness(probe->c->stepper));
  if (net && probe->c->net && UnrNetPrecision(probe->c->net) == UNR_SINGLE) bound = PetscMax(bound, 1e-5);
  return bound;
}

/* Of all ranks; a NaN counts as infinite, since maxima, ours and MPI's, drop it. */
static PetscErrorCode largest(const UnrProbe *probe, double mine, double *value)
{
  PetscFunctionBeginUser;
  if (PetscIsNanReal(mine)) mine = PETSC_INFINITY;
  PetscCallMPI(MPI_Allreduce(&mine, value, 1, MPI_DOUBLE, MPI_MAX, probe->c->layout.world));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* |<J v, w> - <v, J' w>| / (|J v| |w|): one frame of the model, or of its stepper alone, state tangents only.
 */
static PetscErrorCode dot_frame(UnrProbe *probe, bool stepper_only, double *value)
{
  const UnrCase *c = probe->c;
  UnrBatch v, w, Jv, Jw;
  UnrTape tape;
  double a, b, jj, ww;

  PetscFunctionBeginUser;
  PetscCall(UnrTapeCreate(&tape));
  PetscCall(UnrBatchCreate(c->grid, c->count, &v));
  PetscCall(UnrBatchCreate(c->grid, c->count, &w));
  PetscCall(UnrBatchCreate(c->grid, c->count, &Jv));
  PetscCall(UnrBatchCreate(c->grid, c->count, &Jw));
  PetscCall(UnrBatchFillRandom(v, (UnrRng){1, 1}, c->first));
  PetscCall(UnrBatchFillRandom(w, (UnrRng){1, 2}, c->first));
  if (stepper_only) {
    PetscCall(UnrStepperJvp(c->stepper, c->par, probe->window.frame[0], v, NULL, NULL, Jv));
    PetscCall(UnrStepperApply(c->stepper, c->par, probe->window.frame[0], Jw, tape));
    PetscCall(UnrBatchZero(Jw));
    PetscCall(UnrStepperVjp(c->stepper, c->par, tape, w, Jw, NULL));
  } else {
    PetscCall(UnrModelJvp(c->model, c->par, probe->window.frame[0], v, NULL, NULL, Jw, Jv));
    PetscCall(UnrModelApply(c->model, c->par, probe->window.frame[0], Jw, tape));
    PetscCall(UnrBatchZero(Jw));
    PetscCall(UnrModelVjp(c->model, c->par, tape, w, Jw, NULL, NULL));
  }
  PetscCall(UnrBatchDot(Jv, w, &a));
  PetscCall(UnrBatchDot(v, Jw, &b));
  PetscCall(UnrBatchDot(Jv, Jv, &jj));
  PetscCall(UnrBatchDot(w, w, &ww));
  a = PetscAbsReal(a - b) / PetscSqrtReal(jj * ww);
  PetscCall(largest(probe, a, value));
  PetscCall(UnrBatchDestroy(&v));
  PetscCall(UnrBatchDestroy(&w));
  PetscCall(UnrBatchDestroy(&Jv));
  PetscCall(UnrBatchDestroy(&Jw));
  PetscCall(UnrTapeDestroy(&tape));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrCheckDot(UnrProbe *probe, UnrCheckList *list)
{
  const UnrCase *c = probe->c;
  double value, slope, scale, tangent;

  PetscFunctionBeginUser;
  if (c->stepper && UnrStepperHasAdjoint(c->stepper)) {
    PetscCall(dot_frame(probe, true, &value));
    PetscCall(append(list, UNR_CHECK_DOT, "stepper", "start", value, dot_bound(probe, false, true)));
  }
  if (UnrModelHasAdjoint(c->model)) {
    PetscCall(dot_frame(probe, false, &value));
    PetscCall(append(list, UNR_CHECK_DOT, "model", "start", value, dot_bound(probe, true, true)));
  }
  PetscCall(UnrProbeGradient(probe));
  for (UnrQuantity q = 0; q < UNR_QUANTITIES; q++) {
    if (!UnrProbeHas(probe, q)) continue;
    PetscCall(UnrProbeSlope(probe, q, &slope, &scale));
    PetscCall(UnrProbeTangent(probe, q, &tangent));
    PetscCall(append(list, UNR_CHECK_DOT, "rollout", UnrQuantityName[q],
                     PetscAbsReal(tangent - slope) / scale, dot_bound(probe, true, true)));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  The remainder J(eps) - J(0) - eps J'd is O(eps^2).  Seven decades are measured; the order is the least one
  over the best four neighbouring decades, since large eps leave the asymptotic range and small ones drown in
  rounding.
*/
PetscErrorCode UnrCheckTaylor(UnrProbe *probe, UnrCheckList *list)
{
  enum { DECADES = 7, NEED = 4 };
  double slope, scale, value, r[DECADES + 1], best, least;

  PetscFunctionBeginUser;
  PetscCall(UnrProbeGradient(probe));
  for (UnrQuantity q = 0; q < UNR_QUANTITIES; q++) {
    if (!UnrProbeHas(probe, q)) continue;
    PetscCall(UnrProbeSlope(probe, q, &slope, &scale));
    for (int i = 0; i <= DECADES; i++) {
      const double eps = PetscPowReal(10., -1 - i);

      PetscCall(UnrProbeValue(probe, q, eps, &value));
      r[i] = PetscAbsReal(value - probe->value - eps * slope);
    }
    best = -1;
    for (int i = 0; i + NEED <= DECADES; i++) {
      least = PETSC_MAX_REAL;
      for (int j = i; j < i + NEED; j++) {
        const double order = PetscLog10Real(r[j] / r[j + 1]);

        least = PetscIsNanReal(order) ? -1 : PetscMin(least, order);
      }
      best = PetscMax(best, least);
    }
    PetscCall(append(list, UNR_CHECK_TAYLOR, "rollout", UnrQuantityName[q], best, 1.95));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrCheckDifference(UnrProbe *probe, UnrCheckList *list)
{
  const double exactness = probe->c->stepper ? UnrStepperExactness(probe->c->stepper) : 0;
  double slope, scale, v[4], difference, best;

  PetscFunctionBeginUser;
  PetscCall(UnrProbeGradient(probe));
  for (UnrQuantity q = 0; q < UNR_QUANTITIES; q++) {
    if (!UnrProbeHas(probe, q)) continue;
    PetscCall(UnrProbeSlope(probe, q, &slope, &scale));
    best = PETSC_MAX_REAL;
    for (double eps = 1e-2; eps > 3e-6; eps /= PetscSqrtReal(10.)) {
      PetscCall(UnrProbeValue(probe, q, eps, &v[0]));
      PetscCall(UnrProbeValue(probe, q, -eps, &v[1]));
      PetscCall(UnrProbeValue(probe, q, 2 * eps, &v[2]));
      PetscCall(UnrProbeValue(probe, q, -2 * eps, &v[3]));
      difference = (8 * (v[0] - v[1]) - (v[2] - v[3])) / (12 * eps);
      best = PetscMin(best, PetscAbsReal(difference - slope) /
                                PetscMax(PetscAbsReal(difference), PetscAbsReal(slope)));
    }
    PetscCall(append(list, UNR_CHECK_DIFFERENCE, "rollout", UnrQuantityName[q], best,
                     PetscMax(q == UNR_WEIGHTS ? 1e-9 : 1e-8, 10 * exactness)));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The whole batch of a window on every rank, from its blocks over all replicas. */
static PetscErrorCode gather(const UnrCase *c, UnrBatch part, UnrBatch whole)
{
  const UnrGrid g = c->grid;
  const double *value = part->data;
  const size_t row = (size_t)(g->count[2] * g->components);
  PetscMPIInt numbers;

  PetscFunctionBeginUser;
  PetscCall(UnrBatchZero(whole));
  for (PetscInt s = 0; s < c->count; s++)
    for (PetscInt x = 0; x < g->count[0]; x++)
      for (PetscInt y = 0; y < g->count[1]; y++, value += row) {
        const PetscInt cell =
            ((g->start[0] + x) * g->points[1] + g->start[1] + y) * g->points[2] + g->start[2];
        double *to = whole->data + (size_t)(c->first + s) * whole->stride + (size_t)(cell * g->components);

        PetscCall(PetscArraycpy(to, value, row));
      }
  PetscCall(UnrMPICount((size_t)whole->samples * whole->stride, &numbers));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, whole->data, numbers, MPI_DOUBLE, MPI_SUM, c->layout.world));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sums of this rank's parts of the weights' gradient, as doubles. */
static PetscErrorCode whole_weights(const UnrProbe *probe, double **sum)
{
  const UnrCase *c = probe->c;
  const size_t n = c->net ? UnrNetParameters(c->net) : 0;
  const void *g = probe->gradient.theta;
  PetscMPIInt numbers;

  PetscFunctionBeginUser;
  PetscCall(UnrMPICount(n, &numbers));
  PetscCall(PetscMalloc1(n + 1, sum));
  for (size_t i = 0; i < n; i++)
    (*sum)[i] =
        UnrNetPrecision(c->net) == UNR_SINGLE ? (double)((const float *)g)[i] : ((const double *)g)[i];
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, *sum, numbers, MPI_DOUBLE, MPI_SUM, c->layout.world));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* max |a - b| / max |b|, the worst of all ranks; infinite where a number is not finite. */
static PetscErrorCode difference(const UnrProbe *probe, size_t n, const double a[], const double b[],
                                 double *value)
{
  double most = 0, size = 0;

  PetscFunctionBeginUser;
  for (size_t i = 0; i < n; i++) {
    const double apart = PetscAbsReal(a[i] - b[i]);

    most = PetscIsInfOrNanReal(apart) ? PETSC_INFINITY : PetscMax(most, apart);
    if (PetscIsInfOrNanReal(most)) break;
    size = PetscMax(size, PetscAbsReal(b[i]));
  }
  PetscCall(largest(probe, size > 0 ? most / size : most, value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* par's gradient over the whole batch: parts summed over the world. */
static PetscErrorCode whole_parameters(const UnrProbe *probe, double **sum)
{
  const UnrCase *c = probe->c;
  const PetscInt n = UnrPhysicsParameters(c->physics);

  PetscFunctionBeginUser;
  PetscCall(PetscCalloc1((size_t)(c->samples * n) + 1, sum));
  for (PetscInt i = 0; i < c->count * n; i++) (*sum)[c->first * n + i] = probe->gradient.par[i];
  PetscCallMPI(
      MPI_Allreduce(MPI_IN_PLACE, *sum, (PetscMPIInt)(c->samples * n), MPI_DOUBLE, MPI_SUM, c->layout.world));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrCheckRank(UnrProbe *probe, UnrCheckList *list)
{
  const UnrCase *c = probe->c;
  const double bound = c->net && UnrNetPrecision(c->net) == UNR_SINGLE ? 1e-5
                       : c->stepper ? PetscMax(1e-12, UnrStepperExactness(c->stepper))
                                    : 1e-12;
  UnrCase alone;
  UnrProbe one;
  UnrWindow window = {0};
  UnrBatch start;
  double *here, *there, value;

  PetscFunctionBeginUser;
  if (c->layout.size == 1) PetscFunctionReturn(PETSC_SUCCESS); /* nothing to compare */
  PetscCall(UnrCaseCreate(PETSC_COMM_WORLD, &(UnrCaseSpec){.alone = true}, &alone));
  PetscCall(PetscMalloc1((size_t)probe->plan.steps + 1, &window.frame));
  for (PetscInt k = 0; k <= probe->plan.steps; k++) {
    PetscCall(UnrBatchCreate(alone.grid, alone.count, &window.frame[k]));
    PetscCall(gather(c, probe->window.frame[k], window.frame[k]));
  }
  PetscCall(UnrProbeCreate(&alone, &window, &one));
  PetscCall(UnrProbeGradient(&one));
  PetscCall(UnrProbeGradient(probe));
  PetscCall(difference(probe, 1, &probe->value, &one.value, &value));
  PetscCall(append(list, UNR_CHECK_RANK, "loss", NULL, value, bound));
  if (c->net) {
    PetscCall(whole_weights(probe, &here));
    PetscCall(whole_weights(&one, &there));
    PetscCall(difference(probe, UnrNetParameters(c->net), here, there, &value));
    PetscCall(append(list, UNR_CHECK_RANK, "gradient", UnrQuantityName[UNR_WEIGHTS], value, bound));
    PetscCall(PetscFree(here));
    PetscCall(PetscFree(there));
  }
  if (UnrProbeHas(probe, UNR_START)) {
    PetscCall(UnrBatchCreate(alone.grid, alone.count, &start));
    PetscCall(gather(c, probe->gradient.u0, start));
    PetscCall(difference(probe, (size_t)start->samples * start->stride, start->data, one.gradient.u0->data,
                         &value));
    PetscCall(append(list, UNR_CHECK_RANK, "gradient", UnrQuantityName[UNR_START], value, bound));
    PetscCall(UnrBatchDestroy(&start));
  }
  if (UnrProbeHas(probe, UNR_PARAMETERS)) {
    PetscCall(whole_parameters(probe, &here));
    PetscCall(whole_parameters(&one, &there));
    PetscCall(
        difference(probe, (size_t)(c->samples * UnrPhysicsParameters(c->physics)), here, there, &value));
    PetscCall(append(list, UNR_CHECK_RANK, "gradient", UnrQuantityName[UNR_PARAMETERS], value, bound));
    PetscCall(PetscFree(here));
    PetscCall(PetscFree(there));
  }
  PetscCall(UnrProbeDestroy(&one));
  PetscCall(UnrCaseWindowDestroy(probe->plan.steps, &window));
  PetscCall(UnrCaseDestroy(&alone));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* As training calls it, for the weights only: a segment of n steps asks its solver's adjoint n - 1 times. */
PetscErrorCode UnrCheckCalls(UnrProbe *probe, UnrCheckList *list)
{
  const UnrCase *c = probe->c;
  double value = 0;
  PetscInt64 inside = 0,
             calls[3]; /* of all ranks: the solver's adjoint, the net's input gradient, what is right */

  PetscFunctionBeginUser;
  if (!c->net) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt k = 1; k < probe->plan.steps; k++) inside += !probe->plan.cut[k];
  UnrCountReset();
  PetscCall(UnrRolloutGradient(probe->rollout, &probe->window, &value, probe->gradient.theta, NULL, NULL));
  calls[0] = UnrCountGet(UNR_COUNT_SOLVER_VJP);
  calls[1] = UnrCountGet(UNR_COUNT_NET_INPUT_VJP);
  calls[2] = inside * c->count;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, calls, 3, MPIU_INT64, MPI_SUM, c->layout.world));
  PetscCall(
      append(list, UNR_CHECK_CALLS, "solver", "vjp", (double)calls[0], c->stepper ? (double)calls[2] : 0));
  PetscCall(append(list, UNR_CHECK_CALLS, "net", "input_vjp", (double)calls[1], (double)calls[2]));
  PetscFunctionReturn(PETSC_SUCCESS);
}
