/* metrics.h5: every test's numbers, by rank 0. */
#include "app/evaluate.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "core/call.h"
#include "core/hdf5.h"
#include "core/provenance.h"

/* Rank 0's open file; `good` ends false once HDF5 failed.  file -1 on the other ranks. */
typedef struct {
  hid_t file;
  bool good;
} Output;

static void PutArray(Output *out, const char *group, const char *name, hid_t type, int rank,
                     const hsize_t size[], const void *data)
{
  char path[128];
  hid_t links, space, creation, set;

  if (!out->good) return;
  snprintf(path, sizeof path, "%s/%s", group, name);
  links = H5Pcreate(H5P_LINK_CREATE);
  H5Pset_create_intermediate_group(links, 1);
  space = H5Screate_simple(rank, size, NULL);
  creation = UnrHDF5Creation();
  set = H5Dcreate2(out->file, path, type, space, links, creation, H5P_DEFAULT);
  out->good = set >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0;
  if (set >= 0) out->good = H5Dclose(set) >= 0 && out->good;
  H5Pclose(creation);
  H5Sclose(space);
  H5Pclose(links);
}

static void PutReals(Output *out, const char *group, const char *name, PetscInt n, const double data[])
{
  PutArray(out, group, name, H5T_NATIVE_DOUBLE, 1, (const hsize_t[]){(hsize_t)n}, data);
}

static void PutWords(Output *out, const char *group, const char *name, PetscInt n, const char *const word[])
{
  hid_t type = H5Tcopy(H5T_C_S1);

  H5Tset_size(type, H5T_VARIABLE);
  H5Tset_cset(type, H5T_CSET_UTF8);
  PutArray(out, group, name, type, 1, (const hsize_t[]){(hsize_t)n}, word);
  H5Tclose(type);
}

static void PutAttributes(Output *out, const UnrEvaluate *e)
{
  const hid_t f = out->file;

  out->good = out->good && UnrHDF5PutText(f, "model", UnrModelName(e->c.model)) &&
              UnrHDF5PutText(f, "mode", e->mode) &&
              UnrHDF5PutInt(f, "parameters", e->c.net ? (PetscInt64)UnrNetParameters(e->c.net) : 0) &&
              UnrHDF5PutInt(f, "frames", e->set.frames) && UnrHDF5PutText(f, "version", UnrVersion) &&
              UnrHDF5PutOptions(f);
}

/* Group `groups`: what each group of tests is. */
static PetscErrorCode PutGroups(Output *out, const UnrEvaluate *e)
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
  PutWords(out, "groups", "name", groups, names);
  PutWords(out, "groups", "kind", groups, kinds);
  PutReals(out, "groups", "value", groups, e->set.value);
  PetscCall(PetscFree3(name, names, kinds));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Group `test`, what is not a metric: where a test belongs, and how long it stayed in bounds. */
static PetscErrorCode PutTests(Output *out, const UnrEvaluate *e, const UnrResults *results)
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
    PutArray(out, "test", name[i], H5T_NATIVE_INT64, 1, &tests, number);
  }
  PetscCall(PetscFree(number));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One value a test: a number, or its word. */
static PetscErrorCode PutValue(Output *out, const UnrEvaluate *e, const UnrMetricView *view,
                               const double value[])
{
  char(*word)[32];
  const char **words;

  PetscFunctionBeginUser;
  if (!view->words) {
    PutReals(out, "test", view->value_name, e->c.samples, value);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscCalloc2(e->c.samples, &word, e->c.samples, &words));
  for (PetscInt t = 0; t < e->c.samples; t++) {
    UnrWordGet(view->words, (PetscInt)value[t], word[t]);
    words[t] = word[t];
  }
  PutWords(out, "test", view->value_name, e->c.samples, words);
  PetscCall(PetscFree2(word, words));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* [test][frame] of all replicas to rank 0, one row after the other.  Collective on the world. */
static PetscErrorCode PutSeries(Output *out, const UnrEvaluate *e, const UnrMetricView *view)
{
  const UnrCase *c = &e->c;
  const size_t length = (size_t)e->set.frames + 1, all = (size_t)c->samples * length;
  double *row, *series = NULL;
  PetscMPIInt rank, count;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(UnrMPICount(length, &count));
  PetscCall(PetscMalloc1(length, &row));
  if (!rank) PetscCall(PetscMalloc1(all, &series));
  for (PetscInt t = 0; t < c->samples; t++) {
    const bool is_mine = !c->grid->rank && t >= c->first && t < c->first + c->count;

    for (size_t k = 0; k < length; k++)
      row[k] = is_mine ? view->series[(size_t)(t - c->first) * length + k] : 0;
    PetscCallMPI(MPI_Reduce(row, rank ? NULL : series + (size_t)t * length, count, MPI_DOUBLE, MPI_SUM, 0,
                            PETSC_COMM_WORLD));
  }
  if (!rank)
    PutArray(out, "frame", view->name, H5T_NATIVE_DOUBLE, 2,
             (const hsize_t[]){(hsize_t)c->samples, (hsize_t)length}, series);
  PetscCall(PetscFree(series));
  PetscCall(PetscFree(row));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PutAll(Output *out, const UnrEvaluate *e, const UnrResults *results)
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
    if (view.series) PetscCall(PutSeries(out, e, &view));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrEvaluateWrite(const UnrEvaluate *e, const UnrResults *results, const char *path)
{
  char part[PETSC_MAX_PATH_LEN];
  UnrHDF5Silence silence;
  Output out = {-1, false};
  PetscMPIInt rank;
  int verdict = 0;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  snprintf(part, sizeof part, "%s.part", path);
  UnrHDF5SilenceBegin(&silence);
  errno = 0;
  if (!rank) {
    hid_t access = UnrHDF5SerialAccess();
    out.file = H5Fcreate(part, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    out.good = out.file >= 0;
    H5Pclose(access);
  }
  PetscCall(PutAll(&out, e, results));
  if (!rank) {
    if (out.file >= 0) out.good = H5Fclose(out.file) >= 0 && out.good;
    verdict = out.good ? UnrFileCommit(part, path) : errno ? errno : EIO;
    if (verdict) (void)unlink(part);
  }
  UnrHDF5SilenceEnd(&silence);
  PetscCall(UnrFileAgree(verdict, "cannot write the metrics", path));
  PetscFunctionReturn(PETSC_SUCCESS);
}
