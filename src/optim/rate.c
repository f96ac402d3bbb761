/* Schedules of the learning rate, as a table.  Maths: docs/method/optim.md, eq. (7)-(10) */
#include "optim/rate.h"
#include "core/error.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct UnrRateOps_ {
  const char *name;
  double (*at)(const UnrRate *rate, PetscInt64 update);
  void (*validated)(UnrRate *rate, double error); /* NULL: it does not listen */
} UnrRateOps;

/* state[..] of the plateau. */
enum { SCALE, BEST, BAD };

static double at_constant(const UnrRate *rate, PetscInt64 update)
{
  (void)update;
  return rate->base;
}

static double at_exponential(const UnrRate *rate, PetscInt64 update)
{
  return PetscMax(rate->base * pow(rate->factor, (double)(update / rate->interval)), rate->floor);
}

static double at_plateau(const UnrRate *rate, PetscInt64 update)
{
  (void)update;
  return PetscMax(rate->base * rate->state[SCALE], rate->floor);
}

/* As torch.optim.lr_scheduler.ReduceLROnPlateau: patience bad ones are borne, the next one lowers the rate.
 */
static void validated_plateau(UnrRate *rate, double error)
{
  const double improvement = 1e-4;

  if (error < rate->state[BEST] * (1 - improvement)) {
    rate->state[BEST] = error;
    rate->state[BAD] = 0;
  } else if (++rate->state[BAD] > rate->patience) {
    rate->state[SCALE] *= rate->factor;
    rate->state[BAD] = 0;
  }
}

static double at_cosine(const UnrRate *rate, PetscInt64 update)
{
  const double part = PetscMin((double)update / (double)rate->stage, 1);

  return rate->floor + (rate->base - rate->floor) * (1 + cos(PETSC_PI * part)) / 2;
}

static const UnrRateOps schedules[] = {
    {"constant", at_constant, NULL},
    {"exponential", at_exponential, NULL},
    {"plateau", at_plateau, validated_plateau},
    {"cosine", at_cosine, NULL},
};

const UnrOption UnrRateOptions[] = {
    {"-optim_lr", UNR_REAL, "1e-4", DBL_MIN, 1e9, "1", "learning rate", NULL},
    {"-optim_rate", UNR_WORD, "constant", 0, 0, NULL, "how the learning rate goes on",
     "constant|exponential|plateau|cosine"},
    {"-optim_lr_factor", UNR_REAL, "0.9", 0, 1, "1", "exponential, plateau: by which the rate is multiplied",
     NULL},
    {"-optim_lr_interval", UNR_INT, "2000", 1, 2e9, "updates", "exponential: updates between two", NULL},
    {"-optim_lr_epochs", UNR_REAL, "0", 0, 1e9, "epochs",
     "exponential: epochs of the stage between two; 0: -optim_lr_interval", NULL},
    {"-optim_lr_patience", UNR_INT, "10", 0, 2e9, "validations",
     "plateau: validations in a row without an improvement by 1e-4 of the best that are borne", NULL},
    {"-optim_lr_min", UNR_REAL, "0", 0, 1e9, "1", "exponential, plateau, cosine: least rate", NULL},
    {"-optim_warmup", UNR_INT, "0", 0, 2e9, "updates",
     "at the begin of a stage over which the rate grows linearly", NULL},
    {NULL, UNR_BOOL, NULL, 0, 0, NULL, NULL, NULL},
};

PetscErrorCode UnrRateCreate(const UnrRateStage *stage, UnrRate *rate)
{
  const char *name;
  PetscInt interval, warmup;
  double epochs;

  PetscFunctionBeginUser;
  *rate = (UnrRate){.base = stage->base, .stage = stage->updates, .state = {[SCALE] = 1, [BEST] = INFINITY}};
  PetscCheck(stage->updates > 0 && stage->epoch > 0, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "a stage of %" PetscInt64_FMT " updates, an epoch of %" PetscInt64_FMT, stage->updates,
             stage->epoch);
  if (stage->base <= 0) PetscCall(UnrOptionReal(UnrRateOptions, NULL, "-optim_lr", &rate->base));
  PetscCall(UnrOptionWord(UnrRateOptions, NULL, "-optim_rate", &name));
  PetscCall(UnrOptionReal(UnrRateOptions, NULL, "-optim_lr_factor", &rate->factor));
  PetscCall(UnrOptionReal(UnrRateOptions, NULL, "-optim_lr_min", &rate->floor));
  PetscCall(UnrOptionInt(UnrRateOptions, NULL, "-optim_lr_interval", &interval));
  PetscCall(UnrOptionReal(UnrRateOptions, NULL, "-optim_lr_epochs", &epochs));
  PetscCall(UnrOptionInt(UnrRateOptions, NULL, "-optim_lr_patience", &rate->patience));
  PetscCall(UnrOptionInt(UnrRateOptions, NULL, "-optim_warmup", &warmup));
  rate->interval = interval;
  if (epochs > 0) rate->interval = PetscMax((PetscInt64)llround(epochs * (double)stage->epoch), 1);
  rate->warmup = stage->warmup < 0 ? warmup : stage->warmup;
  UnrUserCheck(rate->floor <= rate->base,
               "-optim_lr_min (%g) is above the learning rate %g; allowed: 0 to the rate; try: 0",
               rate->floor, rate->base);
  for (size_t i = 0; i < sizeof(schedules) / sizeof(*schedules); i++)
    if (!strcmp(schedules[i].name, name)) rate->ops = &schedules[i];
  PetscCheck(rate->ops, PETSC_COMM_SELF, PETSC_ERR_PLIB, "no schedule %s", name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

double UnrRateAt(const UnrRate *rate, PetscInt64 update)
{
  const double warm = update < rate->warmup ? (double)(update + 1) / (double)rate->warmup : 1;

  return warm * rate->ops->at(rate, update);
}

void UnrRateValidated(UnrRate *rate, double error)
{
  if (rate->ops->validated) rate->ops->validated(rate, error);
}
