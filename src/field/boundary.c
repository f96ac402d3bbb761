/* Where a ghost cell beyond the domain comes from. */
#include "field/boundary.h"

/* UnrBoundaryMap - one face after the other until the index is inside.     Local. */
PetscErrorCode UnrBoundaryMap(const UnrBoundary kind[2], PetscInt index, PetscInt n, PetscInt *source,
                              int *sign)
{
  PetscFunctionBeginUser;
  *sign = 1;
  while (index < 0 || index >= n) {
    const bool is_low = index < 0;

    switch (kind[is_low ? 0 : 1]) {
    case UNR_BOUNDARY_PERIODIC:
      index = (index % n + n) % n;
      break;
    case UNR_BOUNDARY_WALL_ZERO:
      *sign = 0;
      index = is_low ? 0 : n - 1;
      break;
    case UNR_BOUNDARY_OUTFLOW:
      index = is_low ? 0 : n - 1;
      break;
    case UNR_BOUNDARY_WALL_REFLECTED:
      *sign = -*sign;
      index = is_low ? -1 - index : 2 * n - 1 - index;
      break;
    case UNR_BOUNDARY_SYMMETRIC:
      index = is_low ? -1 - index : 2 * n - 1 - index;
      break;
    case UNR_BOUNDARY_KINDS:
      SETERRQ(PETSC_COMM_SELF, PETSC_ERR_PLIB, "boundary kind %d", (int)kind[is_low ? 0 : 1]);
    }
  }
  *source = index;
  PetscFunctionReturn(PETSC_SUCCESS);
}
