/* Planes of the vorticity (else of the state) for pictures: postprocess/ does no physics. */
#include "app/evaluate.h"

#include <math.h>
#include <string.h>
#include "core/call.h"
#include "core/error.h"
#include "core/memory.h"

static const char field_shown[] = "vorticity";

/* Frames that were asked for, without those behind the roll-out; else a few of the reference and the last. */
static PetscErrorCode ChooseFrames(const UnrEvaluate *e, UnrEvaluatePlanes *planes)
{
  const PetscInt parts = 4;
  PetscInt kept = 0;

  PetscFunctionBeginUser;
  for (PetscInt i = 0; i < planes->count; i++) {
    UnrUserCheck(planes->frame[i] >= 0 && (!i || planes->frame[i] > planes->frame[i - 1]),
                 "-evaluate_planes (%" PetscInt_FMT " at place %" PetscInt_FMT
                 "); allowed: frames in order, each once; try: -evaluate_planes 0,10,100",
                 planes->frame[i], i + 1);
    if (planes->frame[i] <= e->frames) kept++;
  }
  if (!planes->count) {
    for (PetscInt i = 0; i <= parts; i++) {
      const PetscInt k = i * e->set.frames / parts;
      if (!kept || k > planes->frame[kept - 1]) planes->frame[kept++] = k;
    }
    if (e->frames > e->set.frames) planes->frame[kept++] = e->frames;
  }
  planes->count = kept;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static size_t PlaneSize(const UnrEvaluate *e)
{
  return (size_t)e->c.grid->points[0] * (size_t)e->c.grid->points[1];
}

PetscErrorCode UnrEvaluatePlanesCreate(UnrEvaluate *e)
{
  UnrEvaluatePlanes *planes = &e->planes;
  PetscMPIInt rank;
  UnrGrid grid;

  PetscFunctionBeginUser;
  PetscCall(ChooseFrames(e, planes));
  if (e->c.grid->dim < 2) planes->count = 0;
  if (!planes->count) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  const size_t all = rank ? 0 : (size_t)(planes->count * e->set.values) * PlaneSize(e);
  PetscCall(
      UnrMemoryCheck(2. * (double)all * sizeof(float), "the planes for pictures", "fewer -evaluate_planes"));
  PetscCall(UnrPhysicsDiagnostic(e->c.physics, field_shown, &grid));
  if (grid) PetscCall(UnrBatchCreate(grid, e->c.count, &planes->field));
  for (int which = 0; which < 2; which++) PetscCall(PetscMalloc1(all, &planes->plane[which]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrEvaluatePlanesDestroy(UnrEvaluate *e)
{
  PetscFunctionBeginUser;
  PetscCall(UnrBatchDestroy(&e->planes.field));
  for (int which = 0; which < 2; which++) PetscCall(PetscFree(e->planes.plane[which]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Component that is shown: of a vorticity the last, which is that of z; of a state the first. */
static PetscInt Component(const UnrEvaluate *e)
{
  return e->planes.field ? e->planes.field->grid->components - 1 : 0;
}

/* This rank's part of a sample's middle plane, into a zeroed one. */
static void Cut(const UnrEvaluate *e, UnrBatch field, PetscInt sample, float plane[])
{
  const UnrGrid g = field->grid;
  const double *u = field->data + (size_t)sample * field->stride;
  const PetscInt z = g->points[2] / 2 - g->start[2];

  if (z < 0 || z >= g->count[2]) return;
  for (PetscInt x = 0; x < g->count[0]; x++)
    for (PetscInt y = 0; y < g->count[1]; y++) {
      const PetscInt cell = (x * g->count[1] + y) * g->count[2] + z;
      plane[(g->start[0] + x) * g->points[1] + g->start[1] + y] =
          (float)u[cell * g->components + Component(e)];
    }
}

/* Plane number i of all groups, of the roll-out or the reference, to rank 0.  Collective on the world. */
static PetscErrorCode Gather(UnrEvaluate *e, PetscInt i, int which, UnrBatch state, const bool is_live[])
{
  UnrEvaluatePlanes *planes = &e->planes;
  const size_t size = PlaneSize(e);
  float *part, *whole;
  PetscMPIInt rank, count;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(UnrMPICount(size, &count));
  if (state && planes->field)
    PetscCall(UnrPhysicsDiagnose(e->c.physics, field_shown, e->c.par, state, planes->field));
  PetscCall(PetscMalloc1(size, &part));
  for (PetscInt g = 0; g < e->set.values; g++) {
    const PetscInt test = g * e->set.starts - e->c.first;
    const bool is_mine = test >= 0 && test < e->c.count;

    PetscCall(PetscArrayzero(part, size));
    if (is_mine && state && (!is_live || is_live[test]))
      Cut(e, planes->field ? planes->field : state, test, part);
    else if (is_mine)
      for (size_t j = 0; j < size; j++) part[j] = NAN;
    whole = rank ? NULL : planes->plane[which] + (size_t)(g * planes->count + i) * size;
    PetscCallMPI(MPI_Reduce(part, whole, count, MPI_FLOAT, MPI_SUM, 0, PETSC_COMM_WORLD));
  }
  PetscCall(PetscFree(part));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrEvaluatePlanesKeep(UnrEvaluate *e, PetscInt k, UnrBatch u, UnrBatch reference,
                                     const bool is_live[])
{
  PetscInt i = 0;

  PetscFunctionBeginUser;
  while (i < e->planes.count && e->planes.frame[i] != k) i++;
  if (i == e->planes.count) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Gather(e, i, 0, u, is_live));
  PetscCall(Gather(e, i, 1, reference, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Nodes of the first test of each group along an axis, and where they are cut. */
static PetscErrorCode PutNodes(const UnrEvaluate *e, UnrOutput *out)
{
  static const char *const name[UNR_MAX_DIM] = {"x", "y", "z"};
  const UnrCase *c = &e->c;
  const PetscInt n = UnrPhysicsParameters(c->physics), groups = e->set.values;
  double *par, *node[UNR_MAX_DIM], length[UNR_MAX_DIM];

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc1(c->samples * n + 1, &par));
  PetscCall(UnrCaseParameters(c, par));
  for (int a = 0; a < c->grid->dim; a++) {
    const PetscInt points = a < 2 ? c->grid->points[a] : 1;

    PetscCall(PetscMalloc1(groups * points, &node[a]));
    for (PetscInt g = 0; g < groups; g++) {
      PetscCall(UnrPhysicsLength(c->physics, par + g * e->set.starts * n, length));
      for (PetscInt i = 0; i < points; i++)
        node[a][g * points + i] =
            length[a] * (double)(a < 2 ? i : c->grid->points[a] / 2) / (double)c->grid->points[a];
    }
    UnrOutputArray(out, "planes", name[a], H5T_NATIVE_DOUBLE, 2,
                   (const hsize_t[]){(hsize_t)groups, (hsize_t)points}, node[a]);
    PetscCall(PetscFree(node[a]));
  }
  PetscCall(PetscFree(par));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Group `planes` of metrics.h5.  Collective on the world. */
PetscErrorCode UnrEvaluatePlanesWrite(const UnrEvaluate *e, UnrOutput *out)
{
  static const char *const name[] = {"trajectory", "reference"}, *const component[] = {"x", "y", "z"};
  const UnrEvaluatePlanes *planes = &e->planes;
  const UnrGrid grid = planes->field ? planes->field->grid : e->c.grid;
  const double time = UnrStepperDt(e->c.reference) * (double)UnrStepperSubsteps(e->c.reference);
  const hsize_t size[] = {(hsize_t)e->set.values, (hsize_t)planes->count, (hsize_t)grid->points[0],
                          (hsize_t)grid->points[1]};
  double at[2][UNR_PLANES];

  PetscFunctionBeginUser;
  if (!planes->count) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt i = 0; i < planes->count; i++) {
    at[0][i] = (double)planes->frame[i];
    at[1][i] = time * at[0][i];
  }
  UnrOutputReals(out, "planes", "frame", planes->count, at[0]);
  UnrOutputReals(out, "planes", "time", planes->count, at[1]);
  PetscCall(PutNodes(e, out));
  for (int which = 0; which < 2; which++)
    UnrOutputArray(out, "planes", name[which], H5T_NATIVE_FLOAT, 4, size, planes->plane[which]);
  UnrOutputText(out, "planes", "field", planes->field ? field_shown : UnrPhysicsFieldName(e->c.physics));
  UnrOutputText(out, "planes", "component", grid->components > 1 ? component[Component(e)] : "");
  PetscFunctionReturn(PETSC_SUCCESS);
}
