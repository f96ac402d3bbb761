"""The command `evaluate` from outside: against an independent solver in numpy, on several ranks, with files, models, bad input.

Needs numpy and h5py.  The program is $UNR_BUILD_DIR/unroll; meson gives that and the environment of MPI."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

import h5py
import numpy as np

SOURCE = os.environ["UNR_SOURCE_DIR"]
sys.path.insert(0, os.path.join(SOURCE, "tests", "reference"))
from ks_numpy import frame as ks_frame

UNROLL = os.path.join(os.environ["UNR_BUILD_DIR"], "unroll")
MPIEXEC = os.environ.get("UNR_MPIEXEC", "mpiexec")
DECK = os.path.join(SOURCE, "inputs", "ks", "smoke.yaml")
STARTS, FRAMES, FIRST, VALUES = 3, 60, 12, (7.44, 11.2)
SET = ("-test_values", "7.44,11.2", "-test_starts", STARTS, "-test_frames", FRAMES, "-test_warmup", 100, "-seed_test", 3,
       "-dataset_precision", "double", "-test_file", "none")
BARE = ("-model_type", "solver")
SERIES = ("rel", "mse", "correlation", "residual")
NUMBERS = ("rel", "one_frame", "mse", "correlation_time", "residual", "divergence_time", "spectrum_error")


def unroll(command, *options, ranks=1, deck=DECK):
    """Status, what it wrote to stdout and to stderr."""
    arguments = [MPIEXEC, "-n", str(ranks), UNROLL, command, "-options_file", deck, *map(str, options)]
    run = subprocess.run(arguments, capture_output=True, text=True, timeout=240)
    return run.returncode, run.stdout, run.stderr


class Measured:
    """What a run left in its directory."""

    def __init__(self, out):
        with open(os.path.join(out, "summary.json")) as f:
            self.summary = json.load(f)
        with h5py.File(os.path.join(out, "metrics.h5")) as f:
            self.attributes = dict(f.attrs)
            self.options = dict(f["options"].attrs)
            self.frame = {name: data[:] for name, data in f["frame"].items()}
            self.test = {name: data.asstr()[:] if name == "label" else data[:] for name, data in f["test"].items()}
            self.shell = {name: data[:] for name, data in f["shell"].items()} if "shell" in f else {}
            self.groups = {name: data[:] if name == "value" else list(data.asstr()[:]) for name, data in f["groups"].items()}


def states(out, name, parameter="domain_size"):
    with h5py.File(os.path.join(out, name)) as f:
        return f["t0_fields/u"][:], f["scalars"][parameter][:], f["dimensions/time"][:]


def shells(u):
    """Energy by shell of states [..., x, y, component] or [..., x, 1, 1] on a square or a line."""
    n = u.shape[-3:-1]
    modes = np.fft.fft2(u, axes=(-3, -2)) / (n[0] * n[1])
    energy = (abs(modes) ** 2 / 2).sum(axis=-1)
    k = np.sqrt(sum(x ** 2 for x in np.meshgrid(*(np.fft.fftfreq(m, 1 / m) for m in n), indexing="ij")))
    shell = np.floor(k + 0.5).astype(int)
    return np.stack([energy[..., shell == i].sum(axis=-1) for i in range(shell.max() + 1)], axis=-1)


def distance(ours, theirs):
    """Mean over the filled shells, without that of the mean, of the distance of two spectra in decades."""
    filled = np.flatnonzero(theirs[1:] > 1e-12 * theirs.sum()) + 1
    return np.mean(abs(np.log10(np.maximum(ours[filled], 1e-12 * theirs.sum()) / theirs[filled])))


def roll(u, s, order, frames):
    """The independent solver: frames 0 ... frames."""
    out = [u]
    for _ in range(frames):
        out.append(ks_frame(out[-1], s, order, 0.5, 2).real)
    return np.array(out)


class Evaluate(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="unroll-evaluate-")
        cls.addClassCleanup(cls.folder.cleanup)
        cls.bare = cls.path("bare")
        status, cls.table, message = unroll("evaluate", *SET, *BARE, "-out", cls.bare)
        assert status == 0, message
        cls.measured = Measured(cls.bare)

    @classmethod
    def path(cls, name):
        return os.path.join(cls.folder.name, name)

    def evaluate(self, name, *options, ranks=1, deck=DECK):
        status, _, message = unroll("evaluate", *options, "-out", self.path(name), ranks=ranks, deck=deck)
        self.assertEqual(status, 0, message)
        return Measured(self.path(name))

    def early(self, a, b, tolerance=1e-8):
        """Equal but for rounding, which 12 frames of chaos amplify by some 1e3, and a blow-up by more."""
        for name in SERIES:
            np.testing.assert_allclose(a.frame[name][:, :FIRST + 1], b.frame[name][:, :FIRST + 1], rtol=tolerance,
                                       atol=1e-14, err_msg=name)
        for name in ("rel", "one_frame", "mse"):
            np.testing.assert_allclose(a.test[name], b.test[name], rtol=tolerance, err_msg=name)
        np.testing.assert_array_equal(a.test["diverged"], b.test["diverged"])

    def test_numbers_of_one_test(self):
        """Every number of the first test of each value, from its start on, by another program."""
        reference, sizes, time = states(self.bare, "reference.h5")
        trajectory = states(self.bare, "trajectory.h5")[0]
        np.testing.assert_allclose(sizes, VALUES, rtol=1e-14)
        np.testing.assert_allclose(time, np.arange(FRAMES + 1), rtol=1e-14)
        self.assertGreater(np.std(reference[0, 0]), 0.5)  # the warm-up has left the start's cosine
        for g, s in enumerate(VALUES):
            t, start = g * STARTS, reference[g, 0]
            with np.errstate(all="ignore"):
                u, r = roll(start, s, 1, FIRST), roll(start, s, 2, FIRST)
            self.assertLess(abs(u).max(), 30, "choose another seed: this test is to stay in bounds")
            one = np.array([ks_frame(v, s, 2, 0.5, 2).real for v in u[:-1]])
            # 12 frames of chaos between two programs' rounding
            np.testing.assert_allclose(reference[g, :FIRST + 1], r, atol=1e-10)
            np.testing.assert_allclose(trajectory[g, :FIRST + 1], u, atol=1e-10)
            mse = np.mean((u - r) ** 2, axis=1)
            wanted = {"mse": mse, "rel": mse / abs(r).max() ** 2,
                      "correlation": np.sum(u * r, 1) / np.linalg.norm(u, axis=1) / np.linalg.norm(r, axis=1),
                      "residual": np.concatenate([[np.nan], np.mean((u[1:] - one) ** 2, axis=1)])}
            for name in SERIES:
                np.testing.assert_allclose(self.measured.frame[name][t, :FIRST + 1], wanted[name], rtol=1e-9, atol=1e-13,
                                           err_msg=name)
            self.assertAlmostEqual(self.measured.test["rel"][t], np.mean(wanted["rel"][1:]), delta=1e-10)
            self.assertAlmostEqual(self.measured.test["mse"][t], np.mean(mse[1:]), delta=1e-9)
            self.assertAlmostEqual(self.measured.test["one_frame"][t], np.sqrt(mse[1] / np.mean(r[1] ** 2)), delta=1e-11)

    def test_times_from_the_series(self):
        """The bare solver blows up within the horizon: its times and bounds, from its own series."""
        m, left = self.measured, 0
        for t, bounded in enumerate(m.test["bounded_frames"]):
            c, residual = m.frame["correlation"][t], m.frame["residual"][t]
            out = np.arange(FRAMES + 1) > bounded
            left += bounded < FRAMES
            np.testing.assert_array_equal(np.isnan(c), out)
            below = (c < 0.2) | out
            stays = [k for k in range(FRAMES + 1) if below[k:k + 5].all() and (k + 5 <= FRAMES + 1 or out[-1])]
            self.assertEqual(m.test["correlation_time"][t], min(stays, default=FRAMES))
            passed = [k for k in range(1, FRAMES + 1) if out[k] or residual[k] * 48 > 500]
            self.assertEqual(m.test["divergence_time"][t], min(passed, default=FRAMES))
            self.assertEqual(m.test["label"][t] == "unstable", bool(passed) and min(passed) < FRAMES)
            self.assertEqual(m.test["diverged"][t], bounded < FIRST)
            self.assertEqual(np.isnan(m.test["rel"][t]), bounded < FIRST)
        self.assertGreater(left, 3)

    def test_spectrum(self):
        """Of the first test of each value, mean over the frames in bounds behind the start."""
        u, r = states(self.bare, "trajectory.h5")[0], states(self.bare, "reference.h5")[0]
        m = self.measured
        for g, s in enumerate(VALUES):
            t, bounded = g * STARTS, self.measured.test["bounded_frames"][g * STARTS]
            ours, theirs = (shells(x[1:, :, None, None]).mean(axis=0) for x in (u[g, :bounded + 1], r[g]))
            count = m.shell["spectrum"].shape[1]
            self.assertEqual(count, len(ours))
            np.testing.assert_allclose(m.shell["spectrum"][t], ours, rtol=1e-11, atol=1e-15)
            np.testing.assert_allclose(m.shell["spectrum_reference"][t], theirs, rtol=1e-11, atol=1e-15)
            np.testing.assert_allclose(m.shell["wavenumber"][t], np.arange(count) / s, rtol=1e-14)
            self.assertAlmostEqual(m.test["spectrum_error"][t], distance(ours, theirs), delta=1e-11)

    def test_flow(self):
        """2-D flow: vorticity, its correlation and planes, energy budget, spectrum, by numpy from the saved velocities."""
        deck = os.path.join(SOURCE, "inputs", "kolm", "smoke.yaml")
        m = self.evaluate("flow", "-test_file", "none", "-test_starts", 1, "-test_frames", 12, "-evaluate_rollout_frames", 15,
                          "-dataset_precision", "double", "-stepper_etdrk_order", 1, "-reference_stepper_etdrk_order", 2,
                          "-layout_replicas", 1, *BARE, deck=deck, ranks=2)
        with h5py.File(self.path("flow/trajectory.h5")) as f, h5py.File(self.path("flow/reference.h5")) as g:
            u, r = f["t1_fields/velocity"][:], g["t1_fields/velocity"][:]
            viscosity = f["scalars/viscosity"][:]
        k = np.fft.fftfreq(16, 1 / 16)

        def derivative(v, axis):
            shape = [1] * v.ndim
            shape[axis] = 16
            return np.fft.ifft(1j * k.reshape(shape) * np.fft.fft(v, axis=axis), axis=axis).real

        w, wr = (derivative(v[..., 1], 2) - derivative(v[..., 0], 3) for v in (u, r))
        for t in range(2):
            wanted = [np.corrcoef(a.ravel(), b.ravel())[0, 1] for a, b in zip(w[t], wr[t])]
            np.testing.assert_allclose(m.frame["vorticity_correlation"][t, :13], wanted, rtol=1e-11)
            self.assertTrue(np.isnan(m.frame["vorticity_correlation"][t, 13:]).all())
            self.assertGreater(1 - wanted[12], 1e-9)
            y = 2 * np.pi / 16 * np.arange(16)
            for ending, v, vorticity in (("", u[t], w[t]), ("_reference", r[t], wr[t])):
                frames = len(v)
                energy, enstrophy = (v ** 2).sum(-1).mean((1, 2)) / 2, (vorticity ** 2).mean((1, 2)) / 2
                for name, value in (("energy", energy), ("enstrophy", enstrophy), ("dissipation", 2 * viscosity[t] * enstrophy),
                                    ("injection", (v[..., 0] * np.sin(4 * y)).mean((1, 2)))):
                    np.testing.assert_allclose(m.frame[name + ending][t, :frames], value, rtol=1e-10, atol=1e-14, err_msg=name)
                    self.assertTrue(np.isnan(m.frame[name + ending][t, frames:]).all())
            self.assertLess(np.max(m.frame["divergence"][t]), 1e-12)
            self.assertEqual(m.test["divergence_rms"][t], np.max(m.frame["divergence"][t]))
            ours, theirs = (m.frame[name][t, 1:13].mean() for name in ("energy", "energy_reference"))
            self.assertAlmostEqual(m.test["energy_error"][t], abs(ours / theirs - 1), delta=1e-13)
            spectrum, other = shells(u[t, 1:]).mean(axis=0), shells(r[t, 1:]).mean(axis=0)
            count = m.shell["spectrum"].shape[1]
            np.testing.assert_allclose(m.shell["spectrum"][t], spectrum[:count], rtol=1e-10, atol=1e-18)
            np.testing.assert_allclose(m.shell["spectrum_reference"][t], other[:count], rtol=1e-10, atol=1e-18)
            self.assertLess(spectrum[count:].sum(), 1e-18)
            self.assertAlmostEqual(m.test["spectrum_error"][t], distance(spectrum, other), delta=1e-9)
        with h5py.File(self.path("flow/metrics.h5")) as f:
            frames = f["planes/frame"][:].astype(int)
            self.assertEqual(f["planes"].attrs["field"], "vorticity")
            np.testing.assert_allclose(f["planes/trajectory"][:], w[:, frames], atol=1e-5)
            np.testing.assert_allclose(f["planes/reference"][:, :-1], wr[:, frames[:-1]], atol=1e-5)
            self.assertAlmostEqual(f.attrs["frame_time"], 0.05)

    def test_flow_in_three_dimensions(self):
        """The plane is that of the z vorticity in the middle of z; the correlation is over all three components."""
        deck = os.path.join(SOURCE, "inputs", "kolm", "smoke.yaml")
        m = self.evaluate("flow3", "-test_file", "none", "-grid_points", "8,10,12", "-generate_points", "8,10,12", "-test_starts", 1,
                          "-test_frames", 6, "-test_values", 0.02, "-start_peak", 1, "-physics_navier_stokes_forcing_wavenumber", 2, "-dataset_precision", "double",
                          "-stepper_etdrk_order", 1, "-reference_stepper_etdrk_order", 2, "-layout_replicas", 1, *BARE, deck=deck, ranks=3)
        with h5py.File(self.path("flow3/trajectory.h5")) as f, h5py.File(self.path("flow3/reference.h5")) as g:
            u, r = f["t1_fields/velocity"][0], g["t1_fields/velocity"][0]

        def curl(v):
            def derivative(component, axis):
                n = v.shape[axis + 1]
                k = np.fft.fftfreq(n, 1 / n).reshape([n if a == axis + 1 else 1 for a in range(4)])
                return np.fft.ifft(1j * k * np.fft.fft(v[..., component], axis=axis + 1), axis=axis + 1).real
            return np.stack([derivative(2, 1) - derivative(1, 2), derivative(0, 2) - derivative(2, 0),
                             derivative(1, 0) - derivative(0, 1)], axis=-1)

        w, wr = curl(u), curl(r)
        np.testing.assert_allclose(m.frame["vorticity_correlation"][0], [np.corrcoef(a.ravel(), b.ravel())[0, 1] for a, b in zip(w, wr)],
                                   rtol=1e-11)
        with h5py.File(self.path("flow3/metrics.h5")) as f:
            frames = f["planes/frame"][:].astype(int)
            np.testing.assert_allclose(f["planes/trajectory"][0], w[frames][..., 6, 2], atol=1e-5)
            np.testing.assert_allclose(f["planes/reference"][0], wr[frames][..., 6, 2], atol=1e-5)
            np.testing.assert_allclose(f["planes/z"][:], [[np.pi]])
            self.assertEqual((f["planes/x"].shape, f["planes/y"].shape, f["planes"].attrs["component"]), ((1, 8), (1, 10), "z"))

    def test_frozen_frames_are_no_numbers_in_the_trajectory(self):
        u = states(self.bare, "trajectory.h5")[0]
        for g in range(2):
            bounded = self.measured.test["bounded_frames"][g * STARTS]
            gone = np.isnan(u[g]).all(axis=1)
            np.testing.assert_array_equal(gone, np.arange(FRAMES + 1) > bounded)
            self.assertLessEqual(abs(u[g][~gone]).max(), 30)
        self.assertTrue(np.isfinite(states(self.bare, "reference.h5")[0]).all())

    def test_summary_is_that_of_the_tests(self):
        m, s = self.measured, self.measured.summary
        group = m.test["group"]
        self.assertEqual([(e["name"], e["kind"]) for e in s["tests"]],
                         [("domain_size=7.44", "interpolation"), ("domain_size=11.2", "extrapolation")])
        self.assertEqual((m.groups["name"], m.groups["kind"]),
                         ([e["name"] for e in s["tests"]], [e["kind"] for e in s["tests"]]))
        np.testing.assert_array_equal(m.groups["value"], VALUES)
        np.testing.assert_array_equal(group, np.repeat([0, 1], STARTS))
        np.testing.assert_array_equal(m.test["first_sample"], np.arange(2 * STARTS))
        rows = [(s["tests"][0], group == 0), (s["tests"][1], group == 1), (s["interpolation"], group == 0),
                (s["extrapolation"], group == 1), (s["all"], group >= 0)]
        for entry, chosen in rows:
            self.assertEqual((entry["count"], entry["diverged"]), (chosen.sum(), m.test["diverged"][chosen].sum()))
            for name in NUMBERS:
                x = m.test[name][chosen]
                x = x[~np.isnan(x)]
                wanted = {"": x.mean() if len(x) else None, "_median": np.median(x) if len(x) else None,
                          "_std": x.std(ddof=1) if len(x) > 1 else None}
                for ending, value in wanted.items():
                    if value is None:
                        self.assertIsNone(entry[name + ending])
                    else:
                        self.assertAlmostEqual(entry[name + ending], value, delta=1e-12 * max(1, abs(value)))
            for name in ("correlation_time", "divergence_time"):
                self.assertEqual(entry[name + "_never"], (m.test[name][chosen] == FRAMES).sum())
            for word in ("unstable", "static", "recurring", "regular"):
                self.assertEqual(entry["labels"][word], (m.test["label"][chosen] == word).sum())
        self.assertEqual((s["model"], s["mode"], s["parameters"], s["status"]), ("solver", "", 0, "ok"))
        self.assertEqual((m.attributes["model"], m.attributes["parameters"], m.attributes["frames"]), ("solver", 0, FRAMES))
        self.assertEqual(m.options["test_starts"], str(STARTS))

    def test_table(self):
        rows = {line.split()[0]: line.split() for line in self.table.splitlines() if line.strip()}
        for name, entry in (("domain_size=7.44", self.measured.summary["tests"][0]), ("all", self.measured.summary["all"])):
            self.assertEqual(rows[name][1:3], [str(entry["count"]), str(entry["diverged"])])
            self.assertEqual(rows[name][3:6], [f"{entry[x]:.3g}" for x in ("rel", "rel_median", "one_frame")])
            self.assertEqual(rows[name][6].strip(">"), f"{entry['correlation_time']:.1f}")

    def test_ranks(self):
        for ranks, options in ((2, ()), (3, ()), (3, ("-layout_replicas", 1)), (4, ("-layout_replicas", 2))):
            self.early(self.evaluate(f"ranks{ranks}{len(options)}", *SET, *BARE, *options, ranks=ranks), self.measured)

    def test_same_layout_same_bits(self):
        again = self.evaluate("again", *SET, *BARE)
        for name in SERIES:
            np.testing.assert_array_equal(again.frame[name], self.measured.frame[name])

    def test_file_is_the_integrated_set(self):
        """Bit for bit: a file in double has what the reference scheme makes; fewer values, starts, frames than it has."""
        file = self.path("test.h5")
        status, _, message = unroll("generate", *SET, "-generate_set", "test", "-test_file", file, ranks=2)
        self.assertEqual(status, 0, message)
        whole = self.evaluate("file", *SET, *BARE, "-test_file", file)
        part = self.evaluate("part", *SET, *BARE, "-test_file", file, "-test_values", 11.2, "-test_starts", 2, "-test_frames", 20, ranks=2)
        for name in SERIES:
            np.testing.assert_array_equal(whole.frame[name], self.measured.frame[name])
            if name != "rel" or not part.test["diverged"].any():
                np.testing.assert_allclose(part.frame[name], self.measured.frame[name][STARTS:STARTS + 2, :21], rtol=1e-12)
        self.assertEqual(part.summary["tests"][0]["name"], "domain_size=11.2")
        for options, words in (
            (("-test_values", "7.44,9.2"), ("has 0 trajectories of domain_size=9.2", "-generate_set test")),
            (("-test_starts", 4), ("-test_starts (4)", "has 3 trajectories")),
            (("-test_frames", 61), ("-test_frames (61)", "try: -test_frames 60")),
            (("-stepper_dt", 0.25), ("0.5", "-stepper_dt")),
            (("-grid_points", 64), ("48",)),
        ):
            self.refused(words, *SET, *BARE, "-test_file", file, *options)
        self.refused(("would write", "another -out"), *SET, *BARE, "-test_file", os.path.join(self.bare, "reference.h5"),
                     "-test_starts", 1, out=self.bare)

    def test_roll_out_goes_on_behind_its_reference(self):
        """Bit for bit the shorter run's numbers with the reference; without it, those of a run whose reference is longer."""
        file = self.path("short.h5")
        status, _, message = unroll("generate", *SET, "-test_frames", 20, "-generate_set", "test", "-test_file", file)
        self.assertEqual(status, 0, message)
        m = self.evaluate("beyond", *SET, *BARE, "-test_file", file, "-test_frames", 20, "-evaluate_rollout_frames", FRAMES,
                          "-evaluate_limit", 1e6)
        short = self.evaluate("short", *SET, *BARE, "-test_file", file, "-test_frames", 20, "-evaluate_limit", 1e6)
        whole = self.evaluate("whole", *SET, *BARE, "-evaluate_limit", 1e6)
        for name in SERIES:
            self.assertEqual(m.frame[name].shape, (2 * STARTS, FRAMES + 1))
            np.testing.assert_array_equal(m.frame[name][:, :21], short.frame[name])
        for name in ("rel", "mse", "correlation"):
            self.assertTrue(np.isnan(m.frame[name][:, 21:]).all())
            np.testing.assert_array_equal(m.test[name if name != "correlation" else "correlation_time"],
                                          short.test[name if name != "correlation" else "correlation_time"])
        np.testing.assert_array_equal(m.frame["residual"], whole.frame["residual"])
        for name in ("divergence_time", "bounded_frames", "label"):
            np.testing.assert_array_equal(m.test[name], whole.test[name])
        self.assertEqual((m.attributes["frames"], m.attributes["reference_frames"]), (FRAMES, 20))
        self.assertEqual((m.summary["frames"], m.summary["reference_frames"]), (FRAMES, 20))
        self.assertEqual(m.summary["all"]["correlation_time_never"], short.summary["all"]["correlation_time_never"])
        np.testing.assert_array_equal(states(self.path("beyond"), "trajectory.h5")[0], states(self.path("whole"), "trajectory.h5")[0])
        self.assertEqual(states(self.path("beyond"), "reference.h5")[0].shape[1], 21)

    def test_planes(self):
        """2-D: metrics.h5 keeps frames of the first test of each value, those of trajectory.h5, on any layout."""
        deck = os.path.join(SOURCE, "inputs", "swift_hohenberg", "smoke.yaml")
        options = ("-test_values", "0.1,0.5", "-test_starts", 2, "-test_warmup", 5, "-test_frames", 10, "-test_file", "none",
                   "-evaluate_rollout_frames", 12, "-dataset_precision", "double", *BARE)
        for ranks, more, frames in ((1, (), [0, 2, 5, 7, 10, 12]), (3, ("-layout_replicas", 1, "-evaluate_planes", "1,8,11,99"), [1, 8, 11]),
                                    (4, ("-layout_replicas", 2, "-evaluate_limit", 1e-6), [0, 2, 5, 7, 10, 12])):
            out = f"planes{ranks}"
            self.evaluate(out, *options, *more, ranks=ranks, deck=deck)
            u, r = (states(self.path(out), name, "r")[0] for name in ("trajectory.h5", "reference.h5"))
            with h5py.File(os.path.join(self.path(out), "metrics.h5")) as f:
                planes = {name: data[:] for name, data in f["planes"].items()}
                self.assertEqual((f["planes"].attrs["field"], f["planes"].attrs["component"]), ("u", ""))
            np.testing.assert_array_equal(planes["frame"], frames)
            np.testing.assert_allclose(planes["time"], 0.2 * planes["frame"])
            np.testing.assert_allclose(planes["x"], [6 * np.pi / 24 * np.arange(24)] * 2)
            np.testing.assert_allclose(planes["y"], [16 / 20 * np.arange(20)] * 2)
            np.testing.assert_array_equal(planes["trajectory"], u[:, frames].astype("f4"))
            early = [k for k in frames if k <= 10]
            np.testing.assert_array_equal(planes["reference"][:, :len(early)], r[:, early].astype("f4"))
            self.assertTrue(np.isnan(planes["reference"][:, len(early):]).all())
            self.assertEqual(np.isnan(planes["trajectory"]).all(), ranks == 4)
        with h5py.File(os.path.join(self.bare, "metrics.h5")) as f:
            self.assertNotIn("planes", f)

    def test_same_scheme_is_no_error(self):
        """The reference scheme as the solver: nothing differs, nothing is lost, and Kuramoto-Sivashinsky stays chaotic."""
        m = self.evaluate("same", *SET, *BARE, "-stepper_etdrk_order", 2, "-test_frames", 300, "-evaluate_save", 0, ranks=2)
        for name in ("rel", "one_frame", "mse", "residual"):
            np.testing.assert_array_equal(m.test[name], 0)
        for name in ("correlation_time", "divergence_time"):
            np.testing.assert_array_equal(m.test[name], 300)
        self.assertEqual(m.summary["all"]["labels"], {"unstable": 0, "static": 0, "recurring": 0, "regular": 6})
        self.assertFalse(os.path.exists(self.path("same/trajectory.h5")))

    def test_small_domain_repeats(self):
        """At domain size 2.2 the attractor is a wave, at 0.9 the constant state."""
        m = self.evaluate("small", *SET, *BARE, "-stepper_etdrk_order", 2, "-test_values", "2.2,0.9", "-test_frames", 300)
        self.assertEqual(list(m.test["label"]), ["recurring"] * STARTS + ["static"] * STARTS)

    def test_limit(self):
        """With a limit below the state itself nothing is measured, and nothing hangs."""
        m = self.evaluate("limit", *SET, *BARE, "-evaluate_limit", 0.01, ranks=2)
        self.assertEqual(m.summary["all"]["diverged"], 2 * STARTS)
        self.assertIsNone(m.summary["all"]["rel"])
        self.assertTrue(np.isnan(m.frame["mse"]).all())
        np.testing.assert_array_equal(m.test["bounded_frames"], 0)

    def test_model(self):
        """A trained network: its file describes it, its mode is told, its weights count."""
        data = self.path("train.h5")
        status, _, message = unroll("generate", "-dataset_file", data, "-generate_starts", 1, "-generate_frames", 300)
        self.assertEqual(status, 0, message)
        status, _, message = unroll("train", "-dataset_file", data, "-train_updates", 20, "-rollout_mode", "one", "-out",
                                    self.path("train"), "-dataset_fraction", 1)
        self.assertEqual(status, 0, message)
        model = ("-model_file", self.path("train/model.h5"))
        m = self.evaluate("net", *SET, *model)
        self.assertEqual((m.summary["model"], m.summary["mode"], m.summary["parameters"]), ("correct_parallel", "one", 881))
        self.assertEqual((m.attributes["mode"], m.attributes["parameters"]), ("one", 881))
        self.assertTrue((m.test["one_frame"] != self.measured.test["one_frame"]).all())
        # A network in single precision: sums of another order, amplified by 12 frames
        self.early(self.evaluate("net2", *SET, *model, "-layout_replicas", 1, ranks=2), m, tolerance=1e-3)
        # The deck may name the file: the bare solver does not need it.
        self.early(self.evaluate("bare2", *SET, *BARE, *model), self.measured)

    def test_dry_run(self):
        out = self.path("dry")
        status, text, message = unroll("evaluate", *SET, *BARE, "-out", out, "-dry_run")
        self.assertEqual(status, 0, message)
        self.assertIn(f"6 tests of {FRAMES} frames", text)
        self.assertFalse(os.path.exists(out))

    def refused(self, words, *options, out=None):
        directory = out or self.path("refused")
        status, _, message = unroll("evaluate", *options, "-out", directory, ranks=2)
        line = [x for x in message.splitlines() if x.startswith("unroll: error: ")]
        self.assertEqual((status, len(line)), (2, 1), f"{options}: {message}")
        for word in (*words, "allowed: ", "try: "):
            self.assertIn(word, line[0])
        self.assertNotIn("PETSC ERROR", message)
        if not out:
            self.assertFalse(os.path.exists(os.path.join(directory, "summary.json")), options)

    def test_refusals(self):
        missing = self.path("none.h5")
        for words, options in (
            (("-model_file unset", "unroll train -options_file"), ()),
            (("no model file", "none.h5", "No such file", "unroll train"), ("-model_file", missing)),
            (("none.h5", "unroll generate -options_file", "-generate_set test -test_file"), (*BARE, "-test_file", missing)),
            (("smoke.yaml",), (*BARE, "-test_file", DECK)),
            (("-evaluate_frames",), (*BARE, "-evaluate_frames", 0)),
            (("-evaluate_limit",), (*BARE, "-evaluate_limit", 0)),
            (("-evaluate_planes (5 at place 2)", "each once"), (*BARE, "-evaluate_planes", "5,5")),
            (("-evaluate_rollout_frames (59)", "-test_frames 59"), (*BARE, "-evaluate_rollout_frames", 59)),
            (("-metric_types (energy)", "ks_spectral has no energy"), (*BARE, "-metric_types", "mse,energy")),
            (("-metric_types", "rell"), (*BARE, "-metric_types", "rell")),
            (("not finite",), (*BARE, "-stepper_type", "rk", "-stepper_dt", 50)),
            (("-test_frames",), (*BARE, "-test_frames", 1000000000)),
        ):
            self.refused(words, *SET, *options)

    def test_no_out(self):
        status, _, message = unroll("evaluate", *SET, *BARE)
        self.assertEqual(status, 2)
        self.assertIn("no -out", message)


if __name__ == "__main__":
    unittest.main()
