#include "core/count.h"

static PetscInt64 counts[UNR_COUNTS];

void UnrCountAdd(UnrCount which, PetscInt n)
{
  counts[which] += n;
}

PetscInt64 UnrCountGet(UnrCount which)
{
  return counts[which];
}

void UnrCountReset(void)
{
  for (int i = 0; i < UNR_COUNTS; i++) counts[i] = 0;
}
