/* The one place that knows every class: each tells its option tables here. */
#include "app/case.h"
#include "app/command.h"
#include "app/common.h"
#include "app/fine.h"
#include "app/test_set.h"
#include "checkpoint/checkpoint.h"
#include "checkpoint/model_file.h"
#include "app/train.h"
#include "core/event.h"
#include "core/layout.h"
#include "core/seed.h"
#include "dataset/filter.h"
#include "dataset/sampler.h"
#include "dataset/start.h"
#include "dataset/well.h"
#include "field/grid.h"
#include "layer/layer.h"
#include "loss/loss.h"
#include "metric/metric.h"
#include "model/model.h"
#include "net/net.h"
#include "optim/guard.h"
#include "optim/optim.h"
#include "optim/rate.h"
#include "physics/physics.h"
#include "rollout/rollout.h"
#include "stepper/stepper.h"

PetscErrorCode UnrProgramRegister(void)
{
  PetscFunctionBeginUser;
  PetscCall(UnrEventsRegister());
  PetscCall(UnrOptionsRegister("Common", UnrCommonOptions, NULL));
  for (size_t i = 0; UnrCommandGet(i); i++) {
    const UnrCommand *command = UnrCommandGet(i);
    if (command->options) PetscCall(UnrOptionsRegister(command->name, command->options, NULL));
  }
  PetscCall(UnrOptionsRegister("Layout", UnrLayoutOptions, NULL));
  PetscCall(UnrOptionsRegister("Seeds", UnrSeedOptions, NULL));
  PetscCall(UnrOptionsRegister("Grid", UnrGridOptions, NULL));
  PetscCall(UnrPhysicsRegister());
  PetscCall(UnrLayerRegister());
  PetscCall(UnrLossRegister());
  PetscCall(UnrOptionsRegister("Data set", UnrDatasetOptions, NULL));
  PetscCall(UnrOptionsRegister("Sampler", UnrSamplerOptions, NULL));
  PetscCall(UnrStartRegister());
  PetscCall(UnrFilterRegister());
  PetscCall(UnrStepperRegister());
  PetscCall(UnrNetRegister());
  PetscCall(UnrModelRegister());
  PetscCall(UnrRolloutRegister());
  PetscCall(UnrMetricRegister());
  PetscCall(UnrOptimRegister());
  PetscCall(UnrOptionsRegister("Learning rate", UnrRateOptions, NULL));
  PetscCall(UnrOptionsRegister("Guard of the update", UnrGuardOptions, NULL));
  PetscCall(UnrOptionsRegister("Model file", UnrModelFileOptions, NULL));
  PetscCall(UnrOptionsRegister("Checkpoints", UnrCheckpointOptions, NULL));
  PetscCall(UnrCaseRegister());
  PetscCall(UnrOptionsRegister("Reference on a finer grid", UnrFineOptions, NULL));
  PetscCall(UnrOptionsRegister("Test set", UnrTestSetOptions, NULL));
  PetscCall(UnrTrainRegister());
  PetscFunctionReturn(PETSC_SUCCESS);
}
