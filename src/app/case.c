#include "app/case.h"

#include <math.h>
#include "app/common.h"
#include "core/call.h"
#include "core/error.h"
#include "core/memory.h"
#include "core/seed.h"
#include "dataset/start.h"

static const UnrOption options[] = {
    {"-train_batch", UNR_INT, "16", 1, 1e9, "samples", "samples of a batch, over all replicas", NULL},
    {"-sample_parameter", UNR_WORD, NULL, 0, 0, NULL,
     "parameter of the physics that varies from sample to sample", NULL},
    {"-sample_values", UNR_REALS, NULL, 0, 0, "the parameter's", "its values, taken in turn", NULL},
    {"-start_warmup", UNR_INT, "0", 0, 1e9, "frames",
     "frames of the reference scheme dropped after a start state", NULL},
    {NULL},
};

PetscErrorCode UnrCaseRegister(void)
{
  PetscFunctionBeginUser;
  PetscCall(UnrOptionsRegister("Case", options, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* "domain_size" or "r, g", into text. */
static const char *parameter_names(UnrPhysics physics, char text[], size_t size)
{
  int at = 0;

  text[0] = '\0';
  for (PetscInt p = 0; p < UnrPhysicsParameters(physics) && (size_t)at < size; p++)
    at += snprintf(text + at, size - (size_t)at, "%s%s", p ? ", " : "", UnrPhysicsParameterName(physics, p));
  return text[0] ? text : "none";
}

PetscErrorCode UnrCaseValues(const char **parameter, double value[UNR_CASE_VALUES], PetscInt *values)
{
  PetscFunctionBeginUser;
  PetscCall(UnrOptionWord(options, NULL, "-sample_parameter", parameter));
  PetscCall(UnrOptionReals(options, NULL, "-sample_values", UNR_CASE_VALUES, value, values));
  UnrUserCheck((*parameter != NULL) == (*values > 0),
               "-sample_parameter (%s) and -sample_values (%d values) do not go together; allowed: both or "
               "neither; try: without both",
               *parameter ? *parameter : "unset", (int)*values);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Each sample's parameters: the options' values, and the varied one by the sample's number in the batch. */
static PetscErrorCode fill_parameters(UnrCase *c, const UnrCaseSpec *spec)
{
  char allowed[256];
  const PetscInt n = UnrPhysicsParameters(c->physics), each = PetscMax(spec->each, 1);
  const char *name;
  double value[UNR_CASE_VALUES];
  PetscInt values, varied = -1;

  PetscFunctionBeginUser;
  PetscCall(UnrCaseValues(&name, value, &values));
  if (name) {
    varied = UnrPhysicsParameterIndex(c->physics, name);
    UnrUserCheck(varied >= 0,
                 "unknown parameter of %s (-sample_parameter %s); allowed: %s; try: one of those",
                 UnrPhysicsName(c->physics), name, parameter_names(c->physics, allowed, sizeof(allowed)));
  }
  if (spec->values) {
    values = spec->values;
    PetscCall(PetscArraycpy(value, spec->value, values));
  }
  for (PetscInt i = 0; i < values; i++)
    PetscCall(UnrPhysicsParameterCheck(c->physics, varied, value[i],
                                       spec->values ? "-test_values" : "-sample_values"));
  PetscCall(PetscMalloc1((size_t)(c->count * n) + 1, &c->par));
  for (PetscInt i = 0; i < c->count; i++) {
    for (PetscInt p = 0; p < n; p++) c->par[i * n + p] = UnrPhysicsParameterDefault(c->physics, p);
    if (varied >= 0) c->par[i * n + varied] = value[(c->first + i) / each % values];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Time of a data frame. */
static double frame_time(UnrStepper stepper)
{
  return UnrStepperDt(stepper) * (double)UnrStepperSubsteps(stepper);
}

/* The net would learn the difference of two lengths of a frame. */
static PetscErrorCode check_frame_times(UnrStepper stepper, UnrStepper reference)
{
  const double a = frame_time(stepper), b = frame_time(reference);

  PetscFunctionBeginUser;
  UnrUserCheck(
      fabs(a - b) <= 1e-9 * b,
      "a frame of the solver takes %g, of the reference scheme %g; allowed: equal times; try: "
      "-reference_stepper_dt and -reference_stepper_substeps whose product is that of -stepper_dt and "
      "-stepper_substeps",
      a, b);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrCaseCreate(MPI_Comm world, const UnrCaseSpec *spec, UnrCase *c)
{
  static const UnrCaseSpec plain = {0};
  int dim;
  PetscInt points[UNR_MAX_DIM], components;
  UnrNeeds needs, net_needs;
  UnrModelNeeds wants;

  PetscFunctionBeginUser;
  if (!spec) spec = &plain;
  *c = (UnrCase){.samples = spec->samples, .seed = spec->seed ? spec->seed : "data"};
  if (!c->samples) PetscCall(UnrOptionInt(options, NULL, "-train_batch", &c->samples));
  PetscCall(UnrOptionInt(options, NULL, "-start_warmup", &c->warmup));
  PetscCall(UnrGridPointsGet(&dim, points));
  UnrUserCheck(dim > 0,
               "no grid; allowed: -grid_points nx[,ny[,nz]]; try: -options_file inputs/ks/smoke.yaml");
  PetscCall(UnrModelWants(&wants));
  PetscCall(UnrPhysicsDescribe(dim, &needs, &components));
  if (wants.net) {
    PetscCall(UnrNetDescribe(dim, &net_needs));
    UnrNeedsMerge(&needs, &net_needs);
  }
  if (spec->alone)
    PetscCall(UnrLayoutCreateSelf(&c->layout));
  else
    PetscCall(UnrLayoutCreate(world, c->samples, dim, points, &needs, &c->layout));
  PetscCall(UnrCommonMemory(&c->layout, points, components, c->samples, 6));
  PetscCall(UnrGridCreate(&c->layout, dim, points, components, needs.stencil, &c->grid));
  PetscCall(UnrPhysicsCreate(c->grid, &c->physics));
  UnrLayoutShare(&c->layout, c->samples, &c->first, &c->count);
  PetscCall(fill_parameters(c, spec));
  if (wants.stepper != UNR_STEPPER_NONE)
    PetscCall(UnrStepperCreate(c->physics, wants.stepper == UNR_STEPPER_REFERENCE ? "reference_" : NULL,
                               &c->stepper));
  PetscCall(UnrStepperCreate(c->physics, "reference_", &c->reference));
  if (wants.stepper == UNR_STEPPER_SOLVER) PetscCall(check_frame_times(c->stepper, c->reference));
  if (wants.net) PetscCall(UnrNetCreate(c->physics, &c->net));
  PetscCall(UnrModelCreate(c->physics, c->stepper, c->net, &c->model));
  PetscCall(UnrLossCreate(&c->loss));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrCaseDestroy(UnrCase *c)
{
  PetscFunctionBeginUser;
  PetscCall(UnrLossDestroy(&c->loss));
  PetscCall(UnrModelDestroy(&c->model));
  PetscCall(UnrNetDestroy(&c->net));
  PetscCall(UnrStepperDestroy(&c->reference));
  PetscCall(UnrStepperDestroy(&c->stepper));
  PetscCall(PetscFree(c->par));
  PetscCall(UnrPhysicsDestroy(&c->physics));
  PetscCall(UnrGridDestroy(&c->grid));
  PetscCall(UnrLayoutDestroy(&c->layout));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrCaseTell(const UnrCase *c, FILE *file)
{
  char layout[256];
  const UnrGrid g = c->grid;

  PetscFunctionBeginUser;
  PetscCall(UnrLayoutText(&c->layout, layout, sizeof(layout)));
  PetscCall(PetscFPrintf(PETSC_COMM_WORLD, file, "unroll: %s on %" PetscInt_FMT, UnrPhysicsName(c->physics),
                         g->points[0]));
  for (int a = 1; a < g->dim; a++)
    PetscCall(PetscFPrintf(PETSC_COMM_WORLD, file, "x%" PetscInt_FMT, g->points[a]));
  PetscCall(PetscFPrintf(PETSC_COMM_WORLD, file, " points, model %s", UnrModelName(c->model)));
  if (c->stepper) PetscCall(PetscFPrintf(PETSC_COMM_WORLD, file, ", stepper %s", UnrStepperName(c->stepper)));
  if (c->net)
    PetscCall(PetscFPrintf(PETSC_COMM_WORLD, file, ", %s with %zu weights in %s precision",
                           UnrNetName(c->net), UnrNetParameters(c->net),
                           UnrNetPrecision(c->net) == UNR_SINGLE ? "single" : "double"));
  PetscCall(PetscFPrintf(PETSC_COMM_WORLD, file, "; batch %" PetscInt_FMT "; %s\n", c->samples, layout));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrCaseCheckTime(const UnrCase *c, UnrWell well, const char *path)
{
  const double step = frame_time(c->reference);
  double time[2] = {0, step};
  UnrWellInfo info;

  PetscFunctionBeginUser;
  PetscCall(UnrWellInfoGet(well, &info));
  for (int k = 0; k < 2 && info.frames > 1; k++) PetscCall(UnrWellTime(well, k, &time[k]));
  UnrUserCheck(fabs(time[1] - time[0] - step) <= 1e-5 * step,
               "frames of %s are %g apart, those of the reference scheme %g; allowed: equal times; try: the "
               "-stepper_dt and -stepper_substeps that the file was made with",
               path, time[1] - time[0], step);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrCaseParameters(const UnrCase *c, double par[])
{
  const PetscInt n = UnrPhysicsParameters(c->physics);
  PetscMPIInt count;

  PetscFunctionBeginUser;
  PetscCall(UnrMPICount((size_t)c->samples * (size_t)n, &count));
  PetscCall(PetscArrayzero(par, count));
  if (!c->grid->rank) PetscCall(PetscArraycpy(par + c->first * n, c->par, c->count * n));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, par, count, MPI_DOUBLE, MPI_SUM, PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrCaseStart(const UnrCase *c, UnrBatch u)
{
  uint64_t seed;

  PetscFunctionBeginUser;
  PetscCall(UnrSeedGet(c->seed, &seed));
  PetscCall(UnrStartFill(c->physics, seed, c->first, c->par, u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrCaseWindow(const UnrCase *c, PetscInt steps, UnrWindow *window)
{
  UnrBatch spare;

  PetscFunctionBeginUser;
  PetscCall(UnrMemoryCheck(((double)steps + 1) * (double)c->count * (double)c->grid->local *
                               (double)c->grid->components * sizeof(double),
                           "the frames of a window",
                           "fewer -rollout_steps or -grid_points, a smaller -train_batch, or more ranks"));
  window->batch_samples = c->samples;
  window->par = c->par;
  PetscCall(PetscMalloc1((size_t)steps + 1, &window->frame));
  for (PetscInt k = 0; k <= steps; k++) PetscCall(UnrBatchCreate(c->grid, c->count, &window->frame[k]));
  PetscCall(UnrBatchCreate(c->grid, c->count, &spare));
  PetscCall(UnrCaseStart(c, window->frame[0]));
  for (PetscInt k = 0; k < c->warmup; k++) {
    PetscCall(UnrStepperApply(c->reference, c->par, window->frame[0], spare, NULL));
    PetscCall(UnrBatchCopy(spare, window->frame[0]));
  }
  for (PetscInt k = 0; k < steps; k++)
    PetscCall(UnrStepperApply(c->reference, c->par, window->frame[k], window->frame[k + 1], NULL));
  PetscCall(UnrBatchDestroy(&spare));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrCaseWindowDestroy(PetscInt steps, UnrWindow *window)
{
  PetscFunctionBeginUser;
  for (PetscInt k = 0; k <= steps; k++) PetscCall(UnrBatchDestroy(&window->frame[k]));
  PetscCall(PetscFree(window->frame));
  PetscFunctionReturn(PETSC_SUCCESS);
}
