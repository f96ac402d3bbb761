#!/usr/bin/env bash
# The Taylor-Green vortex in 3-D at Reynolds number 1600, to t = 20: dissipation and enstrophy beside the published
# spectral solution of 512^3 points, which is in postprocess/taylor_green_1600.txt.
#
#   jobs/taylor_green_1600.sh [N=64] [RANKS=2] [OPTION ...]
#
# N points a side, of which two thirds of the modes are kept.  Results in runs/taylor-green-1600/N/.  On two cores that
# others used as well N = 64 took 4 minutes, and 0.25 GB of single-precision frames; time grows as N^4, frames as N^3.

set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=jobs/setup.sh
source "$top/jobs/setup.sh"
n=${1:-64} ranks=${2:-2}
shift $(($# < 2 ? $# : 2))
mpi_environment "$ranks"
[[ -x $build/unroll ]] || build_unroll
cd "$top"
out=runs/taylor-green-1600/$n
rm -rf "$out"
mkdir -p "$out"

case_options=(-physics_type navier_stokes_spectral -physics_navier_stokes_viscosity 0.000625 -grid_points "$n,$n,$n"
  -dataset_precision single)
# Frames of 0.25; steps of 0.02 at 64 points, as large as the grid allows.
substeps=$(((25 * n + 127) / 128))
dt=$(awk "BEGIN { printf \"%.17g\", 0.25 / $substeps }")
mpiexec -n "$ranks" "$build/unroll" generate "${case_options[@]}" -dataset_file "$out/start.h5" -generate_starts 1 \
  -generate_frames 1 -start_type taylor_green -start_warmup 0 -sample_parameter viscosity -sample_values 0.000625 \
  -stepper_type etdrk -stepper_dt "$dt" -stepper_substeps "$substeps" -out "$out/start" >"$out/log"
mpiexec -n "$ranks" "$build/unroll" solve "${case_options[@]}" -solve_input "$out/start.h5" -solve_steps 80 \
  -stepper_type etdrk -stepper_etdrk_order 4 -stepper_dt "$dt" -stepper_substeps "$substeps" "$@" -out "$out" >>"$out/log"
/usr/bin/python3 postprocess/taylor_green.py "$out"
