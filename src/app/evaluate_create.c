/* The case of `evaluate`: the test set, the model with its weights, references, metrics. */
#include "app/evaluate.h"

#include "core/error.h"

/* A net without weights measures nothing. */
static PetscErrorCode CheckModel(UnrEvaluate *e)
{
  const char *deck = UnrOptionsDeck();
  UnrModelNeeds wants;

  PetscFunctionBeginUser;
  PetscCall(UnrModelWants(&wants));
  UnrUserCheck(!wants.net || e->model_file,
               "the model has a network without weights (-model_file unset); allowed: a file that train "
               "made, or -model_type solver; try: unroll train %s%s -out runs/train, then -model_file "
               "runs/train/model.h5",
               deck ? "-options_file " : "", deck ? deck : "");
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrEvaluateCreate(UnrEvaluate *e)
{
  static char mode[32];
  UnrCaseSpec spec;

  PetscFunctionBeginUser;
  PetscCall(CheckModel(e));
  PetscCall(UnrTestSetGet(&e->set));
  e->window = PetscMin(e->window, e->set.frames);
  e->save = PetscMin(e->save, e->set.frames);
  spec = UnrTestSetSpec(&e->set);
  PetscCall(UnrCaseCreate(PETSC_COMM_WORLD, &spec, &e->c));
  mode[0] = '\0';
  e->mode = mode;
  PetscCall(UnrReferenceOpen(e));
  PetscCall(UnrMetricsCreate(e->c.grid, e->c.count, e->set.frames, e->window, &e->metrics));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrEvaluateDestroy(UnrEvaluate *e)
{
  PetscFunctionBeginUser;
  PetscCall(UnrMetricsDestroy(&e->metrics));
  PetscCall(PetscFree(e->trajectory));
  if (e->file) PetscCall(UnrWellClose(&e->file));
  PetscCall(UnrCaseDestroy(&e->c));
  PetscFunctionReturn(PETSC_SUCCESS);
}
