/* The command `solve`: a start state through the solver, and a cotangent of its last frame back. */
#include "app/solve.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "app/command.h"
#include "app/common.h"
#include "core/error.h"
#include "core/provenance.h"
#include "rollout/rollout.h"

static const UnrOption options[] = {
    {"-solve_input", UNR_PATH, NULL, 0, 0, NULL,
     "file of the start state; `dimensions` and the field are enough", NULL},
    {"-solve_sample", UNR_INT, "0", 0, PETSC_MAX_INT, "1", "its trajectory", NULL},
    {"-solve_frame", UNR_INT, "0", 0, PETSC_MAX_INT, "frames", "its frame", NULL},
    {"-solve_steps", UNR_INT, "1", 1, PETSC_MAX_INT - 1, "frames",
     "frames to solve, of -stepper_substeps steps each", NULL},
    {"-solve_dt", UNR_REAL, NULL, 1e-12, 1e12, "time", "time of a step; unset: -stepper_dt", NULL},
    {"-solve_cotangent", UNR_PATH, NULL, 0, 0, NULL,
     "file whose last frame is dJ/du of the last frame: asks for the vjp", NULL},
    {"-solve_save_every", UNR_INT, "1", 0, PETSC_MAX_INT, "frames",
     "frames between those in trajectory.h5, which always has the first and the last; 0: the last only",
     NULL},
    {NULL, UNR_BOOL, NULL, 0, 0, NULL, NULL, NULL},
};

static bool failed;

static PetscErrorCode ReadOptions(UnrSolve *solve)
{
  char text[32];
  double dt;
  bool given;
  PetscBool is_set;

  PetscFunctionBeginUser;
  PetscCall(UnrOptionWord(options, NULL, "-solve_input", &solve->input));
  UnrUserCheck(solve->input, "no -solve_input; allowed: a data file; try: -solve_input FILE");
  PetscCall(UnrOptionInt(options, NULL, "-solve_sample", &solve->sample));
  PetscCall(UnrOptionInt(options, NULL, "-solve_frame", &solve->frame));
  PetscCall(UnrOptionInt(options, NULL, "-solve_steps", &solve->steps));
  PetscCall(UnrOptionInt(options, NULL, "-solve_save_every", &solve->save_every));
  PetscCall(UnrOptionWord(options, NULL, "-solve_cotangent", &solve->cotangent));
  PetscCall(UnrOptionGiven(UnrRolloutOptions, NULL, "-rollout_memory", &solve->is_given));
  PetscCall(UnrOptionReal(UnrRolloutOptions, NULL, "-rollout_memory", &solve->memory));
  PetscCall(UnrOptionGiven(options, NULL, "-solve_dt", &given));
  PetscCall(PetscOptionsHasName(NULL, NULL, "-stepper_dt", &is_set));
  UnrUserCheck(given || is_set, "no -solve_dt; allowed: the time of a step, above 0; try: -solve_dt 0.1");
  if (given) { /* the stepper reads its own option */
    PetscCall(UnrOptionReal(options, NULL, "-solve_dt", &dt));
    snprintf(text, sizeof text, "%.17g", dt);
    PetscCall(PetscOptionsSetValue(NULL, "-stepper_dt", text));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Numbers are written as they were read, unless -dataset_precision says otherwise. */
static PetscErrorCode ReadPrecision(UnrSolve *solve)
{
  const char *precision;
  bool given;

  PetscFunctionBeginUser;
  solve->precision = solve->info.is_double ? UNR_DOUBLE : UNR_SINGLE;
  PetscCall(UnrOptionGiven(UnrDatasetOptions, NULL, "-dataset_precision", &given));
  if (!given) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(UnrOptionWord(UnrDatasetOptions, NULL, "-dataset_precision", &precision));
  solve->precision = strcmp(precision, "double") ? UNR_SINGLE : UNR_DOUBLE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The cotangent file's last frame, of the trajectory asked for, or of its only one. */
static PetscErrorCode ReadCotangent(UnrSolve *solve, UnrBatch *u_bar)
{
  UnrWell well;
  UnrWellInfo info;

  PetscFunctionBeginUser;
  *u_bar = NULL;
  if (!solve->cotangent) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(UnrBatchCreate(solve->grid, 1, u_bar));
  PetscCall(UnrWellOpen(solve->cotangent, UnrPhysicsFieldName(solve->physics), &well));
  PetscCall(UnrWellInfoGet(well, &info));
  PetscCall(UnrWellRead(well, info.trajectories == 1 ? 0 : solve->sample, info.frames - 1, *u_bar, 0));
  PetscCall(UnrWellClose(&well));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The vjp into `path`; a gradient that is not finite is an outcome too, without a file. */
static PetscErrorCode Gradient(UnrSolve *solve, const char *path, UnrBatch u_bar, UnrSolveOutcome *outcome)
{
  double square, *par_bar;
  UnrWell well;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc1(UnrPhysicsParameters(solve->physics) + 1, &par_bar));
  PetscCall(UnrSolveVjp(solve, u_bar, par_bar, &outcome->seconds_vjp));
  outcome->recompute = (double)UnrScheduleRuns(&solve->schedule) / (double)solve->steps;
  PetscCall(UnrBatchDot(u_bar, u_bar, &square));
  outcome->gradient_norm = sqrt(square);
  for (PetscInt p = 0; p < UnrPhysicsParameters(solve->physics); p++) square += par_bar[p];
  if (isfinite(square)) {
    PetscCall(UnrSolveGradientFile(solve, path, par_bar, &well));
    PetscCall(UnrWellWrite(well, 0, 0, u_bar, 0));
    PetscCall(UnrWellCommit(&well));
  } else
    outcome->reason = "gradient_nonfinite";
  PetscCall(PetscFree(par_bar));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode WriteSummary(const UnrSolve *solve, const UnrSolveOutcome *outcome, const char *path)
{
  UnrJson json;

  PetscFunctionBeginUser;
  PetscCall(UnrSummaryBegin(&json, "solve", &solve->layout));
  PetscCall(UnrJsonInt(json, "steps", outcome->steps));
  if (outcome->steps < solve->steps) PetscCall(UnrJsonInt(json, "diverged_step", outcome->steps + 1));
  PetscCall(UnrJsonReal(json, "seconds_forward", outcome->seconds_forward));
  PetscCall(UnrJsonReal(json, "seconds_vjp", outcome->seconds_vjp));
  PetscCall(UnrJsonReal(json, "energy_first", outcome->energy_first));
  PetscCall(UnrJsonReal(json, "energy_last", outcome->energy_last));
  PetscCall(UnrJsonReal(json, "divergence_rms", outcome->divergence));
  PetscCall(UnrJsonReal(json, "gradient_norm", outcome->gradient_norm));
  PetscCall(UnrJsonReal(json, "recompute_factor", outcome->recompute));
  PetscCall(UnrSummaryEnd(&json, outcome->reason, path));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What would run, and the memory it takes, on standard output. */
static PetscErrorCode Tell(const UnrSolve *solve)
{
  char layout[256];
  double state = (double)solve->u0->stride * sizeof(double);

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &state, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
  PetscCall(UnrLayoutText(&solve->layout, layout, sizeof layout));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "%s, stepper %s, dt %g x %" PetscInt_FMT ", %" PetscInt_FMT " frames\n%s\n"
                        "%.3g MB a state on the fullest rank, 3 states for the way forward\n",
                        UnrPhysicsName(solve->physics), UnrStepperName(solve->stepper),
                        UnrStepperDt(solve->stepper), UnrStepperSubsteps(solve->stepper), solve->steps,
                        layout, state / 1e6));
  if (!solve->cotangent) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "vjp: %.3g MB of states and tapes on the fullest rank (%" PetscInt_FMT
                        " tapes, %" PetscInt_FMT " states), recompute factor %.3g\n",
                        solve->held / 1e6, solve->schedule.block, solve->schedule.slots,
                        (double)UnrScheduleRuns(&solve->schedule) / (double)solve->steps));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Compute(UnrSolve *solve, const char *out, UnrBatch u_bar)
{
  char trajectory[PETSC_MAX_PATH_LEN], gradient[PETSC_MAX_PATH_LEN], summary[PETSC_MAX_PATH_LEN];
  UnrWell well;
  UnrSolveOutcome outcome = {.seconds_vjp = NAN, .divergence = NAN, .gradient_norm = NAN, .recompute = NAN};

  PetscFunctionBeginUser;
  snprintf(trajectory, sizeof trajectory, "%s/trajectory.h5", out);
  snprintf(gradient, sizeof gradient, "%s/gradient.h5", out);
  snprintf(summary, sizeof summary, "%s/summary.json", out);
  PetscCall(UnrDirectoryMake(out));
  PetscCall(UnrCommonRemoveOld(out,
                               (const char *[]){"trajectory.h5", "trajectory.xmf", "gradient.h5",
                                                "gradient.xmf", "summary.json", NULL},
                               2, (const char *[]){solve->input, solve->cotangent}));
  PetscCall(UnrSolveTrajectory(solve, trajectory, &well));
  PetscCall(UnrSolveForward(solve, well, &outcome));
  if (outcome.reason) {
    PetscCall(UnrWellClose(&well));
    PetscCall(PetscFPrintf(PETSC_COMM_WORLD, stderr,
                           "unroll: the solver diverged in frame %" PetscInt_FMT
                           ", so there is no trajectory.h5; try: a smaller -solve_dt, or -stepper_type etdrk "
                           "where the physics has a symbol\n",
                           outcome.steps + 1));
  } else
    PetscCall(UnrWellCommit(&well));
  if (u_bar && !outcome.reason) PetscCall(Gradient(solve, gradient, u_bar, &outcome));
  failed = outcome.reason;
  PetscCall(WriteSummary(solve, &outcome, summary));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Run(int argc, char **argv)
{
  UnrSolve solve = {0};
  UnrCommon common;
  UnrBatch u_bar;

  PetscFunctionBeginUser;
  (void)argc;
  (void)argv;
  PetscCall(UnrCommonGet(&common));
  PetscCall(ReadOptions(&solve));
  UnrUserCheck(common.out || common.dry_run,
               "no -out; allowed: a directory for the results; try: -out runs/solve");
  PetscCall(UnrSolveCreate(&solve));
  PetscCall(ReadPrecision(&solve));
  PetscCall(ReadCotangent(&solve, &u_bar));
  if (u_bar) PetscCall(UnrSolvePlan(&solve));
  PetscCall(Tell(&solve));
  if (!common.dry_run) PetscCall(Compute(&solve, common.out, u_bar));
  PetscCall(UnrBatchDestroy(&u_bar));
  PetscCall(UnrSolveDestroy(&solve));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static int Status(void)
{
  return failed ? 1 : 0;
}

const UnrCommand UnrCommand_Solve = {
    .name = "solve",
    .summary = "applies the solver to one start state, and its adjoint to a cotangent",
    .options = options,
    .run = Run,
    .status = Status,
};
