/* The sum of an update over the world, and the proof that all ranks hold the same weights. */
#include "optim/reduce.h"

/* Numbers of one message: far below MPI's int, far above where its latency shows. */
enum { MESSAGE = 1 << 22 };

/*
  UnrGradientReduce - sums of gradient, loss and flags, in place.     Collective on the world.
  In/out  theta_bar  [n] in the network's precision;  scalars  in double
  Same bits on every rank: MPI requires that of MPI_Allreduce (MPI 3.1, section 5.9.6).
*/
PetscErrorCode UnrGradientReduce(MPI_Comm world, UnrPrecision precision, size_t n, void *theta_bar,
                                 UnrReduced *scalars)
{
  const MPI_Datatype type = precision == UNR_SINGLE ? MPI_FLOAT : MPI_DOUBLE;
  double sums[3] = {scalars->loss, scalars->failed_solves, scalars->signals};

  PetscFunctionBeginUser;
  for (size_t done = 0; done < n; done += MESSAGE) {
    const PetscMPIInt count = (PetscMPIInt)PetscMin(n - done, (size_t)MESSAGE);

    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, (char *)theta_bar + done * UnrPrecisionBytes(precision), count,
                               type, MPI_SUM, world));
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sums, 3, MPI_DOUBLE, MPI_SUM, world));
  *scalars = (UnrReduced){.loss = sums[0], .failed_solves = sums[1], .signals = sums[2]};
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Each word is mixed in by a bijection that spreads its bits: one wrong word always shows, several with
   probability 1 - 2^-64. */
static uint64_t Checksum(size_t words, const uint32_t word[])
{
  uint64_t hash = words;

  for (size_t i = 0; i < words; i++) {
    hash = (hash ^ word[i]) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 32;
  }
  return hash;
}

/*
  UnrWeightsAgree - a fault on every rank if the weights differ between ranks.     Collective on the world.
  In      theta  [n] in the network's precision, compared bit by bit
*/
PetscErrorCode UnrWeightsAgree(MPI_Comm world, UnrPrecision precision, size_t n, const void *theta)
{
  uint64_t own, first, least, most;
  PetscMPIInt rank, size, wrong;

  PetscFunctionBeginUser;
  own = first = Checksum(n * UnrPrecisionBytes(precision) / sizeof(uint32_t), theta);
  PetscCallMPI(MPI_Allreduce(&own, &least, 1, MPI_UINT64_T, MPI_MIN, world));
  PetscCallMPI(MPI_Allreduce(&own, &most, 1, MPI_UINT64_T, MPI_MAX, world));
  if (least == most) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallMPI(MPI_Comm_rank(world, &rank));
  PetscCallMPI(MPI_Comm_size(world, &size));
  PetscCallMPI(MPI_Bcast(&first, 1, MPI_UINT64_T, 0, world));
  wrong = own == first ? size : rank;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_MIN, world));
  PetscCallMPI(MPI_Bcast(&own, 1, MPI_UINT64_T, wrong, world));
  SETERRQ(world, PETSC_ERR_PLIB, "weights of rank %d (checksum %016llx) are not those of rank 0 (%016llx)",
          wrong, (unsigned long long)own, (unsigned long long)first);
}
