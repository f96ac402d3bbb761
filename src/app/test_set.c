#include "app/test_set.h"

#include <string.h>

const UnrOption UnrTestSetOptions[] = {
    {"-test_file", UNR_PATH, NULL, 0, 0, NULL,
     "the test set, made by generate -generate_set test; unset, or none: evaluate integrates the reference "
     "itself",
     NULL},
    {"-test_values", UNR_REALS, NULL, 0, 0, "the parameter's",
     "values of -sample_parameter to test on; unset: the training's", NULL},
    {"-test_starts", UNR_INT, "10", 1, 1e6, "starts", "start states for each value", NULL},
    {"-test_warmup", UNR_INT, "200", 0, 1e9, "frames",
     "frames of the reference scheme before a roll-out begins", NULL},
    {"-test_frames", UNR_INT, "750", 1, 1e9, "frames", "horizon of a roll-out", NULL},
    {NULL, UNR_BOOL, NULL, 0, 0, NULL, NULL, NULL},
};

PetscErrorCode UnrTestSetGet(UnrTestSet *set)
{
  double low = PETSC_INFINITY, high = -PETSC_INFINITY, trained[UNR_CASE_VALUES];
  PetscInt count;

  PetscFunctionBeginUser;
  *set = (UnrTestSet){0};
  PetscCall(UnrOptionWord(UnrTestSetOptions, NULL, "-test_file", &set->file));
  if (set->file && !strcmp(set->file, "none")) set->file = NULL; /* over the deck's */
  PetscCall(UnrOptionInt(UnrTestSetOptions, NULL, "-test_starts", &set->starts));
  PetscCall(UnrOptionInt(UnrTestSetOptions, NULL, "-test_warmup", &set->warmup));
  PetscCall(UnrOptionInt(UnrTestSetOptions, NULL, "-test_frames", &set->frames));
  PetscCall(
      UnrOptionReals(UnrTestSetOptions, NULL, "-test_values", UNR_CASE_VALUES, set->value, &set->values));
  PetscCall(UnrCaseValues(&set->parameter, trained, &count));
  if (!set->values) PetscCall(PetscArraycpy(set->value, trained, set->values = count));
  for (PetscInt i = 0; i < count; i++) {
    low = PetscMin(low, trained[i]);
    high = PetscMax(high, trained[i]);
  }
  for (PetscInt i = 0; i < set->values; i++)
    set->is_inside[i] = low <= set->value[i] && set->value[i] <= high;
  if (!set->values) { /* nothing varies: one group */
    set->values = 1;
    set->is_inside[0] = true;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

UnrCaseSpec UnrTestSetSpec(const UnrTestSet *set)
{
  return (UnrCaseSpec){.samples = set->values * set->starts,
                       .values = set->parameter ? set->values : 0,
                       .value = set->value,
                       .each = set->starts,
                       .seed = "test"};
}
