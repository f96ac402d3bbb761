/* FFTW's plans and MPI's types for the exchange, one set for each number of fields, made once and kept. */
#include "field/fft_impl.h"
#include "core/call.h"

/* At least `bytes`, kept for the next call; *(void **)block is set. */
PetscErrorCode UnrFFTBufferGet(UnrFFTBuffer *buffer, size_t bytes, void *block)
{
  PetscFunctionBeginUser;
  if (buffer->bytes < bytes) {
    fftw_free(buffer->block);
    buffer->bytes = 0;
    buffer->block = fftw_malloc(bytes);
    PetscCheck(buffer->block, PETSC_COMM_SELF, PETSC_ERR_MEM, "no memory for %zu bytes of a transform",
               bytes);
    buffer->bytes = bytes;
  }
  *(void **)block = buffer->block;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* FFTW's r2c and c2r plans of the axes from `first` on, `many` times. */
static PetscErrorCode RealPlans(UnrFFT fft, int first, PetscInt many, double *real, UnrComplex *modes,
                                UnrFFTPlan *plan)
{
  int rank = fft->grid->dim - first;
  fftw_iodim64 to[UNR_MAX_DIM], from[UNR_MAX_DIM], howmany_to, howmany_from;
  ptrdiff_t cells = 1, numbers = 1;

  PetscFunctionBeginUser;
  for (int i = rank - 1; i >= 0; i--) {
    PetscInt n = fft->grid->points[first + i];

    to[i] = (fftw_iodim64){.n = n, .is = cells, .os = numbers};
    from[i] = (fftw_iodim64){.n = n, .is = numbers, .os = cells};
    cells *= n;
    numbers *= i == rank - 1 ? n / 2 + 1 : n;
  }
  howmany_to = (fftw_iodim64){.n = many, .is = cells, .os = numbers};
  howmany_from = (fftw_iodim64){.n = many, .is = numbers, .os = cells};
  plan->forward = fftw_plan_guru64_dft_r2c(rank, to, 1, &howmany_to, real, modes, FFTW_ESTIMATE);
  UnrCheckPlan(plan->forward);
  plan->backward = fftw_plan_guru64_dft_c2r(rank, from, 1, &howmany_from, modes, real, FFTW_ESTIMATE);
  UnrCheckPlan(plan->backward);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Complex transforms along x of [field][x][mine], in place; none where this rank has no modes. */
static PetscErrorCode PencilPlans(UnrFFT fft, PetscInt fields, UnrComplex *pencil, UnrFFTPlan *plan)
{
  ptrdiff_t n = fft->grid->points[0], mine = fft->data->mine;
  fftw_iodim64 x = {.n = n, .is = mine, .os = mine};
  fftw_iodim64 howmany[2] = {{.n = fields, .is = n * mine, .os = n * mine}, {.n = mine, .is = 1, .os = 1}};

  PetscFunctionBeginUser;
  if (mine == 0) PetscFunctionReturn(PETSC_SUCCESS);
  plan->x_forward = fftw_plan_guru64_dft(1, &x, 2, howmany, pencil, pencil, FFTW_FORWARD, FFTW_ESTIMATE);
  UnrCheckPlan(plan->x_forward);
  plan->x_backward = fftw_plan_guru64_dft(1, &x, 2, howmany, pencil, pencil, FFTW_BACKWARD, FFTW_ESTIMATE);
  UnrCheckPlan(plan->x_backward);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* `count` blocks of `length` complex numbers from number `at` on, `stride` apart. */
static PetscErrorCode BlocksType(size_t count, size_t length, size_t stride, size_t at, MPI_Datatype *type)
{
  MPI_Datatype vector;
  PetscMPIInt c, l, s, one = 1;
  MPI_Aint bytes = (MPI_Aint)at * (MPI_Aint)sizeof(UnrComplex);

  PetscFunctionBeginUser;
  PetscCall(UnrMPICount(count, &c));
  PetscCall(UnrMPICount(length, &l));
  PetscCall(UnrMPICount(stride, &s));
  PetscCallMPI(MPI_Type_vector(c, l, s, MPI_C_DOUBLE_COMPLEX, &vector));
  PetscCallMPI(MPI_Type_create_hindexed(1, &one, &bytes, vector, type));
  PetscCallMPI(MPI_Type_commit(type));
  PetscCallMPI(MPI_Type_free(&vector));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What rank r has of x goes with what this rank has of the rest, and the other way round. */
static PetscErrorCode ExchangeTypes(UnrFFT fft, PetscInt fields, UnrFFTPlan *plan)
{
  const struct UnrFFTData_ *d = fft->data;
  UnrGrid g = fft->grid;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc2(g->size, &plan->slab_type, g->size, &plan->pencil_type));
  for (int r = 0; r < g->size; r++) {
    size_t first = (size_t)UnrPartStart(d->rest, g->size, r);
    size_t rest = (size_t)UnrPartStart(d->rest, g->size, r + 1) - first, mine = (size_t)d->mine;
    size_t x = (size_t)g->starts[0][r], points = (size_t)g->starts[0][r + 1] - x;

    plan->slab_type[r] = plan->pencil_type[r] = MPI_BYTE;
    if (d->one_slab[r])
      PetscCall(BlocksType((size_t)fields * g->count[0], rest, d->rest, first, &plan->slab_type[r]));
    if (d->one_pencil[r])
      PetscCall(BlocksType(fields, points * mine, g->points[0] * mine, x * mine, &plan->pencil_type[r]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MakePlan(UnrFFT fft, PetscInt fields, UnrFFTPlan *plan)
{
  struct UnrFFTData_ *d = fft->data;
  size_t rows = (size_t)fields * fft->grid->count[0];
  UnrFFTBuffer planning = {NULL, 0}; /* only its alignment counts: FFTW_ESTIMATE touches no array */
  double *real;
  UnrComplex *slab, *pencil;

  PetscFunctionBeginUser;
  *plan = (UnrFFTPlan){.fields = fields};
  PetscCall(UnrFFTBufferGet(&planning, (size_t)fields * fft->cells * sizeof(double), &real));
  PetscCall(UnrFFTBufferGet(&d->pencil, ((size_t)fields * fft->modes + 1) * sizeof(UnrComplex), &pencil));
  if (d->is_whole) {
    PetscCall(RealPlans(fft, 0, fields, real, pencil, plan));
  } else {
    PetscCall(UnrFFTBufferGet(&d->slab, rows * d->rest * sizeof(UnrComplex), &slab));
    PetscCall(RealPlans(fft, 1, fields * fft->grid->count[0], real, slab, plan));
    PetscCall(PencilPlans(fft, fields, pencil, plan));
    PetscCall(ExchangeTypes(fft, fields, plan));
  }
  fftw_free(planning.block);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* UnrFFTPlanGet - the kept plan for `fields` > 0 fields.     Local. */
PetscErrorCode UnrFFTPlanGet(UnrFFT fft, PetscInt fields, UnrFFTPlan *plan)
{
  struct UnrFFTData_ *d = fft->data;

  PetscFunctionBeginUser;
  for (PetscInt p = 0; p < d->plans; p++) {
    if (d->plan[p].fields == fields) {
      *plan = d->plan[p];
      PetscFunctionReturn(PETSC_SUCCESS);
    }
  }
  PetscCall(MakePlan(fft, fields, plan));
  PetscCall(PetscRealloc((size_t)(d->plans + 1) * sizeof(UnrFFTPlan), &d->plan));
  d->plan[d->plans++] = *plan;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* UnrFFTPlansDestroy - frees plans, types and buffers.     Local. */
PetscErrorCode UnrFFTPlansDestroy(UnrFFT fft)
{
  struct UnrFFTData_ *d = fft->data;
  UnrFFTBuffer *buffers[] = {&d->real, &d->slab, &d->pencil, &d->send, &d->receive};

  PetscFunctionBeginUser;
  for (PetscInt p = 0; p < d->plans; p++) {
    UnrFFTPlan *plan = &d->plan[p];
    fftw_plan plans[] = {plan->forward, plan->backward, plan->x_forward, plan->x_backward};

    for (int i = 0; i < 4; i++)
      if (plans[i]) fftw_destroy_plan(plans[i]);
    for (int r = 0; plan->slab_type && r < fft->grid->size; r++) {
      if (plan->slab_type[r] != MPI_BYTE) PetscCallMPI(MPI_Type_free(&plan->slab_type[r]));
      if (plan->pencil_type[r] != MPI_BYTE) PetscCallMPI(MPI_Type_free(&plan->pencil_type[r]));
    }
    PetscCall(PetscFree2(plan->slab_type, plan->pencil_type));
  }
  PetscCall(PetscFree(d->plan));
  for (int b = 0; b < 5; b++) fftw_free(buffers[b]->block);
  PetscFunctionReturn(PETSC_SUCCESS);
}
