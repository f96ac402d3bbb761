"""The command `solve` from outside: against an independent ETDRK4, finite differences of its own output, and bad input.

Needs numpy and h5py.  The program is $UNR_BUILD_DIR/unroll; meson gives that and the environment of MPI."""
import json
import os
import subprocess
import tempfile
import time
import unittest

import h5py
import numpy as np

UNROLL = os.path.join(os.environ["UNR_BUILD_DIR"], "unroll")
MPIEXEC = os.environ.get("UNR_MPIEXEC", "mpiexec")
N, STEPS, DT = 48, 24, 0.125
LENGTH = 2 * np.pi * 3.1  # not the option's default domain size


def unroll(out, *options, ranks=1):
    """Runs solve; status, what it wrote to stderr, summary or None."""
    command = [MPIEXEC, "-n", str(ranks), UNROLL, "solve", "-out", out, *map(str, options)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=120)
    path, summary = os.path.join(out, "summary.json"), None
    if os.path.exists(path):
        with open(path) as f:
            summary = json.load(f)
    return run.returncode, run.stderr, summary


def write(path, states, lengths, dtype="f8", x=None, name="t0_fields/u", time=None):
    """A minimal input: dimensions and the field; states (trajectory, frame, x), lengths (trajectory)."""
    with h5py.File(path, "w") as f:
        grid = np.asarray(lengths)[:, None] * np.arange(states.shape[-1]) / states.shape[-1]
        f["dimensions/x"] = (grid if len(lengths) > 1 else grid[0]) if x is None else x
        f["dimensions/time"] = np.arange(states.shape[1], dtype=dtype) if time is None else time
        f[name] = states.astype(dtype)


def read(out, name="trajectory.h5"):
    with h5py.File(os.path.join(out, name)) as f:
        scalars = {k: v[0] for k, v in f["scalars"].items()}
        return f["t0_fields/u"][0], f["dimensions/time"][:], scalars


def etdrk4(u, length, dt, steps):
    """Kassam & Trefethen 2005 for u_t = -u_xx - u_xxxx - (u^2/2)_x: coefficients by contour means."""
    n = len(u)
    k = 2 * np.pi * np.fft.fftfreq(n, length / n)
    odd = k.copy()
    odd[n // 2] = 0
    hL = dt * (k**2 - k**4)
    r = hL[:, None] + np.exp(2j * np.pi * (np.arange(64) + 0.5) / 64)
    e, e2 = np.exp(hL), np.exp(hL / 2)
    q = dt * np.mean((np.exp(r / 2) - 1) / r, 1)
    f1 = dt * np.mean((-4 - r + np.exp(r) * (4 - 3 * r + r**2)) / r**3, 1)
    f2 = dt * np.mean((2 + r + np.exp(r) * (-2 + r)) / r**3, 1)
    f3 = dt * np.mean((-4 - 3 * r - r**2 + np.exp(r) * (4 - r)) / r**3, 1)

    def nonlinear(v):
        return -0.5j * odd * np.fft.fft(np.fft.ifft(v).real ** 2)

    v, frames = np.fft.fft(u), [u]
    for _ in range(steps):
        nv = nonlinear(v)
        a = e2 * v + q * nv
        na = nonlinear(a)
        b = e2 * v + q * na
        nb = nonlinear(b)
        c = e2 * a + q * (2 * nb - nv)
        nc = nonlinear(c)
        v = e * v + f1 * nv + 2 * f2 * (na + nb) + f3 * nc
        frames.append(np.fft.ifft(v).real)
    return np.array(frames)


def start():
    """No symmetry, a mean, a few modes."""
    x = 2 * np.pi * np.arange(N) / N
    return 0.2 + np.cos(x + 0.3) + 0.4 * np.sin(2 * x + 1.1) - 0.3 * np.cos(5 * x + 2)


class Solve(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="unroll-solve-")
        self.addCleanup(self.folder.cleanup)
        self.input = self.path("input.h5")
        write(self.input, start()[None, None], [LENGTH])

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def solve(self, out, *options, ranks=1, steps=STEPS, input=None):
        status, message, summary = unroll(self.path(out), "-solve_input", input or self.input, "-solve_steps", steps,
                                          "-solve_dt", DT, *options, ranks=ranks)
        self.assertEqual(status, 0, message)
        self.assertEqual(summary["status"], "ok")
        return summary

    def test_trajectory(self):
        """Another program's ETDRK4 of the same order and steps: equal but for rounding and its growth over 3 time units."""
        wanted = etdrk4(start(), LENGTH, DT, STEPS)
        for ranks in (1, 3):
            summary = self.solve(f"out{ranks}", ranks=ranks)
            u, time, scalars = read(self.path(f"out{ranks}"))
            self.assertEqual(u.shape, (STEPS + 1, N))
            self.assertEqual(u.dtype, np.float64)
            np.testing.assert_array_equal(u[0], start())
            self.assertLess(abs(u - wanted).max(), 1e-10)
            self.assertGreater(abs(u[-1] - u[0]).max(), 0.5)  # something happens
            np.testing.assert_allclose(time, DT * np.arange(STEPS + 1), rtol=1e-14)
            self.assertAlmostEqual(scalars["domain_size"], 3.1, places=12)
            self.assertEqual(summary["layout"]["size"], ranks)
            self.assertEqual(summary["steps"], STEPS)
            self.assertAlmostEqual(summary["energy_first"], np.mean(u[0] ** 2) / 2, places=12)
            self.assertAlmostEqual(summary["energy_last"], np.mean(u[-1] ** 2) / 2, places=12)
            self.assertIsNone(summary["gradient_norm"])
            self.assertIsNone(summary["divergence_rms"])

    def test_layout_of_the_well(self):
        self.solve("out")
        with h5py.File(self.path("out/trajectory.h5")) as f:
            self.assertEqual(f.attrs["grid_type"], "cartesian")
            self.assertEqual((f.attrs["n_spatial_dims"], f.attrs["n_trajectories"]), (1, 1))
            self.assertEqual(list(f.attrs["simulation_parameters"]), ["domain_size"])
            self.assertAlmostEqual(f.attrs["domain_size"], 3.1, places=12)
            self.assertIsInstance(f.attrs["dataset_name"], str)
            self.assertEqual(list(f["dimensions"].attrs["spatial_dims"]), ["x"])
            for name in ("dimensions/x", "scalars/domain_size", "t0_fields/u", "boundary_conditions/x_periodic"):
                for attribute in ("sample_varying", "time_varying"):
                    self.assertIn(bool(f[name].attrs[attribute]), (True, False), name)
            self.assertFalse(f["dimensions/time"].attrs["sample_varying"])
            self.assertEqual(list(f["t0_fields"].attrs["field_names"]), ["u"])
            self.assertEqual([len(f[g].attrs["field_names"]) for g in ("t1_fields", "t2_fields")], [0, 0])
            self.assertEqual(list(f["t0_fields/u"].attrs["dim_varying"]), [True])
            side = f["boundary_conditions/x_periodic"]
            self.assertEqual((side.attrs["bc_type"], list(side.attrs["associated_dims"])), ("PERIODIC", ["x"]))
            self.assertEqual((side["mask"].dtype, list(np.flatnonzero(side["mask"]))), (bool, [0, N - 1]))
            self.assertEqual(len(f["unroll"].attrs["source_sha256"][0]), 64)
            self.assertEqual(f["unroll/options"].attrs["stepper_etdrk_order"], "4")
            self.assertIn("version", f["unroll"].attrs)

    def test_gradient(self):
        """J = sum(w u^N): central differences of the program's own output along two directions and the domain size."""
        rng = np.random.default_rng(7)
        w, step = rng.normal(size=N), 1e-4
        write(self.path("w.h5"), np.stack([0 * w, w])[None], [LENGTH])  # the last frame is the cotangent
        summary = self.solve("out", "-solve_cotangent", self.path("w.h5"), ranks=3)
        gradient, _, scalars = read(self.path("out"), "gradient.h5")
        self.assertEqual(gradient.shape, (1, N))
        self.assertAlmostEqual(summary["gradient_norm"], np.linalg.norm(gradient), places=10)
        self.assertGreater(summary["seconds_vjp"], 0)
        directions = [rng.normal(size=N), np.cos(np.arange(N))]
        moves = [(sign * step * d, 0) for d in directions for sign in (1, -1)] + [(0 * w, step), (0 * w, -step)]
        write(self.path("moved.h5"), np.array([[start() + d] for d, _ in moves]),
              [2 * np.pi * (3.1 + ds) for _, ds in moves])
        J = []
        for i in range(len(moves)):
            self.solve("moved", "-solve_sample", i, "-solve_save_every", 0, input=self.path("moved.h5"))
            u, time, _ = read(self.path("moved"))
            self.assertEqual(len(u), 1)
            J.append(w @ u[0])
        slopes = [(J[i] - J[i + 1]) / (2 * step) for i in (0, 2, 4)]
        ours = [gradient[0] @ directions[0], gradient[0] @ directions[1], scalars["grad_domain_size"]]
        # steps of 1e-4: truncation about 1e-8, rounding of J 1e-12 / 1e-4
        np.testing.assert_allclose(ours, slopes, rtol=2e-7)

    def test_two_dimensions(self):
        """Burgers on an oblong, split among 2 and 3 ranks: a tiny wave along y decays as exp(-nu k^2 t), and the slopes by
        state and viscosity are those of central differences."""
        nx, ny, ly, nu, step = 12, 10, 4.0, 0.05, 1e-4
        physics = ("-physics_type", "burgers_spectral", "-stepper_etdrk_order", 4)
        rng = np.random.default_rng(3)
        x, y = 2 * np.pi * np.arange(nx) / nx, ly * np.arange(ny) / ny
        u0 = np.sin(x)[:, None] * np.cos(2 * np.pi * y / ly + 0.4)[None] + 0.3 * np.cos(2 * x + 1)[:, None]
        w, d = rng.normal(size=(2, nx, ny))
        tiny = 1e-9 * np.cos(2 * np.pi * y / ly + 0.4) * np.ones((nx, 1))
        moved = np.array([[u0], [u0 + step * d], [u0 - step * d], [tiny]])
        with h5py.File(self.path("in.h5"), "w") as f:
            f["dimensions/x"], f["dimensions/y"], f["t0_fields/u"] = x, y, moved

        def value(sample, viscosity):
            self.solve("moved", *physics, "-solve_sample", sample, "-physics_burgers_viscosity", viscosity,
                       "-solve_save_every", 0, input=self.path("in.h5"), steps=8)
            return np.sum(w * read(self.path("moved"))[0][0])

        with h5py.File(self.path("w.h5"), "w") as f:
            f["dimensions/x"], f["dimensions/y"], f["t0_fields/u"] = x, y, w[None, None]
        self.solve("out", *physics, "-physics_burgers_viscosity", nu, "-solve_cotangent", self.path("w.h5"), ranks=3,
                   input=self.path("in.h5"), steps=8)
        gradient, _, scalars = read(self.path("out"), "gradient.h5")
        slopes = [(value(1, nu) - value(2, nu)) / (2 * step), (value(0, nu + step) - value(0, nu - step)) / (2 * step)]
        np.testing.assert_allclose([np.sum(gradient[0] * d), scalars["grad_viscosity"]], slopes, rtol=2e-6)
        self.solve("out", *physics, "-physics_burgers_viscosity", nu, "-solve_sample", 3, input=self.path("in.h5"), ranks=2)
        decay = np.exp(-nu * (2 * np.pi / ly) ** 2 * DT * STEPS)
        np.testing.assert_allclose(read(self.path("out"))[0][-1], decay * tiny, atol=1e-15)

    def test_bounded_memory(self):
        """Whatever may be kept, the bits are those of no bound; too little is refused with the least that works, which keeps
        one tape and the start: 1 + 2 + ... + 24 frames run."""
        cotangent = ("-solve_cotangent", self.input)
        free = self.solve("free", *cotangent, "-rollout_memory", 0)
        self.assertEqual(free["recompute_factor"], 1)
        self.assertEqual(self.solve("default", *cotangent)["recompute_factor"], 1)
        status, message, _ = unroll(self.path("bad"), "-solve_input", self.input, "-solve_steps", STEPS, "-solve_dt", DT,
                                    *cotangent, "-rollout_memory", 1)
        self.assertEqual((status, message.count("unroll: error:")), (2, 1), message)
        self.assertIn("-rollout_memory is too small for the vjp of 24 frames", message)
        least = int(message.split("; try: -rollout_memory ")[1].split()[0])
        tape = free["tape_bytes"] / STEPS
        for extra, factor in ((0, (STEPS + 1) / 2), (48 * 8, None), (3 * 48 * 8, None), (9 * tape, None)):
            tight = self.solve("tight", *cotangent, "-rollout_memory", least + extra)
            if factor:
                self.assertEqual((tight["recompute_factor"], tight["tape_bytes"]), (factor, tape))
            else:
                self.assertTrue(1 < tight["recompute_factor"] < (STEPS + 1) / 2)
                self.assertLessEqual(tight["tape_bytes"], tape + extra)
            np.testing.assert_array_equal(*(read(self.path(out), "gradient.h5")[0] for out in ("free", "tight")))

    def test_flow(self):
        """A velocity without -physics_type is an incompressible flow: Taylor-Green decays by exp(-2 nu t), its energy is told by
        the physics, the divergence by its own operator."""
        n, nu = 12, 0.05
        x = 2 * np.pi * np.arange(n) / n
        u0 = np.stack([np.sin(x)[:, None] * np.cos(x), -np.cos(x)[:, None] * np.sin(x)], -1)
        with h5py.File(self.path("in.h5"), "w") as f:
            f["dimensions/x"], f["dimensions/y"], f["t1_fields/velocity"] = x, x, u0[None, None]
        summary = self.solve("out", "-physics_navier_stokes_viscosity", nu, input=self.path("in.h5"), ranks=2)
        with h5py.File(self.path("out/trajectory.h5")) as f:
            u, decay = f["t1_fields/velocity"][0, -1], np.exp(-2 * nu * DT * STEPS)
        np.testing.assert_allclose(u, decay * u0, atol=1e-14)
        np.testing.assert_allclose([summary["energy_first"], summary["energy_last"]], [0.25, 0.25 * decay**2], rtol=1e-13)
        self.assertLess(summary["divergence_rms"], 1e-14)

    def test_saving(self):
        """Every 5th of 12 frames, and the last; sub-steps lengthen the frames; single in, single out; a frame not 0."""
        states = np.stack([0 * start(), start()])[None]
        write(self.path("single.h5"), states, [LENGTH], dtype="f4", time=np.array([3.0, 4.0]))
        self.solve("out", "-solve_frame", 1, "-solve_save_every", 5, "-stepper_substeps", 2,
                   input=self.path("single.h5"), steps=12)
        u, time, _ = read(self.path("out"))
        self.assertEqual(u.dtype, np.float32)
        np.testing.assert_allclose(time, 4 + 2 * DT * np.array([0, 5, 10, 12]), rtol=1e-7)
        wanted = etdrk4(start().astype("f4").astype("f8"), LENGTH, DT, 24)[[0, 10, 20, 24]]
        self.assertLess(abs(u - wanted).max(), 1e-5)  # x in single precision gives the length to 1e-7

    def test_scalar_wins_over_default_and_option_over_scalar(self):
        with h5py.File(self.input, "a") as f:
            f["scalars/domain_size"] = 3.1 * (1 + 1e-6)  # within what the coordinates' rounding may hide
        self.solve("out", steps=1)
        self.assertEqual(read(self.path("out"))[2]["domain_size"], 3.1 * (1 + 1e-6))
        self.solve("out", "-physics_ks_domain_size", 3.1, steps=1)
        self.assertEqual(read(self.path("out"))[2]["domain_size"], 3.1)

    def test_divergence(self):
        """An outcome: status 1, summary says when, nothing that looks finished, also not what an earlier run left."""
        self.solve("out", "-solve_cotangent", self.input, steps=1)
        write(self.path("large.h5"), 1e6 * start()[None, None], [LENGTH])
        status, message, summary = unroll(self.path("out"), "-solve_input", self.path("large.h5"), "-solve_steps", 50,
                                          "-solve_dt", 0.5, "-stepper_etdrk_order", 1, "-solve_cotangent", self.input, ranks=2)
        self.assertEqual(status, 1, message)
        self.assertEqual((summary["status"], summary["reason"]), ("failed", "diverged"))
        self.assertTrue(0 < summary["diverged_step"] < 50)
        self.assertEqual(os.listdir(self.path("out")), ["summary.json"])

    def test_dry_run(self):
        self.assertEqual(unroll(self.path("out"), "-solve_input", self.input, "-solve_dt", DT, "-dry_run")[0], 0)
        said = subprocess.run([UNROLL, "solve", "-solve_input", self.input, "-solve_cotangent", self.input, "-solve_dt", str(DT),
                               "-solve_steps", "100", "-rollout_memory", "6000", "-dry_run"], capture_output=True, text=True)
        self.assertRegex(said.stdout, r"vjp: 0\.00\d+ MB of states and tapes .*recompute factor [1-9]")
        self.assertFalse(os.path.exists(self.path("out")))

    def refused(self, expected, *options):
        status, message, summary = unroll(self.path("bad"), "-solve_dt", DT, *options, ranks=2)
        self.assertEqual(status, 2, message)
        self.assertEqual(message.count("unroll: error:"), 1, message)
        self.assertIn(expected, message)
        self.assertNotIn("PETSC ERROR", message)
        self.assertNotIn("HDF5-DIAG", message)
        self.assertFalse(os.path.exists(self.path("bad")) and os.listdir(self.path("bad")))

    def test_bad_options(self):
        self.refused("no -solve_input")
        self.refused("trajectory out of range (1)", "-solve_input", self.input, "-solve_sample", 1)
        self.refused("frame out of range (2)", "-solve_input", self.input, "-solve_frame", 2)
        self.refused("-grid_points contradicts", "-solve_input", self.input, "-grid_points", 32)
        self.refused("parameter domain_size (8) contradicts", "-solve_input", self.input, "-physics_ks_domain_size", 8)
        self.refused("contradicts", "-solve_input", self.input, "-grid_length", 7)
        self.refused("-layout_replicas", "-solve_input", self.input, "-layout_replicas", 2)

    def test_bad_files(self):
        good = start()[None, None]
        bad = self.path("file.h5")

        def check(expected):
            self.refused(expected, "-solve_input", bad)

        def check_cotangent(expected):
            self.refused(expected, "-solve_input", self.input, "-solve_cotangent", bad)

        check("No such file")
        check_cotangent("No such file")
        with open(bad, "w") as f:
            f.write("x,u\n0,1\n")
        check("not an HDF5 file")
        write(bad, good, [LENGTH])
        os.truncate(bad, os.path.getsize(bad) - 200)
        check("truncated or damaged")
        with h5py.File(bad, "w") as f:
            f["u"] = start()
        check("foreign HDF5 file")
        write(bad, good.astype("i4"), [LENGTH], dtype="i4", time=[0.0])
        check("wrong type of field 't0_fields/u' (integers)")
        write(bad, good, [LENGTH], x=np.arange(N) ** 1.01)
        check("not evenly spaced")
        write(bad, good, [LENGTH], x=np.arange(N + 1))
        check("inconsistent shape of 'dimensions/x' (49)")
        write(bad, np.where(np.arange(N) == 17, np.nan, good), [LENGTH])
        check("not finite (nan)")
        check_cotangent("not finite (nan)")
        write(bad, good, [LENGTH], name="t0_fields/h")
        check("no field 't0_fields/u' or 't1_fields/u'")
        write(bad, good[..., :40], [LENGTH])
        check_cotangent("another shape (40x1x1")


    def test_what_stands_in_the_way(self):
        """What the run reads is not removed as an earlier run's result, and a directory is found before the work."""
        write(self.path("w.h5"), start()[None, None], [LENGTH])
        for name, option in (("trajectory.h5", "-solve_input"), ("gradient.h5", "-solve_cotangent")):
            out = self.path("kept-" + name)
            os.mkdir(out)
            os.rename(self.input if option == "-solve_input" else self.path("w.h5"), os.path.join(out, name))
            given = [] if option == "-solve_input" else ["-solve_input", self.path("kept-trajectory.h5/trajectory.h5")]
            status, message, _ = unroll(out, option, os.path.join(out, name), *given, "-solve_dt", DT, ranks=2)
            self.assertEqual(status, 2, message)
            self.assertIn("-out holds a file that this run reads", message)
            self.assertEqual(os.listdir(out), [name])
        out = self.path("blocked")
        os.makedirs(os.path.join(out, "trajectory.h5"))
        status, message, _ = unroll(out, "-solve_input", self.path("kept-trajectory.h5/trajectory.h5"), "-solve_dt", DT)
        self.assertEqual((status, message.count("unroll: error:"), message.count("\r")), (2, 1, 0), message)
        self.assertIn("stands in the way", message)

    def test_one_run_at_a_time(self):
        """Two runs would mix their states in one file: the second is refused while the first, killed at last, runs."""
        out = self.path("out")
        first = subprocess.Popen([UNROLL, "solve", "-solve_input", self.input, "-solve_dt", "1e-4", "-solve_steps", "2000000000",
                                  "-solve_save_every", "0", "-out", out], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            for _ in range(600):
                if os.path.exists(os.path.join(out, "trajectory.h5.part")):
                    break
                time.sleep(0.1)
            status, message, _ = unroll(out, "-solve_input", self.input, "-solve_dt", DT, ranks=2)
            self.assertEqual((status, message.count("unroll: error: another run writes into -out")), (2, 1), message)
        finally:
            first.kill()
            first.wait()
        self.assertEqual(os.listdir(out), ["trajectory.h5.part"])  # nothing that looks finished
        self.solve("out", steps=1)

    def test_full_disk(self):
        """Nothing that looks finished, one line: a limit on the size of files stands for the full disk."""
        command = ["sh", "-c", 'ulimit -f 80000; trap "" XFSZ; exec "$@"', "sh", UNROLL, "solve", "-solve_input", self.input,
                   "-solve_dt", str(DT), "-solve_steps", "1000000", "-out", self.path("out")]
        run = subprocess.run(command, capture_output=True, text=True, timeout=120)
        self.assertEqual((run.returncode, run.stderr.count("\n")), (2, 1), run.stderr)
        self.assertIn("cannot write data file", run.stderr)
        self.assertEqual(os.listdir(self.path("out")), [])

    def test_scalars_of_others(self):
        """A scalar that is no number or has another shape harms only where a parameter has its name."""
        with h5py.File(self.input, "a") as f:
            f["scalars/label"], f["scalars/viscosity"], f["scalars/many"] = "abc", np.nan, np.zeros(7)
        self.solve("out", steps=1)
        burgers = ("-solve_input", self.input, "-physics_type", "burgers_spectral")
        self.refused("scalar 'viscosity' of trajectory 0", *burgers)
        with h5py.File(self.input, "a") as f:
            f["scalars/viscosity"][...] = -1
        self.refused("-physics_burgers_viscosity, from ", *burgers)


if __name__ == "__main__":
    unittest.main()
