#include "app/bench_phase.h"
#include "core/event.h"

const char *const UnrPhaseName[UNR_PHASES] = {
    "data", "solver_forward", "solver_reverse", "net_forward", "net_reverse",
    "halo", "transpose",      "allreduce",      "update",      "io"};

/* Seconds within an event, those within the events inside it included, while a stage was the current one. */
static PetscErrorCode EventSeconds(UnrStage stage, UnrEvent event, double *seconds)
{
  PetscEventPerfInfo info;

  PetscFunctionBeginUser;
  PetscCall(PetscLogEventGetPerfInfo(UnrStageId[stage], UnrEventId[event], &info));
  *seconds = info.time;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Seconds within a stage, those within the stages inside it excluded. */
static PetscErrorCode StageSeconds(UnrStage stage, double *seconds)
{
  PetscStageLog log;

  PetscFunctionBeginUser;
  PetscCall(PetscLogGetStageLog(&log));
  *seconds = log->stageInfo[UnrStageId[stage]].perfInfo.time;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Solver, net, and the halos and transposes of both in one direction; what runs forward again in reverse is in
  stage forward.  Fields that the net asks the physics for, and the model's projection, are the solver's work:
  so all transposes are in what is the solver's.
*/
static PetscErrorCode Direction(UnrStage stage, UnrEvent step, UnrEvent net, double seconds[UNR_PHASES],
                                UnrPhase solver_phase, UnrPhase net_phase)
{
  const UnrEvent event[] = {step,
                            net,
                            UNR_EVENT_DIAGNOSE,
                            UNR_EVENT_PROJECT,
                            UNR_EVENT_HALO,
                            UNR_EVENT_HALO_T,
                            UNR_EVENT_NET_HALO,
                            UNR_EVENT_TRANSPOSE};
  enum { STEP, NET, DIAGNOSE, PROJECT, HALO, HALO_T, NET_HALO, TRANSPOSE, EVENTS };
  double t[EVENTS];

  PetscFunctionBeginUser;
  for (int i = 0; i < EVENTS; i++) PetscCall(EventSeconds(stage, event[i], &t[i]));
  /* The net's take a little longer than the exchanges in them. */
  const double halo = PetscMax(t[HALO] + t[HALO_T], t[NET_HALO]);

  seconds[net_phase] = t[NET] - t[NET_HALO] - t[DIAGNOSE];
  seconds[solver_phase] = t[STEP] + t[DIAGNOSE] + t[PROJECT] - t[TRANSPOSE] - (halo - t[NET_HALO]);
  seconds[UNR_PHASE_HALO] += halo;
  seconds[UNR_PHASE_TRANSPOSE] += t[TRANSPOSE];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrPhaseRead(double seconds[UNR_PHASES])
{
  PetscFunctionBeginUser;
  seconds[UNR_PHASE_HALO] = seconds[UNR_PHASE_TRANSPOSE] = 0;
  PetscCall(StageSeconds(UNR_STAGE_DATA, &seconds[UNR_PHASE_DATA]));
  PetscCall(Direction(UNR_STAGE_FORWARD, UNR_EVENT_STEP, UNR_EVENT_NET, seconds, UNR_PHASE_SOLVER_FORWARD,
                      UNR_PHASE_NET_FORWARD));
  PetscCall(Direction(UNR_STAGE_REVERSE, UNR_EVENT_STEP_VJP, UNR_EVENT_NET_VJP, seconds,
                      UNR_PHASE_SOLVER_REVERSE, UNR_PHASE_NET_REVERSE));
  PetscCall(StageSeconds(UNR_STAGE_ALLREDUCE, &seconds[UNR_PHASE_ALLREDUCE]));
  PetscCall(StageSeconds(UNR_STAGE_UPDATE, &seconds[UNR_PHASE_UPDATE]));
  PetscCall(StageSeconds(UNR_STAGE_IO, &seconds[UNR_PHASE_IO]));
  PetscFunctionReturn(PETSC_SUCCESS);
}
