/* The frame loop of `evaluate`: model, reference, one-step residual, metrics. */
#include "app/evaluate.h"

#include <math.h>
#include "core/error.h"
#include "core/event.h"
#include "core/progress.h"

typedef struct {
  UnrBatch u, next;                   /* the roll-out */
  UnrBatch reference, reference_next; /* its reference */
  UnrBatch step;                      /* the reference scheme's step from u */
  bool *is_live;                      /* [own test] within its bounds so far */
  double *largest;                    /* [own test] |u|, infinite where not finite */
} Loop;

static PetscErrorCode LoopCreate(const UnrEvaluate *e, Loop *loop)
{
  UnrBatch *batch[] = {&loop->u, &loop->next, &loop->reference, &loop->reference_next, &loop->step};

  PetscFunctionBeginUser;
  for (int i = 0; i < 5; i++) PetscCall(UnrBatchCreate(e->c.grid, e->c.count, batch[i]));
  PetscCall(PetscMalloc2(e->c.count, &loop->is_live, e->c.count, &loop->largest));
  for (PetscInt t = 0; t < e->c.count; t++) loop->is_live[t] = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LoopDestroy(Loop *loop)
{
  PetscFunctionBeginUser;
  PetscCall(PetscFree2(loop->is_live, loop->largest));
  PetscCall(UnrBatchDestroy(&loop->step));
  PetscCall(UnrBatchDestroy(&loop->reference_next));
  PetscCall(UnrBatchDestroy(&loop->reference));
  PetscCall(UnrBatchDestroy(&loop->next));
  PetscCall(UnrBatchDestroy(&loop->u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* largest[test] = max |u| over the grid; infinite if a number is not finite.  Collective on the grid. */
static PetscErrorCode Largest(UnrBatch u, double largest[])
{
  PetscFunctionBeginUser;
  for (PetscInt t = 0; t < u->samples; t++) {
    const double *x = u->data + (size_t)t * u->stride;

    largest[t] = 0;
    for (size_t i = 0; i < u->stride; i++) {
      const double size = isfinite(x[i]) ? fabs(x[i]) : INFINITY;
      if (size > largest[t]) largest[t] = size;
    }
  }
  if (u->grid->size > 1)
    PetscCallMPI(
        MPI_Allreduce(MPI_IN_PLACE, largest, (PetscMPIInt)u->samples, MPI_DOUBLE, MPI_MAX, u->grid->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A test out of bounds goes on as its reference (the last frame of it), so that the batch goes on: no number
   of it counts any more. */
static PetscErrorCode Freeze(const UnrEvaluate *e, Loop *loop, UnrBatch u, UnrBatch reference)
{
  PetscFunctionBeginUser;
  PetscCall(Largest(u, loop->largest));
  for (PetscInt t = 0; t < e->c.count; t++) {
    const size_t skip = (size_t)t * u->stride;

    loop->is_live[t] = loop->is_live[t] && loop->largest[t] <= e->limit;
    if (!loop->is_live[t]) PetscCall(PetscArraycpy(u->data + skip, reference->data + skip, u->stride));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Without finite references nothing can be measured.  Collective on the world. */
static PetscErrorCode CheckReference(const UnrEvaluate *e, Loop *loop, UnrBatch reference, PetscInt k)
{
  PetscInt bad = -1;

  PetscFunctionBeginUser;
  PetscCall(Largest(reference, loop->largest));
  for (PetscInt t = e->c.count - 1; t >= 0; t--)
    if (!isfinite(loop->largest[t])) bad = e->c.first + t;
  UnrUserCheck(bad < 0,
               "the reference of test %" PetscInt_FMT " is not finite in frame %" PetscInt_FMT
               "; allowed: a reference scheme that stays finite; try: a smaller -stepper_dt, more "
               "-stepper_substeps, or -reference_stepper_etdrk_order 4",
               bad, k);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Frame k from frame k - 1, into next and, as long as there is one, reference_next. */
static PetscErrorCode Advance(UnrEvaluate *e, Loop *loop, PetscInt k)
{
  const UnrCase *c = &e->c;

  PetscFunctionBeginUser;
  PetscCall(UnrModelApply(c->model, c->par, loop->u, loop->next, NULL));
  if (k <= e->set.frames) PetscCall(UnrReferenceNext(e, k, loop->reference_next));
  PetscCall(UnrStepperApply(c->reference, c->par, loop->u, loop->step, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void Swap(UnrBatch *a, UnrBatch *b)
{
  UnrBatch c = *a;

  *a = *b;
  *b = c;
}

PetscErrorCode UnrEvaluateRun(UnrEvaluate *e, UnrEvaluateFiles *files)
{
  Loop loop;
  UnrProgress progress;

  PetscFunctionBeginUser;
  PetscCall(LoopCreate(e, &loop));
  PetscCall(UnrReferenceStart(e, e->set.warmup, loop.reference));
  PetscCall(CheckReference(e, &loop, loop.reference, 0));
  PetscCall(UnrBatchCopy(loop.reference, loop.u));
  UnrProgressBegin(&progress, "evaluate", e->frames);
  for (PetscInt k = 0; k <= e->frames; k++) {
    UnrMetricFrame frame = {.frame = k, .is_live = loop.is_live};

    if (k) {
      PetscCall(Advance(e, &loop, k));
      Swap(&loop.u, &loop.next);
      if (k <= e->set.frames) Swap(&loop.reference, &loop.reference_next);
      frame.previous = loop.next;
      frame.previous_step = loop.step;
    }
    PetscCall(Freeze(e, &loop, loop.u, loop.reference));
    frame.u = loop.u;
    frame.reference = k <= e->set.frames ? loop.reference : NULL;
    PetscCall(UnrMetricsFrame(e->metrics, &frame));
    PetscCall(UnrEvaluateFilesWrite(e, files, k, loop.u, frame.reference, loop.is_live));
    PetscCall(UnrEvaluatePlanesKeep(e, k, loop.u, frame.reference, loop.is_live));
    UnrProgressStep(&progress, k, NULL);
  }
  UnrProgressEnd(&progress, e->frames, NULL);
  PetscCall(CheckReference(e, &loop, loop.reference, e->set.frames));
  PetscCall(UnrMetricsFinish(e->metrics));
  PetscCall(LoopDestroy(&loop));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrEvaluateMeasure(UnrEvaluate *e, double *seconds, double *bytes)
{
  Loop loop;
  double cost[2];

  PetscFunctionBeginUser;
  PetscCall(LoopCreate(e, &loop));
  PetscCall(UnrReferenceStart(e, 0, loop.reference));
  PetscCall(UnrBatchCopy(loop.reference, loop.u));
  PetscCall(Advance(e, &loop, 1)); /* the first step makes coefficients and plans */
  cost[0] = -MPI_Wtime();
  PetscCall(Advance(e, &loop, 1));
  cost[0] += MPI_Wtime();
  cost[1] = 5 * (double)loop.u->stride * (double)e->c.count * sizeof(double);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, cost, 2, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
  *seconds = cost[0];
  *bytes = cost[1];
  PetscCall(LoopDestroy(&loop));
  PetscFunctionReturn(PETSC_SUCCESS);
}
