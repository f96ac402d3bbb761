"""The command `generate` from outside: its numbers against an independent scheme, its bytes on any ranks, its end by force.

Needs numpy and h5py.  The program is $UNR_BUILD_DIR/unroll; meson gives that and the environment of MPI."""
import json
import os
import signal
import subprocess
import tempfile
import time
import unittest

import h5py
import numpy as np

UNROLL = os.path.join(os.environ["UNR_BUILD_DIR"], "unroll")
MPIEXEC = os.environ.get("UNR_MPIEXEC", "mpiexec")
DECK = os.path.join(os.environ["UNR_SOURCE_DIR"], "inputs/ks/smoke.yaml")
FLOW = os.path.join(os.environ["UNR_SOURCE_DIR"], "inputs/kolm/smoke.yaml")
PLANE = os.path.join(os.environ["UNR_SOURCE_DIR"], "inputs/swift_hohenberg/smoke.yaml")
SIZES, STARTS, FRAMES, WARMUP = [7.2, 7.6, 8.0, 8.8, 9.6, 10.4], 2, 30, 40
CASE = ["-options_file", DECK, "-sample_values", ",".join(map(str, SIZES)), "-dataset_precision", "single",
        "-start_warmup", WARMUP, "-generate_starts", 6, "-generate_frames", 5000, "-out", "out"]
SMALL = ["-generate_starts", STARTS, "-generate_frames", FRAMES, "-start_warmup", WARMUP]
LONG = ["-generate_starts", 1, "-generate_frames", 100000, "-start_warmup", 0, "-dataset_file", "long.h5"]


def etdrk2(u, size, dt, steps):
    """Cox & Matthews 2002, second order, for u_t = -u_xx - u_xxxx - (u^2/2)_x: phi functions by contour means."""
    n = len(u)
    k = np.fft.fftfreq(n, 1 / n) / size
    odd = k.copy()
    odd[n // 2] = 0
    z = dt * (k**2 - k**4)
    r = z[:, None] + np.exp(2j * np.pi * (np.arange(64) + 0.5) / 64)
    phi1 = np.mean((np.exp(r) - 1) / r, 1)
    phi2 = np.mean((np.exp(r) - 1 - r) / r**2, 1)

    def nonlinear(v):
        return -0.5j * odd * np.fft.fft(np.fft.ifft(v).real ** 2)

    v = np.fft.fft(u)
    for _ in range(steps):
        nv = nonlinear(v)
        a = np.exp(z) * v + dt * phi1 * nv
        v = a + dt * phi2 * (nonlinear(a) - nv)
    return np.fft.ifft(v).real


def volume(u, coarse):
    """Means over coarse cells, with half of the outermost fine cells where they are even in number; the last axes."""
    for axis, points in zip(range(-len(coarse), 0), coarse):
        ratio = u.shape[axis] // points
        weights = np.ones(ratio) if ratio % 2 else np.r_[0.5, np.ones(ratio - 1), 0.5]
        sums = sum(w * np.roll(u, ratio // 2 - k, axis) for k, w in enumerate(weights))
        u = np.take(sums, np.arange(0, u.shape[axis], ratio), axis) / ratio
    return u


def cut(u, most):
    """The waves up to `most` along the last axes but one, as numpy's own transform has them, on as many points as `most` says."""
    axes = tuple(range(u.ndim - 1 - len(most), u.ndim - 1))
    waves, points = np.fft.fftn(u, axes=axes), [m[1] for m in most]
    kept = np.zeros([*u.shape[:axes[0]], *points, u.shape[-1]], complex)
    for k in np.ndindex(*[2 * m + 1 for m, _ in most]):
        at = tuple(i - m[0] for i, m in zip(k, most))
        kept[(..., *at, slice(None))] = waves[(..., *at, slice(None))]
    return np.fft.ifftn(kept, axes=axes).real * np.prod(points) / np.prod([u.shape[a] for a in axes])


class Generate(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="unroll-generate-")
        self.addCleanup(self.folder.cleanup)

    def path(self, *names):
        return os.path.join(self.folder.name, *names)

    def run_in(self, name, *options, ranks=1, command="generate"):
        """Runs the command in a directory of that name, so that the same options have the same texts there."""
        os.makedirs(self.path(name), exist_ok=True)
        line = [MPIEXEC, "-n", str(ranks), UNROLL, command, *map(str, options)]
        return subprocess.run(line, cwd=self.path(name), capture_output=True, text=True, timeout=120)

    def generate(self, name, *options, ranks=1):
        done = self.run_in(name, *CASE, *options, ranks=ranks)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.path(name, "out", "summary.json")) as f:
            summary = json.load(f)
        self.assertEqual(summary["status"], "ok")
        return summary

    def field(self, *names):
        with h5py.File(self.path(*names)) as f:
            return f["t0_fields/u"][:]

    def test_numbers(self):
        """Each frame from the one before by another program's ETDRK2; rounding of two sub-steps of a state below 10."""
        summary = self.generate("a", *SMALL, "-dataset_file", "train.h5", "-dataset_precision", "double")
        u = self.field("a", "train.h5")
        self.assertEqual(u.shape, (len(SIZES) * STARTS, FRAMES, 48))
        self.assertEqual(u.dtype, np.float64)
        worst = max(abs(etdrk2(u[t, k], SIZES[t // STARTS], 0.5, 2) - u[t, k + 1]).max()
                    for t in range(len(u)) for k in range(FRAMES - 1))
        self.assertLess(worst, 1e-12)
        self.assertGreater(abs(u[:, 1:] - u[:, :-1]).max(axis=(1, 2)).min(), 0.1)  # something happens in each
        self.assertEqual(len(np.unique(u[:, 0], axis=0)), len(u))
        self.assertEqual([summary[key] for key in ("trajectories", "frames", "warmup", "bytes")],
                         [len(u), FRAMES, WARMUP, os.path.getsize(self.path("a", "train.h5"))])
        self.assertGreater(summary["seconds_per_frame"], 0)

    def test_warmup_is_dropped(self):
        """Bit for bit: the same steps."""
        self.generate("a", *SMALL[:-1], 0, "-dataset_file", "u.h5", "-dataset_precision", "double")
        self.generate("b", *SMALL[:-1], 7, "-dataset_file", "u.h5", "-dataset_precision", "double")
        np.testing.assert_array_equal(self.field("a", "u.h5")[:, 7:], self.field("b", "u.h5")[:, :-7])

    def test_same_bytes_on_any_ranks(self):
        """The whole file: a line is transformed by one rank, whatever the layout."""
        for precision in ("single", "double"):
            options = [*SMALL, "-dataset_file", "u.h5", "-dataset_precision", precision]
            for layout in ([], ["-layout_replicas", 1]):
                found = set()
                for ranks in (1, 2, 3):
                    name = f"{precision}-{len(layout)}-{ranks}"
                    self.generate(name, *options, *layout, ranks=ranks)
                    with open(self.path(name, "u.h5"), "rb") as f:
                        found.add(f.read())
                self.assertEqual(len(found), 1, (precision, layout))
        single, double = self.field("single-0-1", "u.h5"), self.field("double-2-3", "u.h5")
        self.assertEqual(single.dtype, np.float32)
        np.testing.assert_array_equal(single, double.astype(np.float32))

    def test_file_of_many_blocks(self):
        """More frames than one block of them, which is 16 MiB a rank: the blocks join without a gap."""
        options = ["-generate_starts", 40, "-start_warmup", 3, "-dataset_precision", "double"]
        self.generate("a", *options, "-generate_frames", 401, "-dataset_file", "u.h5", ranks=2)
        u = self.field("a", "u.h5")
        self.assertGreater(u.nbytes / 2, 2**24)
        for t in (0, 119, 120, 239):
            for k in range(400):
                self.assertLess(abs(etdrk2(u[t, k], SIZES[t // 40], 0.5, 2) - u[t, k + 1]).max(), 1e-12, (t, k))

    def test_layout_of_the_well(self):
        self.generate("a", *SMALL, "-dataset_file", "data/new/train.h5", ranks=2)
        sizes = np.repeat(SIZES, STARTS)
        with h5py.File(self.path("a", "data", "new", "train.h5")) as f:
            self.assertEqual(f.attrs["n_trajectories"], len(sizes))
            self.assertEqual(list(f.attrs["simulation_parameters"]), ["domain_size"])
            np.testing.assert_array_equal(f["scalars/domain_size"], sizes)
            np.testing.assert_allclose(f["dimensions/x"], 2 * np.pi * sizes[:, None] * np.arange(48) / 48, rtol=1e-15)
            np.testing.assert_array_equal(f["dimensions/time"], np.arange(FRAMES))  # two sub-steps of 0.5
            self.assertEqual(f["unroll/options"].attrs["generate_frames"], str(FRAMES))
            self.assertEqual(f["unroll"].attrs["seed_data"], 1)
        self.assertFalse(os.path.exists(self.path("a", "data", "new", "train.h5.part")))

    def test_test_set(self):
        """Its own values, starts, warm-up, horizon and seed; the frame of the start besides the horizon."""
        test = ["-test_values", "7.44,11.2", "-test_starts", 3, "-test_warmup", WARMUP, "-test_frames", 12]
        self.generate("a", "-generate_set", "test", *test, "-test_file", "test.h5", "-dataset_precision", "double")
        self.generate("a", *SMALL, "-sample_values", "7.44,11.2", "-generate_starts", 3, "-dataset_file", "train.h5",
                      "-dataset_precision", "double")
        u, train = self.field("a", "test.h5"), self.field("a", "train.h5")
        self.assertEqual(u.shape, (6, 13, 48))
        self.assertGreater(abs(u[:, 0] - train[:, 0]).max(axis=1).min(), 0.1)  # equal seeds are other starts
        with h5py.File(self.path("a", "test.h5")) as f:
            np.testing.assert_array_equal(f["scalars/domain_size"], [7.44] * 3 + [11.2] * 3)

    def plane(self, name, points, *options, ranks=1):
        """States of the fine grid that an uncoarsened run leaves, in double."""
        line = ["-options_file", PLANE, "-layout_replicas", 1, "-grid_points", points, "-generate_starts", 1,
                "-generate_frames", 6, "-start_warmup", 3, "-start_peak", 1, "-dataset_precision", "double",
                "-dataset_file", "u.h5", *options]
        done = self.run_in(name, *line, ranks=ranks)
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.field(name, "u.h5")

    def test_volume_filter(self):
        """Start, steps and warm-up on the fine grid, means on the coarse one; to rounding on any ranks."""
        for fine, coarse in (((24, 20), (12, 5)), ((21, 15), (7, 5))):
            texts = [",".join(map(str, points)) for points in (fine, coarse)]
            wanted = volume(self.plane("fine", texts[0]), coarse)
            for ranks in (1, 2, 3, 4):
                u = self.plane(f"coarse-{ranks}", texts[1], "-generate_points", texts[0], "-generate_filter", "volume",
                               ranks=ranks)
                self.assertEqual(u.shape[2:], coarse)
                np.testing.assert_allclose(u, wanted, rtol=0, atol=1e-14 * abs(wanted).max())
        with h5py.File(self.path("coarse-4", "u.h5")) as f:
            said = f["unroll/options"].attrs
            self.assertEqual((said["generate_points"], said["generate_filter"]), ("21,15", "volume"))
            np.testing.assert_allclose((f["dimensions/x"][1] * 7, f["dimensions/y"][1] * 5), (6 * np.pi, 16), rtol=1e-12)

    def flow(self, name, points, *options, ranks=1):
        line = ["-options_file", FLOW, "-layout_replicas", 1, "-grid_points", points, "-generate_starts", 1, "-generate_frames", 5,
                "-start_warmup", 3, "-dataset_precision", "double", "-dataset_file", "u.h5", *options]
        done = self.run_in(name, *line, ranks=ranks)
        self.assertEqual(done.returncode, 0, done.stderr)
        with h5py.File(self.path(name, "u.h5")) as f:
            return f["t1_fields/velocity"][:], dict(f["unroll/options"].attrs)

    def test_spectral_filter(self):
        """The waves of an uncoarsened run that the coarse physics has, by numpy; divergence-free still; on any ranks."""
        for dealias in ("true", "false"):
            options = ["-physics_navier_stokes_dealias", dealias, "-generate_filter", "spectral"]
            fine, _ = self.flow("fine-" + dealias, "40,30", *options, "-generate_points", "40,30")
            coarse = (18, 15)
            most = [((n - 1) // (3 if dealias == "true" else 2), n) for n in coarse]
            wanted = cut(fine, most)
            for ranks in (1, 2, 3, 4):
                u, said = self.flow(f"{dealias}-{ranks}", "18,15", *options, "-generate_points", "40,30", ranks=ranks)
                np.testing.assert_allclose(u, wanted, rtol=0, atol=1e-13 * abs(wanted).max())
                self.assertEqual((said["generate_points"], said["generate_filter"]), ("40,30", "spectral"))
            waves = np.fft.fft2(u, axes=(2, 3))
            k = np.meshgrid(*[np.fft.fftfreq(n, 1 / n) for n in coarse], indexing="ij")
            self.assertLess(abs(k[0] * waves[..., 0] + k[1] * waves[..., 1]).max() / abs(waves).max(), 1e-12)
            self.assertGreater(abs(u - fine[:, :, :18, :15]).max(), 0.1)

    def test_finer_grid_takes_as_long_a_frame(self):
        done = self.run_in("a", "-options_file", FLOW, "-dataset_file", "u.h5", "-reference_stepper_substeps", 3)
        self.assertEqual(done.returncode, 2)
        self.assertIn("a frame of the solver takes 0.05, of the reference scheme 0.0375; allowed: equal times", done.stderr)

    def test_evaluate_on_a_finer_grid(self):
        """Without a file evaluate integrates what generate puts into one: the same references, so the same numbers."""
        case = ["-options_file", PLANE, "-grid_points", "12,10", "-generate_points", "24,20", "-generate_filter", "volume",
                "-start_peak", 1, "-dataset_precision", "double", "-test_starts", 1, "-test_warmup", 3, "-test_frames", 6]
        done = self.run_in("a", *case, "-generate_set", "test", "-test_file", "u.h5", ranks=2)
        self.assertEqual(done.returncode, 0, done.stderr)
        found = []
        for file in ("u.h5", "none"):
            done = self.run_in("a", *case, "-test_file", file, "-model_type", "solver", "-evaluate_save", 6, "-out", file + "-out",
                               command="evaluate")
            self.assertEqual(done.returncode, 0, done.stderr)
            found.append(self.field("a", file + "-out", "reference.h5"))
        self.assertGreater(abs(found[0][:, 1:] - found[0][:, :-1]).max(), 1e-3)
        np.testing.assert_allclose(found[1], found[0], rtol=0, atol=1e-14)  # the file's was made on two ranks
        np.testing.assert_allclose(self.field("a", "u.h5"), found[0], rtol=0, atol=1e-15)

    def test_tracer(self):
        """A state of two fields goes through generate, train and evaluate; what convects a tracer keeps its mean."""
        case = ["-options_file", FLOW, "-physics_navier_stokes_tracer", "-dataset_file", "u.h5", "-test_file", "t.h5",
                "-dataset_precision", "double", "-generate_frames", 30, "-start_warmup", 5, "-test_warmup", 5, "-test_starts", 1,
                "-train_updates", 3, "-out", "out"]
        for command, options in (("generate", []), ("generate", ["-generate_set", "test"]), ("train", []),
                                 ("evaluate", ["-model_file", "out/model.h5", "-evaluate_save", 3, "-out", "evaluate"])):
            done = self.run_in("a", *case, *options, command=command, ranks=2)
            self.assertEqual(done.returncode, 0, done.stderr)
        with h5py.File(self.path("a", "u.h5")) as f:
            self.assertEqual([list(f[g].attrs["field_names"]) for g in ("t0_fields", "t1_fields")], [["tracer"], ["velocity"]])
            self.assertEqual((f["t0_fields/tracer"].shape, f["t1_fields/velocity"].shape), ((6, 30, 16, 16), (6, 30, 16, 16, 2)))
            tracer = f["t0_fields/tracer"][:]
        mean = tracer.mean((2, 3))
        np.testing.assert_allclose(mean, mean[:, :1] + 0 * mean, rtol=0, atol=1e-13)
        self.assertGreater(abs(tracer[:, -1] - tracer[:, 0]).max(axis=(1, 2)).min(), 0.1)
        with h5py.File(self.path("a", "evaluate", "reference.h5")) as f, h5py.File(self.path("a", "t.h5")) as g:
            for name in ("t0_fields/tracer", "t1_fields/velocity"):
                np.testing.assert_array_equal(f[name][:], g[name][:, :4])

    def test_finer_grid_refused(self):
        for options, message in (
                (["-generate_points", "24"], "-generate_points has 1 numbers (-grid_points: 2)"),
                (["-generate_points", "24,8"], "-generate_points is coarser than -grid_points (8 and 10 points along y)"),
                (["-generate_points", "24,25", "-generate_filter", "volume"],
                 "-generate_points (25 along y) is no multiple of -grid_points (10) for -generate_filter volume; "
                 "allowed: multiples; try: 20, or another"),
                (["-generate_points", "24,20", "-generate_filter", "mean"], "-generate_filter"),
                (["-generate_points", "24,20", "-physics_type", "burgers_fv", "-stepper_type", "rk", "-reference_stepper_type", "rk", "-net_constants", "viscosity",
                  "-sample_parameter", "viscosity", "-sample_values", "0.1"],
                 "-generate_filter spectral for a physics without transforms (burgers_fv)")):
            done = self.run_in("a", "-options_file", PLANE, "-grid_points", "12,10", "-dataset_file", "u.h5", *options, ranks=2)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(message, done.stderr)
            self.assertFalse(os.path.exists(self.path("a", "u.h5")))

    def test_dry_run_tells_the_finer_grid(self):
        done = self.run_in("a", "-options_file", PLANE, "-grid_points", "12,10", "-generate_points", "24,20", "-generate_filter",
                           "volume", "-dataset_file", "u.h5", "-dry_run", "-generate_starts", 2, "-generate_frames", 50)
        self.assertEqual(done.returncode, 0, done.stderr)
        trajectories = int(done.stdout.split(" trajectories")[0].split()[-1])
        self.assertIn("on 24x20 points, coarsened to 12x10 by the volume filter", done.stdout)
        self.assertIn(f"u.h5 of {trajectories * 50 * 120 * 4 / 1e6:.3g} MB; {trajectories * 480 * 8 / 1e6:.3g} MB a frame", done.stdout)

    def test_diverged(self):
        """Exponential Euler blows up: no new file, the old one stays, the first frame and trajectory are told."""
        self.generate("a", *SMALL, "-dataset_file", "u.h5")
        before = self.field("a", "u.h5")
        said = set()
        for ranks in (1, 2, 3):
            done = self.run_in("a", *CASE, *SMALL, "-generate_frames", 900,
                               "-reference_stepper_etdrk_order", 1, "-dataset_file", "u.h5", ranks=ranks)
            self.assertEqual(done.returncode, 2)
            said.add(next(line for line in done.stderr.splitlines() if line.startswith("unroll: error: ")))
            self.assertNotIn("PETSC ERROR", done.stderr)
        self.assertEqual(len(said), 1, said)
        self.assertRegex(said.pop(), r"diverged in trajectory \d+ of 12, frame \d+( of the warm-up)? \(domain_size [\d.]+\)"
                                     r", so there is no u.h5; allowed: .*; try: a smaller -reference_stepper_dt")
        np.testing.assert_array_equal(self.field("a", "u.h5"), before)
        self.assertEqual(os.listdir(self.path("a", "out")), [])
        self.assertFalse(os.path.exists(self.path("a", "u.h5.part")))

    def begin(self, name):
        """A long run that has begun its file."""
        os.makedirs(self.path(name), exist_ok=True)
        run = subprocess.Popen([UNROLL, "generate", *map(str, CASE + LONG)],
                               cwd=self.path(name), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.addCleanup(run.stderr.close)
        self.addCleanup(run.wait)
        self.addCleanup(run.kill)
        until = time.time() + 60
        while not os.path.exists(self.path(name, "long.h5.part")) and time.time() < until:
            self.assertIsNone(run.poll())
            time.sleep(0.02)
        return run

    def test_killed(self):
        run = self.begin("a")
        run.kill()
        run.wait()
        self.assertEqual(run.returncode, -signal.SIGKILL)
        self.assertFalse(os.path.exists(self.path("a", "long.h5")))
        self.assertFalse(os.path.exists(self.path("a", "out", "summary.json")))
        self.generate("a", *LONG, "-generate_frames", 50)  # what it left does not stand in the way
        self.assertEqual(self.field("a", "long.h5").shape, (6, 50, 48))
        self.assertFalse(os.path.exists(self.path("a", "long.h5.part")))

    def test_stopped(self):
        """USR1 or TERM: requeue, and nothing that looks finished."""
        for number in (signal.SIGUSR1, signal.SIGTERM):
            run = self.begin("a")
            run.send_signal(number)
            _, message = run.communicate(timeout=60)
            self.assertEqual(run.returncode, 85, message)
            self.assertIn("stopped by a signal: there is no long.h5", message)
            self.assertEqual(os.listdir(self.path("a")), ["out"])
            self.assertEqual(os.listdir(self.path("a", "out")), [])

    def test_two_at_once(self):
        self.begin("a")
        done = self.run_in("a", *CASE, *LONG, "-out", "other")
        self.assertEqual(done.returncode, 2)
        self.assertIn("another run writes this data file (long.h5)", done.stderr)
        # the other's is left alone: still being written, or whole where that run was quick
        self.assertTrue(any(os.path.exists(self.path("a", name)) for name in ("long.h5.part", "long.h5")))

    def test_dry_run(self):
        done = self.run_in("a", *CASE, "-dataset_file", "data/u.h5", "-dry_run", ranks=2)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("36 trajectories of 5000 frames after 40 of warm-up\n2 ranks = 2 replicas x grid 1\n"
                      "data/u.h5 of 34.6 MB", done.stdout)
        self.assertEqual(os.listdir(self.path("a")), [])

    def test_starts_from_a_file(self):
        """Their source is recorded, and is never replaced."""
        self.generate("a", *SMALL, "-dataset_file", "starts.h5")
        more = [*SMALL, "-start_type", "file", "-start_file", "starts.h5"]
        self.generate("a", *more, "-dataset_file", "more.h5")
        with h5py.File(self.path("a", "more.h5")) as f:
            self.assertEqual(list(f["unroll"].attrs["source"]), ["starts.h5"])
        done = self.run_in("a", *CASE, *more, "-dataset_file", "./starts.h5")
        self.assertEqual(done.returncode, 2)
        self.assertIn("would replace the file of its start states (starts.h5)", done.stderr)


if __name__ == "__main__":
    unittest.main()
