/*
  Kuramoto-Sivashinsky equation, u_t = -u_xx - u_xxxx - (u^2/2)_x, by second-order central differences on a
  periodic line of length 2 pi s.   Maths: docs/physics/ks_fd.md.

      rhs_i = a2 (u_{i-1} - 2 u_i + u_{i+1}) + a4 (u_{i-2} - 4 u_{i-1} + 6 u_i - 4 u_{i+1} + u_{i+2})
              + a1 (u_{i+1}^2 - u_{i-1}^2)
      a1 = -1 / (4 dx), a2 = -1 / dx^2, a4 = -1 / dx^4
*/
#include "physics/ks_options.h"
#include "physics/stencil.h"

enum { REACH = 2, SLOT_U = 0, SLOT_OTHER = 1 };

typedef struct {
  double a1, a2, a4;       /* what the differences are multiplied by */
  double a1_s, a2_s, a4_s; /* their derivatives with respect to the domain size */
} Factors;

static Factors FactorsAt(UnrGrid grid, double s)
{
  const double dx = 2 * PETSC_PI * s / (double)grid->points[0];
  Factors f = {.a1 = -1 / (4 * dx), .a2 = -1 / (dx * dx), .a4 = -1 / (dx * dx * dx * dx)};

  f.a1_s = -1 * f.a1 / s;
  f.a2_s = -2 * f.a2 / s;
  f.a4_s = -4 * f.a4 / s;
  return f;
}

static inline double Second(const double *u)
{
  return u[-1] - 2 * u[0] + u[1];
}
static inline double Fourth(const double *u)
{
  return u[-2] - 4 * u[-1] + 6 * u[0] - 4 * u[1] + u[2];
}
static inline double Square(const double *u)
{
  return u[1] * u[1] - u[-1] * u[-1];
}
static inline double SquareJvp(const double *u, const double *u_dot)
{
  return 2 * (u[1] * u_dot[1] - u[-1] * u_dot[-1]);
}

static PetscErrorCode UnrPhysicsDescribe_KSFD(int dim, UnrNeeds *needs, PetscInt *components)
{
  PetscFunctionBeginUser;
  (void)dim;
  needs->stencil = REACH;
  *components = 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode UnrPhysicsCreate_KSFD(UnrPhysics physics)
{
  PetscFunctionBeginUser;
  PetscCall(UnrStencilCreate(physics->grid, REACH, (UnrStencil **)&physics->data));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode UnrPhysicsDestroy_KSFD(UnrPhysics physics)
{
  PetscFunctionBeginUser;
  PetscCall(UnrStencilDestroy((UnrStencil **)&physics->data));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode UnrPhysicsRhs_KSFD(UnrPhysics physics, const double par[], UnrBatch u, UnrBatch rhs)
{
  UnrTileShape shape;
  const double *tile;

  PetscFunctionBeginUser;
  PetscCall(UnrStencilLoad(physics, physics->data, SLOT_U, u, &shape, &tile));
  for (PetscInt s = 0; s < u->samples; s++) {
    const Factors f = FactorsAt(physics->grid, par[s]);
    const double *v = tile + (size_t)s * shape.sample_stride;
    double *out = rhs->data + (size_t)s * rhs->stride;

    for (PetscInt i = 0; i < shape.count[2]; i++)
      out[i] = f.a2 * Second(v + i) + f.a4 * Fourth(v + i) + f.a1 * Square(v + i);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The differences of u with the factors' derivatives: d rhs/d(domain size). */
static inline double RhsPar(const Factors *f, const double *u)
{
  return f->a2_s * Second(u) + f->a4_s * Fourth(u) + f->a1_s * Square(u);
}

static PetscErrorCode UnrPhysicsJvp_KSFD(UnrPhysics physics, const double par[], UnrBatch u, UnrBatch u_dot,
                                         const double par_dot[], UnrBatch rhs_dot)
{
  UnrTileShape shape;
  const double *tile, *tile_dot = NULL;

  PetscFunctionBeginUser;
  PetscCall(UnrStencilLoad(physics, physics->data, SLOT_U, u, &shape, &tile));
  if (u_dot) PetscCall(UnrStencilLoad(physics, physics->data, SLOT_OTHER, u_dot, &shape, &tile_dot));
  for (PetscInt s = 0; s < u->samples; s++) {
    const Factors f = FactorsAt(physics->grid, par[s]);
    const size_t skip = (size_t)s * shape.sample_stride;
    double *out = rhs_dot->data + (size_t)s * rhs_dot->stride;

    for (PetscInt i = 0; i < shape.count[2]; i++) {
      const double *v = tile + skip + i, *v_dot = tile_dot ? tile_dot + skip + i : NULL;

      out[i] = par_dot ? par_dot[s] * RhsPar(&f, v) : 0;
      if (v_dot) out[i] += f.a2 * Second(v_dot) + f.a4 * Fourth(v_dot) + f.a1 * SquareJvp(v, v_dot);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Gathers on the cotangent's ghosts: even differences are symmetric, and of u only the cell's own value is
 * needed. */
static PetscErrorCode VjpState(UnrPhysics physics, const double par[], UnrBatch u, UnrBatch rhs_bar,
                               UnrBatch u_bar)
{
  UnrTileShape shape;
  const double *tile;

  PetscFunctionBeginUser;
  PetscCall(UnrStencilLoad(physics, physics->data, SLOT_OTHER, rhs_bar, &shape, &tile));
  for (PetscInt s = 0; s < u->samples; s++) {
    const Factors f = FactorsAt(physics->grid, par[s]);
    const double *g = tile + (size_t)s * shape.sample_stride, *v = u->data + (size_t)s * u->stride;
    double *out = u_bar->data + (size_t)s * u_bar->stride;

    for (PetscInt i = 0; i < shape.count[2]; i++) /* rhs_{i-1} holds a1 u_i^2, rhs_{i+1} holds -a1 u_i^2 */
      out[i] += f.a2 * Second(g + i) + f.a4 * Fourth(g + i) + f.a1 * 2 * v[i] * (g[i - 1] - g[i + 1]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode VjpPar(UnrPhysics physics, const double par[], UnrBatch u, UnrBatch rhs_bar,
                             double par_bar[])
{
  UnrTileShape shape;
  const double *tile;

  PetscFunctionBeginUser;
  PetscCall(UnrStencilLoad(physics, physics->data, SLOT_U, u, &shape, &tile));
  for (PetscInt s = 0; s < u->samples; s++) {
    const Factors f = FactorsAt(physics->grid, par[s]);
    const double *v = tile + (size_t)s * shape.sample_stride,
                 *g = rhs_bar->data + (size_t)s * rhs_bar->stride;
    double sum = 0;

    for (PetscInt i = 0; i < shape.count[2]; i++) sum += g[i] * RhsPar(&f, v + i);
    par_bar[s] += sum;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode UnrPhysicsVjp_KSFD(UnrPhysics physics, const double par[], UnrBatch u, UnrBatch rhs_bar,
                                         UnrBatch u_bar, double par_bar[])
{
  PetscFunctionBeginUser;
  if (u_bar) PetscCall(VjpState(physics, par, u, rhs_bar, u_bar));
  if (par_bar) PetscCall(VjpPar(physics, par, u, rhs_bar, par_bar));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Adds, so that on fewer than five points, where neighbours coincide, the matrix is still that of the rhs. */
static PetscErrorCode UnrPhysicsJacobian_KSFD(UnrPhysics physics, const double par[], Vec u, Mat J)
{
  const Factors f = FactorsAt(physics->grid, par[0]);
  const PetscInt start = physics->grid->start[0];
  UnrTileShape shape;
  const double *v;

  PetscFunctionBeginUser;
  PetscCall(UnrStencilLoadVec(physics, physics->data, SLOT_U, u, &shape, &v));
  PetscCall(MatZeroEntries(J));
  for (PetscInt i = 0; i < shape.count[2]; i++) {
    const PetscInt x = start + i;
    const MatStencil row = {.i = x},
                     column[] = {{.i = x - 2}, {.i = x - 1}, {.i = x}, {.i = x + 1}, {.i = x + 2}};
    const PetscScalar value[] = {f.a4, f.a2 - 4 * f.a4 - 2 * f.a1 * v[i - 1], -2 * f.a2 + 6 * f.a4,
                                 f.a2 - 4 * f.a4 + 2 * f.a1 * v[i + 1], f.a4};

    PetscCall(MatSetValuesStencil(J, 1, &row, 5, column, value, ADD_VALUES));
  }
  PetscCall(MatAssemblyBegin(J, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(J, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const UnrPhysicsOps UnrPhysicsOps_KSFD = {
    .name = "ks_fd",
    .summary = "Kuramoto-Sivashinsky equation, second-order central differences, 1-D periodic",
    .field = "u",
    .dim = {1, 1},
    .options = UnrKSOptions,
    .parameters = UnrKSParameters,
    .describe = UnrPhysicsDescribe_KSFD,
    .create = UnrPhysicsCreate_KSFD,
    .destroy = UnrPhysicsDestroy_KSFD,
    .length = UnrPhysicsLength_KS,
    .set_length = UnrPhysicsSetLength_KS,
    .rhs = UnrPhysicsRhs_KSFD,
    .jvp = UnrPhysicsJvp_KSFD,
    .vjp = UnrPhysicsVjp_KSFD,
    .jacobian = UnrPhysicsJacobian_KSFD,
};
