/* PETSc events (one per verb) and stages (one per phase), so that -log_view tells the truth. */
#pragma once

#include "core/base.h"

typedef enum {
  UNR_STAGE_DATA,
  UNR_STAGE_FORWARD,
  UNR_STAGE_REVERSE,
  UNR_STAGE_ALLREDUCE,
  UNR_STAGE_UPDATE,
  UNR_STAGE_IO,
  UNR_STAGES
} UnrStage;
typedef enum {
  UNR_EVENT_HALO,
  UNR_EVENT_HALO_T,
  UNR_EVENT_FFT,
  UNR_EVENT_TRANSPOSE,
  UNR_EVENT_RHS,
  UNR_EVENT_RHS_VJP,
  UNR_EVENT_STEP,
  UNR_EVENT_STEP_VJP,
  UNR_EVENT_CONV,
  UNR_EVENT_CONV_DATA,
  UNR_EVENT_CONV_WEIGHTS,
  UNR_EVENT_NET,
  UNR_EVENT_NET_VJP,
  UNR_EVENT_NET_HALO, /* halos within those two */
  UNR_EVENT_DIAGNOSE, /* of fields that follow from a state, where the net asks for them */
  UNR_EVENT_PROJECT,  /* of the augmented state, by the model */
  UNR_EVENT_LOSS,
  UNR_EVENT_HDF5,
  UNR_EVENTS
} UnrEvent;

extern PetscLogEvent UnrEventId[UNR_EVENTS];
extern PetscLogStage UnrStageId[UNR_STAGES];
/* After PetscInitialize(); harmless to repeat. */
PetscErrorCode UnrEventsRegister(void);
#define UnrEventBegin(e) PetscLogEventBegin(UnrEventId[e], 0, 0, 0, 0)
#define UnrEventEnd(e) PetscLogEventEnd(UnrEventId[e], 0, 0, 0, 0)
#define UnrStagePush(s) PetscLogStagePush(UnrStageId[s])
#define UnrStagePop() PetscLogStagePop()
