/* Windows of a data set: the parts of a file, the parameters of its trajectories, a batch read. */
#include "dataset/sampler_impl.h"

#include <math.h>
#include <string.h>
#include "core/error.h"
#include "core/seed.h"
#include "field/random.h"

const UnrOption UnrSamplerOptions[] = {
    {"-dataset_fraction", UNR_REAL, "1", 0, 1, "1",
     "part of the frames of a trajectory used for training, the first ones of those not held back", NULL},
    {"-validation_fraction", UNR_REAL, "0.05", 0, 1, "1",
     "part of the frames of a trajectory held back for validation, the last ones", NULL},
    {"-batch_parameters", UNR_WORD, "single", 0, 0, NULL,
     "samples of a batch have one set of parameters, or mixed ones", "single|mixed"},
    {"-dataset_noise", UNR_REAL, "0", 0, 1e300, "field",
     "standard deviation of normal noise on the start state of a training window", NULL},
    {"-dataset_memory", UNR_REAL, "1e9", 0, 1e18, "bytes per rank",
     "data sets up to this size are read once and kept; others batch by batch", NULL},
    {NULL, UNR_BOOL, NULL, 0, 0, NULL, NULL, NULL},
};

PetscErrorCode UnrFramesSplit(UnrWell well, UnrFrames *training, UnrFrames *validation)
{
  UnrWellInfo info;
  double fraction, held;

  PetscFunctionBeginUser;
  PetscCall(UnrWellInfoGet(well, &info));
  PetscCall(UnrOptionReal(UnrSamplerOptions, NULL, "-dataset_fraction", &fraction));
  PetscCall(UnrOptionReal(UnrSamplerOptions, NULL, "-validation_fraction", &held));
  validation->count = (PetscInt)llround(held * (double)info.frames);
  validation->first = info.frames - validation->count;
  training->count = (PetscInt)llround(fraction * (double)validation->first);
  training->first = 0;
  UnrUserCheck(
      validation->count > 0,
      "-validation_fraction holds no frame back (%g of %" PetscInt_FMT
      " frames); allowed: enough for one; try: one that holds -validation_steps and one back, or a longer "
      "data set",
      held, info.frames);
  UnrUserCheck(validation->first > 0,
               "-validation_fraction leaves no frame for training (%g of %" PetscInt_FMT
               " frames); allowed: less; try: one that holds -validation_steps and one back",
               held, info.frames);
  UnrUserCheck(training->count > 0,
               "-dataset_fraction leaves no frame for training (%g of the %" PetscInt_FMT
               " that -validation_fraction does not hold back); allowed: enough for one; try: "
               "-dataset_fraction 1",
               fraction, validation->first);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ReadParameters(UnrSampler s)
{
  PetscFunctionBeginUser;
  s->parameters = UnrPhysicsParameters(s->physics);
  PetscCall(PetscMalloc1((size_t)(s->trajectories * s->parameters) + 1, &s->par));
  for (PetscInt t = 0; t < s->trajectories; t++)
    PetscCall(UnrWellParameters(s->well, s->physics, t, s->par + t * s->parameters));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Room for the largest share of a batch, so that reading allocates nothing. */
static PetscErrorCode MakeRoom(UnrSampler s)
{
  const UnrGrid grid = UnrPhysicsGrid(s->physics);
  const PetscInt most = (s->batch + s->layout->replicas - 1) / s->layout->replicas;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc1(s->batch, &s->place));
  PetscCall(PetscMalloc1((size_t)(most * s->parameters) + 1, &s->own_par));
  PetscCall(PetscCalloc2(s->steps + 1, &s->scratch, s->steps + 1, &s->frame));
  for (PetscInt k = 0; k <= s->steps; k++) PetscCall(UnrScratchGet(&s->scratch[k], grid, most, &s->frame[k]));
  PetscCall(PetscMalloc1((size_t)(s->steps + 1) * s->frame[0]->stride, &s->states));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrSamplerCreate(UnrWell well, UnrPhysics physics, const UnrLayout *layout, UnrFrames frames,
                                PetscInt steps, PetscInt batch, UnrSampler *sampler)
{
  UnrSampler s;
  UnrWellInfo info;
  const char *grouping;
  double memory;
  bool is_cached;

  PetscFunctionBeginUser;
  PetscCall(UnrWellInfoGet(well, &info));
  PetscCheck(frames.first >= 0 && frames.first + frames.count <= info.frames && steps >= 1 && batch >= 1,
             PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "frames %" PetscInt_FMT " + %" PetscInt_FMT " of %" PetscInt_FMT ", %" PetscInt_FMT
             " steps, %" PetscInt_FMT " samples",
             frames.first, frames.count, info.frames, steps, batch);
  PetscCall(UnrWellCheckCase(well, physics));
  UnrUserCheck(steps < frames.count,
               "no window of %" PetscInt_FMT " steps fits into the %" PetscInt_FMT
               " frames of a trajectory that are used (frames %" PetscInt_FMT " to %" PetscInt_FMT
               " of %" PetscInt_FMT "); allowed: up to %" PetscInt_FMT
               " steps; try: fewer steps, another fraction, or a data set of more -generate_frames",
               steps, frames.count, frames.first, frames.first + frames.count - 1, info.frames,
               frames.count - 1);
  PetscCall(PetscNew(&s));
  s->well = well;
  s->physics = physics;
  s->layout = layout;
  s->first = frames.first;
  s->steps = steps;
  s->batch = batch;
  s->per_trajectory = frames.count - steps;
  s->trajectories = info.trajectories;
  s->frames = info.frames;
  PetscCall(UnrSeedGet("order", &s->seed));
  PetscCall(UnrOptionReal(UnrSamplerOptions, NULL, "-dataset_noise", &s->noise));
  PetscCall(UnrOptionWord(UnrSamplerOptions, NULL, "-batch_parameters", &grouping));
  PetscCall(UnrOptionReal(UnrSamplerOptions, NULL, "-dataset_memory", &memory));
  PetscCall(UnrWellCache(well, UnrPhysicsGrid(physics), memory, &is_cached));
  PetscCall(ReadParameters(s));
  PetscCall(UnrSamplerGroup(s, !strcmp(grouping, "mixed")));
  PetscCall(MakeRoom(s));
  *sampler = s;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrSamplerDestroy(UnrSampler *sampler)
{
  UnrSampler s = *sampler;

  PetscFunctionBeginUser;
  if (!s) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt k = 0; k <= s->steps; k++) PetscCall(UnrScratchDestroy(&s->scratch[k]));
  PetscCall(PetscFree2(s->scratch, s->frame));
  PetscCall(PetscFree(s->states));
  PetscCall(PetscFree(s->own_par));
  PetscCall(PetscFree(s->place));
  PetscCall(PetscFree3(s->member, s->begin, s->batch_begin));
  PetscCall(PetscFree(s->par));
  PetscCall(PetscFree(*sampler));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One window into sample i of the frames; a rank without a place reads nothing, together with the others. */
static PetscErrorCode ReadWindow(UnrSampler s, const UnrPlace *place, PetscInt i)
{
  const UnrWellBlock block = {place ? place->trajectory : 0, place ? 1 : 0, place ? place->frame : 0,
                              s->steps + 1};
  const size_t stride = s->frame[0]->stride;

  PetscFunctionBeginUser;
  PetscCall(UnrWellReadBlock(s->well, &block, UnrPhysicsGrid(s->physics), s->states));
  for (PetscInt k = 0; place && k <= s->steps; k++)
    PetscCall(PetscArraycpy(s->frame[k]->data + (size_t)i * stride, s->states + (size_t)k * stride, stride));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Adds to sample i of the start states what (seed, epoch, place) draws. */
static PetscErrorCode AddNoise(UnrSampler s, PetscInt64 epoch, const UnrPlace *place, PetscInt i)
{
  const uint64_t window = (uint64_t)place->trajectory * (uint64_t)s->frames + (uint64_t)place->frame;
  const UnrRng rng = {s->seed, UnrRngStream("noise", (uint64_t)epoch, window)};
  struct UnrBatch_ noise = UnrBatchView(s->frame[0], 0, 1);
  double *u = s->frame[0]->data + (size_t)i * noise.stride;

  PetscFunctionBeginUser;
  noise.data = s->states;
  PetscCall(UnrBatchFillRandom(&noise, rng, 0));
  for (size_t j = 0; j < noise.stride; j++) u[j] += s->noise * noise.data[j];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrSamplerRead(UnrSampler s, PetscInt64 epoch, PetscInt64 batch, PetscInt *samples,
                              PetscInt *first, const double **par, UnrBatch **frame)
{
  PetscInt count, most;

  PetscFunctionBeginUser;
  PetscCall(UnrSamplerPlaces(s, epoch, batch, samples, s->place));
  UnrLayoutShare(s->layout, *samples, first, &count);
  most = (*samples + s->layout->replicas - 1) / s->layout->replicas;
  for (PetscInt k = 0; k <= s->steps; k++)
    PetscCall(UnrScratchGet(&s->scratch[k], UnrPhysicsGrid(s->physics), count, &s->frame[k]));
  for (PetscInt i = 0; i < most; i++) { /* replicas with fewer samples still take part in every read */
    const UnrPlace *place = i < count ? &s->place[*first + i] : NULL;

    PetscCall(ReadWindow(s, place, i));
    if (!place) continue;
    if (s->noise > 0) PetscCall(AddNoise(s, epoch, place, i));
    PetscCall(PetscArraycpy(s->own_par + i * s->parameters, s->par + place->trajectory * s->parameters,
                            s->parameters));
  }
  *par = s->own_par;
  *frame = s->frame;
  PetscFunctionReturn(PETSC_SUCCESS);
}
