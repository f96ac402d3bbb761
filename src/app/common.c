#include "app/common.h"

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
