/* For test_net*.c: a net's outputs and gradients, their errors, the dot product. */
#pragma once

#include "net_case.h"

/* J(v) for the parts of v that are wanted; its norm. */
static inline double Jvp(NetCase *c, UnrBatch u, const NetVector *v, int parts, UnrBatch out_dot)
{
  TEST_CALL(UnrNetJvp(c->net, c->par, u, parts & 1 ? v->u : NULL, parts & 2 ? v->par : NULL,
                      parts & 4 ? v->theta : NULL, NULL, out_dot));
  return sqrt(TestSum(NetLocalDot(out_dot, out_dot)));
}

/* <Jv, w> - <v, J'w>, relative to |Jv| |w|; parts: 1 state, 2 parameters, 4 weights. */
static inline double DotError(NetCase *c, int parts)
{
  UnrBatch u = NetCaseBatch(c, "u"), w = NetCaseBatch(c, "w"), out = NetCaseBatch(c, NULL);
  UnrBatch out_dot = NetCaseBatch(c, NULL);
  NetVector v, bar;
  UnrTape tape;
  double norm, jv_w, v_jw, before;

  NetVectorCreate(c, "v", &v);
  NetVectorCreate(c, "what was there", &bar); /* vjp adds to it */
  if (!(parts & 1)) TEST_CALL(UnrBatchZero(v.u));
  if (!(parts & 2)) memset(v.par, 0, sizeof(v.par));
  for (size_t j = 0; !(parts & 4) && j < c->parameters; j++) NetPut(c, v.theta, j, 0);
  before = NetVectorDot(c, &v, &bar);
  TEST_CALL(UnrTapeCreate(&tape));
  TEST_CALL(UnrNetApply(c->net, c->par, u, out, tape));
  norm = Jvp(c, u, &v, parts, out_dot) * sqrt(TestSum(NetLocalDot(w, w)));
  jv_w = TestSum(NetLocalDot(out_dot, w));
  TEST_CALL(UnrNetVjp(c->net, c->par, tape, w, parts & 1 ? bar.u : NULL, parts & 2 ? bar.par : NULL,
                      parts & 4 ? bar.theta : NULL));
  v_jw = NetVectorDot(c, &v, &bar) - before;
  TEST_CALL(UnrTapeDestroy(&tape));
  NetVectorDestroy(&v);
  NetVectorDestroy(&bar);
  TEST_CALL(UnrBatchDestroy(&u));
  TEST_CALL(UnrBatchDestroy(&w));
  TEST_CALL(UnrBatchDestroy(&out));
  TEST_CALL(UnrBatchDestroy(&out_dot));
  return norm > 0 ? fabs(jv_w - v_jw) / norm : 1;
}

/* Outputs and gradients of one net. */
typedef struct {
  UnrBatch out;
  NetVector bar;
} Answer;

static inline void AnswerCreate(NetCase *c, Answer *answer)
{
  UnrBatch u = NetCaseBatch(c, "u"), w = NetCaseBatch(c, "w");
  UnrTape tape;

  answer->out = NetCaseBatch(c, NULL);
  NetVectorCreate(c, NULL, &answer->bar);
  TEST_CALL(UnrTapeCreate(&tape));
  TEST_CALL(UnrNetApply(c->net, c->par, u, answer->out, tape));
  TEST_CALL(UnrNetVjp(c->net, c->par, tape, w, answer->bar.u, answer->bar.par, answer->bar.theta));
  TEST_CALL(UnrTapeDestroy(&tape));
  TEST_CALL(UnrBatchDestroy(&u));
  TEST_CALL(UnrBatchDestroy(&w));
}

static inline void AnswerDestroy(Answer *answer)
{
  TEST_CALL(UnrBatchDestroy(&answer->out));
  NetVectorDestroy(&answer->bar);
}

/* The largest difference of a batch on blocks from one on the whole grid, relative to the largest number. */
static inline double BatchError(UnrBatch part, UnrBatch whole)
{
  const UnrGrid g = part->grid;
  double worst = 0, largest = 0;
  size_t at = 0;

  for (size_t j = 0; j < (size_t)whole->samples * whole->stride; j++) {
    largest = TestMost(largest, fabs(whole->data[j]));
  }
  for (PetscInt s = 0; s < part->samples; s++)
    for (PetscInt x = g->start[0]; x < g->start[0] + g->count[0]; x++)
      for (PetscInt y = g->start[1]; y < g->start[1] + g->count[1]; y++)
        for (PetscInt z = g->start[2]; z < g->start[2] + g->count[2]; z++)
          for (PetscInt k = 0; k < g->components; k++, at++) {
            const PetscInt cell = (x * g->points[1] + y) * g->points[2] + z;
            const double there = whole->data[(size_t)s * whole->stride + (size_t)(cell * g->components + k)];
            worst = TestMost(worst, fabs(part->data[at] - there));
          }
  return worst / largest;
}

/* The same of the weights' and parameters' gradients, the part being summed over the ranks. */
static inline double GradientError(NetCase *c, const NetVector *part, const NetVector *whole)
{
  const size_t pars = NET_SAMPLES * NET_PAR, numbers = c->parameters + pars;
  double worst = 0, largest = 0, *sum;

  TEST_CALL(PetscMalloc1(numbers, &sum));
  for (size_t j = 0; j < numbers; j++) sum[j] = j < pars ? part->par[j] : NetGet(c, part->theta, j - pars);
  MPI_Allreduce(MPI_IN_PLACE, sum, (int)numbers, MPI_DOUBLE, MPI_SUM, PETSC_COMM_WORLD);
  for (size_t j = 0; j < numbers; j++) {
    const double there = j < pars ? whole->par[j] : NetGet(c, whole->theta, j - pars);

    if (j >= pars) largest = TestMost(largest, fabs(there));
    worst = TestMost(worst, fabs(sum[j] - there));
  }
  TEST_CALL(PetscFree(sum));
  return worst / largest;
}
