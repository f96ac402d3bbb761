/* metrics.h5: every test's numbers, by rank 0. */
#include "app/evaluate.h"

#include <stdio.h>
#include <string.h>
#include "core/call.h"
#include "core/provenance.h"

static void PutAttributes(UnrOutput *out, const UnrEvaluate *e)
{
  const hid_t f = out->file;
  const double time = UnrStepperDt(e->c.reference) * (double)UnrStepperSubsteps(e->c.reference);

  out->good = out->good && UnrHDF5PutText(f, "model", UnrModelName(e->c.model)) &&
              UnrHDF5PutText(f, "mode", e->mode) &&
              UnrHDF5PutInt(f, "parameters", e->c.net ? (PetscInt64)UnrNetParameters(e->c.net) : 0) &&
              UnrHDF5PutInt(f, "frames", e->frames) && UnrHDF5PutInt(f, "reference_frames", e->set.frames) &&
              UnrHDF5PutReals(f, "frame_time", 0, &time) && UnrHDF5PutText(f, "version", UnrVersion) &&
              UnrHDF5PutOptions(f);
}

/* Group `groups`: what each group of tests is. */
static PetscErrorCode PutGroups(UnrOutput *out, const UnrEvaluate *e)
{
  const PetscInt groups = e->set.values;
  char(*name)[64];
  const char **names, **kinds;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc3(groups, &name, groups, &names, groups, &kinds));
  for (PetscInt g = 0; g < groups; g++) {
    UnrGroupName(e, g, name[g]);
    names[g] = name[g];
    kinds[g] = UnrGroupKind(e, g);
  }
  UnrOutputWords(out, "groups", "name", groups, names);
  UnrOutputWords(out, "groups", "kind", groups, kinds);
  UnrOutputReals(out, "groups", "value", groups, e->set.value);
  PetscCall(PetscFree3(name, names, kinds));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Group `test`, what is not a metric: where a test belongs, and how long it stayed in bounds. */
static PetscErrorCode PutTests(UnrOutput *out, const UnrEvaluate *e, const UnrResults *results)
{
  const char *const name[] = {"group", "first_sample", "bounded_frames", "diverged"};
  const hsize_t tests = (hsize_t)e->c.samples;
  int64_t *number;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc1(tests, &number));
  for (int i = 0; i < 4; i++) {
    for (PetscInt t = 0; t < e->c.samples; t++) {
      const PetscInt of[] = {t / e->set.starts, t, results->bounded[t], results->has_diverged[t]};
      number[t] = of[i];
    }
    UnrOutputArray(out, "test", name[i], H5T_NATIVE_INT64, 1, &tests, number);
  }
  PetscCall(PetscFree(number));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One value a test: a number, or its word. */
static PetscErrorCode PutValue(UnrOutput *out, const UnrEvaluate *e, const UnrMetricView *view,
                               const double value[])
{
  char(*word)[32];
  const char **words;

  PetscFunctionBeginUser;
  if (!view->words) {
    UnrOutputReals(out, "test", view->value_name, e->c.samples, value);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscCalloc2(e->c.samples, &word, e->c.samples, &words));
  for (PetscInt t = 0; t < e->c.samples; t++) {
    UnrWordGet(view->words, (PetscInt)value[t], word[t]);
    words[t] = word[t];
  }
  UnrOutputWords(out, "test", view->value_name, e->c.samples, words);
  PetscCall(PetscFree2(word, words));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A row for each test: `length` numbers, `stride` apart in this replica's tests. */
typedef struct {
  const char *group, *name;
  size_t length, stride;
  const double *own;
} Rows;

/* Those of all replicas to rank 0, one row after the other.  Collective on the world. */
static PetscErrorCode PutRows(UnrOutput *out, const UnrEvaluate *e, const Rows *rows)
{
  const UnrCase *c = &e->c;
  const size_t length = rows->length;
  double *row, *all = NULL;
  PetscMPIInt rank, count;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(UnrMPICount(length, &count));
  PetscCall(PetscMalloc1(length, &row));
  if (!rank) PetscCall(PetscMalloc1((size_t)c->samples * length, &all));
  for (PetscInt t = 0; t < c->samples; t++) {
    const bool is_mine = !c->grid->rank && t >= c->first && t < c->first + c->count;

    for (size_t k = 0; k < length; k++)
      row[k] = is_mine ? rows->own[(size_t)(t - c->first) * rows->stride + k] : 0;
    PetscCallMPI(MPI_Reduce(row, rank ? NULL : all + (size_t)t * length, count, MPI_DOUBLE, MPI_SUM, 0,
                            PETSC_COMM_WORLD));
  }
  if (!rank)
    UnrOutputArray(out, rows->group, rows->name, H5T_NATIVE_DOUBLE, 2,
                   (const hsize_t[]){(hsize_t)c->samples, (hsize_t)length}, all);
  PetscCall(PetscFree(all));
  PetscCall(PetscFree(row));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A metric's series: a column a data set, the second that of the reference. */
static PetscErrorCode PutSeries(UnrOutput *out, const UnrEvaluate *e, const UnrMetricView *view)
{
  const size_t length = (size_t)e->frames + 1;
  char name[64];

  PetscFunctionBeginUser;
  for (PetscInt column = 0; column < view->columns; column++) {
    snprintf(name, sizeof name, "%s%s", view->name, column ? "_reference" : "");
    PetscCall(PutRows(out, e,
                      &(Rows){"frame", name, length, (size_t)view->columns * length,
                              view->series + (size_t)column * length}));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* [test][shell] of a spectrum, and the wavenumbers of its shells: multiples of that of the longest side. */
static PetscErrorCode PutShells(UnrOutput *out, const UnrEvaluate *e, const UnrMetricView *view)
{
  const size_t shells = (size_t)view->shells;
  const PetscInt n = UnrPhysicsParameters(e->c.physics), dim = e->c.grid->dim;
  double *par, *wavenumber, length[UNR_MAX_DIM];
  char name[64];

  PetscFunctionBeginUser;
  snprintf(name, sizeof name, "%s_reference", view->name);
  PetscCall(PutRows(out, e, &(Rows){"shell", view->name, shells, shells, view->spectrum}));
  PetscCall(PutRows(out, e, &(Rows){"shell", name, shells, shells, view->spectrum_reference}));
  PetscCall(PetscMalloc2(e->c.samples * n + 1, &par, e->c.samples * view->shells, &wavenumber));
  PetscCall(UnrCaseParameters(&e->c, par));
  for (PetscInt t = 0; t < e->c.samples; t++) {
    double longest = 0;

    PetscCall(UnrPhysicsLength(e->c.physics, par + t * n, length));
    for (int a = 0; a < dim; a++) longest = PetscMax(longest, length[a]);
    for (PetscInt s = 0; s < view->shells; s++)
      wavenumber[t * view->shells + s] = 2 * PETSC_PI * (double)s / longest;
  }
  UnrOutputArray(out, "shell", "wavenumber", H5T_NATIVE_DOUBLE, 2,
                 (const hsize_t[]){(hsize_t)e->c.samples, (hsize_t)shells}, wavenumber);
  PetscCall(PetscFree2(par, wavenumber));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PutAll(UnrOutput *out, const UnrEvaluate *e, const UnrResults *results)
{
  UnrMetricView view;

  PetscFunctionBeginUser;
  if (out->file >= 0) {
    PutAttributes(out, e);
    PetscCall(PutGroups(out, e));
    PetscCall(PutTests(out, e, results));
  }
  for (PetscInt i = 0; UnrMetricsGet(e->metrics, i, &view); i++) {
    if (out->file >= 0) PetscCall(PutValue(out, e, &view, results->value[i]));
    PetscCall(PutSeries(out, e, &view));
    if (view.shells) PetscCall(PutShells(out, e, &view));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrEvaluateWrite(const UnrEvaluate *e, const UnrResults *results, const char *path)
{
  UnrOutput out;

  PetscFunctionBeginUser;
  PetscCall(UnrOutputBegin(path, &out));
  PetscCall(PutAll(&out, e, results));
  PetscCall(UnrEvaluatePlanesWrite(e, &out));
  PetscCall(UnrOutputEnd(&out));
  PetscFunctionReturn(PETSC_SUCCESS);
}
