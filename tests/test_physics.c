/* Conformance of every physics in src/physics/list.h: tangent, adjoint, parameters, layouts, lengths. */
#include "conformance.h"

#define SIZED(name) "%s %d-D: " name, physics, dim

/* <J (u_dot, par_dot), w> = <u_dot, J_u' w> + <par_dot, J_par' w>: hand-written code, so rounding only. */
static void CheckDot(const char *physics, int dim)
{
  Subject t;
  UnrBatch u, u_dot, w, rhs_dot, u_bar;
  double par_dot[TEST_SAMPLES * TEST_PARAMETERS], par_bar[TEST_SAMPLES * TEST_PARAMETERS] = {0};
  double scale, tangent, adjoint, start;

  SubjectOpen(physics, dim, false, &t);
  u = TestBatch(&t, TEST_SAMPLES);
  TestState(&t, 0, t.par, u);
  u_dot = TestDirection(&t, TEST_SAMPLES, "tangent");
  w = TestDirection(&t, TEST_SAMPLES, "cotangent");
  rhs_dot = TestBatch(&t, TEST_SAMPLES);
  TestParDirection(&t, 1, par_dot);
  /* The reverse adds to what is there. */
  u_bar = TestDirection(&t, TEST_SAMPLES, "before");
  start = TestDot(u_dot, u_bar);
  TEST_CALL(UnrPhysicsJvp(t.physics, t.par, u, u_dot, par_dot, rhs_dot));
  TEST_CALL(UnrPhysicsVjp(t.physics, t.par, u, w, u_bar, par_bar));
  tangent = TestDot(rhs_dot, w);
  adjoint = TestDot(u_dot, u_bar) - start + TestParDot(&t, par_dot, par_bar);
  scale = TestNorm(rhs_dot) * TestNorm(w);
  cr_expect(fabs(tangent - adjoint) <= 1e-12 * scale, SIZED("dot product %.17g, %.17g"), tangent, adjoint);
  /* Each cotangent alone, the other NULL. */
  TEST_CALL(UnrPhysicsJvp(t.physics, t.par, u, u_dot, NULL, rhs_dot));
  TEST_CALL(UnrBatchZero(u_bar));
  TEST_CALL(UnrPhysicsVjp(t.physics, t.par, u, w, u_bar, NULL));
  tangent = TestDot(rhs_dot, w);
  adjoint = TestDot(u_dot, u_bar);
  cr_expect(fabs(tangent - adjoint) <= 1e-12 * scale, SIZED("dot product of the state %.17g, %.17g"), tangent,
            adjoint);
  TEST_CALL(UnrPhysicsJvp(t.physics, t.par, u, NULL, par_dot, rhs_dot));
  memset(par_bar, 0, sizeof par_bar);
  TEST_CALL(UnrPhysicsVjp(t.physics, t.par, u, w, NULL, par_bar));
  tangent = TestDot(rhs_dot, w);
  adjoint = TestParDot(&t, par_dot, par_bar);
  cr_expect(fabs(tangent - adjoint) <= 1e-12 * scale, SIZED("dot product of the parameters %.17g, %.17g"),
            tangent, adjoint);
  TEST_CALL(UnrBatchDestroy(&u));
  TEST_CALL(UnrBatchDestroy(&u_dot));
  TEST_CALL(UnrBatchDestroy(&w));
  TEST_CALL(UnrBatchDestroy(&rhs_dot));
  TEST_CALL(UnrBatchDestroy(&u_bar));
  SubjectClose(&t);
}

Test(physics, dot_products)
{
  TestEveryPhysics(CheckDot);
}

/* |rhs(u + h u_dot, par + h par_dot) - rhs - h rhs_dot| falls as h^2, from h = 1e-1 to 1e-5. */
static void CheckTaylor(const char *physics, int dim)
{
  enum { STEPS = 5 };
  Subject t;
  UnrBatch u, u_dot, v, rhs, rhs_dot, moved;
  double par_dot[TEST_SAMPLES * TEST_PARAMETERS], par[TEST_SAMPLES * TEST_PARAMETERS], r[STEPS], h = 0.1;

  SubjectOpen(physics, dim, false, &t);
  u = TestBatch(&t, TEST_SAMPLES);
  TestState(&t, 0, t.par, u);
  u_dot = TestBatch(&t, TEST_SAMPLES);
  TestState(&t, 20, t.par, u_dot); /* smooth: rounding of high derivatives would hide the remainder */
  TestParDirection(&t, 2, par_dot);
  v = TestBatch(&t, TEST_SAMPLES);
  rhs = TestBatch(&t, TEST_SAMPLES);
  rhs_dot = TestBatch(&t, TEST_SAMPLES);
  moved = TestBatch(&t, TEST_SAMPLES);
  TEST_CALL(UnrPhysicsRhs(t.physics, t.par, u, rhs));
  TEST_CALL(UnrPhysicsJvp(t.physics, t.par, u, u_dot, par_dot, rhs_dot));
  for (int i = 0; i < STEPS; i++, h /= 10) {
    for (PetscInt p = 0; p < TEST_SAMPLES * t.parameters; p++) par[p] = t.par[p] + h * par_dot[p];
    TEST_CALL(UnrBatchCopy(u, v));
    TEST_CALL(UnrBatchAXPY(v, h, u_dot));
    TEST_CALL(UnrPhysicsRhs(t.physics, par, v, moved));
    TEST_CALL(UnrBatchAXPY(moved, -1, rhs));
    TEST_CALL(UnrBatchAXPY(moved, -h, rhs_dot));
    r[i] = TestNorm(moved);
  }
  cr_expect(TestOrder(STEPS, r) >= 1.95, SIZED("Taylor remainders %g %g %g %g %g"), r[0], r[1], r[2], r[3],
            r[4]);
  TEST_CALL(UnrBatchDestroy(&u));
  TEST_CALL(UnrBatchDestroy(&u_dot));
  TEST_CALL(UnrBatchDestroy(&v));
  TEST_CALL(UnrBatchDestroy(&rhs));
  TEST_CALL(UnrBatchDestroy(&rhs_dot));
  TEST_CALL(UnrBatchDestroy(&moved));
  SubjectClose(&t);
}

Test(physics, taylor)
{
  TestEveryPhysics(CheckTaylor);
}

/* <w, rhs(par)> with parameter p of sample s moved by h. */
static double Functional(Subject *t, UnrBatch u, UnrBatch w, PetscInt at, double h)
{
  double par[TEST_SAMPLES * TEST_PARAMETERS], value;
  UnrBatch rhs = TestBatch(t, TEST_SAMPLES);

  memcpy(par, t->par, sizeof par);
  par[at] += h;
  TEST_CALL(UnrPhysicsRhs(t->physics, par, u, rhs));
  value = TestDot(rhs, w);
  TEST_CALL(UnrBatchDestroy(&rhs));
  return value;
}

/* Fourth-order central differences with h = 1e-3 of the parameter: truncation 1e-12, rounding 1e-13 of the
   value, which is all there is where w does not see the parameter. */
static void CheckParameterDifferences(const char *physics, int dim)
{
  Subject t;
  UnrBatch u, w, rhs;
  double par_bar[TEST_SAMPLES * TEST_PARAMETERS] = {0}, value;

  SubjectOpen(physics, dim, false, &t);
  u = TestBatch(&t, TEST_SAMPLES);
  TestState(&t, 0, t.par, u);
  w = TestBatch(&t, TEST_SAMPLES);
  TestState(&t, 40, t.par, w);
  rhs = TestBatch(&t, TEST_SAMPLES);
  TEST_CALL(UnrPhysicsRhs(t.physics, t.par, u, rhs));
  value = TestNorm(rhs) * TestNorm(w);
  TEST_CALL(UnrPhysicsVjp(t.physics, t.par, u, w, NULL, par_bar));
  for (PetscInt i = 0; i < TEST_SAMPLES * t.parameters; i++) {
    const double h = 1e-3 * t.par[i], exact = TestSum(par_bar[i]);
    const double near = Functional(&t, u, w, i, h) - Functional(&t, u, w, i, -h);
    const double far = Functional(&t, u, w, i, 2 * h) - Functional(&t, u, w, i, -2 * h);
    const double difference = (8 * near - far) / (12 * h);

    cr_expect(fabs(difference - exact) <= 1e-8 * fabs(exact) + 1e-15 * value / h,
              SIZED("parameter %d: %.15g, differences %.15g"), (int)i, exact, difference);
  }
  TEST_CALL(UnrBatchDestroy(&u));
  TEST_CALL(UnrBatchDestroy(&w));
  TEST_CALL(UnrBatchDestroy(&rhs));
  SubjectClose(&t);
}

Test(physics, parameter_differences)
{
  TestEveryPhysics(CheckParameterDifferences);
}

/* Everything a physics computes, for the comparison of layouts and of batches. */
typedef struct {
  UnrBatch rhs, rhs_dot, u_bar;
  double par_bar[TEST_SAMPLES * TEST_PARAMETERS];
} Results;

static void Compute(Subject *t, PetscInt first, PetscInt samples, Results *r)
{
  const double *par = t->par + first * t->parameters;
  double par_dot[TEST_SAMPLES * TEST_PARAMETERS], *par_bar;
  UnrBatch u = TestBatch(t, samples), u_dot = TestBatch(t, samples), w = TestBatch(t, samples);

  TestState(t, first, par, u);
  TestFill(u_dot, first, "tangent", 1);
  TestFill(w, first, "cotangent", 1);
  TestParDirection(t, 3, par_dot);
  r->rhs = TestBatch(t, samples);
  r->rhs_dot = TestBatch(t, samples);
  r->u_bar = TestBatch(t, samples);
  memset(r->par_bar, 0, sizeof r->par_bar);
  par_bar = r->par_bar + first * t->parameters;
  TEST_CALL(UnrPhysicsRhs(t->physics, par, u, r->rhs));
  TEST_CALL(UnrPhysicsJvp(t->physics, par, u, u_dot, par_dot + first * t->parameters, r->rhs_dot));
  TEST_CALL(UnrPhysicsVjp(t->physics, par, u, w, r->u_bar, par_bar));
  MPI_Allreduce(MPI_IN_PLACE, r->par_bar, TEST_SAMPLES * TEST_PARAMETERS, MPI_DOUBLE, MPI_SUM, t->grid->comm);
  TEST_CALL(UnrBatchDestroy(&u));
  TEST_CALL(UnrBatchDestroy(&u_dot));
  TEST_CALL(UnrBatchDestroy(&w));
}

static void ResultsFree(Results *r)
{
  TEST_CALL(UnrBatchDestroy(&r->rhs));
  TEST_CALL(UnrBatchDestroy(&r->rhs_dot));
  TEST_CALL(UnrBatchDestroy(&r->u_bar));
}

/* Other blocks change the order of sums and of transforms: rounding only. */
static void CheckRanks(const char *physics, int dim)
{
  Subject split, alone;
  Results a, b;

  SubjectOpen(physics, dim, false, &split);
  SubjectOpen(physics, dim, true, &alone);
  Compute(&split, 0, TEST_SAMPLES, &a);
  Compute(&alone, 0, TEST_SAMPLES, &b);
  cr_expect(TestBlockDifference(a.rhs, b.rhs) <= 1e-13 * TestNorm(b.rhs), SIZED("rhs depends on the layout"));
  cr_expect(TestBlockDifference(a.rhs_dot, b.rhs_dot) <= 1e-13 * TestNorm(b.rhs_dot),
            SIZED("jvp depends on the layout"));
  cr_expect(TestBlockDifference(a.u_bar, b.u_bar) <= 1e-13 * TestNorm(b.u_bar),
            SIZED("vjp depends on the layout"));
  for (PetscInt i = 0; i < TEST_SAMPLES * split.parameters; i++)
    cr_expect(TestRelative(a.par_bar[i], b.par_bar[i]) <= 1e-11, SIZED("par_bar[%d] %.15g, alone %.15g"),
              (int)i, a.par_bar[i], b.par_bar[i]);
  ResultsFree(&a);
  ResultsFree(&b);
  SubjectClose(&split);
  SubjectClose(&alone);
}

Test(physics, ranks)
{
  TestEveryPhysics(CheckRanks);
}

/* A batch of samples with their own parameters gives what the samples give one by one. */
static void CheckMixedBatch(const char *physics, int dim)
{
  Subject t;
  Results all, one;

  SubjectOpen(physics, dim, false, &t);
  Compute(&t, 0, TEST_SAMPLES, &all);
  for (PetscInt s = 0; s < TEST_SAMPLES; s++) {
    double largest[3] = {0};

    Compute(&t, s, 1, &one);
    for (size_t i = 0; i < one.rhs->stride; i++) {
      const size_t at = (size_t)s * one.rhs->stride + i;

      largest[0] = TestMost(largest[0], fabs(all.rhs->data[at] - one.rhs->data[i]));
      largest[1] = TestMost(largest[1], fabs(all.rhs_dot->data[at] - one.rhs_dot->data[i]));
      largest[2] = TestMost(largest[2], fabs(all.u_bar->data[at] - one.u_bar->data[i]));
    }
    cr_expect(largest[0] <= 1e-13 * TestNorm(one.rhs), SIZED("rhs of sample %d depends on the batch"),
              (int)s);
    cr_expect(largest[1] <= 1e-13 * TestNorm(one.rhs_dot), SIZED("jvp of sample %d depends on the batch"),
              (int)s);
    cr_expect(largest[2] <= 1e-13 * TestNorm(one.u_bar), SIZED("vjp of sample %d depends on the batch"),
              (int)s);
    for (PetscInt i = s * t.parameters; i < (s + 1) * t.parameters; i++)
      cr_expect(TestRelative(all.par_bar[i], one.par_bar[i]) <= 1e-12,
                SIZED("par_bar[%d] depends on the batch"), (int)i);
    ResultsFree(&one);
  }
  ResultsFree(&all);
  SubjectClose(&t);
}

Test(physics, mixed_batch)
{
  TestEveryPhysics(CheckMixedBatch);
}

/* The assembled Jacobian is the tangent, where a physics offers one. */
static void CheckJacobian(const char *physics, int dim)
{
  Subject t;
  UnrBatch u, u_dot, rhs_dot, product;
  Mat J;

  SubjectOpen(physics, dim, false, &t);
  if (UnrPhysicsHas(t.physics, UNR_PHYSICS_JACOBIAN)) {
    u = TestBatch(&t, TEST_SAMPLES);
    TestState(&t, 0, t.par, u);
    u_dot = TestDirection(&t, TEST_SAMPLES, "tangent");
    rhs_dot = TestBatch(&t, TEST_SAMPLES);
    product = TestBatch(&t, TEST_SAMPLES);
    TEST_CALL(UnrPhysicsJvp(t.physics, t.par, u, u_dot, NULL, rhs_dot));
    TEST_CALL(UnrPhysicsJacobianCreate(t.physics, &J));
    for (PetscInt s = 0; s < TEST_SAMPLES; s++) {
      TEST_CALL(UnrPhysicsJacobian(t.physics, t.par + s * t.parameters, u->vec[s], J));
      TEST_CALL(MatMult(J, u_dot->vec[s], product->vec[s]));
    }
    TEST_CALL(UnrBatchAXPY(product, -1, rhs_dot));
    cr_expect(TestNorm(product) <= 1e-13 * TestNorm(rhs_dot), SIZED("the Jacobian is not the tangent"));
    TEST_CALL(MatDestroy(&J));
    TEST_CALL(UnrBatchDestroy(&u));
    TEST_CALL(UnrBatchDestroy(&u_dot));
    TEST_CALL(UnrBatchDestroy(&rhs_dot));
    TEST_CALL(UnrBatchDestroy(&product));
  }
  SubjectClose(&t);
}

Test(physics, jacobian)
{
  TestEveryPhysics(CheckJacobian);
}

/* P P = P and <P v, w> = <v, P' w>. */
static void CheckConstraint(const char *physics, int dim)
{
  Subject t;
  UnrBatch v, w, Pv, Pw, twice;

  SubjectOpen(physics, dim, false, &t);
  v = TestDirection(&t, TEST_SAMPLES, "tangent");
  w = TestDirection(&t, TEST_SAMPLES, "cotangent");
  Pv = TestCopy(&t, v);
  Pw = TestCopy(&t, w);
  TEST_CALL(UnrPhysicsConstrain(t.physics, t.par, Pv));
  TEST_CALL(UnrPhysicsConstrainTranspose(t.physics, t.par, Pw));
  cr_expect(fabs(TestDot(Pv, w) - TestDot(v, Pw)) <= 1e-13 * TestNorm(v) * TestNorm(w),
            SIZED("P' is not P's transpose"));
  if (UnrPhysicsHas(t.physics, UNR_PHYSICS_CONSTRAIN)) {
    TEST_CALL(UnrBatchAXPY(v, -1, Pv));
    cr_expect(TestNorm(v) > 1e-3 * TestNorm(Pv), SIZED("P changes nothing"));
  }
  twice = TestCopy(&t, Pv);
  TEST_CALL(UnrPhysicsConstrain(t.physics, t.par, twice));
  TEST_CALL(UnrBatchAXPY(twice, -1, Pv));
  cr_expect(TestNorm(twice) <= 1e-13 * TestNorm(Pv), SIZED("P P is not P"));
  TEST_CALL(UnrBatchDestroy(&v));
  TEST_CALL(UnrBatchDestroy(&w));
  TEST_CALL(UnrBatchDestroy(&Pv));
  TEST_CALL(UnrBatchDestroy(&Pw));
  TEST_CALL(UnrBatchDestroy(&twice));
  SubjectClose(&t);
}

Test(physics, constraint)
{
  TestEveryPhysics(CheckConstraint);
}

/* A parameter's name finds its index; lengths taken from the parameters and put back change nothing. */
static void CheckNames(const char *physics, int dim)
{
  Subject t;
  double length[UNR_MAX_DIM], par[TEST_PARAMETERS];

  SubjectOpen(physics, dim, false, &t);
  cr_expect(!strncmp(UnrPhysicsName(t.physics), physics, strcspn(physics, " ")), "name %s of %s",
            UnrPhysicsName(t.physics), physics);
  for (PetscInt p = 0; p < t.parameters; p++) {
    const char *name = UnrPhysicsParameterName(t.physics, p);

    cr_expect(name[0] != '-' && UnrPhysicsParameterIndex(t.physics, name) == p, SIZED("parameter '%s'"),
              name);
  }
  cr_expect(UnrPhysicsParameterIndex(t.physics, "no such parameter") == -1);
  TEST_CALL(UnrPhysicsLength(t.physics, t.par, length));
  memcpy(par, t.par, (size_t)t.parameters * sizeof(double));
  TEST_CALL(UnrPhysicsSetLength(t.physics, length, par));
  for (PetscInt p = 0; p < t.parameters; p++)
    cr_expect(par[p] == t.par[p], SIZED("lengths change parameter %d"), (int)p);
  SubjectClose(&t);
}

Test(physics, names_and_lengths)
{
  TestEveryPhysics(CheckNames);
}
