#include "core/event.h"

PetscLogEvent UnrEventId[UNR_EVENTS];
PetscLogStage UnrStageId[UNR_STAGES];

PetscErrorCode UnrEventsRegister(void)
{
  static const char *const events[UNR_EVENTS] = {
      [UNR_EVENT_HALO] = "UnrHalo",
      [UNR_EVENT_HALO_T] = "UnrHaloTranspose",
      [UNR_EVENT_FFT] = "UnrFFT",
      [UNR_EVENT_TRANSPOSE] = "UnrTranspose",
      [UNR_EVENT_RHS] = "UnrRHS",
      [UNR_EVENT_RHS_VJP] = "UnrRHSVjp",
      [UNR_EVENT_STEP] = "UnrStep",
      [UNR_EVENT_STEP_VJP] = "UnrStepVjp",
      [UNR_EVENT_CONV] = "UnrConv",
      [UNR_EVENT_CONV_DATA] = "UnrConvData",
      [UNR_EVENT_CONV_WEIGHTS] = "UnrConvWeights",
      [UNR_EVENT_NET] = "UnrNet",
      [UNR_EVENT_NET_VJP] = "UnrNetVjp",
      [UNR_EVENT_NET_HALO] = "UnrNetHalo",
      [UNR_EVENT_DIAGNOSE] = "UnrDiagnose",
      [UNR_EVENT_PROJECT] = "UnrProject",
      [UNR_EVENT_LOSS] = "UnrLoss",
      [UNR_EVENT_HDF5] = "UnrHDF5",
  };
  static const char *const stages[UNR_STAGES] = {
      [UNR_STAGE_DATA] = "Data",           [UNR_STAGE_FORWARD] = "Forward", [UNR_STAGE_REVERSE] = "Reverse",
      [UNR_STAGE_ALLREDUCE] = "Allreduce", [UNR_STAGE_UPDATE] = "Update",   [UNR_STAGE_IO] = "I/O",
  };
  static bool registered;
  PetscClassId id;

  PetscFunctionBeginUser;
  if (registered) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscClassIdRegister("Unroll", &id));
  for (int i = 0; i < UNR_EVENTS; i++) PetscCall(PetscLogEventRegister(events[i], id, &UnrEventId[i]));
  for (int i = 0; i < UNR_STAGES; i++) PetscCall(PetscLogStageRegister(stages[i], &UnrStageId[i]));
  registered = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}
