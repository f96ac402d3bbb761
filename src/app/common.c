#include "app/common.h"
#include "core/memory.h"

const UnrOption UnrCommonOptions[] = {
    {"-out", UNR_PATH, NULL, 0, 0, NULL, "directory of all that the command writes, made if missing", NULL},
    {"-dry_run", UNR_BOOL, "false", 0, 0, NULL,
     "check deck, files, layout and memory, estimate the time, compute nothing", NULL},
    {0},
};

PetscErrorCode UnrCommonGet(UnrCommon *common)
{
  PetscFunctionBeginUser;
  PetscCall(UnrOptionWord(UnrCommonOptions, NULL, "-out", &common->out));
  PetscCall(UnrOptionBool(UnrCommonOptions, NULL, "-dry_run", &common->dry_run));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrCommonMemory(const UnrLayout *layout, const PetscInt points[UNR_MAX_DIM],
                               PetscInt components, PetscInt samples, PetscInt states)
{
  const double replicas = layout->replicas;
  double cells = 1;

  PetscFunctionBeginUser;
  for (int a = 0; a < layout->dim; a++) cells *= (double)points[a] / (double)layout->blocks[a];
  PetscCall(UnrMemoryCheck(
      cells * (double)components * sizeof(double) * (double)states * PetscMax((double)samples / replicas, 1),
      "the states of the grid", "fewer -grid_points, a smaller -train_batch, or more ranks"));
  PetscFunctionReturn(PETSC_SUCCESS);
}
