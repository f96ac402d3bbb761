"""The experiments of postprocess/mosaic.py at small sizes, by the program itself: what they measure, and that they would see a
wrong gradient.

Needs numpy and h5py.  The program is $UNR_BUILD_DIR/unroll; meson gives that and the environment of MPI."""
import contextlib
import io
import json
import os
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(os.environ["UNR_SOURCE_DIR"]) / "postprocess"))
import mosaic  # noqa: E402
import mosaic_sections as sections  # noqa: E402
from solver import Solver, rms, taylor_green  # noqa: E402

UNROLL = os.path.join(os.environ["UNR_BUILD_DIR"], "unroll")


class Mosaic(unittest.TestCase):
    def solver(self, precision, ranks=1):
        solver = Solver(UNROLL, ranks, precision)
        self.addCleanup(solver.folder.cleanup)
        return solver

    def test_taylor_green(self):
        """The scheme is exact for it: rounding of the files, also where the wind advects it by its exact solution."""
        for precision, bound in (("single", 1e-7), ("double", 1e-14)):
            solver = self.solver(precision, ranks=2)
            self.assertLess(max(sections.accuracy(solver, sizes=(8, 12)).values()), bound)
            self.assertLess(max(sections.agreement(solver, viscosities=(1e-4, 0.05), n=12, steps=4).values()), bound)
            row, = sections.laws(solver, sizes=(12,), steps=(7,))
            self.assertLess(max(row["error"], abs(row["energy_error"])), bound)
            # the file's rounding, times wavenumbers up to 6
            self.assertLess(row["divergence_rms_file"], 10 * bound)
            self.assertLess(row["divergence_rms"], 1e-14)
        moved = [sections.advected(solver, n=12, steps=steps, dt=0.4 / steps) for steps in (4, 8)]
        self.assertLess(moved[1], 1e-3)
        self.assertAlmostEqual(np.log2(moved[0] / moved[1]), 2, delta=0.2)  # second order

    def test_gradient(self):
        """Four directions in double: central differences at their best to 1e-8; and a score that sees a wrong gradient."""
        result = sections.gradient(self.solver("double"), n=8, steps=4, directions=4, eps=(1e-2, 1e-3))
        self.assertLess(result["best_median_error"], 1e-7)
        self.assertLess(result["best_viscosity_error"], 1e-7)
        self.assertLess(1 - result["best_cosine"], 1e-12)
        self.assertGreater(abs(result["viscosity_slope"]), 1)
        error, cosine = sections.scores({1: [1.0, 2.0, -3.0]}, [1.1, 2.2, -3.3])
        self.assertAlmostEqual(error[1], 0.1 / 1.1)
        self.assertAlmostEqual(cosine[1], 1)
        error, cosine = sections.scores({1: [1.0, 2.0, -3.0]}, [1.0, -2.0, -3.0])
        self.assertAlmostEqual(error[1], 0)
        self.assertLess(cosine[1], 0.5)

    def test_start(self):
        """The random start has divergence, so that the projection is part of what is checked."""
        u = sections.random_field(np.random.default_rng(1), 16)
        self.assertAlmostEqual(rms(u), 1)
        self.assertGreater(sections.divergence(u), 0.5)
        for n, dim in ((12, 2), (8, 3)):
            self.assertLess(sections.divergence(taylor_green(n, dim)), 1e-14)

    def test_horizon(self):
        """Bounded memory recomputes; the slope along the gradient is its norm."""
        few, many = sections.horizon(self.solver("double"), horizons=(5, 40), n=8, memory=70e3, relative=(1e-4, 1e-5))
        for row in (few, many):
            self.assertTrue(row["finite"])
            self.assertLess(row["error"], 1e-6)
        self.assertGreater(many["recompute"], 1)
        self.assertLessEqual(many["tape_bytes"], 70e3)

    def test_tables(self):
        """A section from the command line: a table and its numbers; an unknown one is refused."""
        with tempfile.TemporaryDirectory() as out, contextlib.redirect_stdout(io.StringIO()) as text:
            small = lambda solver: sections.cost(solver, sizes={2: (8,), 3: (8,)}, steps={2: 2, 3: 2}, rounds=2)  # noqa: E731
            rows = small(self.solver("single", ranks=2))
            self.assertEqual([(r["dim"], r["points"], r["order"]) for r in rows], [(2, 8, 2), (2, 8, 4), (3, 8, 2), (3, 8, 4)])
            self.assertTrue(all(0 < r["forward_least"] <= r["forward"] and 0 < r["vjp_least"] <= r["vjp"] for r in rows))
            sys.argv = ["mosaic.py", "--program", UNROLL, "--out", out, "accuracy"]
            mosaic.main()
            result = json.loads(Path(out, "accuracy.json").read_text())
            self.assertEqual((result["ranks"], result["order"]), (2, 2))
            self.assertLess(max(result["result"]["single"].values()), 1e-7)
            self.assertIn("INS.jl", text.getvalue())
            sys.argv = ["mosaic.py", "--out", out, "speed"]
            with self.assertRaisesRegex(mosaic.RunError, "unknown section .speed.; allowed: accuracy, "):
                mosaic.main()


if __name__ == "__main__":
    unittest.main()
