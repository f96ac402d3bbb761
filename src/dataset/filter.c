/* Filters by name: the list, options, what all of them ask of the two grids. */
#include "dataset/filter_impl.h"
#include "core/error.h"

#define UNR_FILTER(name, Name) extern const UnrFilterOps UnrFilterOps_##Name;
#include "dataset/filter_list.h"
#undef UNR_FILTER

#define UNR_FILTER(name, Name) &UnrFilterOps_##Name.plugin,
static const UnrPlugin *const plugins[] = {
#include "dataset/filter_list.h"
    NULL,
};
#undef UNR_FILTER

#define UNR_FILTER(name, Name) "|" #name
static const char joined[] = ""
#include "dataset/filter_list.h"
    ;
#undef UNR_FILTER

static const UnrOption options[] = {
    {"-generate_filter", UNR_WORD, "spectral", 0, 0, NULL,
     "how a state of -generate_points becomes one of -grid_points", joined + 1},
    {NULL, UNR_BOOL, NULL, 0, 0, NULL, NULL, NULL},
};

static const UnrPluginClass class = {"filters", options, plugins};

PetscErrorCode UnrFilterRegister(void)
{
  PetscFunctionBeginUser;
  PetscCall(UnrPluginsRegister(&class, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrFilterList(UnrPluginVisit visit, void *context)
{
  PetscFunctionBeginUser;
  PetscCall(UnrPluginsVisit(&class, visit, context));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrFilterCreate(UnrPhysics fine, UnrPhysics coarse, UnrFilter *filter)
{
  const UnrGrid from = UnrPhysicsGrid(fine), to = UnrPhysicsGrid(coarse);
  UnrFilter f;

  PetscFunctionBeginUser;
  PetscCheck(from->comm == to->comm && from->dim == to->dim && from->components == to->components,
             PETSC_COMM_SELF, PETSC_ERR_ARG_INCOMP, "a filter between grids of other ranks or fields");
  for (int a = 0; a < to->dim; a++)
    UnrUserCheck(from->points[a] >= to->points[a],
                 "-generate_points is coarser than -grid_points (%" PetscInt_FMT " and %" PetscInt_FMT
                 " points along %c); allowed: as many or more along every axis; try: %" PetscInt_FMT
                 ", or without it",
                 from->points[a], to->points[a], "xyz"[a], 2 * to -> points[a]);
  PetscCall(PetscNew(&f));
  f->fine = fine;
  f->coarse = coarse;
  PetscCall(UnrPluginChoose(&class, NULL, &f->ops));
  PetscCall(f->ops->create(f));
  *filter = f;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrFilterDestroy(UnrFilter *filter)
{
  PetscFunctionBeginUser;
  if (!*filter) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall((*filter)->ops->destroy(*filter));
  PetscCall(PetscFree(*filter));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const char *UnrFilterName(UnrFilter filter)
{
  return filter->ops->name;
}

PetscErrorCode UnrFilterApply(UnrFilter filter, UnrBatch from, UnrBatch to)
{
  PetscFunctionBeginUser;
  PetscCheck(from->samples == to->samples && from->grid == UnrPhysicsGrid(filter->fine) &&
                 to->grid == UnrPhysicsGrid(filter->coarse),
             PETSC_COMM_SELF, PETSC_ERR_ARG_INCOMP,
             "batches of other grids, or %" PetscInt_FMT " samples to %" PetscInt_FMT, from->samples,
             to->samples);
  PetscCall(filter->ops->apply(filter, from, to));
  PetscFunctionReturn(PETSC_SUCCESS);
}
