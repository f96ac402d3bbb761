/* Physics on stencils, ks_fd and burgers_fv: order, conservation, exact solutions, Jacobian, any blocks. */
#include "solver_case.h"

#include <stdio.h>

/* A smooth field without symmetry: three waves along x, mixed with y. */
static double Waves(double x, double y, PetscInt sample, const void *context)
{
  const double a = 2 * PETSC_PI * x, b = 2 * PETSC_PI * y;

  (void)context;
  return 0.4 + sin(a + 0.3 + (double)sample) * cos(b - 0.2) + 0.5 * cos(2 * a - 1.1 + b) +
         0.25 * sin(3 * a + 0.7 - 2 * b);
}

/* Largest difference between the right-hand sides of two physics on Waves. */
static double RhsGap(const char *coarse, const char *exact, const char *common, int points)
{
  char options[512];
  UnrBatch rhs[2], u;
  TestCase c[2];
  double gap, par;

  for (int i = 0; i < 2; i++) {
    snprintf(options, sizeof options, "-physics_type %s %s", i ? exact : coarse, common);
    for (char *mark = options; (mark = strchr(mark, '#')); mark++) {
      char rest[512];

      snprintf(rest, sizeof rest, "%d%s", points, mark + 1);
      snprintf(mark, sizeof options - (size_t)(mark - options), "%s", rest);
    }
    TestCaseOpen(&c[i], true, options);
    TEST_CALL(UnrBatchCreate(c[i].grid, 1, &u));
    TEST_CALL(UnrBatchCreate(c[i].grid, 1, &rhs[i]));
    TestSetField(u, Waves, NULL);
    par = UnrPhysicsParameterDefault(c[i].physics, 0);
    TEST_CALL(UnrPhysicsRhs(c[i].physics, &par, u, rhs[i]));
    TEST_CALL(UnrBatchDestroy(&u));
  }
  gap = TestDistance(rhs[0], rhs[1]);
  for (int i = 0; i < 2; i++) {
    TEST_CALL(UnrBatchDestroy(&rhs[i]));
    TestCaseClose(&c[i]);
  }
  return gap;
}

static void ExpectOrder(const char *coarse, const char *exact, const char *common)
{
  const double gap[] = {RhsGap(coarse, exact, common, 48), RhsGap(coarse, exact, common, 96),
                        RhsGap(coarse, exact, common, 192)};

  for (int i = 0; i < 2; i++) {
    const double order = log2(gap[i] / gap[i + 1]);

    cr_expect(order > 1.9 && order < 2.1, "%s against %s on %s: order %.3f (gaps %.3e, %.3e)", coarse, exact,
              common, order, gap[i], gap[i + 1]);
  }
}

Test(fv, ks_fd_is_of_second_order)
{
  ExpectOrder("ks_fd", "ks_spectral", "-physics_ks_domain_size 2.3 -grid_points #");
}

Test(fv, burgers_fv_is_of_second_order)
{
  ExpectOrder("burgers_fv", "burgers_spectral",
              "-grid_length 2.9 -physics_burgers_viscosity 0.1 -grid_points #");
  ExpectOrder("burgers_fv", "burgers_spectral",
              "-grid_length 2.9,4.3 -physics_burgers_viscosity 0.1 -grid_points #,#");
}

/* The layouts that a test runs on: blocks for as many ranks as there are. */
static const char *Blocks(int variant)
{
  static const char *const line[] = {"1", "2", "3", "4"};
  static const char *const plane[][2] = {{"1,1", "1,1"}, {"2,1", "1,2"}, {"3,1", "1,3"}, {"2,2", "4,1"}};

  return variant < 0 ? line[TestRanks() - 1] : plane[TestRanks() - 1][variant];
}

/* Uneven blocks, boxes that are not square; two samples with parameters of their own. */
static void OpenVariant(TestCase *c, bool alone, int variant)
{
  static const char *const options[] = {
      "-physics_type burgers_fv -grid_points 13,11 -grid_length 2.1,0.9",
      "-physics_type burgers_fv -grid_points 8,17 -grid_length 1.3,3.7",
      "-physics_type burgers_fv -grid_points 18 -grid_length 1.7",
      "-physics_type ks_fd -grid_points 19",
  };
  char text[256];

  snprintf(text, sizeof text, "%s %s%s", options[variant], alone ? "" : "-layout_grid ",
           alone ? "" : Blocks(variant < 2 ? variant : -1));
  TestCaseOpen(c, alone, text);
}
enum { VARIANTS = 4, SAMPLES = 2 };

static const double parameters[SAMPLES] = {0.7, 1.9}, parameters_dot[SAMPLES] = {0.3, -1.1};

/* Every cell's arithmetic is the same on any layout: bits, not tolerances. */
Test(fv, bits_do_not_depend_on_the_blocks)
{
  for (int v = 0; v < VARIANTS; v++) {
    TestCase c, one;
    UnrBatch u, rhs, u_one, rhs_one, picked;

    OpenVariant(&c, false, v);
    OpenVariant(&one, true, v);
    TEST_CALL(UnrBatchCreate(c.grid, SAMPLES, &u));
    TEST_CALL(UnrBatchCreate(c.grid, SAMPLES, &rhs));
    TEST_CALL(UnrBatchCreate(c.grid, SAMPLES, &picked));
    TEST_CALL(UnrBatchCreate(one.grid, SAMPLES, &u_one));
    TEST_CALL(UnrBatchCreate(one.grid, SAMPLES, &rhs_one));
    TestFill(u, 0, "u", 0);
    TestFill(u_one, 0, "u", 0);
    TEST_CALL(UnrPhysicsRhs(c.physics, parameters, u, rhs));
    TEST_CALL(UnrPhysicsRhs(one.physics, parameters, u_one, rhs_one));
    for (PetscInt s = 0, at = 0; s < SAMPLES; s++)
      for (PetscInt i = 0; i < c.grid->count[0]; i++)
        for (PetscInt j = 0; j < c.grid->count[1]; j++)
          picked->data[at++] =
              rhs_one->data[s * one.grid->local + (c.grid->start[0] + i) * c.grid->points[1] +
                            c.grid->start[1] + j];
    cr_expect(TestDistance(rhs, picked) == 0, "variant %d: %g", v, TestDistance(rhs, picked));
    cr_expect(TestSize(rhs) > 1, "variant %d: nothing happens", v);
    TEST_CALL(UnrBatchDestroy(&u));
    TEST_CALL(UnrBatchDestroy(&rhs));
    TEST_CALL(UnrBatchDestroy(&picked));
    TEST_CALL(UnrBatchDestroy(&u_one));
    TEST_CALL(UnrBatchDestroy(&rhs_one));
    TestCaseClose(&c);
    TestCaseClose(&one);
  }
}

/* <J u_dot + f_p p_dot, w> = <u_dot, J'w> + p_dot f_p'w: sums of some hundred products, so 1e-13 of their
 * size. */
Test(fv, vjp_is_the_transpose_of_jvp_on_any_blocks)
{
  for (int v = 0; v < VARIANTS; v++) {
    TestCase c;
    UnrBatch u, u_dot, w, jvp, u_bar;
    double left, right, par_bar[SAMPLES] = {0, 0}, scale;

    OpenVariant(&c, false, v);
    TEST_CALL(UnrBatchCreate(c.grid, SAMPLES, &u));
    TEST_CALL(UnrBatchCreate(c.grid, SAMPLES, &u_dot));
    TEST_CALL(UnrBatchCreate(c.grid, SAMPLES, &w));
    TEST_CALL(UnrBatchCreate(c.grid, SAMPLES, &jvp));
    TEST_CALL(UnrBatchCreate(c.grid, SAMPLES, &u_bar));
    TestFill(u, 0, "u", 0);
    TestFill(u_dot, 0, "u_dot", 0);
    TestFill(w, 0, "w", 0);
    TestFill(u_bar, 0, "already there", 0);
    right = -TestDot(u_dot, u_bar);
    TEST_CALL(UnrPhysicsJvp(c.physics, parameters, u, u_dot, parameters_dot, jvp));
    TEST_CALL(UnrPhysicsVjp(c.physics, parameters, u, w, u_bar, par_bar));
    left = TestDot(jvp, w);
    right += TestDot(u_dot, u_bar) + TestSum(par_bar[0] * parameters_dot[0] + par_bar[1] * parameters_dot[1]);
    scale = sqrt(TestDot(jvp, jvp) * TestDot(w, w));
    cr_expect(PetscAbsReal(left - right) < 1e-13 * scale, "variant %d: %.17g %.17g", v, left, right);
    cr_expect(PetscAbsReal(left) > 1e-4 * scale, "variant %d: the products vanish", v);
    TEST_CALL(UnrBatchDestroy(&u));
    TEST_CALL(UnrBatchDestroy(&u_dot));
    TEST_CALL(UnrBatchDestroy(&w));
    TEST_CALL(UnrBatchDestroy(&jvp));
    TEST_CALL(UnrBatchDestroy(&u_bar));
    TestCaseClose(&c);
  }
}

/* J u_dot by the assembled matrix, which sums in another order: 1e-14 of the largest entry. */
static void ExpectJacobian(TestCase *c, const char *name)
{
  UnrBatch u, u_dot, jvp, product;
  Mat J;

  TEST_CALL(UnrBatchCreate(c->grid, 1, &u));
  TEST_CALL(UnrBatchCreate(c->grid, 1, &u_dot));
  TEST_CALL(UnrBatchCreate(c->grid, 1, &jvp));
  TEST_CALL(UnrBatchCreate(c->grid, 1, &product));
  TestFill(u, 0, "u", 0);
  TestFill(u_dot, 0, "u_dot", 0);
  TEST_CALL(UnrPhysicsJvp(c->physics, parameters, u, u_dot, NULL, jvp));
  TEST_CALL(UnrPhysicsJacobianCreate(c->physics, &J));
  for (int again = 0; again < 2; again++) { /* a second assembly replaces the first */
    TEST_CALL(UnrPhysicsJacobian(c->physics, parameters, u->vec[0], J));
    TEST_CALL(MatMult(J, u_dot->vec[0], product->vec[0]));
    cr_expect(TestDistance(jvp, product) < 1e-14 * TestSize(jvp), "%s: %g of %g", name,
              TestDistance(jvp, product), TestSize(jvp));
  }
  TEST_CALL(MatDestroy(&J));
  TEST_CALL(UnrBatchDestroy(&u));
  TEST_CALL(UnrBatchDestroy(&u_dot));
  TEST_CALL(UnrBatchDestroy(&jvp));
  TEST_CALL(UnrBatchDestroy(&product));
}

Test(fv, jacobian_is_that_of_jvp)
{
  TestCase c;

  for (int v = 0; v < VARIANTS; v++) {
    OpenVariant(&c, false, v);
    ExpectJacobian(&c, UnrPhysicsName(c.physics));
    TestCaseClose(&c);
  }
  /* Neighbours that coincide. */
  TestCaseOpen(&c, true, "-physics_type burgers_fv -grid_points 2,3 -grid_length 2,3");
  ExpectJacobian(&c, "burgers_fv on 2 x 3 points");
  TestCaseClose(&c);
  TestCaseOpen(&c, true, "-physics_type ks_fd -grid_points 4");
  ExpectJacobian(&c, "ks_fd on 4 points");
  TestCaseClose(&c);
}

/* Sum of all rhs, and of u rhs, over the sums of absolute values. */
static void Balance(TestCase *c, double viscosity, double *mean, double *energy)
{
  UnrBatch u, rhs;
  double sum[4] = {0}, all[4];

  TEST_CALL(UnrBatchCreate(c->grid, 1, &u));
  TEST_CALL(UnrBatchCreate(c->grid, 1, &rhs));
  TestFill(u, 0, "u", 0);
  TEST_CALL(UnrPhysicsRhs(c->physics, &viscosity, u, rhs));
  for (size_t i = 0; i < u->stride; i++) {
    sum[0] += rhs->data[i];
    sum[1] += PetscAbsReal(rhs->data[i]);
    sum[2] += u->data[i] * rhs->data[i];
    sum[3] += PetscAbsReal(u->data[i] * rhs->data[i]);
  }
  MPI_Allreduce(sum, all, 4, MPI_DOUBLE, MPI_SUM, c->grid->comm);
  *mean = all[0] / all[1];
  *energy = all[2] / all[3];
  TEST_CALL(UnrBatchDestroy(&u));
  TEST_CALL(UnrBatchDestroy(&rhs));
}

/* Telescoping sums of a few hundred terms: rounding is some eps of the sum of absolute values. */
Test(fv, burgers_fv_conserves_mean_and_energy)
{
  for (int v = 0; v < 3; v++) {
    TestCase c;
    double mean, energy;

    OpenVariant(&c, false, v);
    Balance(&c, 0, &mean, &energy);
    cr_expect(PetscAbsReal(mean) < 1e-15 && PetscAbsReal(energy) < 1e-15, "variant %d: %g, %g", v, mean,
              energy);
    Balance(&c, 0.3, &mean, &energy);
    cr_expect(PetscAbsReal(mean) < 1e-15, "variant %d, viscous: %g", v, mean);
    cr_expect(energy < -0.01, "variant %d: viscosity takes no energy (%g)", v, energy);
    TestCaseClose(&c);
  }
}

/* A wave of Burgers' equation that moves through the box: w(xi, t), xi = p x + q y in units of the box. */
typedef struct {
  double p, q, lx, ly, viscosity, time;
} PlaneWave;

/*
  With k = 2 pi (p/lx, q/ly), c = k_x + k_y and D = nu |k|^2 the wave obeys w_t + c (w^2/2)_xi = D w_xixi,
  solved by w = -(2 D/c) phi_xi/phi + mean for a solution phi of the heat equation in the frame that moves
  with c mean.
*/
static double PlaneWaveAt(double x, double y, PetscInt sample, const void *context)
{
  const PlaneWave *w = context;
  const double kx = 2 * PETSC_PI * w->p / w->lx, ky = 2 * PETSC_PI * w->q / w->ly, speed = kx + ky,
               mean = 0.5;
  const double D = w->viscosity * (kx * kx + ky * ky);
  const double xi = 2 * PETSC_PI * (w->p * x + w->q * y) - speed * mean * w->time;
  const double one = exp(-D * w->time), two = exp(-4 * D * w->time);
  const double phi = 1 + 0.5 * one * cos(xi) + 0.2 * two * sin(2 * xi + 0.4);
  const double phi_xi = -0.5 * one * sin(xi) + 0.4 * two * cos(2 * xi + 0.4);

  (void)sample;
  return mean - 2 * D / speed * phi_xi / phi;
}

/* Largest error at time 0.25; the classical fourth-order step is so small that only the error in space is
 * seen. */
static double PlaneWaveError(const char *options, PlaneWave wave)
{
  enum { STEPS = 150 };
  const double dt = 0.25 / STEPS, weight[] = {1. / 6, 1. / 3, 1. / 3, 1. / 6}, reach[] = {0.5, 0.5, 1};
  TestCase c;
  UnrBatch u, y, k, next;
  double error;

  TestCaseOpen(&c, false, options);
  TEST_CALL(UnrBatchCreate(c.grid, 1, &u));
  TEST_CALL(UnrBatchCreate(c.grid, 1, &y));
  TEST_CALL(UnrBatchCreate(c.grid, 1, &k));
  TEST_CALL(UnrBatchCreate(c.grid, 1, &next));
  TestSetField(u, PlaneWaveAt, &wave);
  for (int n = 0; n < STEPS; n++) {
    TEST_CALL(UnrBatchCopy(u, y));
    TEST_CALL(UnrBatchCopy(u, next));
    for (int i = 0; i < 4; i++) {
      TEST_CALL(UnrPhysicsRhs(c.physics, &wave.viscosity, y, k));
      TEST_CALL(UnrBatchAXPY(next, dt * weight[i], k));
      TEST_CALL(UnrBatchCopy(u, y));
      if (i < 3) TEST_CALL(UnrBatchAXPY(y, dt * reach[i], k));
    }
    TEST_CALL(UnrBatchCopy(next, u));
  }
  wave.time = 0.25;
  TestSetField(y, PlaneWaveAt, &wave);
  error = TestDistance(u, y);
  TEST_CALL(UnrBatchDestroy(&u));
  TEST_CALL(UnrBatchDestroy(&y));
  TEST_CALL(UnrBatchDestroy(&k));
  TEST_CALL(UnrBatchDestroy(&next));
  TestCaseClose(&c);
  return error;
}

Test(fv, burgers_fv_tends_to_cole_hopf_with_order_two)
{
  const PlaneWave wave = {.p = 1, .q = 0, .lx = 2.2, .ly = 1, .viscosity = 0.1};
  const double error[] = {
      PlaneWaveError("-physics_type burgers_fv -grid_points 24 -grid_length 2.2", wave),
      PlaneWaveError("-physics_type burgers_fv -grid_points 48 -grid_length 2.2", wave),
      PlaneWaveError("-physics_type burgers_fv -grid_points 96 -grid_length 2.2", wave),
  };

  for (int i = 0; i < 2; i++)
    cr_expect(PetscAbsReal(log2(error[i] / error[i + 1]) - 2) < 0.1, "errors %.3e, %.3e", error[i],
              error[i + 1]);
}

Test(fv, burgers_fv_carries_a_plane_wave_across_a_box_that_is_not_square)
{
  const PlaneWave wave = {.p = 1, .q = 2, .lx = 1.6, .ly = 2.5, .viscosity = 0.1};
  const double error[] = {
      PlaneWaveError("-physics_type burgers_fv -grid_points 12,20 -grid_length 1.6,2.5", wave),
      PlaneWaveError("-physics_type burgers_fv -grid_points 24,40 -grid_length 1.6,2.5", wave),
      PlaneWaveError("-physics_type burgers_fv -grid_points 48,80 -grid_length 1.6,2.5", wave),
  };

  for (int i = 0; i < 2; i++)
    cr_expect(PetscAbsReal(log2(error[i] / error[i + 1]) - 2) < 0.15, "errors %.3e, %.3e", error[i],
              error[i + 1]);
}
