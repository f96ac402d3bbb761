/* References of the tests: read from -test_file, or integrated by the reference scheme on its own grid. */
#include "app/evaluate.h"

#include <math.h>
#include <unistd.h>
#include "core/error.h"
#include "core/progress.h"
#include "dataset/sampler.h"

static PetscErrorCode CheckExists(const UnrEvaluate *e)
{
  const char *deck = UnrOptionsDeck();
  PetscMPIInt rank;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  UnrUserCheck(rank || !access(e->set.file, R_OK),
               "no test set (%s); allowed: a file that generate made of the same case; try: unroll generate "
               "%s%s -generate_set test -test_file %s",
               e->set.file, deck ? "-options_file " : "", deck ? deck : "", e->set.file);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The file must have the horizon, and frames of the case's length. */
static PetscErrorCode CheckTime(const UnrEvaluate *e)
{
  UnrWellInfo info;

  PetscFunctionBeginUser;
  PetscCall(UnrWellInfoGet(e->file, &info));
  UnrUserCheck(info.frames > e->set.frames,
               "-test_frames (%" PetscInt_FMT ") is beyond the frames in %s, which has %" PetscInt_FMT
               " behind its first; allowed: at most those; try: -test_frames %" PetscInt_FMT,
               e->set.frames, e->set.file, info.frames - 1, PetscMax(info.frames - 1, 1));
  PetscCall(UnrCaseCheckTime(&e->c, e->file, e->set.file));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Numbers in text form may have fewer digits than those in the file. */
static bool IsSame(PetscInt parameters, const double a[], const double b[])
{
  for (PetscInt p = 0; p < parameters; p++)
    if (!(fabs(a[p] - b[p]) <= 1e-6 * fmax(fabs(a[p]), fabs(b[p])))) return false;
  return true;
}

/* Test number s of a value is the s-th trajectory with it, in the file's order. */
static PetscErrorCode FindTrajectories(UnrEvaluate *e)
{
  const UnrCase *c = &e->c;
  const PetscInt n = UnrPhysicsParameters(c->physics), tests = c->samples;
  double *wanted, *par;
  UnrWellInfo info;

  PetscFunctionBeginUser;
  PetscCall(UnrWellInfoGet(e->file, &info));
  PetscCall(PetscMalloc2(tests * n + 1, &wanted, n + 1, &par));
  PetscCall(UnrCaseParameters(c, wanted));
  PetscCall(PetscMalloc1(tests, &e->trajectory));
  for (PetscInt t = 0; t < tests; t++) e->trajectory[t] = -1;
  for (PetscInt i = 0; i < info.trajectories; i++) {
    PetscCall(UnrWellParameters(e->file, c->physics, i, par));
    for (PetscInt g = 0; g < e->set.values; g++) {
      PetscInt t = g * e->set.starts;
      if (!IsSame(n, wanted + t * n, par)) continue;
      while (t < (g + 1) * e->set.starts && e->trajectory[t] >= 0) t++;
      if (t < (g + 1) * e->set.starts) e->trajectory[t] = i;
      break;
    }
  }
  for (PetscInt g = 0; g < e->set.values; g++) {
    char name[64];
    PetscInt found = 0;

    for (PetscInt t = g * e->set.starts; t < (g + 1) * e->set.starts; t++) found += e->trajectory[t] >= 0;
    UnrGroupName(e, g, name);
    UnrUserCheck(found == e->set.starts,
                 "%s has %" PetscInt_FMT " trajectories of %s where -test_starts (%" PetscInt_FMT
                 ") are wanted; allowed: -test_values and -test_starts of the file; try: generate "
                 "-generate_set test with the same deck",
                 e->set.file, found, name, e->set.starts);
  }
  PetscCall(PetscFree2(wanted, par));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrReferenceOpen(UnrEvaluate *e)
{
  double most;
  bool is_cached;

  PetscFunctionBeginUser;
  if (!e->set.file) {
    PetscCall(UnrFineCreate(&e->c, &e->fine));
    PetscCall(UnrBatchCreate(e->fine.grid, e->c.count, &e->state));
    PetscCall(UnrBatchCreate(e->fine.grid, e->c.count, &e->next));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(CheckExists(e));
  PetscCall(UnrWellOpen(e->set.file, UnrPhysicsFieldName(e->c.physics), &e->file));
  PetscCall(CheckTime(e));
  PetscCall(FindTrajectories(e));
  PetscCall(UnrOptionReal(UnrSamplerOptions, NULL, "-dataset_memory", &most));
  PetscCall(UnrWellCache(e->file, e->c.grid, most, &is_cached));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrReferenceClose(UnrEvaluate *e)
{
  PetscFunctionBeginUser;
  PetscCall(UnrBatchDestroy(&e->next));
  PetscCall(UnrBatchDestroy(&e->state));
  PetscCall(UnrFineDestroy(&e->fine));
  PetscCall(PetscFree(e->trajectory));
  if (e->file) PetscCall(UnrWellClose(&e->file));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Frame k of all own tests; ranks with fewer tests take part in every call. */
static PetscErrorCode ReadFrame(UnrEvaluate *e, PetscInt k, UnrBatch reference)
{
  const UnrCase *c = &e->c;
  const PetscInt most = (c->samples + c->layout.replicas - 1) / c->layout.replicas;

  PetscFunctionBeginUser;
  for (PetscInt t = 0; t < most; t++)
    PetscCall(UnrWellRead(e->file, t < c->count ? e->trajectory[c->first + t] : 0, k,
                          t < c->count ? reference : NULL, t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A frame of the reference scheme on its own grid. */
static PetscErrorCode Step(UnrEvaluate *e)
{
  const UnrBatch before = e->state;

  PetscFunctionBeginUser;
  PetscCall(UnrStepperApply(e->fine.stepper, e->c.par, before, e->next, NULL));
  e->state = e->next;
  e->next = before;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the case's grid sees of the reference's state. */
static PetscErrorCode See(UnrEvaluate *e, UnrBatch reference)
{
  UnrBatch seen;

  PetscFunctionBeginUser;
  PetscCall(UnrFineCoarsen(&e->fine, e->state, reference, &seen));
  if (seen != reference) PetscCall(UnrBatchCopy(seen, reference));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrReferenceStart(UnrEvaluate *e, PetscInt warmup, UnrBatch reference)
{
  UnrProgress progress;

  PetscFunctionBeginUser;
  if (e->file) {
    PetscCall(ReadFrame(e, 0, reference));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(UnrFineStart(&e->fine, e->state));
  UnrProgressBegin(&progress, "warm-up", warmup);
  for (PetscInt k = 0; k < warmup; k++) {
    PetscCall(Step(e));
    UnrProgressStep(&progress, k + 1, NULL);
  }
  PetscCall(See(e, reference));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrReferenceNext(UnrEvaluate *e, PetscInt k, UnrBatch reference)
{
  PetscFunctionBeginUser;
  if (e->file) {
    PetscCall(ReadFrame(e, k, reference));
  } else {
    PetscCall(Step(e));
    PetscCall(See(e, reference));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
