/* The loop of `generate`: start, warm-up, frames; blocks of frames into the file. */
#include "app/generate.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include "core/error.h"
#include "core/event.h"
#include "core/progress.h"
#include "core/signal.h"
#include "dataset/start.h"

enum { BUFFER_BYTES = 1 << 24, CHECK_INTERVAL = 64 };

/* A block of frames of this replica's trajectories on its way into the file. */
typedef struct {
  double *u;                   /* [own trajectory][frame of the block][this rank's part] */
  PetscInt most, first, count; /* frames: room; first of the block; in it so far */
} Buffer;

/* Where a trajectory first left the numbers of the file: frame (warm-up included) and trajectory, in this
   order of importance; NONE: nowhere. */
typedef PetscInt64 Bad;
static const Bad NONE = INT64_MAX;

static PetscErrorCode BufferCreate(const UnrGenerate *g, UnrBatch u, Buffer *buffer)
{
  const double frame = (double)u->samples * (double)u->stride * sizeof(double);

  PetscFunctionBeginUser;
  *buffer = (Buffer){.most = (PetscInt)PetscClipInterval(BUFFER_BYTES / frame, 1, (double)g->frames)};
  /* every rank writes by the same calls */
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &buffer->most, 1, MPIU_INT, MPI_MIN, PETSC_COMM_WORLD));
  PetscCall(PetscMalloc1((size_t)buffer->most * (size_t)u->samples * u->stride, &buffer->u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The new file, with everything but the field's values. */
static PetscErrorCode Create(const UnrGenerate *g, UnrWell *well)
{
  const UnrPhysics physics = g->c.physics;
  const char *source[2] = {NULL, NULL}, **name;

  PetscFunctionBeginUser;
  PetscCall(UnrStartSource(&source[0]));
  PetscCall(PetscMalloc1((size_t)UnrPhysicsParameters(physics) + 1, &name));
  for (PetscInt p = 0; p < UnrPhysicsParameters(physics); p++) name[p] = UnrPhysicsParameterName(physics, p);
  const UnrWellSpec spec = {
      .dataset_name = UnrPhysicsName(physics),
      .field = UnrPhysicsFieldName(physics),
      .grid = g->c.grid,
      .trajectories = g->trajectories,
      .frames = g->frames,
      .frame_time = UnrStepperDt(g->fine.stepper) * (double)UnrStepperSubsteps(g->fine.stepper),
      .precision = g->precision,
      .length = g->length,
      .scalars = UnrPhysicsParameters(physics),
      .scalar_name = name,
      .scalar = g->par,
      .source = source,
  };
  PetscCall(UnrWellCreate(g->file, &spec, well));
  PetscCall(PetscFree(name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The first of this rank's trajectories with a number that the file cannot hold, in frame `step`. */
static Bad FindBad(const UnrGenerate *g, UnrBatch u, PetscInt step)
{
  const double most = g->precision == UNR_SINGLE ? FLT_MAX : DBL_MAX;

  for (PetscInt s = 0; s < u->samples; s++)
    for (size_t i = 0; i < u->stride; i++)
      if (!(fabs(u->data[(size_t)s * u->stride + i]) <= most))
        return (Bad)step * g->trajectories + g->c.first + s;
  return NONE;
}

/* "domain_size 7.2, viscosity 1". */
static void ParametersText(const UnrGenerate *g, PetscInt trajectory, char text[], size_t size)
{
  const PetscInt n = UnrPhysicsParameters(g->c.physics);
  size_t at = 0;

  snprintf(text, size, "no parameters");
  for (PetscInt p = 0; p < n && at < size; p++)
    at += (size_t)snprintf(text + at, size - at, "%s%s %g", p ? ", " : "",
                           UnrPhysicsParameterName(g->c.physics, p), g->par[trajectory * n + p]);
}

/*
  Collective on the world: is every trajectory still finite on all ranks, and has a signal come to one?
  If not: the file is thrown away; a diverged trajectory is the user's to know.
*/
static PetscErrorCode Agree(const UnrGenerate *g, Bad bad, UnrWell *well, bool *is_stopped)
{
  PetscInt64 least[2] = {bad, -(PetscInt64)UnrSignalCount()};
  char parameters[256];

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, least, 2, MPIU_INT64, MPI_MIN, PETSC_COMM_WORLD));
  *is_stopped = least[1] < 0;
  if (least[0] == NONE && !*is_stopped) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(UnrWellClose(well));
  if (least[0] == NONE) PetscFunctionReturn(PETSC_SUCCESS);
  const PetscInt trajectory = (PetscInt)(least[0] % g->trajectories);
  const PetscInt step = (PetscInt)(least[0] / g->trajectories);
  ParametersText(g, trajectory, parameters, sizeof parameters);
  UnrUserCheck(false,
               "the reference scheme diverged in trajectory %" PetscInt_FMT " of %" PetscInt_FMT
               ", frame %" PetscInt_FMT
               "%s (%s), so there is no %s; allowed: states that %s precision holds; "
               "try: a smaller -reference_stepper_dt with more -reference_stepper_substeps, or "
               "-reference_stepper_etdrk_order 2",
               trajectory, g->trajectories, step < g->warmup ? step : step - g->warmup,
               step < g->warmup ? " of the warm-up" : "", parameters, g->file,
               g->precision == UNR_SINGLE ? "single" : "double");
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode BufferFlush(const UnrGenerate *g, UnrWell well, Buffer *buffer, UnrGenerated *done)
{
  const UnrWellBlock block = {g->c.first, g->c.count, buffer->first, buffer->count};

  PetscFunctionBeginUser;
  done->seconds_writing -= MPI_Wtime();
  PetscCall(UnrStagePush(UNR_STAGE_IO));
  PetscCall(UnrWellWriteBlock(well, &block, g->c.grid, buffer->u));
  PetscCall(UnrStagePop());
  done->seconds_writing += MPI_Wtime();
  buffer->first += buffer->count;
  buffer->count = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Room for this frame in the block, which ends with the buffer or the file. */
static PetscErrorCode BufferAdd(const UnrGenerate *g, UnrBatch u, Buffer *buffer, bool *is_full)
{
  const PetscInt frames = PetscMin(buffer->most, g->frames - buffer->first);

  PetscFunctionBeginUser;
  for (PetscInt s = 0; s < u->samples; s++)
    PetscCall(PetscArraycpy(buffer->u + (size_t)(s * frames + buffer->count) * u->stride,
                            u->data + (size_t)s * u->stride, u->stride));
  *is_full = ++buffer->count == frames;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The state, the next one, and what of it goes into the file: made and destroyed together. */
typedef struct {
  UnrBatch u, next, coarse; /* coarse: NULL without a finer grid */
} States;

static PetscErrorCode StatesCreate(const UnrGenerate *g, States *states)
{
  PetscFunctionBeginUser;
  *states = (States){NULL, NULL, NULL};
  PetscCall(UnrBatchCreate(g->fine.grid, g->c.count, &states->u));
  PetscCall(UnrBatchCreate(g->fine.grid, g->c.count, &states->next));
  if (g->fine.filter) PetscCall(UnrBatchCreate(g->c.grid, g->c.count, &states->coarse));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode StatesDestroy(States *states)
{
  PetscFunctionBeginUser;
  PetscCall(UnrBatchDestroy(&states->coarse));
  PetscCall(UnrBatchDestroy(&states->next));
  PetscCall(UnrBatchDestroy(&states->u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode StatesAdvance(const UnrGenerate *g, States *states, UnrGenerated *done)
{
  const UnrBatch before = states->u;

  PetscFunctionBeginUser;
  done->seconds_solving -= MPI_Wtime();
  PetscCall(UnrStepperApply(g->fine.stepper, g->c.par, before, states->next, NULL));
  done->seconds_solving += MPI_Wtime();
  states->u = states->next;
  states->next = before;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Frames(const UnrGenerate *g, UnrWell *well, UnrGenerated *done)
{
  const PetscInt last = g->warmup + g->frames - 1;
  PetscInt step;
  Buffer buffer;
  States states;
  UnrBatch frame;
  UnrProgress progress;
  Bad bad = NONE;

  PetscFunctionBeginUser;
  PetscCall(StatesCreate(g, &states));
  PetscCall(BufferCreate(g, states.coarse ? states.coarse : states.u, &buffer));
  PetscCall(UnrFineStart(&g->fine, states.u));
  UnrProgressBegin(&progress, "generate", last);
  for (step = 0; step <= last && !done->is_stopped; step++) {
    bool is_full = false;

    if (step) PetscCall(StatesAdvance(g, &states, done));
    if (bad == NONE) bad = FindBad(g, states.u, step);
    if (step >= g->warmup) {
      PetscCall(UnrFineCoarsen(&g->fine, states.u, states.coarse, &frame));
      PetscCall(BufferAdd(g, frame, &buffer, &is_full));
    }
    if (is_full || step % CHECK_INTERVAL == 0) PetscCall(Agree(g, bad, well, &done->is_stopped));
    if (is_full && !done->is_stopped) PetscCall(BufferFlush(g, *well, &buffer, done));
    UnrProgressStep(&progress, step, NULL);
  }
  UnrProgressEnd(&progress, step - 1, done->is_stopped ? "stopped" : NULL);
  PetscCall(PetscFree(buffer.u));
  PetscCall(StatesDestroy(&states));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrGenerateRun(const UnrGenerate *g, UnrGenerated *done)
{
  double seconds[2];
  UnrWell well;

  PetscFunctionBeginUser;
  *done = (UnrGenerated){0};
  PetscCall(UnrSignalInstall());
  PetscCall(Create(g, &well));
  PetscCall(UnrStagePush(UNR_STAGE_DATA));
  PetscCall(Frames(g, &well, done));
  PetscCall(UnrStagePop());
  if (done->is_stopped) PetscFunctionReturn(PETSC_SUCCESS);
  done->seconds_writing -= MPI_Wtime();
  PetscCall(UnrWellCommit(&well));
  done->seconds_writing += MPI_Wtime();
  seconds[0] = done->seconds_solving;
  seconds[1] = done->seconds_writing;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, seconds, 2, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
  done->seconds_solving = seconds[0];
  done->seconds_writing = seconds[1];
  PetscFunctionReturn(PETSC_SUCCESS);
}
