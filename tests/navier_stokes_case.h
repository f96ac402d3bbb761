/* What the tests of Navier-Stokes share: vector fields by formula, spatial means, integrals by name. */
#pragma once

#include <stdlib.h>

#include "core/event.h"
#include "dataset/start.h"
#include "etdrk_case.h"

enum { NS_SAMPLES = 2, NS_PARAMETERS = 5, NS_INTEGRALS = 5 };
/* [sample][viscosity, forcing_amplitude, drag, diffusivity, smagorinsky_constant] */
static const double ns_par[] = {0.05, 0.7, 0.1, 0.03, 0.17, 0.02, 1.1, 0.2, 0.04, 0.1};
static const double ns_inviscid[] = {0, 0.7, 0, 0, 0.17, 0, 1.1, 0, 0, 0.1};
static const double ns_drag[] = {0, 0.7, 0.1, 0, 0.17, 0, 1.1, 0.2, 0, 0.1};

/* Component c of sample at X = 2 pi x / L per axis. */
typedef double (*VectorField)(const double X[3], PetscInt c, PetscInt sample, const void *context);

static inline void SetVector(UnrBatch u, VectorField field, const void *context)
{
  const UnrGrid g = u->grid;
  double *at = u->data;

  for (PetscInt s = 0; s < u->samples; s++)
    for (PetscInt x = g->start[0]; x < g->start[0] + g->count[0]; x++)
      for (PetscInt y = g->start[1]; y < g->start[1] + g->count[1]; y++)
        for (PetscInt z = g->start[2]; z < g->start[2] + g->count[2]; z++)
          for (PetscInt c = 0; c < g->components; c++) {
            const double X[] = {2 * PETSC_PI * (double)x / (double)g->points[0],
                                2 * PETSC_PI * (double)y / (double)g->points[1],
                                2 * PETSC_PI * (double)z / (double)g->points[2]};
            *at++ = field(X, c, s, context);
          }
}

static inline UnrBatch NewBatch(UnrGrid grid)
{
  UnrBatch batch;

  TEST_CALL(UnrBatchCreate(grid, NS_SAMPLES, &batch));
  return batch;
}

/* Mean over the domain of a . b of one sample, components first ... next - 1. */
static inline double Mean(UnrBatch a, UnrBatch b, PetscInt sample, PetscInt first, PetscInt next)
{
  double sum = 0, all = 0;

  for (size_t i = 0; i < a->stride; i++) {
    const PetscInt c = (PetscInt)i % a->grid->components;
    const size_t at = (size_t)sample * a->stride + i;

    if (c >= first && c < next) sum += a->data[at] * b->data[at];
  }
  MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, a->grid->comm);
  return all / (double)a->grid->total;
}

/* "energy" ... of a sample. */
static inline double Integral(UnrPhysics physics, const double par[], UnrBatch u, PetscInt sample,
                              const char *name)
{
  const char *names = UnrPhysicsIntegralNames(physics);
  double value[NS_SAMPLES * NS_INTEGRALS];
  int i = 0;

  TEST_CALL(UnrPhysicsIntegrals(physics, par, u, value));
  for (; strncmp(names, name, strlen(name)); i++) {
    names = strchr(names, '|');
    cr_assert(names, "no integral %s", name);
    names++;
  }
  return value[sample * NS_INTEGRALS + i];
}

/* Random solenoidal states on a mean flow, with a scalar if there is one. */
static inline void RandomState(UnrPhysics physics, uint64_t seed, UnrBatch u)
{
  TestOptionsSet("-start_type spectrum -start_peak 2 -start_rms 0.8");
  TEST_CALL(UnrStartFill(physics, seed, 0, ns_par, u));
  TEST_CALL(UnrPhysicsConstrain(physics, ns_par, u)); /* of the modes that the grid has */
  for (size_t i = 0; i < (size_t)u->samples * u->stride; i++)
    u->data[i] += 0.4 - 0.25 * (double)((PetscInt)i % u->grid->components);
}

static inline void NavierStokesOpen(const char *options, bool alone, TestCase *c)
{
  char text[512];

  TEST_CALL(UnrErrorHandlerPush());
  TEST_CALL(UnrEventsRegister());
  snprintf(text, sizeof text, "-physics_type navier_stokes_spectral -layout_replicas 1 %s", options);
  TestCaseOpen(c, alone, text);
}
