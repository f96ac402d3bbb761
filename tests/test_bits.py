#!/usr/bin/env python3
"""The same layout gives the same bits: five fresh processes of solve and check, compared number by number.

    test_bits.py PROGRAM MPIEXEC

check's values are differences of nearly equal gradients, so that a single changed bit of a gradient changes them.
"""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import h5py
import numpy as np

RUNS, RANKS = 5, 3
SOURCE = Path(os.environ["UNR_SOURCE_DIR"])


def start_file(path, seed):
    n, length = 50, 2 * np.pi * 8  # 17, 17 and 16 points on three ranks
    with h5py.File(path, "w") as f:
        f["dimensions/x"] = np.arange(n) * length / n
        f["dimensions/time"] = [0.0]
        k = np.arange(1, 6)[:, None]
        phase = np.random.default_rng(seed).uniform(0, 2 * np.pi, (5, 1))
        f["t0_fields/u"] = np.cos(2 * np.pi * k * np.arange(n) / n + phase).sum(0)[None, None]


def run(program, mpiexec, arguments):
    done = subprocess.run([mpiexec, "-n", str(RANKS), program, *arguments], capture_output=True, text=True, timeout=300)
    if done.returncode:
        sys.exit(f"status {done.returncode} of {arguments}\n{done.stdout}{done.stderr}")


def solve(program, mpiexec, folder, out):
    run(program, mpiexec, ["solve", "-physics_type", "ks_spectral", "-solve_input", f"{folder}/start.h5", "-solve_dt", "0.25",
                           "-solve_steps", "40", "-solve_cotangent", f"{folder}/cotangent.h5", "-out", out])
    with h5py.File(f"{out}/trajectory.h5") as t, h5py.File(f"{out}/gradient.h5") as g:
        return t["t0_fields/u"][()].tobytes() + g["t0_fields/u"][()].tobytes()


def check(program, mpiexec, out):
    run(program, mpiexec, ["check", "-options_file", str(SOURCE / "inputs/ks/smoke.yaml"), "-layout_replicas", "1", "-out", out])
    items = json.loads(Path(out, "summary.json").read_text())["items"]
    return [(item["name"], item["kind"], item["value"]) for item in items]


def main():
    program, mpiexec = sys.argv[1:3]
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        start_file(f"{folder}/start.h5", 1)
        start_file(f"{folder}/cotangent.h5", 2)
        for what, once in (("solve", lambda out: solve(program, mpiexec, folder, out)),
                           ("check", lambda out: check(program, mpiexec, out))):
            results = [once(f"{folder}/{what}{i}") for i in range(RUNS)]
            same = len(results[0]) > 0 and all(result == results[0] for result in results)
            print("ok" if same else "FAILED", what, f"{RUNS} processes on {RANKS} ranks")
            failed += not same
    print(f"{2 - failed} passed, {failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
