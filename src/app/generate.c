/* The command `generate`: a data set, integrated by the reference scheme from a family of start states. */
#include "app/generate.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include "app/command.h"
#include "app/common.h"
#include "app/test_set.h"
#include "core/call.h"
#include "core/error.h"
#include "core/file.h"
#include "core/provenance.h"
#include "core/signal.h"
#include "dataset/start.h"

static const UnrOption options[] = {
    {"-generate_set", UNR_WORD, "train", 0, 0, NULL,
     "which set: train writes -dataset_file; test takes all from -test_..., and writes -test_file",
     "train|test"},
    {"-generate_starts", UNR_INT, "6", 1, 1e6, "starts", "start states for each of -sample_values", NULL},
    {"-generate_frames", UNR_INT, "5000", 1, 1e9, "frames",
     "frames of a trajectory in the file, after -start_warmup", NULL},
    {NULL, UNR_BOOL, NULL, 0, 0, NULL, NULL, NULL},
};

static bool is_stopped;

/* The training set: starts in a row for each of -sample_values. */
static PetscErrorCode TrainingSpec(UnrGenerate *g, UnrCaseSpec *spec)
{
  const char *parameter;
  double value[UNR_CASE_VALUES];
  PetscInt values, starts;

  PetscFunctionBeginUser;
  PetscCall(UnrOptionWord(UnrDatasetOptions, NULL, "-dataset_file", &g->file));
  PetscCall(UnrOptionInt(options, NULL, "-generate_starts", &starts));
  PetscCall(UnrOptionInt(options, NULL, "-generate_frames", &g->frames));
  PetscCall(UnrCaseValues(&parameter, value, &values));
  *spec = (UnrCaseSpec){.samples = PetscMax(values, 1) * starts, .each = starts, .seed = "data"};
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Parameters and lengths of all trajectories, of which each replica knows its own. */
static PetscErrorCode GatherParameters(UnrGenerate *g)
{
  const UnrCase *c = &g->c;
  const PetscInt n = UnrPhysicsParameters(c->physics);
  double length[UNR_MAX_DIM];

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc1((size_t)g->trajectories * (size_t)n + 1, &g->par));
  PetscCall(PetscMalloc1((size_t)g->trajectories * (size_t)c->grid->dim, &g->length));
  PetscCall(UnrCaseParameters(c, g->par));
  for (PetscInt t = 0; t < g->trajectories; t++) {
    PetscCall(UnrPhysicsLength(c->physics, g->par + t * n, length));
    PetscCall(PetscArraycpy(g->length + t * c->grid->dim, length, c->grid->dim));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode GenerateCreate(UnrGenerate *g)
{
  const char *set, *precision;
  UnrTestSet test;
  UnrCaseSpec spec;

  PetscFunctionBeginUser;
  PetscCall(UnrOptionWord(options, NULL, "-generate_set", &set));
  PetscCall(UnrOptionWord(UnrDatasetOptions, NULL, "-dataset_precision", &precision));
  const bool is_test = !strcmp(set, "test");
  if (is_test) {
    PetscCall(UnrTestSetGet(&test));
    spec = UnrTestSetSpec(&test);
    g->file = test.file;
    g->frames = test.frames + 1; /* the start of the roll-out, and its horizon */
  } else
    PetscCall(TrainingSpec(g, &spec));
  UnrUserCheck(g->file, "no %s; allowed: the data file to write; try: %s runs/data/%s.h5",
               is_test ? "-test_file" : "-dataset_file", is_test ? "-test_file" : "-dataset_file", set);
  PetscCall(UnrCaseCreate(PETSC_COMM_WORLD, &spec, &g->c));
  PetscCall(UnrFineCreate(&g->c, &g->fine));
  g->trajectories = g->c.samples;
  g->warmup = is_test ? test.warmup : g->c.warmup;
  g->precision = strcmp(precision, "double") ? UNR_SINGLE : UNR_DOUBLE;
  PetscCall(GatherParameters(g));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode GenerateDestroy(UnrGenerate *g)
{
  PetscFunctionBeginUser;
  PetscCall(PetscFree(g->par));
  PetscCall(PetscFree(g->length));
  PetscCall(UnrFineDestroy(&g->fine));
  PetscCall(UnrCaseDestroy(&g->c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Seconds of a frame of all trajectories, from some that are run; the first one makes the coefficients. */
static PetscErrorCode MeasureFrame(const UnrGenerate *g, double *seconds)
{
  enum { FRAMES = 3 };
  const UnrFine *fine = &g->fine;
  UnrBatch u, next;

  PetscFunctionBeginUser;
  PetscCall(UnrBatchCreate(fine->grid, g->c.count, &u));
  PetscCall(UnrBatchCreate(fine->grid, g->c.count, &next));
  PetscCall(UnrFineStart(fine, u));
  PetscCall(UnrStepperApply(fine->stepper, g->c.par, u, next, NULL));
  *seconds = -MPI_Wtime();
  for (int k = 0; k < FRAMES; k++) PetscCall(UnrStepperApply(fine->stepper, g->c.par, u, next, NULL));
  *seconds = (*seconds + MPI_Wtime()) / FRAMES;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, seconds, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
  PetscCall(UnrBatchDestroy(&next));
  PetscCall(UnrBatchDestroy(&u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* "128x128". */
static void PointsText(UnrGrid grid, char text[64])
{
  int at = 0;

  for (int a = 0; a < grid->dim; a++)
    at += snprintf(text + at, 64 - (size_t)at, "%s%" PetscInt_FMT, a ? "x" : "", grid->points[a]);
}

/* What will be made, and what it costs, on standard output. */
static PetscErrorCode Tell(const UnrGenerate *g)
{
  const UnrGrid grid = g->c.grid, fine = g->fine.grid;
  const double numbers = (double)grid->total * (double)grid->components;
  const double bytes =
      (double)g->trajectories * (double)g->frames * numbers * (double)UnrPrecisionBytes(g->precision);
  char layout[256], points[64], filter[160] = "", to[64];
  double seconds,
      state = (double)g->c.count * (double)fine->local * (double)fine->components * sizeof(double);

  PetscFunctionBeginUser;
  PetscCall(MeasureFrame(g, &seconds));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &state, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
  PetscCall(UnrLayoutText(&g->c.layout, layout, sizeof layout));
  PointsText(fine, points);
  PointsText(grid, to);
  if (g->fine.filter)
    snprintf(filter, sizeof filter, ", coarsened to %s by the %s filter", to, UnrFilterName(g->fine.filter));
  PetscCall(PetscPrintf(
      PETSC_COMM_WORLD,
      "%s on %s points%s, reference scheme %s, dt %g x %" PetscInt_FMT "; %" PetscInt_FMT
      " trajectories of %" PetscInt_FMT " frames after %" PetscInt_FMT " of warm-up\n%s\n"
      "%s of %.3g MB; %.3g MB a frame of all trajectories on the fullest rank; about %.2g s "
      "to integrate\n",
      UnrPhysicsName(g->c.physics), points, filter, UnrStepperName(g->fine.stepper),
      UnrStepperDt(g->fine.stepper), UnrStepperSubsteps(g->fine.stepper), g->trajectories, g->frames,
      g->warmup, layout, g->file, bytes / 1e6, state / 1e6, seconds * (double)(g->warmup + g->frames - 1)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rank 0: is what would be written the file that the start states come from? */
static PetscErrorCode CheckSource(const UnrGenerate *g)
{
  const char *source;
  struct stat a, b;
  int rank;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(UnrStartSource(&source));
  UnrUserCheck(rank || !source || stat(source, &a) || stat(g->file, &b) || a.st_dev != b.st_dev ||
                   a.st_ino != b.st_ino,
               "the data set would replace the file of its start states (%s); allowed: another file; try: "
               "another -dataset_file",
               source);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode WriteSummary(const UnrGenerate *g, const UnrGenerated *done, const char *path)
{
  const double all = (double)g->trajectories * (double)(g->warmup + g->frames - 1);
  struct stat status;
  UnrJson json;

  PetscFunctionBeginUser;
  PetscCall(UnrSummaryBegin(&json, "generate", &g->c.layout));
  PetscCall(UnrJsonString(json, "file", g->file));
  PetscCall(UnrJsonInt(json, "trajectories", g->trajectories));
  PetscCall(UnrJsonInt(json, "frames", g->frames));
  PetscCall(UnrJsonInt(json, "warmup", g->warmup));
  PetscCall(UnrJsonInt(json, "bytes", stat(g->file, &status) ? 0 : (PetscInt64)status.st_size));
  PetscCall(UnrJsonReal(json, "seconds_solving", done->seconds_solving));
  PetscCall(UnrJsonReal(json, "seconds_writing", done->seconds_writing));
  PetscCall(UnrJsonReal(json, "seconds_per_frame",
                        (done->seconds_solving + done->seconds_writing) / PetscMax(all, 1)));
  PetscCall(UnrSummaryEnd(&json, NULL, path));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Compute(const UnrGenerate *g, const char *out)
{
  char summary[PETSC_MAX_PATH_LEN];
  UnrGenerated done;

  PetscFunctionBeginUser;
  if (out) {
    PetscCall(PetscSNPrintf(summary, sizeof summary, "%s/summary.json", out));
    PetscCall(UnrDirectoryMake(out));
    PetscCall(UnrCommonRemoveOld(out, (const char *[]){"summary.json", NULL}, 0, NULL));
  }
  PetscCall(UnrDirectoryMakeFor(g->file));
  PetscCall(UnrGenerateRun(g, &done));
  is_stopped = done.is_stopped;
  if (is_stopped) {
    PetscCall(
        PetscFPrintf(PETSC_COMM_WORLD, stderr, "unroll: stopped by a signal: there is no %s\n", g->file));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (out) PetscCall(WriteSummary(g, &done, summary));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "%s: %" PetscInt_FMT " x %" PetscInt_FMT
                        " frames, %.3g s to integrate, %.3g s to write\n",
                        g->file, g->trajectories, g->frames, done.seconds_solving, done.seconds_writing));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Run(int argc, char **argv)
{
  UnrGenerate generate = {0};
  UnrCommon common;

  PetscFunctionBeginUser;
  (void)argc, (void)argv;
  PetscCall(UnrCommonGet(&common));
  PetscCall(GenerateCreate(&generate));
  PetscCall(CheckSource(&generate));
  PetscCall(Tell(&generate));
  if (!common.dry_run) PetscCall(Compute(&generate, common.out));
  PetscCall(GenerateDestroy(&generate));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static int Status(void)
{
  return is_stopped ? UNR_STATUS_REQUEUE : 0;
}

const UnrCommand UnrCommand_Generate = {
    .name = "generate",
    .summary = "integrates the reference scheme from a family of start states into a data set",
    .options = options,
    .run = Run,
    .status = Status,
};
