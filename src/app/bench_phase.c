#include "app/bench_phase.h"
#include "core/event.h"

const char *const UnrPhaseName[UNR_PHASES] = {"data",        "solver_forward", "solver_reverse",
                                              "net_forward", "net_reverse",    "halo",
                                              "allreduce",   "update",         "io"};

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

/* Solver, net and the halos of both in one direction; what runs forward again in reverse is in stage forward.
 */
static PetscErrorCode Direction(UnrStage stage, UnrEvent step, UnrEvent net, double *solver_seconds,
                                double *net_seconds, double *halo_seconds)
{
  double exchange, transpose, of_net;

  PetscFunctionBeginUser;
  PetscCall(EventSeconds(stage, step, solver_seconds));
  PetscCall(EventSeconds(stage, net, net_seconds));
  PetscCall(EventSeconds(stage, UNR_EVENT_HALO, &exchange));
  PetscCall(EventSeconds(stage, UNR_EVENT_HALO_T, &transpose));
  PetscCall(EventSeconds(stage, UNR_EVENT_NET_HALO, &of_net));
  *net_seconds -= of_net;
  /* Those of the net take a little longer than the exchanges in them. */
  *halo_seconds += PetscMax(exchange + transpose, of_net);
  *solver_seconds -= PetscMax(exchange + transpose - of_net, 0);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrPhaseRead(double seconds[UNR_PHASES])
{
  PetscFunctionBeginUser;
  seconds[UNR_PHASE_HALO] = 0;
  PetscCall(StageSeconds(UNR_STAGE_DATA, &seconds[UNR_PHASE_DATA]));
  PetscCall(Direction(UNR_STAGE_FORWARD, UNR_EVENT_STEP, UNR_EVENT_NET, &seconds[UNR_PHASE_SOLVER_FORWARD],
                      &seconds[UNR_PHASE_NET_FORWARD], &seconds[UNR_PHASE_HALO]));
  PetscCall(Direction(UNR_STAGE_REVERSE, UNR_EVENT_STEP_VJP, UNR_EVENT_NET_VJP,
                      &seconds[UNR_PHASE_SOLVER_REVERSE], &seconds[UNR_PHASE_NET_REVERSE],
                      &seconds[UNR_PHASE_HALO]));
  PetscCall(StageSeconds(UNR_STAGE_ALLREDUCE, &seconds[UNR_PHASE_ALLREDUCE]));
  PetscCall(StageSeconds(UNR_STAGE_UPDATE, &seconds[UNR_PHASE_UPDATE]));
  PetscCall(StageSeconds(UNR_STAGE_IO, &seconds[UNR_PHASE_IO]));
  PetscFunctionReturn(PETSC_SUCCESS);
}
