/* Modes as fillings of cut and weight: written out, and refused where they make no sense. */
#include "support.h"

#include "rollout/rollout.h"

/* cut as text: '|' before a cut step, '.' before one that is not; weight: '1' or '0' after each step. */
static void CheckPlan(const char *mode, PetscInt steps, PetscInt warmup, PetscInt truncate, const char *cut,
                      const char *weight)
{
  UnrPlan plan;
  PetscInt m = (PetscInt)strlen(cut);
  double sum = 0;
  bool is_long = strchr(cut, '.') != NULL;

  TEST_CALL(UnrPlanFill(mode, steps, warmup, truncate, &plan));
  cr_assert(plan.steps == m, "%s: %d steps", mode, (int)plan.steps);
  for (PetscInt k = 0; k < m; k++) {
    cr_expect(plan.cut[k] == (cut[k] == '|'), "%s %s: cut %d", mode, cut, (int)k);
    cr_expect(plan.weight[k + 1] == weight[k] - '0', "%s %s: weight %d", mode, weight, (int)k + 1);
    sum += plan.weight[k + 1];
  }
  cr_expect(plan.weight_sum == sum);
  cr_expect(UnrPlanNeedsAdjoint(&plan) == is_long, "%s %s", mode, cut);
  TEST_CALL(UnrPlanDestroy(&plan));
}

Test(plan, modes)
{
  CheckPlan("one", 8, 0, 0, "|", "1");
  CheckPlan("one", 8, 9, 3, "|", "1"); /* `one` ignores all else */
  CheckPlan("nog", 5, 0, 0, "|||||", "11111");
  CheckPlan("nog", 5, 0, 2, "|||||", "11111"); /* cuts everywhere already */
  CheckPlan("nog", 5, 2, 0, "|||||", "00111");
  CheckPlan("wig", 5, 0, 0, "|....", "11111");
  CheckPlan("wig", 1, 0, 0, "|", "1");
  CheckPlan("wig", 6, 2, 0, "|||...", "001111");
  CheckPlan("wig", 6, 0, 3, "|..|..", "111111");
  CheckPlan("wig", 7, 0, 3, "|..|..|", "1111111"); /* the last segment may be shorter */
  CheckPlan("wig", 7, 2, 3, "|||..|.", "0011111");
  CheckPlan("wig", 4, 0, 1, "||||", "1111");
  CheckPlan("wig", 4, 0, 9, "|...", "1111");
}

Test(plan, options)
{
  UnrPlan plan;

  TestOptionsSet("-rollout_mode wig -rollout_steps 5 -rollout_warmup 1 -rollout_truncate 2");
  TEST_CALL(UnrPlanCreate(&plan));
  cr_expect(plan.steps == 5 && plan.weight_sum == 4);
  cr_expect(plan.cut[0] && plan.cut[1] && !plan.cut[2] && plan.cut[3] && !plan.cut[4]);
  TEST_CALL(UnrPlanDestroy(&plan));
  TestOptionsUnset("-rollout_mode -rollout_steps -rollout_warmup -rollout_truncate");
}

static void CheckRefused(const char *mode, PetscInt steps, PetscInt warmup, PetscInt truncate,
                         const char *word)
{
  UnrPlan plan;
  PetscErrorCode code = UnrPlanFill(mode, steps, warmup, truncate, &plan);

  cr_expect(code == UNR_ERR_USER, "%s", word);
  cr_expect(strstr(UnrUserErrorMessage(), word) && strstr(UnrUserErrorMessage(), "; try: "), "%s: %s", word,
            UnrUserErrorMessage());
  UnrUserErrorClear();
}

Test(plan, refusals)
{
  TEST_CALL(UnrErrorHandlerPush());
  CheckRefused("both", 4, 0, 0, "unknown rollout mode (both); allowed: one, nog, wig");
  CheckRefused("wig", 4, 4, 0, "-rollout_warmup leaves no step with a loss (4 of 4 steps); allowed: 0 to 3");
  CheckRefused("nog", 4, 7, 0, "-rollout_warmup leaves no step with a loss (7 of 4 steps); allowed: 0 to 3");
  CheckRefused("wig", 0, 0, 0, "-rollout_steps is too small (0)");
  CheckRefused("wig", 4, 0, -1, "-rollout_truncate is negative (-1)");
  TEST_CALL(PetscPopErrorHandler());
}
