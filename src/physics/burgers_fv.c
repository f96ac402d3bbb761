/*
  Burgers' equation for a scalar, u_t + sum_a (u^2/2)_a = nu Laplace u, in one or two dimensions by
  second-order finite volumes on a periodic box.   Maths: docs/physics/burgers_fv.md.

      rhs_i = sum_a (F_{i-1/2} - F_{i+1/2}) / dx_a,     F_{i+1/2} = f(u_i, u_{i+1}) - nu (u_{i+1} - u_i) /
  dx_a f(a, b) = (a^2 + a b + b^2) / 6

  f conserves the energy of the semi-discrete scheme without viscosity: sum_i u_i rhs_i = 0.
  Source: Tadmor 1987, doi:10.1090/S0025-5718-1987-0890255-3, for the entropy u^2/2.
*/
#include "physics/burgers_options.h"
#include "physics/stencil.h"

enum { REACH = 1, SLOT_U = 0, SLOT_OTHER = 1 };

/* Cells in a row of memory, and their neighbours along one axis: what a kernel works on. */
typedef struct {
  const double *u, *w; /* the state; its tangent or the cotangent of rhs, or NULL; ghosts are there */
  double *out;         /* added to */
  PetscInt count;
  ptrdiff_t step; /* numbers to the next cell along the axis */
  double dx, nu;
  double nu_dot; /* tangent of nu */
} Row;

static inline double Flux(double a, double b)
{
  return (a * a + a * b + b * b) / 6;
}
/* d Flux/da; d Flux/db is FluxSlope(b, a). */
static inline double FluxSlope(double a, double b)
{
  return (2 * a + b) / 6;
}
static inline double Laplace(const double *u, ptrdiff_t step, double dx)
{
  return (u[-step] - 2 * u[0] + u[step]) / (dx * dx);
}

static double RhsRow(const Row *r)
{
  for (PetscInt i = 0; i < r->count; i++) {
    const double *u = r->u + i;

    r->out[i] +=
        (Flux(u[-r->step], u[0]) - Flux(u[0], u[r->step])) / r->dx + r->nu * Laplace(u, r->step, r->dx);
  }
  return 0;
}

static double JvpRow(const Row *r)
{
  const ptrdiff_t n = r->step;

  for (PetscInt i = 0; i < r->count; i++) r->out[i] += r->nu_dot * Laplace(r->u + i, n, r->dx);
  if (!r->w) return 0;
  for (PetscInt i = 0; i < r->count; i++) {
    const double *u = r->u + i, *u_dot = r->w + i;
    const double before = FluxSlope(u[-n], u[0]) * u_dot[-n] + FluxSlope(u[0], u[-n]) * u_dot[0];
    const double after = FluxSlope(u[0], u[n]) * u_dot[0] + FluxSlope(u[n], u[0]) * u_dot[n];

    r->out[i] += (before - after) / r->dx + r->nu * Laplace(u_dot, n, r->dx);
  }
  return 0;
}

/* Sum by parts: the flux through a face is weighed by the jump of the cotangent across it. */
static double VjpRow(const Row *r)
{
  const ptrdiff_t n = r->step;

  for (PetscInt i = 0; i < r->count; i++) {
    const double *u = r->u + i, *rhs_bar = r->w + i;
    const double before = (rhs_bar[0] - rhs_bar[-n]) * FluxSlope(u[0], u[-n]);
    const double after = (rhs_bar[n] - rhs_bar[0]) * FluxSlope(u[0], u[n]);

    r->out[i] += (before + after) / r->dx + r->nu * Laplace(rhs_bar, n, r->dx);
  }
  return 0;
}

/* The cotangent of nu. */
static double VjpNuRow(const Row *r)
{
  double sum = 0;

  for (PetscInt i = 0; i < r->count; i++) sum += r->w[i] * Laplace(r->u + i, r->step, r->dx);
  return sum;
}

/*
  ForRows - call a kernel for every row of every sample along every axis.     Not collective.
  In      par, par_dot  [sample]; par_dot may be NULL
          u, w          first interior cells of tiles of one shape; w may be NULL
          sum           NULL, or [sample]: what the kernel returns is ADDED
  In/out  out           NULL, or a batch that the kernel adds to
*/
static PetscErrorCode ForRows(UnrPhysics physics, double (*kernel)(const Row *), const UnrTileShape *shape,
                              const double par[], const double par_dot[], const double *u, const double *w,
                              UnrBatch out, double sum[])
{
  const UnrGrid grid = physics->grid;

  PetscFunctionBeginUser;
  for (PetscInt s = 0; s < shape->samples; s++) {
    double length[UNR_MAX_DIM];
    Row row = {.count = shape->count[2], .nu = par[s], .nu_dot = par_dot ? par_dot[s] : 0};

    PetscCall(UnrPhysicsLength(physics, par + s, length));
    for (int a = 0; a < grid->dim; a++) {
      row.step = (ptrdiff_t)shape->stride[UNR_MAX_DIM - grid->dim + a];
      row.dx = length[a] / (double)grid->points[a];
      for (PetscInt j = 0; j < shape->count[1]; j++) {
        const size_t skip = (size_t)s * shape->sample_stride + (size_t)j * shape->stride[1];
        double value;

        row.u = u + skip;
        row.w = w ? w + skip : NULL;
        row.out = out ? out->data + (size_t)s * out->stride + (size_t)(j * row.count) : NULL;
        value = kernel(&row);
        if (sum) sum[s] += value;
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode UnrPhysicsDescribe_BurgersFV(int dim, UnrNeeds *needs, PetscInt *components)
{
  PetscFunctionBeginUser;
  (void)dim;
  needs->stencil = REACH;
  *components = 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode UnrPhysicsCreate_BurgersFV(UnrPhysics physics)
{
  PetscFunctionBeginUser;
  PetscCall(UnrStencilCreate(physics->grid, REACH, (UnrStencil **)&physics->data));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode UnrPhysicsDestroy_BurgersFV(UnrPhysics physics)
{
  PetscFunctionBeginUser;
  PetscCall(UnrStencilDestroy((UnrStencil **)&physics->data));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode UnrPhysicsRhs_BurgersFV(UnrPhysics physics, const double par[], UnrBatch u,
                                              UnrBatch rhs)
{
  UnrTileShape shape;
  const double *tile;

  PetscFunctionBeginUser;
  PetscCall(UnrStencilLoad(physics, physics->data, SLOT_U, u, &shape, &tile));
  PetscCall(UnrBatchZero(rhs));
  PetscCall(ForRows(physics, RhsRow, &shape, par, NULL, tile, NULL, rhs, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode UnrPhysicsJvp_BurgersFV(UnrPhysics physics, const double par[], UnrBatch u,
                                              UnrBatch u_dot, const double par_dot[], UnrBatch rhs_dot)
{
  UnrTileShape shape;
  const double *tile, *tile_dot = NULL;

  PetscFunctionBeginUser;
  PetscCall(UnrStencilLoad(physics, physics->data, SLOT_U, u, &shape, &tile));
  if (u_dot) PetscCall(UnrStencilLoad(physics, physics->data, SLOT_OTHER, u_dot, &shape, &tile_dot));
  PetscCall(UnrBatchZero(rhs_dot));
  PetscCall(ForRows(physics, JvpRow, &shape, par, par_dot, tile, tile_dot, rhs_dot, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode UnrPhysicsVjp_BurgersFV(UnrPhysics physics, const double par[], UnrBatch u,
                                              UnrBatch rhs_bar, UnrBatch u_bar, double par_bar[])
{
  UnrTileShape shape;
  const double *tile, *tile_bar;

  PetscFunctionBeginUser;
  PetscCall(UnrStencilLoad(physics, physics->data, SLOT_U, u, &shape, &tile));
  PetscCall(UnrStencilLoad(physics, physics->data, SLOT_OTHER, rhs_bar, &shape, &tile_bar));
  if (u_bar) PetscCall(ForRows(physics, VjpRow, &shape, par, NULL, tile, tile_bar, u_bar, NULL));
  if (par_bar) PetscCall(ForRows(physics, VjpNuRow, &shape, par, NULL, tile, tile_bar, NULL, par_bar));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One row of the Jacobian along one axis: the cell before, the cell itself, the cell after. */
static void JacobianAlong(const double *u, ptrdiff_t n, double dx, double nu, PetscScalar value[3])
{
  const double diffusion = nu / (dx * dx);

  value[0] = FluxSlope(u[-n], u[0]) / dx + diffusion;
  value[1] = (FluxSlope(u[0], u[-n]) - FluxSlope(u[0], u[n])) / dx - 2 * diffusion;
  value[2] = -FluxSlope(u[n], u[0]) / dx + diffusion;
}

/* DMDA's index of a grid axis: i runs over the last. */
static PetscInt *IndexAlong(MatStencil *cell, int dim, int axis)
{
  return axis == dim - 1 ? &cell->i : &cell->j;
}

/* Adds, so that axes of one or two points, where neighbours coincide, are right too. */
static PetscErrorCode UnrPhysicsJacobian_BurgersFV(UnrPhysics physics, const double par[], Vec u, Mat J)
{
  const UnrGrid grid = physics->grid;
  double length[UNR_MAX_DIM];
  UnrTileShape shape;
  const double *tile;

  PetscFunctionBeginUser;
  PetscCall(UnrPhysicsLength(physics, par, length));
  PetscCall(UnrStencilLoadVec(physics, physics->data, SLOT_U, u, &shape, &tile));
  PetscCall(MatZeroEntries(J));
  for (PetscInt cell = 0; cell < grid->local; cell++) {
    const PetscInt place[] = {cell / shape.count[2], cell % shape.count[2]}; /* on the last two engine axes */
    const double *v = tile + (size_t)place[0] * shape.stride[1] + (size_t)place[1] * shape.stride[2];
    MatStencil row = {.i = 0};

    for (int a = 0; a < grid->dim; a++)
      *IndexAlong(&row, grid->dim, a) = grid->start[a] + place[2 - grid->dim + a];
    for (int a = 0; a < grid->dim; a++) {
      MatStencil column[3] = {row, row, row};
      PetscScalar value[3];

      *IndexAlong(&column[0], grid->dim, a) -= 1;
      *IndexAlong(&column[2], grid->dim, a) += 1;
      JacobianAlong(v, (ptrdiff_t)shape.stride[UNR_MAX_DIM - grid->dim + a],
                    length[a] / (double)grid->points[a], par[0], value);
      PetscCall(MatSetValuesStencil(J, 1, &row, 3, column, value, ADD_VALUES));
    }
  }
  PetscCall(MatAssemblyBegin(J, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(J, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const UnrPhysicsOps UnrPhysicsOps_BurgersFV = {
    .name = "burgers_fv",
    .summary =
        "Burgers' equation for a scalar, second-order energy-conserving finite volumes, 1-D and 2-D periodic",
    .field = "u",
    .dim = {1, 2},
    .options = UnrBurgersOptions,
    .parameters = UnrBurgersParameters,
    .describe = UnrPhysicsDescribe_BurgersFV,
    .create = UnrPhysicsCreate_BurgersFV,
    .destroy = UnrPhysicsDestroy_BurgersFV,
    .rhs = UnrPhysicsRhs_BurgersFV,
    .jvp = UnrPhysicsJvp_BurgersFV,
    .vjp = UnrPhysicsVjp_BurgersFV,
    .jacobian = UnrPhysicsJacobian_BurgersFV,
};
