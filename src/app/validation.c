#include "app/validation.h"
#include "core/error.h"
#include "core/memory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const UnrOption UnrValidationOptions[] = {
    {"-validation_steps", UNR_INT, "12", 1, 1e6, "frames",
     "horizon of the validation, whatever the unroll length", NULL},
    {"-validation_samples", UNR_INT, "64", 1, 1e6, "windows", "windows of the validation", NULL},
    {"-validation_interval", UNR_INT, "0", 0, 2e9, "updates", "between validations; 0: once an epoch", NULL},
    {NULL, UNR_BOOL, NULL, 0, 0, NULL, NULL, NULL},
};

/* Window i of n, spread evenly: the trajectories in turn, and later frames with later windows. */
static UnrPlace PlaceOf(const UnrWellInfo *info, UnrFrames frames, PetscInt steps, PetscInt i, PetscInt n)
{
  const PetscInt room = frames.count - steps; /* first frames there are */

  return (UnrPlace){.trajectory = (PetscInt)((PetscInt64)i * info->trajectories / n),
                    .frame = frames.first + (PetscInt)((PetscInt64)i * 7919 % room)};
}

static PetscErrorCode ReadWindows(UnrWell well, UnrFrames frames, UnrValidation *v)
{
  const PetscInt parameters = UnrPhysicsParameters(v->c->physics);
  PetscInt most;
  UnrWellInfo info;

  PetscFunctionBeginUser;
  PetscCall(UnrWellInfoGet(well, &info));
  PetscCallMPI(MPI_Allreduce(&v->count, &most, 1, MPIU_INT, MPI_MAX, PETSC_COMM_WORLD));
  for (PetscInt s = 0; s < most; s++) {
    const bool is_mine = s < v->count;
    const UnrPlace place = PlaceOf(&info, frames, v->steps, v->first + (is_mine ? s : 0), v->windows);
    double spare[UNR_CASE_VALUES];

    PetscCall(
        UnrWellParameters(well, v->c->physics, place.trajectory, is_mine ? v->par + s * parameters : spare));
    for (PetscInt k = 0; k <= v->steps; k++)
      PetscCall(UnrWellRead(well, place.trajectory, place.frame + k, is_mine ? v->frame[k] : NULL,
                            is_mine ? s : 0));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Frames enough behind those of the training, or what would be enough. */
static PetscErrorCode CheckFrames(UnrWell well, PetscInt held, PetscInt steps)
{
  char fewer[128] = "";
  UnrWellInfo info;

  PetscFunctionBeginUser;
  PetscCall(UnrWellInfoGet(well, &info));
  const double fraction = ceil(1e4 * (double)(steps + 1) / (double)info.frames) / 1e4;
  if (held > 1) snprintf(fewer, sizeof(fewer), "-validation_steps %" PetscInt_FMT ", or ", held - 1);
  if (fraction < 1) {
    const size_t length = strlen(fewer);

    snprintf(fewer + length, sizeof(fewer) - length, "-validation_fraction %g, or ", fraction);
  }
  UnrUserCheck(held > steps,
               "-validation_steps (%" PetscInt_FMT ") needs as many frames and one, and %" PetscInt_FMT
               " of each trajectory are held back; allowed: fewer than these; try: %sa data set of more "
               "-generate_frames",
               steps, held, fewer);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrValidationCreate(const UnrCase *c, UnrWell well, UnrFrames frames, UnrValidation *v)
{
  PetscInt interval;

  PetscFunctionBeginUser;
  *v = (UnrValidation){.c = c};
  PetscCall(UnrOptionInt(UnrValidationOptions, NULL, "-validation_steps", &v->steps));
  PetscCall(UnrOptionInt(UnrValidationOptions, NULL, "-validation_samples", &v->windows));
  PetscCall(UnrOptionInt(UnrValidationOptions, NULL, "-validation_interval", &interval));
  v->interval = interval;
  PetscCall(CheckFrames(well, frames.count, v->steps));
  UnrLayoutShare(&c->layout, v->windows, &v->first, &v->count);
  PetscCall(UnrMemoryCheck(((double)v->steps + 3) * (double)v->count * (double)c->grid->local *
                               (double)c->grid->components * sizeof(double),
                           "the windows of the validation",
                           "fewer -validation_samples or -validation_steps"));
  PetscCall(PetscMalloc1((size_t)(v->count * UnrPhysicsParameters(c->physics)) + 1, &v->par));
  PetscCall(PetscMalloc1((size_t)v->steps + 1, &v->frame));
  for (PetscInt k = 0; k <= v->steps; k++) PetscCall(UnrBatchCreate(c->grid, v->count, &v->frame[k]));
  PetscCall(UnrBatchCreate(c->grid, v->count, &v->u));
  PetscCall(UnrBatchCreate(c->grid, v->count, &v->next));
  PetscCall(ReadWindows(well, frames, v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrValidationDestroy(UnrValidation *v)
{
  PetscFunctionBeginUser;
  for (PetscInt k = 0; v->frame && k <= v->steps; k++) PetscCall(UnrBatchDestroy(&v->frame[k]));
  PetscCall(UnrBatchDestroy(&v->u));
  PetscCall(UnrBatchDestroy(&v->next));
  PetscCall(PetscFree(v->frame));
  PetscCall(PetscFree(v->par));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* error[window of the replica] += sum over this rank's cells of the squared difference. */
static void AddSquares(UnrBatch u, UnrBatch reference, double error[])
{
  for (PetscInt s = 0; s < u->samples; s++) {
    const double *a = u->data + (size_t)s * u->stride, *b = reference->data + (size_t)s * u->stride;

    for (size_t i = 0; i < u->stride; i++) error[s] += (a[i] - b[i]) * (a[i] - b[i]);
  }
}

PetscErrorCode UnrValidationError(UnrValidation *v, double *error)
{
  const UnrGrid grid = v->c->grid;
  const double numbers = (double)grid->total * (double)grid->components * (double)v->steps;
  double *square, sum = 0;

  PetscFunctionBeginUser;
  PetscCall(PetscCalloc1((size_t)v->count + 1, &square));
  PetscCall(UnrBatchCopy(v->frame[0], v->u));
  for (PetscInt k = 1; k <= v->steps; k++) {
    const UnrBatch made = v->next;

    PetscCall(UnrModelApply(v->c->model, v->par, v->u, made, NULL));
    AddSquares(made, v->frame[k], square);
    v->next = v->u;
    v->u = made;
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, square, (PetscMPIInt)v->count, MPI_DOUBLE, MPI_SUM, grid->comm));
  for (PetscInt s = 0; s < v->count; s++) sum += isfinite(square[s]) ? log(square[s] / numbers) : INFINITY;
  sum /= grid->size; /* every rank of a grid has the replica's sum */
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, v->c->layout.world));
  *error = exp(sum / (double)v->windows);
  PetscCall(PetscFree(square));
  PetscFunctionReturn(PETSC_SUCCESS);
}
