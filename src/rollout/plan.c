/* A mode is a filling of cut[] and weight[]. */
#include "rollout/rollout_impl.h"
#include "core/error.h"

#include <string.h>

const UnrOption UnrPlanOptions[] = {
    {"-rollout_mode", UNR_WORD, "nog", 0, 0, NULL, "where gradients are cut: one step, every step, nowhere",
     "one|nog|wig"},
    {"-rollout_steps", UNR_INT, "4", 1, 1000000, "frames", "augmented steps of a window; `one` ignores it",
     NULL},
    {"-rollout_warmup", UNR_INT, "0", 0, 1000000, "frames",
     "first steps without loss, each cut off; `one` ignores it", NULL},
    {"-rollout_truncate", UNR_INT, "0", 0, 1000000, "frames",
     "wig: cut after every so many steps, the last segment may be shorter; 0: never", NULL},
    {NULL, UNR_INT, NULL, 0, 0, NULL, NULL, NULL},
};

/*
  UnrPlanFill - the plan of a mode.     Collective on the world.
  In      mode      one: 1 step, whatever the other arguments;  nog: segments of length 1;  wig: one segment
          warmup    steps at the start, each a segment of its own without loss (one: ignored)
          truncate  wig: length of the segments, the last may be shorter; 0: one segment (one, nog: ignored)
  Out     plan      owned by the caller, UnrPlanDestroy; cut[0] is always true
  Errors  user errors for an unknown mode and for a warm-up that leaves no step with a loss
  Maths   docs/method/rollout.md
*/
PetscErrorCode UnrPlanFill(const char *mode, PetscInt steps, PetscInt warmup, PetscInt truncate,
                           UnrPlan *plan)
{
  bool is_one = !strcmp(mode, "one"), is_nog = !strcmp(mode, "nog"), is_wig = !strcmp(mode, "wig");
  PetscInt m = is_one ? 1 : steps, w = is_one ? 0 : warmup,
           length = is_nog                ? 1
                    : is_one || !truncate ? m
                                          : truncate;

  PetscFunctionBeginUser;
  *plan = (UnrPlan){0};
  UnrUserCheck(is_one || is_nog || is_wig,
               "unknown rollout mode (%s); allowed: one, nog, wig; try: -rollout_mode nog", mode);
  UnrUserCheck(m >= 1,
               "-rollout_steps is too small (%" PetscInt_FMT "); allowed: 1 or more; try: -rollout_steps 1",
               m);
  UnrUserCheck(w >= 0 && w < m,
               "-rollout_warmup leaves no step with a loss (%" PetscInt_FMT " of %" PetscInt_FMT
               " steps); allowed: 0 to %" PetscInt_FMT "; try: -rollout_warmup %" PetscInt_FMT,
               w, m, m - 1, m / 2);
  UnrUserCheck(truncate >= 0,
               "-rollout_truncate is negative (%" PetscInt_FMT "); allowed: 0 (never) or a length; try: "
               "-rollout_truncate 0",
               truncate);
  plan->mode = is_one ? "one" : is_nog ? "nog" : "wig";
  plan->steps = m;
  PetscCall(PetscMalloc1(m, &plan->cut));
  PetscCall(PetscMalloc1(m + 1, &plan->weight));
  for (PetscInt k = 0; k < m; k++) plan->cut[k] = k < w || (k - w) % length == 0;
  for (PetscInt k = 0; k <= m; k++) {
    plan->weight[k] = k > w ? 1 : 0;
    plan->weight_sum += plan->weight[k];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrPlanCreate(UnrPlan *plan)
{
  PetscFunctionBeginUser;
  PetscCall(UnrPlanCreateFor(NULL, 0, plan));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrPlanCreateFor(const char *mode, PetscInt steps, UnrPlan *plan)
{
  PetscInt warmup, truncate;

  PetscFunctionBeginUser;
  if (!mode) PetscCall(UnrOptionWord(UnrPlanOptions, NULL, "-rollout_mode", &mode));
  if (!steps) PetscCall(UnrOptionInt(UnrPlanOptions, NULL, "-rollout_steps", &steps));
  PetscCall(UnrOptionInt(UnrPlanOptions, NULL, "-rollout_warmup", &warmup));
  PetscCall(UnrOptionInt(UnrPlanOptions, NULL, "-rollout_truncate", &truncate));
  PetscCall(UnrPlanFill(mode, steps, warmup, truncate, plan));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrPlanCopy(const UnrPlan *from, UnrPlan *to)
{
  PetscFunctionBeginUser;
  *to = *from;
  PetscCall(PetscMalloc1(from->steps, &to->cut));
  PetscCall(PetscMalloc1(from->steps + 1, &to->weight));
  PetscCall(PetscArraycpy(to->cut, from->cut, from->steps));
  PetscCall(PetscArraycpy(to->weight, from->weight, from->steps + 1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrPlanDestroy(UnrPlan *plan)
{
  PetscFunctionBeginUser;
  PetscCall(PetscFree(plan->cut));
  PetscCall(PetscFree(plan->weight));
  *plan = (UnrPlan){0};
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscInt UnrPlanSegmentEnd(const UnrPlan *plan, PetscInt start)
{
  PetscInt end = start + 1;

  while (end < plan->steps && !plan->cut[end]) end++;
  return end;
}

PetscInt UnrPlanGraded(const UnrPlan *plan, PetscInt start, PetscInt end)
{
  while (end > start && plan->weight[end] == 0) end--;
  return end - start;
}

PetscInt UnrPlanLongest(const UnrPlan *plan)
{
  PetscInt longest = 0;

  for (PetscInt start = 0, end; start < plan->steps; start = end) {
    end = UnrPlanSegmentEnd(plan, start);
    longest = PetscMax(longest, end - start);
  }
  return longest;
}

bool UnrPlanNeedsAdjoint(const UnrPlan *plan)
{
  return UnrPlanLongest(plan) > 1;
}
