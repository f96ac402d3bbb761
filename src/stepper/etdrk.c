/*
  Exponential Runge-Kutta, orders 1 to 4, for physics with a linear symbol: u_t = L u + N(u) on modes.

  The linear part is exact, the nonlinear one a polynomial in time.  All sub-steps of a frame stay on modes.
  The tape holds the stage values, [sub-step][stage][sample][component][mode]; the reverse is the exact
  transpose of the steps.

  Maths   docs/method/etdrk.md      Source  Cox & Matthews 2002, doi:10.1006/jcph.2002.6995
*/
#include "stepper/stepper_impl.h"

#include <string.h>
#include "core/error.h"
#include "stepper/etdrk_row.h"

typedef struct {
  const UnrEtdrkTableau *tableau;
  UnrEtdrkCache cache;
  void *scratch; /* 64-byte aligned */
  size_t scratch_bytes;
} ETDRK;

/* A frame on this rank's share of the batch, in the work and mode layouts of field/fft.h. */
typedef struct {
  UnrPhysics physics;
  UnrFFT fft;
  int stages;
  PetscInt first, samples, fields, parameters;
  size_t modes;   /* of one sample: components x modes of a field */
  size_t numbers; /* of the share: samples x modes */
  UnrEtdrkRow row;
  const UnrEtdrkCoefficients *const *coefficients; /* [sample] */
  double *work;
  UnrComplex *block; /* the arrays asked for, one after the other */
} Frame;

static const UnrOption options[] = {
    {"-stepper_etdrk_order", UNR_INT, "4", 1, UNR_ETDRK_STAGES, "1",
     "order of exponential Runge-Kutta (1: exponential Euler)", NULL},
    {NULL, UNR_BOOL, NULL, 0, 0, NULL, NULL, NULL},
};

static PetscErrorCode UnrStepperCreate_ETDRK(UnrStepper stepper)
{
  ETDRK *e;
  PetscInt order;

  PetscFunctionBeginUser;
  UnrUserCheck(
      UnrPhysicsHas(stepper->physics, UNR_PHYSICS_SYMBOL),
      "-%sstepper_type etdrk needs the linear symbol that physics %s lacks; allowed: spectral physics; "
      "try: -%sstepper_type rk",
      UnrStepperPrefix(stepper), UnrPhysicsName(stepper->physics), UnrStepperPrefix(stepper));
  PetscCall(UnrOptionInt(options, stepper->prefix, "-stepper_etdrk_order", &order));
  PetscCall(PetscNew(&e));
  e->tableau = UnrEtdrkTableauGet((int)order);
  PetscCall(UnrEtdrkCacheCreate(stepper->physics, e->tableau, &e->cache));
  stepper->data = e;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode UnrStepperDestroy_ETDRK(UnrStepper stepper)
{
  ETDRK *e = stepper->data;

  PetscFunctionBeginUser;
  if (!e) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(UnrEtdrkCacheDestroy(&e->cache));
  free(e->scratch);
  PetscCall(PetscFree(e));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Scratch of one frame: the transforms' work, the slopes of a row, and `arrays` arrays of the share's modes.
 */
static PetscErrorCode FrameScratch(ETDRK *e, Frame *f, size_t arrays)
{
  const size_t work = ((size_t)f->fields * (size_t)f->fft->cells * sizeof(double) + 63) / 64 * 64;
  const size_t bytes = work + (f->modes + arrays * f->numbers) * sizeof(UnrComplex);

  PetscFunctionBeginUser;
  if (bytes > e->scratch_bytes || !e->scratch) {
    free(e->scratch);
    e->scratch = aligned_alloc(64, (bytes + 64) / 64 * 64);
    e->scratch_bytes = e->scratch ? bytes : 0;
    PetscCheck(e->scratch, PETSC_COMM_SELF, PETSC_ERR_MEM, "no memory for %zu bytes of scratch", bytes);
  }
  f->work = e->scratch;
  f->row.slope = (UnrComplex *)((char *)e->scratch + work);
  f->block = f->row.slope + f->modes;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* want_slope: coefficients' derivatives too;  arrays: how many arrays of modes the caller uses in f->block.
 */
static PetscErrorCode FrameSet(UnrStepper stepper, const double par[], PetscInt samples, bool want_slope,
                               size_t arrays, Frame *f)
{
  ETDRK *e = stepper->data;

  PetscFunctionBeginUser;
  f->physics = stepper->physics;
  f->fft = UnrPhysicsFFT(f->physics);
  f->stages = e->tableau->stages;
  f->parameters = UnrPhysicsParameters(f->physics);
  UnrFFTShare(f->fft, samples, &f->first, &f->samples);
  f->row.components = UnrPhysicsGrid(f->physics)->components;
  f->fields = f->samples * f->row.components;
  f->modes = (size_t)f->row.components * (size_t)f->fft->modes;
  f->numbers = (size_t)f->samples * f->modes;
  f->row.fft = f->fft;
  f->row.tableau = e->tableau;
  f->row.parameters = f->parameters;
  f->row.modes = f->modes;
  f->row.stage_stride = f->numbers;
  PetscCall(UnrEtdrkCacheGet(e->cache, f->samples, par + f->first * f->parameters, stepper->dt, want_slope,
                             &f->coefficients));
  PetscCall(FrameScratch(e, f, arrays));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ToModes(const Frame *f, UnrBatch u, UnrComplex *modes)
{
  PetscFunctionBeginUser;
  PetscCall(UnrFFTLoad(f->fft, u, f->work));
  PetscCall(UnrFFTForward(f->fft, f->fields, f->work, modes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Modes of P u. */
static PetscErrorCode ToModesConstrained(const Frame *f, const double par[], UnrBatch u, UnrComplex *modes)
{
  PetscFunctionBeginUser;
  PetscCall(ToModes(f, u, modes));
  PetscCall(UnrPhysicsConstrainModes(f->physics, f->samples, par, modes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode FromModes(const Frame *f, const UnrComplex *modes, UnrBatch u, InsertMode mode)
{
  PetscFunctionBeginUser;
  PetscCall(UnrFFTBackward(f->fft, f->fields, modes, f->work));
  PetscCall(UnrFFTStore(f->fft, f->work, u, mode));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Points the row at stage i (or the step) of sample s, and says where that sample is in an array of the
 * share. */
static size_t RowAt(Frame *f, int i, PetscInt s)
{
  f->row.row = i;
  f->row.coefficients = f->coefficients[s];
  return (size_t)s * f->modes;
}

static void Forward(Frame *f, int i, const UnrComplex *u, const UnrComplex *n, UnrComplex *out)
{
  for (PetscInt s = 0; s < f->samples; s++) {
    const size_t at = RowAt(f, i, s);

    UnrEtdrkRowForward(&f->row, u + at, n + at, out + at);
  }
}

/* One sub-step.  stage: u at stage 0, the other stages are filled; n: N of every stage; next may be stage. */
static PetscErrorCode Step(Frame *f, const double par[], UnrComplex *stage, UnrComplex *n, UnrComplex *next)
{
  PetscFunctionBeginUser;
  for (int i = 0; i < f->stages; i++) {
    UnrComplex *U = stage + (size_t)i * f->numbers;

    if (i > 0) Forward(f, i, stage, n, U);
    PetscCall(UnrPhysicsNonlinear(f->physics, f->samples, par, U, n + (size_t)i * f->numbers));
  }
  Forward(f, f->stages, stage, n, next);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  UnrStepperApply_ETDRK - one frame.     Collective on the grid.
  Cost    per sub-step and stage one nonlinear term; one transform of the frame's ends
*/
static PetscErrorCode UnrStepperApply_ETDRK(UnrStepper stepper, const double par[], UnrBatch u,
                                            UnrBatch u_next, UnrTape tape)
{
  Frame f;
  size_t stages;
  UnrComplex *stage, *n, *last;

  PetscFunctionBeginUser;
  stages = (size_t)((ETDRK *)stepper->data)->tableau->stages;
  PetscCall(FrameSet(stepper, par, u->samples, false, 2 * stages + 1, &f));
  par += f.first * f.parameters;
  n = f.block;
  last = n + stages * f.numbers;
  stage = last + f.numbers;
  if (tape) {
    PetscCall(UnrTapeReserve(tape, (size_t)stepper->substeps * stages * f.numbers * sizeof(UnrComplex),
                             (void **)&stage));
  }
  PetscCall(ToModesConstrained(&f, par, u, stage));
  for (PetscInt k = 0; k < stepper->substeps; k++) {
    /* With a tape the next sub-step has its own place; without, it takes this one's. */
    UnrComplex *following = tape ? stage + stages * f.numbers : stage;
    UnrComplex *next = k + 1 < stepper->substeps ? following : last;

    PetscCall(Step(&f, par, stage, n, next));
    stage = next;
  }
  PetscCall(FromModes(&f, last, u_next, INSERT_VALUES));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void Tangent(Frame *f, int i, const UnrComplex *u, const UnrComplex *n, const double par_dot[],
                    const UnrComplex *u_dot, const UnrComplex *n_dot, UnrComplex *out_dot)
{
  for (PetscInt s = 0; s < f->samples; s++) {
    const size_t at = RowAt(f, i, s);

    UnrEtdrkRowTangent(&f->row, u + at, n + at, u_dot + at, n_dot + at,
                       par_dot ? par_dot + s * f->parameters : NULL, out_dot + at);
  }
}

/*
  One sub-step with its tangent: u and u_dot are replaced by the next ones.
  In      n, n_dot  room for the stages' N and their tangents;  U, U_dot  room for one stage
*/
static PetscErrorCode StepTangent(Frame *f, const double par[], const double par_dot[], UnrComplex *u,
                                  UnrComplex *u_dot, UnrComplex *n, UnrComplex *n_dot, UnrComplex *U,
                                  UnrComplex *U_dot)
{
  PetscFunctionBeginUser;
  for (int i = 0; i < f->stages; i++) {
    const size_t at = (size_t)i * f->numbers;
    const UnrComplex *here = i > 0 ? U : u, *here_dot = i > 0 ? U_dot : u_dot;

    if (i > 0) {
      Tangent(f, i, u, n, par_dot, u_dot, n_dot, U_dot);
      Forward(f, i, u, n, U);
    }
    PetscCall(UnrPhysicsNonlinear(f->physics, f->samples, par, here, n + at));
    PetscCall(UnrPhysicsNonlinearJvp(f->physics, f->samples, par, here, here_dot, par_dot, n_dot + at));
  }
  Tangent(f, f->stages, u, n, par_dot, u_dot, n_dot, u_dot);
  Forward(f, f->stages, u, n, u);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode UnrStepperJvp_ETDRK(UnrStepper stepper, const double par[], UnrBatch u, UnrBatch u_dot,
                                          const double par_dot[], UnrBatch next, UnrBatch next_dot)
{
  const size_t stages = (size_t)((ETDRK *)stepper->data)->tableau->stages;
  Frame f;
  UnrComplex *n, *n_dot, *v, *v_dot, *U, *U_dot;

  PetscFunctionBeginUser;
  PetscCall(FrameSet(stepper, par, u->samples, par_dot, 2 * stages + 4, &f));
  par += f.first * f.parameters;
  if (par_dot) par_dot += f.first * f.parameters;
  n = f.block;
  n_dot = n + stages * f.numbers;
  v = n_dot + stages * f.numbers;
  v_dot = v + f.numbers;
  U = v_dot + f.numbers;
  U_dot = U + f.numbers;
  PetscCall(ToModesConstrained(&f, par, u, v));
  if (u_dot)
    PetscCall(ToModesConstrained(&f, par, u_dot, v_dot));
  else
    PetscCall(PetscArrayzero(v_dot, f.numbers));
  for (PetscInt k = 0; k < stepper->substeps; k++)
    PetscCall(StepTangent(&f, par, par_dot, v, v_dot, n, n_dot, U, U_dot));
  if (next) PetscCall(FromModes(&f, v, next, INSERT_VALUES));
  PetscCall(FromModes(&f, v_dot, next_dot, INSERT_VALUES));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void Reverse(Frame *f, int i, const UnrComplex *u, const UnrComplex *n, const UnrComplex *out_bar,
                    UnrComplex *u_bar, UnrComplex *n_bar, double par_bar[])
{
  for (PetscInt s = 0; s < f->samples; s++) {
    const size_t at = RowAt(f, i, s);

    UnrEtdrkRowReverse(&f->row, u + at, n + at, out_bar + at, u_bar + at, n_bar + at,
                       par_bar ? par_bar + s * f->parameters : NULL);
  }
}

/* Scratch of the reverse: cotangents of N of all stages, of a stage, of u; and N itself for the parameters.
 */
typedef struct {
  UnrComplex *n, *n_bar, *U_bar;
} ReverseScratch;

/* Reverse of Step: bar is the cotangent of `next` and becomes that of u, through u_bar. */
static PetscErrorCode StepReverse(Frame *f, const double par[], const UnrComplex *stage,
                                  const ReverseScratch *r, const UnrComplex *next_bar, UnrComplex *u_bar,
                                  double par_bar[])
{
  const size_t numbers = f->numbers;

  PetscFunctionBeginUser;
  PetscCall(PetscArrayzero(u_bar, numbers));
  PetscCall(PetscArrayzero(r->n_bar, (size_t)f->stages * numbers));
  for (int i = 0; par_bar && i < f->stages; i++)
    PetscCall(UnrPhysicsNonlinear(f->physics, f->samples, par, stage + (size_t)i * numbers,
                                  r->n + (size_t)i * numbers));
  /* Forward(f, f->stages, stage, n, next) */
  Reverse(f, f->stages, stage, r->n, next_bar, u_bar, r->n_bar, par_bar);
  for (int i = f->stages - 1; i >= 0; i--) {
    const size_t at = (size_t)i * numbers;
    UnrComplex *U_bar = i > 0 ? r->U_bar : u_bar;

    if (i > 0) PetscCall(PetscArrayzero(U_bar, numbers));
    /* UnrPhysicsNonlinear(f->physics, f->samples, par, U, n + at) */
    PetscCall(UnrPhysicsNonlinearVjp(f->physics, f->samples, par, stage + at, r->n_bar + at, U_bar, par_bar));
    /* Forward(f, i, stage, n, U) */
    if (i > 0) Reverse(f, i, stage, r->n, U_bar, u_bar, r->n_bar, par_bar);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  UnrStepperVjp_ETDRK - reverse of one frame: ADDS.     Collective on the grid.
  Cost    per sub-step and stage one reverse of the nonlinear term, and the term itself if par_bar is wanted
*/
static PetscErrorCode UnrStepperVjp_ETDRK(UnrStepper stepper, const double par[], UnrTape tape,
                                          UnrBatch next_bar, UnrBatch u_bar, double par_bar[])
{
  const size_t stages = (size_t)((ETDRK *)stepper->data)->tableau->stages;
  Frame f;
  ReverseScratch r;
  const UnrComplex *stage;
  UnrComplex *bar, *bar_before;

  PetscFunctionBeginUser;
  if (!u_bar && !par_bar) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(UnrTapeRead(tape, (const void **)&stage));
  PetscCall(FrameSet(stepper, par, next_bar->samples, par_bar, 2 * stages + 3, &f));
  par += f.first * f.parameters;
  if (par_bar) par_bar += f.first * f.parameters;
  r.n = f.block;
  r.n_bar = r.n + stages * f.numbers;
  r.U_bar = r.n_bar + stages * f.numbers;
  bar = r.U_bar + f.numbers;
  bar_before = bar + f.numbers;
  PetscCall(ToModes(&f, next_bar, bar));
  for (PetscInt k = stepper->substeps - 1; k >= 0; k--) {
    UnrComplex *swap = bar;

    PetscCall(StepReverse(&f, par, stage + (size_t)k * stages * f.numbers, &r, bar, bar_before, par_bar));
    bar = bar_before;
    bar_before = swap;
  }
  if (u_bar) {
    /* UnrPhysicsConstrainModes(f.physics, f.samples, par, stage), symmetric */
    PetscCall(UnrPhysicsConstrainModes(f.physics, f.samples, par, bar));
    PetscCall(FromModes(&f, bar, u_bar, ADD_VALUES));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

const UnrStepperOps UnrStepperOps_ETDRK = {
    .name = "etdrk",
    .summary = "exponential Runge-Kutta of orders 1 to 4, for spectral physics; exact discrete adjoint",
    .constrains_modes = true,
    .options = options,
    .create = UnrStepperCreate_ETDRK,
    .destroy = UnrStepperDestroy_ETDRK,
    .apply = UnrStepperApply_ETDRK,
    .jvp = UnrStepperJvp_ETDRK,
    .vjp = UnrStepperVjp_ETDRK,
};
