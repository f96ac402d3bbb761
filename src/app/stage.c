#include "app/stage.h"
#include "core/error.h"

#include <math.h>
#include <string.h>

const UnrOption UnrCurriculumOptions[] = {
    {"-train_updates", UNR_INT, NULL, 1, 2e9, "updates", "end of the training, all stages together", NULL},
    {"-train_epochs", UNR_REAL, NULL, 1e-300, 1e9, "epochs",
     "end of the training in passes through its windows, all stages together", NULL},
    {"-stage_mode", UNR_WORDS, NULL, 0, 0, NULL, "mode of each stage; unset: -rollout_mode", NULL},
    {"-stage_steps", UNR_INTS, NULL, 1, 1000000, "frames",
     "unroll length of each stage; unset: -rollout_steps", NULL},
    {"-stage_lr", UNR_REALS, NULL, 1e-300, 1e3, "1", "learning rate of each stage; unset: -optim_lr", NULL},
    {"-stage_warmup", UNR_INTS, NULL, 0, 2e9, "updates",
     "at the begin of each stage over which the rate grows linearly; unset: -optim_warmup", NULL},
    {"-stage_begin", UNR_WORD, "last", 0, 0, NULL,
     "weights with which a stage begins: those with which the one before ended, or its best by validation",
     "last|best"},
    {"-stage_updates", UNR_INTS, NULL, 1, 2e9, "updates", "end of each stage", NULL},
    {"-stage_epochs", UNR_REALS, NULL, 1e-300, 1e9, "epochs", "end of each stage", NULL},
    {NULL, UNR_BOOL, NULL, 0, 0, NULL, NULL, NULL},
};

/* The lists as they were given. */
typedef struct {
  const char *mode[UNR_STAGE_MOST];
  PetscInt steps[UNR_STAGE_MOST], warmup[UNR_STAGE_MOST], updates[UNR_STAGE_MOST];
  double rate[UNR_STAGE_MOST], epochs[UNR_STAGE_MOST];
  PetscInt modes, step_counts, rates, warmups, update_counts, epoch_counts; /* 0: not given */
} Lists;

static PetscErrorCode CheckCount(const char *name, PetscInt count, PetscInt *stages)
{
  PetscFunctionBeginUser;
  if (!count) PetscFunctionReturn(PETSC_SUCCESS);
  UnrUserCheck(!*stages || *stages == count,
               "%s has %" PetscInt_FMT " entries where another list of the stages has %" PetscInt_FMT
               " (%" PetscInt_FMT
               "); allowed: one entry a stage in every -stage_ list; try: lists of equal length",
               name, count, *stages, count);
  *stages = count;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the deck and the command line say of stages; *stages 0: no list.  One stage instead of a list ends
   where the list would. */
static PetscErrorCode GetLists(Lists *l, PetscInt *stages)
{
  const UnrOption *const table = UnrCurriculumOptions;

  PetscFunctionBeginUser;
  *stages = 0;
  PetscCall(UnrOptionWords(table, NULL, "-stage_mode", UNR_STAGE_MOST, l->mode, &l->modes));
  PetscCall(UnrOptionInts(table, NULL, "-stage_steps", UNR_STAGE_MOST, l->steps, &l->step_counts));
  PetscCall(UnrOptionReals(table, NULL, "-stage_lr", UNR_STAGE_MOST, l->rate, &l->rates));
  PetscCall(UnrOptionInts(table, NULL, "-stage_warmup", UNR_STAGE_MOST, l->warmup, &l->warmups));
  PetscCall(UnrOptionInts(table, NULL, "-stage_updates", UNR_STAGE_MOST, l->updates, &l->update_counts));
  PetscCall(UnrOptionReals(table, NULL, "-stage_epochs", UNR_STAGE_MOST, l->epochs, &l->epoch_counts));
  PetscCall(CheckCount("-stage_mode", l->modes, stages));
  PetscCall(CheckCount("-stage_steps", l->step_counts, stages));
  PetscCall(CheckCount("-stage_lr", l->rates, stages));
  PetscCall(CheckCount("-stage_warmup", l->warmups, stages));
  PetscCall(CheckCount("-stage_updates", l->update_counts, stages));
  PetscCall(CheckCount("-stage_epochs", l->epoch_counts, stages));
  UnrUserCheck(!*stages || l->update_counts || l->epoch_counts,
               "stages without an end (%" PetscInt_FMT
               " of them); allowed: -stage_updates or -stage_epochs; try: "
               "-stage_epochs with one number a stage",
               *stages);
  if (UnrOptionOnCommandLine("-rollout_mode") || UnrOptionOnCommandLine("-rollout_steps")) {
    Lists one = {.update_counts = l->update_counts > 0, .epoch_counts = l->epoch_counts > 0};

    for (PetscInt s = 0; s < l->update_counts; s++) one.updates[0] += l->updates[s];
    for (PetscInt s = 0; s < l->epoch_counts; s++) one.epochs[0] += l->epochs[s];
    *l = one;
    *stages = 0;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateStage(const UnrCase *c, UnrWell well, UnrFrames frames, UnrTrainStage *stage)
{
  UnrPlan plan;

  PetscFunctionBeginUser;
  PetscCall(UnrPlanCreateFor(stage->mode, stage->steps, &plan));
  stage->mode = plan.mode;
  stage->steps = plan.steps;
  PetscCall(UnrRolloutCreate(c->model, c->loss, &plan, &stage->rollout));
  PetscCall(
      UnrSamplerCreate(well, c->physics, &c->layout, frames, stage->steps, c->samples, &stage->sampler));
  PetscCall(UnrPlanDestroy(&plan));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Updates of so many passes through the windows. */
static PetscInt64 Passes(double epochs, PetscInt64 batches)
{
  return PetscMax((PetscInt64)ceil(epochs * (double)batches), 1);
}

/* Updates of each stage, cut where the whole training ends. */
static PetscErrorCode Limit(UnrCurriculum *curriculum, const Lists *l)
{
  PetscInt updates = 0;
  double epochs = 0;
  PetscInt64 epoch = 0;

  PetscFunctionBeginUser;
  PetscCall(UnrOptionInt(UnrCurriculumOptions, NULL, "-train_updates", &updates));
  PetscCall(UnrOptionReal(UnrCurriculumOptions, NULL, "-train_epochs", &epochs));
  UnrUserCheck(
      updates || epochs > 0 || l->update_counts || l->epoch_counts,
      "nothing ends the training (neither -train_updates nor -train_epochs); allowed: either, or both: the "
      "first limit counts; try: -train_updates 1000");
  PetscInt64 left = updates ? updates : PETSC_MAX_INT; /* of all stages */
  PetscInt s = 0;
  for (; s < curriculum->count && left > 0; s++) {
    UnrTrainStage *stage = &curriculum->stage[s];
    const PetscInt64 batches = UnrSamplerBatches(stage->sampler);

    stage->updates = left;
    if (l->update_counts) stage->updates = PetscMin(stage->updates, l->updates[s]);
    if (l->epoch_counts) stage->updates = PetscMin(stage->updates, Passes(l->epochs[s], batches));
    if (epochs > 0) stage->updates = PetscMin(stage->updates, Passes(epochs, batches));
    stage->epoch = epoch;
    epoch += (stage->updates + batches - 1) / batches;
    curriculum->updates += stage->updates;
    left -= stage->updates;
    if (epochs > 0) {
      epochs -= (double)stage->updates / (double)batches;
      if (epochs <= 1e-9) left = 0; /* rounding of the quotients above */
    }
  }
  curriculum->count = s;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrCurriculumCreate(const UnrCase *c, UnrWell well, UnrFrames frames,
                                   UnrCurriculum *curriculum)
{
  Lists l = {0};
  const char *begin;
  PetscInt stages;

  PetscFunctionBeginUser;
  *curriculum = (UnrCurriculum){0};
  PetscCall(UnrOptionWord(UnrCurriculumOptions, NULL, "-stage_begin", &begin));
  curriculum->takes_best = !strcmp(begin, "best");
  PetscCall(GetLists(&l, &stages));
  curriculum->count = PetscMax(stages, 1);
  for (PetscInt s = 0; s < curriculum->count; s++) {
    UnrTrainStage *stage = &curriculum->stage[s];

    *stage = (UnrTrainStage){.mode = l.modes ? l.mode[s] : NULL,
                             .steps = l.step_counts ? l.steps[s] : 0,
                             .rate = l.rates ? l.rate[s] : 0,
                             .warmup = l.warmups ? l.warmup[s] : -1};
    PetscCall(CreateStage(c, well, frames, stage));
  }
  PetscCall(Limit(curriculum, &l));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrCurriculumRate(const UnrCurriculum *curriculum, PetscInt64 s, UnrRate *rate)
{
  const UnrTrainStage *stage = &curriculum->stage[s];
  const UnrRateStage says = {stage->rate, stage->updates, UnrSamplerBatches(stage->sampler), stage->warmup};

  PetscFunctionBeginUser;
  PetscCall(UnrRateCreate(&says, rate));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrCurriculumDestroy(UnrCurriculum *curriculum)
{
  PetscFunctionBeginUser;
  for (PetscInt s = 0; s < UNR_STAGE_MOST; s++) {
    PetscCall(UnrSamplerDestroy(&curriculum->stage[s].sampler));
    PetscCall(UnrRolloutDestroy(&curriculum->stage[s].rollout));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
