/*
  A sharp cut: the waves that the coarse physics represents, as they are; all others are gone.
  Maths: docs/method/coarsening.md

  A rank's coarse modes come from the ranks that hold them on the fine grid, point to point: no array is
  global.
*/
#include "core/block.h"
#include "core/error.h"
#include "dataset/filter_impl.h"

#include <petscsf.h>

typedef struct {
  UnrFFT from, to; /* of the two physics, borrowed */
  PetscSF sf;      /* roots: this rank's fine modes; leaves: its coarse modes */
  MPI_Datatype mode;
  PetscInt leaves, *target; /* [leaf] coarse mode */
  PetscSFNode *source;      /* [leaf] where it is on the fine grid */
  UnrBlock work, from_modes, to_modes;
} Spectral;

/* Is coarse mode m cut?  A single Nyquist mode of the coarse grid cannot hold the two waves that it stands
   for on a finer one. */
static bool IsCut(const Spectral *v, PetscInt m)
{
  const UnrGrid from = v->from->grid, to = v->to->grid;

  for (int a = 0; a < to->dim; a++)
    if (from->points[a] > to->points[a] && 2 * PetscAbsReal(v->to->k[a][m]) >= (double)to->points[a])
      return true;
  return false;
}

/* target, source: the coarse modes that the fine grid has. */
static PetscErrorCode FindModes(Spectral *v)
{
  PetscFunctionBeginUser;
  PetscCall(PetscMalloc1(v->to->modes, &v->target));
  PetscCall(PetscMalloc1(v->to->modes, &v->source));
  for (PetscInt m = 0; m < v->to->modes; m++) {
    PetscInt k[UNR_MAX_DIM] = {0}, mode;
    int rank;

    if (IsCut(v, m)) continue;
    for (int a = 0; a < v->to->grid->dim; a++) k[a] = (PetscInt)v->to->k[a][m];
    UnrFFTLocate(v->from, k, &rank, &mode);
    if (rank < 0) continue;
    v->target[v->leaves] = m;
    v->source[v->leaves++] = (PetscSFNode){.rank = rank, .index = mode};
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Create(UnrFilter f)
{
  Spectral *v;

  PetscFunctionBeginUser;
  UnrUserCheck(UnrPhysicsFFT(f->coarse),
               "-generate_filter spectral for a physics without transforms (%s); allowed: volume, or a "
               "spectral physics; try: -generate_filter volume",
               UnrPhysicsName(f->coarse));
  PetscCall(PetscNew(&v));
  f->data = v;
  v->from = UnrPhysicsFFT(f->fine);
  v->to = UnrPhysicsFFT(f->coarse);
  PetscCall(FindModes(v));
  PetscCallMPI(MPI_Type_contiguous(2, MPI_DOUBLE, &v->mode));
  PetscCallMPI(MPI_Type_commit(&v->mode));
  PetscCall(PetscSFCreate(v->to->grid->comm, &v->sf));
  PetscCall(PetscSFSetGraph(v->sf, v->from->modes, v->leaves, v->target, PETSC_COPY_VALUES, v->source,
                            PETSC_COPY_VALUES));
  PetscCall(PetscSFSetUp(v->sf));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One field's modes.  In 1-D a rank has all modes of its own samples, and other ranks have other numbers of
   fields. */
static PetscErrorCode Move(const Spectral *v, const UnrComplex *from, UnrComplex *to)
{
  const double scale = (double)v->to->grid->total / (double)v->from->grid->total;

  PetscFunctionBeginUser;
  PetscCall(PetscMemzero(to, (size_t)v->to->modes * sizeof *to));
  if (v->to->grid->dim == 1) {
    for (PetscInt l = 0; l < v->leaves; l++) to[v->target[l]] = from[v->source[l].index];
  } else {
    PetscCall(PetscSFBcastBegin(v->sf, v->mode, from, to, MPI_REPLACE));
    PetscCall(PetscSFBcastEnd(v->sf, v->mode, from, to, MPI_REPLACE));
  }
  for (PetscInt l = 0; l < v->leaves; l++) to[v->target[l]] *= scale;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Apply(UnrFilter f, UnrBatch from, UnrBatch to)
{
  Spectral *v = f->data;
  PetscInt first, samples, fields;

  PetscFunctionBeginUser;
  UnrFFTShare(v->from, from->samples, &first, &samples);
  fields = samples * to->grid->components;
  PetscCall(
      UnrBlockReserve(&v->work, (size_t)(fields * PetscMax(v->from->cells, v->to->cells)) * sizeof(double)));
  PetscCall(UnrBlockReserve(&v->from_modes, (size_t)(fields * v->from->modes) * sizeof(UnrComplex)));
  PetscCall(UnrBlockReserve(&v->to_modes, (size_t)(fields * v->to->modes) * sizeof(UnrComplex)));
  UnrComplex *a = v->from_modes.data, *b = v->to_modes.data;
  PetscCall(UnrFFTLoad(v->from, from, v->work.data));
  PetscCall(UnrFFTForward(v->from, fields, v->work.data, a));
  for (PetscInt i = 0; i < fields; i++)
    PetscCall(Move(v, a + (size_t)(i * v->from->modes), b + (size_t)(i * v->to->modes)));
  PetscCall(UnrFFTBackward(v->to, fields, b, v->work.data));
  PetscCall(UnrFFTStore(v->to, v->work.data, to, INSERT_VALUES));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Destroy(UnrFilter f)
{
  Spectral *v = f->data;

  PetscFunctionBeginUser;
  PetscCall(UnrBlockFree(&v->work));
  PetscCall(UnrBlockFree(&v->from_modes));
  PetscCall(UnrBlockFree(&v->to_modes));
  PetscCall(PetscSFDestroy(&v->sf));
  PetscCallMPI(MPI_Type_free(&v->mode));
  PetscCall(PetscFree(v->target));
  PetscCall(PetscFree(v->source));
  PetscCall(PetscFree(f->data));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const UnrFilterOps UnrFilterOps_Spectral = {
    .name = "spectral",
    .summary = "cut to the waves that the coarse physics represents",
    .create = Create,
    .apply = Apply,
    .destroy = Destroy,
};
