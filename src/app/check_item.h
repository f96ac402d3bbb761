/* The items of `check`: each is a measured value against a bound. */
#pragma once

#include "app/probe.h"

typedef enum {
  UNR_CHECK_DOT,
  UNR_CHECK_TAYLOR,
  UNR_CHECK_DIFFERENCE,
  UNR_CHECK_RANK,
  UNR_CHECK_CALLS,
  UNR_CHECK_KINDS
} UnrCheckKind;
extern const char *const UnrCheckKindName[UNR_CHECK_KINDS];

typedef struct {
  char name[64];
  UnrCheckKind kind;
  double value, bound;
  bool pass;
} UnrCheckItem;

typedef struct {
  PetscInt count, failed;
  UnrCheckItem item[64];
} UnrCheckList;

/* Each appends its items and prints them.  Collective on the world. */
PetscErrorCode UnrCheckDot(UnrProbe *probe,
                           UnrCheckList *list); /* <J v, w> = <v, J' w>: stepper, net, model, rollout */
PetscErrorCode UnrCheckTaylor(UnrProbe *probe,
                              UnrCheckList *list); /* order of the remainder over four decades */
PetscErrorCode UnrCheckDifference(UnrProbe *probe, UnrCheckList *list); /* fourth-order central differences */
PetscErrorCode UnrCheckRank(UnrProbe *probe, UnrCheckList *list);       /* this layout against one rank */
PetscErrorCode UnrCheckCalls(UnrProbe *probe, UnrCheckList *list);      /* what a mode must not call */
