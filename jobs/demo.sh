#!/usr/bin/env bash
# Sets up, builds and shows what works: `solve` with its gradient on a Kuramoto-Sivashinsky state, a picture of both,
# and `check` of every gradient of a correction network around the coarse solver, on two ranks.  Writes runs/demo/.

set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=jobs/setup.sh
source "$top/jobs/setup.sh"
mpi_environment 2
build_unroll
unroll=$build/unroll
cd "$top"
out=runs/demo
mkdir -p "$out"

echo "== 1. a start state and a cotangent (sum of the last state over a window), in The Well's layout"
/usr/bin/python3 - "$out" <<'PY'
import sys
import h5py
import numpy as np

n, s = 256, 16.0
x = np.arange(n) * 2 * np.pi * s / n
start = np.cos(x / s) * (1 + np.sin(x / s)) + 0.1 * np.cos(3 * x / s + 1)
window = np.exp(-((x - np.pi * s) / s) ** 2)
for name, u in (("start", start), ("cotangent", window)):
    with h5py.File(f"{sys.argv[1]}/{name}.h5", "w") as f:
        f["dimensions/x"] = x
        f["dimensions/time"] = [0.0]
        f["t0_fields/u"] = u[None, None]
        f["dimensions"].attrs["spatial_dims"] = ["x"]
PY

echo "== 2. solve: 300 steps of ETDRK4 on two ranks, and the gradient back through all of them"
mpiexec -n 2 "$unroll" solve -physics_type ks_spectral -physics_ks_domain_size 16 -solve_input "$out/start.h5" \
  -solve_steps 300 -solve_dt 0.25 -solve_cotangent "$out/cotangent.h5" -dataset_precision double -out "$out/solve"
picture=$(/usr/bin/python3 postprocess/plot_solve.py "$out/solve" "$out/solve.png")

echo "== 3. check: every gradient of a network around the coarse solver, unrolled with the solver's gradient"
mpiexec -n 2 "$unroll" check -options_file inputs/ks/smoke.yaml -out "$out/check"

echo
echo "picture:  $picture"
echo "gradient: $out/solve/gradient.h5     verdicts: $out/check/summary.json"
