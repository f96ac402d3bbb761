"""`unroll solve` as a function: start states in, last states and gradients out, through files as a user would."""
import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import h5py
import numpy as np

from runs import RunError


def grid(n, dim):
    """Nodes of a periodic box of side 2 pi, an array an axis."""
    return np.meshgrid(*[2 * np.pi * np.arange(n) / n] * dim, indexing="ij")


def taylor_green(n, dim):
    """The vortex at time 0, [x][y]([z])[component]."""
    if dim == 2:
        x, y = grid(n, 2)
        return np.stack([np.sin(x) * np.cos(y), -np.cos(x) * np.sin(y)], -1)
    x, y, z = grid(n, 3)
    return np.stack([np.sin(x) * np.cos(y) * np.cos(z), -np.cos(x) * np.sin(y) * np.cos(z), 0 * z], -1)


class Solver:
    """The program, a scratch directory, and what all runs have in common.  precision: "single" or "double" files."""

    def __init__(self, program, ranks, precision, *options):
        self.program, self.ranks, self.options = program, ranks, options
        self.type = {"single": "f4", "double": "f8"}[precision]
        self.folder = tempfile.TemporaryDirectory(prefix="unroll-mosaic-")
        self.runs = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.folder.cleanup()

    def path(self, name):
        return str(Path(self.folder.name) / name)

    def rounded(self, u):
        """What a file of this precision holds."""
        return np.asarray(u).astype(self.type).astype("f8")

    def write(self, name, states):
        """A minimal input: states [sample][x]...[component], one frame each; its path."""
        dim = states.ndim - 2
        with h5py.File(self.path(name), "w") as f:
            for axis, n in zip("xyz", states.shape[1:]):
                f[f"dimensions/{axis}"] = (2 * np.pi * np.arange(n) / n).astype(self.type)
            f["t1_fields/velocity"] = states[:, None].astype(self.type)
        assert dim in (2, 3)
        return self.path(name)

    def solve(self, start, steps, dt, viscosity, cotangent=None, sample=0, order=2, more=(), ranks=None):
        """Summary, last state and, with a cotangent, gradient and its slope by the viscosity; start, cotangent: paths.

        A run that diverged is an outcome: (summary, None, None, None)."""
        ranks, out = ranks or self.ranks, self.path("out")
        shutil.rmtree(out, ignore_errors=True)
        command = [] if ranks == 1 else [os.environ.get("UNR_MPIEXEC", "mpiexec"), "-n", str(ranks)]
        command += [self.program, "solve", "-out", out, "-solve_input", start, "-solve_sample", sample, "-solve_steps", steps,
                    "-solve_dt", repr(dt), "-solve_save_every", 0, "-physics_navier_stokes_viscosity", repr(viscosity),
                    "-stepper_etdrk_order", order, *(["-solve_cotangent", cotangent] if cotangent else []),
                    *self.options, *more]
        run = subprocess.run([str(word) for word in command], capture_output=True, text=True)
        self.runs += 1
        if run.returncode not in (0, 1):
            raise RunError(f"unroll solve failed with status {run.returncode}: {run.stderr[:500]}")
        summary = json.loads(Path(out, "summary.json").read_text())
        last = gradient = slope = None
        if summary["status"] == "ok":
            with h5py.File(Path(out, "trajectory.h5")) as f:
                last = f["t1_fields/velocity"][0, -1].astype("f8")
        if summary["status"] == "ok" and cotangent:
            with h5py.File(Path(out, "gradient.h5")) as f:
                gradient, slope = f["t1_fields/velocity"][0, 0].astype("f8"), float(f["scalars/grad_viscosity"][0])
        return summary, last, gradient, slope


def rms(u):
    return float(np.sqrt(np.mean(np.square(u))))
