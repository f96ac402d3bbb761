# shellcheck shell=bash disable=SC2034
# What a site changes, for all batch scripts of this folder, which source it.
#
# Modules that the program was built with:
#   module load gcc openmpi petsc hdf5 fftw

unroll=${UNROLL:-build/unroll}

# How ranks are started.  Where Slurm's default MPI plugin is not Open MPI's: (srun --mpi=pmix), or (mpiexec).
launcher=(srun)

export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
