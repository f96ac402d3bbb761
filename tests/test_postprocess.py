"""The scripts of postprocess/ from outside, on synthetic runs: pictures appear, numbers are right, bad input is one line.

Needs numpy, h5py and matplotlib.  The files are built here as docs/interfaces.md says, and every number of the table is
computed here again from them, test by test."""
import base64
import contextlib
import html.parser
import importlib
import io
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import h5py
import numpy as np

TOOLS = Path(os.environ["UNR_SOURCE_DIR"]) / "postprocess"
sys.path.insert(0, str(TOOLS))
import matplotlib.image
import pictures
import plot_bars
import plot_error
import plot_spectrum
import runs

pictures.plt.rcParams["savefig.dpi"] = 60  # small ones, for speed

TESTS, FRAMES, POINTS, SAVED = 12, 40, 16, 20
GROUPS = (("domain_size=7.44", "interpolation"), ("domain_size=9.2", "interpolation"), ("domain_size=11.2", "extrapolation"))


def tool(name, *arguments):
    """Runs a script inside this process, which has matplotlib already; status, stdout, stderr."""
    out, err, status = io.StringIO(), io.StringIO(), 0
    argv, sys.argv = sys.argv, [str(TOOLS / name), *map(str, arguments)]
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            runs.script(importlib.import_module(name.removesuffix(".py")).main)
    except SystemExit as done:
        status = done.code
    finally:
        sys.argv = argv
    return status, out.getvalue(), err.getvalue()


def summary(path, command, **more):
    path.mkdir(parents=True, exist_ok=True)
    base = {"schema": 1, "command": command, "version": "1.2.3-test", "status": "ok", "seconds": 4.5,
            "layout": {"size": 2, "replicas": 2, "grid": 1}, "peak_memory_bytes": 3 << 20, "tape_bytes": 1 << 20,
            "options": {"-evaluate_frames": 12, "-evaluate_limit": "30", "-net_type": "resnet<&>"}}
    (path / "summary.json").write_text(json.dumps({**base, **more}))


def field(path, u):
    with h5py.File(path, "w") as f:
        f["t0_fields/u"] = u.astype("f4")
        f["dimensions/x"] = np.outer([7.44, 9.2, 11.2], np.arange(POINTS)) * 2 * np.pi / POINTS
        f["dimensions/time"] = np.arange(u.shape[1], dtype=float)


def evaluation(path, scale, model, diverged=(), seed=0, horizon=FRAMES):
    """A run of evaluate with errors of size `scale`; the diverged tests have NaN series behind frame 5."""
    rng = np.random.default_rng(seed)
    summary(path, "evaluate", model=model, parameters=721)
    series = scale * np.exp(rng.normal(size=(TESTS, 1)) + 0.1 * np.arange(FRAMES + 1))
    series[:, 0] = 0
    bounded = np.full(TESTS, FRAMES)
    for i in diverged:
        series[i, 6:], bounded[i] = np.nan, 5
    rel = np.where(np.isin(np.arange(TESTS), diverged), 1e9, series[:, 1:13].mean(axis=1))
    values = {"rel": rel, "one_frame": scale * (1 + rng.random(TESTS)), "mse": rel * 3,
              "correlation_time": np.where(np.arange(TESTS) == 0, horizon, 10.0 + np.arange(TESTS)),
              "diverged": np.isin(np.arange(TESTS), diverged).astype("i4"), "bounded_frames": bounded,
              "group": np.repeat(np.arange(3), TESTS // 3), "first_sample": np.arange(TESTS)}
    with h5py.File(path / "metrics.h5", "w") as f:
        f.attrs.update(model=model, mode="wig", parameters=721, frames=FRAMES)
        f["frame/rel"], f["frame/correlation"] = series, np.exp(-series)
        for name, value in values.items():
            f[f"test/{name}"] = value
        f["test/label"] = ["regular"] * TESTS
        f["groups/name"], f["groups/kind"] = [g[0] for g in GROUPS], [g[1] for g in GROUPS]
        f["groups/value"] = [7.44, 9.2, 11.2]
    u = np.cos(np.arange(SAVED + 1)[None, :, None] / 5 + np.arange(POINTS) / 2) * np.ones((3, 1, 1))
    field(path / "reference.h5", u)
    u = u + scale * np.arange(SAVED + 1)[:, None]
    if diverged:
        u[0, 6:9], u[0, 9:] = 1e6, np.nan
    field(path / "trajectory.h5", u)
    return values


def flow(path, scale, model, diverged=(), seed=0, shells=8, dim=2, horizon=FRAMES):
    """A run of a flow: evaluation()'s, and vorticity, energy budget, spectra, planes; the roll-outs go on to `horizon`."""
    values = evaluation(path, scale, model, diverged, seed)
    rng = np.random.default_rng(seed + 100)
    k = np.arange(horizon + 1)
    for name in ("trajectory.h5", "reference.h5"):
        with h5py.File(path / name, "w") as f:
            f["t1_fields/velocity"] = np.zeros((3, 3, 4, 4, 2), "f4")
    with h5py.File(path / "metrics.h5", "a") as f:
        f.attrs.update(frames=horizon, reference_frames=FRAMES, frame_time=0.05)
        for name in ("rel", "correlation"):
            series = np.full((TESTS, horizon + 1), np.nan)
            series[:, :FRAMES + 1] = f[f"frame/{name}"][()]
            del f[f"frame/{name}"]
            f[f"frame/{name}"] = series
        f["frame/mse"] = 3 * f["frame/rel"][()]
        f["frame/vorticity_correlation"] = f["frame/correlation"][()]
        f["test/vorticity_correlation_time"] = np.where(np.arange(TESTS) == 1, FRAMES, 5.0 + np.arange(TESTS))
        f["test/energy_error"], f["test/spectrum_error"] = scale * rng.random(TESTS), scale * rng.random(TESTS)
        for i, name in enumerate(("energy", "injection", "dissipation", "divergence")):
            reference = (i + 1) * (1 + 0.1 * np.sin(k / 5 + np.arange(TESTS)[:, None]))
            ours = reference * (1 + scale * rng.normal(size=(TESTS, horizon + 1)))
            reference[:, FRAMES + 1:] = np.nan
            ours[list(diverged), 6:] = np.nan
            f[f"frame/{name}"], f[f"frame/{name}_reference"] = ours, reference
        f["shell/wavenumber"] = np.outer(1 + np.repeat(np.arange(3), TESTS // 3), np.arange(shells))
        f["shell/spectrum_reference"] = np.ones((TESTS, 1)) / (1.0 + np.arange(shells)) ** 3
        f["shell/spectrum"] = f["shell/spectrum_reference"][()] * np.exp(scale * rng.normal(size=(TESTS, shells)))
        f["planes/frame"], f["planes/time"] = np.array([0.0, 10, FRAMES, horizon]), 0.05 * np.array([0, 10, FRAMES, horizon])
        f["planes/x"], f["planes/y"] = np.ones((3, 1)) * np.arange(8), np.ones((3, 1)) * np.arange(6)
        if dim == 3:
            f["planes/z"] = np.full((3, 1), 1.5)
        u = np.sin(np.arange(8)[:, None] + np.arange(6) ** 2 / 3 + np.arange(4)[:, None, None]) * np.ones((3, 1, 1, 1))
        f["planes/reference"] = np.where(np.arange(4)[:, None, None] == 3, np.nan, u).astype("f4")
        u = u + scale * rng.normal(size=u.shape)
        if 0 in diverged:
            u[0, 1:] = np.nan
        f["planes/trajectory"] = u.astype("f4")
        f["planes"].attrs.update(field="vorticity", component="z" if dim == 3 else "")
    return values


def training(path, updates=120, stages=2, finished=True, loss=lambda k: 1 / (k + 1)):
    """A run of train with a skipped update of each kind."""
    path.mkdir(parents=True)
    lines = ["update,stage,epoch,loss,validation,learning_rate,gradient_norm,skipped,seconds"]
    for k in range(updates):
        cause = {20: "nonfinite", 30: "norm", 31: "norm"}.get(k, "none")
        norm = "nan" if cause == "nonfinite" else 0.5 + k % 7
        validation = 2 / (k + 1) if k % 25 == 24 else ""
        lines.append(f"{k + 1},{k * stages // max(updates, 1)},0,{loss(k)},{validation},0.001,{norm},{cause},{k * 0.01}")
    (path / "history.csv").write_text("\n".join(lines) + ("\n" if finished else "\n121,1,0,0.0"))
    if finished:
        summary(path, "train", model="correct_parallel", mode="wig", parameters=721, loss_last=0.0123,
                seconds_per_update=0.0021, skipped={"nonfinite": 1, "norm": 2, "solver": 0})


def vortex(run):
    """A run of solve with two frames of the Taylor-Green vortex, the second weaker."""
    x = np.arange(9) * 2 * np.pi / 9
    X, Y, Z = np.meshgrid(x, x, x, indexing="ij")
    u = np.stack([np.sin(X) * np.cos(Y) * np.cos(Z), -np.cos(X) * np.sin(Y) * np.cos(Z), 0 * X], axis=-1)
    run.mkdir()
    with h5py.File(run / "trajectory.h5", "w") as f:
        f["t1_fields/velocity"] = np.stack([u, 0.75 * u])[None]
        f["dimensions/time"] = np.array([3.0, 3.5])
    return run


class Page(html.parser.HTMLParser):
    """Pictures, text and tags of a page."""

    def __init__(self, text):
        super().__init__()
        self.pictures, self.tags, self.text = [], set(), ""
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        if tag == "img":
            self.pictures.append(base64.b64decode(dict(attributes)["src"].removeprefix("data:image/png;base64,")))

    def handle_data(self, data):
        self.text += data + "\n"


class Postprocess(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.top = Path(folder.name) / "demo"
        self.values = {name: evaluation(self.top / name, scale, model, diverged, seed) for seed, (name, scale, model, diverged)
                       in enumerate((("bare", 0.1, "solver", (0, 4, 7)), ("one", 0.02, "correct_parallel", (7,)),
                                     ("wig", 0.005, "correct_parallel", ()), ("predict", 0.05, "predict", (2, 3))))}
        self.runs = [self.top / name for name in self.values]
        training(self.top / "train-one")
        training(self.top / "train-wig", stages=1)

    def fails(self, words, name, *arguments):
        """The script ends with status 2 and one line that says these words."""
        status, out, err = tool(name, *arguments)
        self.assertEqual((status, len(err.splitlines())), (2, 1), err + out)
        self.assertRegex(err, rf"^{re.escape(name)}: error: .*{words}")

    def picture(self, name, *arguments):
        """The script makes a picture that is no sheet of one colour; its path is printed."""
        status, out, err = tool(name, *arguments)
        self.assertEqual((status, err), (0, ""), err)
        image = matplotlib.image.imread(out.strip())
        self.assertGreater(min(image.shape[:2]), 200)
        self.assertGreater(len(np.unique((image[..., :3] * 255).astype(int).reshape(-1, 3), axis=0)), 20)
        return Path(out.strip()), image

    def expected(self):
        """The table's numbers, test by test: {run: (one frame, gain, median, gain, mean, diverged)}."""
        chosen = [i for i in range(TESTS) if i not in (0, 4, 7)]
        rows = {}
        for name, v in self.values.items():
            rel = sorted(float("inf") if v["diverged"][i] else v["rel"][i] for i in chosen)
            finite = [v["rel"][i] for i in range(TESTS) if not v["diverged"][i]]
            rows[name] = [sum(v["one_frame"]) / TESTS, None, rel[len(rel) // 2], None, sum(finite) / len(finite),
                          int(sum(v["diverged"]))]
        for row in rows.values():
            row[1], row[3] = rows["bare"][0] / row[0], rows["bare"][2] / row[2]
        return rows

    def test_table(self):
        # The bare run is found by its model, wherever it stands.
        status, out, err = tool("table.py", *reversed(self.runs))
        self.assertEqual((status, err), (0, ""))
        lines = {line.split()[0]: re.split(r"\s{2,}", line) for line in out.splitlines() if line}
        self.assertEqual([line.split()[0] for line in out.splitlines()[3:7]], ["bare", "predict", "wig", "one"])
        for name, (one, gain, median, better, mean, lost) in self.expected().items():
            cells = lines[name]
            self.assertEqual(cells[1], f"{one:.4g}")
            gains = [f"{gain:.1f} x", f"{better:.1f} x"]
            self.assertEqual([cell for cell in cells if cell.endswith(" x")], [] if name == "bare" else gains)
            rest = [cell for cell in cells[2:] if not cell.endswith(" x")]
            self.assertEqual(rest[:3], [f"{median:.3g}", f"{mean:.3g}", f"{lost} of {TESTS}"])
            self.assertEqual(rest[3], f"> {(FRAMES + sum(range(11, 22))) / TESTS:.0f}")
        self.assertIn("over the 9 tests where the bare solver stays bounded", " ".join(out.split()))
        self.assertLessEqual(max(map(len, out.splitlines())), 120)

    def test_table_of_what_diverged(self):
        # Half of the chosen tests diverged: the median is infinite and the gain nothing, not an average of the rest.
        evaluation(self.top / "nog", 0.01, "correct_parallel", tuple(range(1, 9)))
        status, out, _ = tool("table.py", self.top / "bare", self.top / "nog")
        self.assertEqual(status, 0)
        self.assertRegex(out, r"nog .* inf +0\.0 x .* 8 of 12")
        # All diverged: no mean.
        evaluation(self.top / "nog", 0.01, "correct_parallel", tuple(range(TESTS)))
        status, out, _ = tool("table.py", self.top / "bare", self.top / "nog")
        self.assertEqual(status, 0)
        self.assertRegex(out, r"nog .* inf +0\.0 x +- +12 of 12")

    def test_table_of_a_run_without_error(self):
        with h5py.File(self.top / "one" / "metrics.h5", "a") as f:
            f["test/one_frame"][:] = f["test/rel"][:] = 0
        status, out, err = tool("table.py", self.top / "bare", self.top / "one")
        self.assertEqual((status, err), (0, ""))
        self.assertRegex(out, r"one +0 +inf x")

    def test_table_without_bare(self):
        status, out, _ = tool("table.py", *self.runs[1:])
        self.assertEqual(status, 0)
        self.assertIn("no bare solver among the runs", " ".join(out.split()))
        self.assertNotRegex(out, r"\d x ")

    def test_pictures(self):
        for name in ("plot_xt.py", "plot_error.py", "plot_bars.py"):
            path, image = self.picture(name, *self.runs)
            self.assertEqual(path.parent, self.top / "bare")
            other, again = self.picture(name, *self.runs, "-o", self.top / "other.png")
            self.assertEqual(other, self.top / "other.png")
            np.testing.assert_array_equal(image, again)
            # Another run, another picture.
            _, fewer = self.picture(name, *self.runs[:3], "-o", self.top / "other.png")
            self.assertFalse(np.array_equal(image, fewer))
        _, image = self.picture("plot_xt.py", *self.runs)
        for change in (["--test", 2], ["--frames", 8]):
            _, other = self.picture("plot_xt.py", *self.runs, *change)
            self.assertFalse(np.array_equal(image, other))
        _, image = self.picture("plot_error.py", *self.runs)
        self.assertFalse(np.array_equal(image, self.picture("plot_error.py", *self.runs, "--frames", 12)[1]))
        path, _ = self.picture("plot_training.py", self.top / "train-one", self.top / "train-wig")
        self.assertEqual(path, self.top / "train-one" / "training.png")

    def test_curves(self):
        """What plot_error draws: quartiles over the tests still bounded, and nothing past half of them."""
        bare = runs.Metrics(self.top / "bare")
        curve = plot_error.quartiles(bare, "rel")
        series = bare.frame["rel"]
        rest = [i for i in range(TESTS) if i not in (0, 4, 7)]
        np.testing.assert_allclose(curve[:, 5], np.percentile(series[:, 5], (25, 50, 75)))
        np.testing.assert_allclose(curve[:, 9], np.percentile(series[rest, 9], (25, 50, 75)))
        evaluation(self.top / "nog", 0.01, "correct_parallel", tuple(range(6)))
        curve = plot_error.quartiles(runs.Metrics(self.top / "nog"), "rel")
        self.assertTrue(np.isfinite(curve[:, :6]).all() and np.isnan(curve[:, 6:]).all())
        mean, median, lost, count = plot_bars.numbers(bare, "interpolation")
        rel = [self.values["bare"]["rel"][i] for i in (1, 2, 3, 5, 6)]
        np.testing.assert_allclose((mean, median), (np.mean(rel), np.median(rel)))
        self.assertEqual((lost, count), (3, 8))

    def test_training_odd(self):
        training(self.top / "train-running", finished=False)
        training(self.top / "train-new", updates=0)
        training(self.top / "train-nan", loss=lambda k: "nan")
        for name in ("running", "new", "nan"):
            self.picture("plot_training.py", self.top / f"train-{name}")
        self.picture("plot_training.py", *(self.top / f"train-{name}" for name in ("new", "nan", "running", "one")))

    def test_all_diverged(self):
        evaluation(self.top / "bare", 0.1, "solver", tuple(range(TESTS)))
        for name in ("plot_xt.py", "plot_error.py", "plot_bars.py"):
            self.picture(name, *self.runs)
            self.picture(name, self.top / "bare")

    def test_report(self):
        training(self.top / "train-running", finished=False)
        status, out, err = tool("report.py", self.top)
        self.assertEqual((status, err), (0, ""), err)
        path = self.top / "report.html"
        self.assertEqual(out.split()[-1], str(path))
        page = Page(path.read_text())
        pictures = [Path(line) for line in out.split()[:-1]]
        self.assertEqual({p.name for p in pictures},
                         {"bars.png", "error.png", "training.png", "xt-interpolation.png", "xt-extrapolation.png"})
        self.assertEqual(sorted(page.pictures), sorted(p.read_bytes() for p in pictures))
        for row in self.expected().values():
            for cell in (f"{row[0]:.4g}", f"{row[2]:.3g}", f"{row[4]:.3g}", f"{row[5]} of {TESTS}"):
                self.assertIn(cell, page.text)
        for words in ("1.2.3-test", "2 = 2 x 1", "-net_type", "resnet<&>", "3.0 MiB", "4.5", "0.0123", "not finished",
                      "domain_size=11.2"):
            self.assertIn(words, page.text)
        self.assertNotIn("script", page.tags)
        self.assertNotRegex(path.read_text(), r'(src|href)="(?!data:)')
        self.assertFalse(path.with_name("report.html.part").exists())

    def test_report_of_trainings_or_evaluations_alone(self):
        for keep in (("train-one", "train-wig"), ("bare", "one")):
            other = self.top.parent / keep[0]
            other.mkdir()
            for name in keep:
                (self.top / name).rename(other / name)
            self.assertEqual(tool("report.py", other)[0], 0)

    def flows(self):
        """Runs of a flow with every kind of name: the bare solver, closures (runs without a network), modes, others."""
        top = self.top.parent / "flow"
        for seed, (name, scale, model, diverged) in enumerate((
                ("wig", 0.01, "correct_sequential", ()), ("aaa-smagorinsky", 0.05, "solver", (3,)), ("bare", 0.3, "solver", (0, 5)),
                ("nog", 0.02, "correct_sequential", ()), *((f"other{i}", 0.02, "correct_sequential", ()) for i in range(1)))):
            flow(top / name, scale, model, diverged, seed, horizon=FRAMES + 20)
        return top

    def test_flow_pictures(self):
        top = self.flows()
        some = [top / name for name in ("wig", "aaa-smagorinsky", "bare")]
        for name in ("plot_planes.py", "plot_spectrum.py", "plot_energy.py", "plot_error.py", "plot_bars.py"):
            path, image = self.picture(name, *some, "-o", self.top / "a.png")
            fewer = self.picture(name, *some[:2], "-o", self.top / "b.png")[1]
            self.assertFalse(np.array_equal(image, fewer))
        _, image = self.picture("plot_planes.py", *some)
        for change in (["--test", 2], ["--frames", "0,10"]):
            self.assertFalse(np.array_equal(image, self.picture("plot_planes.py", *some, *change)[1]))
        # Of several runs without a network `bare` is the bare solver, wherever it stands; without it the first.
        self.assertEqual([m.label for m in runs.read_all(some)], ["bare", "aaa-smagorinsky", "wig"])
        self.assertEqual([m.label for m in runs.read_all(some[:2])], ["aaa-smagorinsky", "wig"])
        every = [*pictures.COLOURS, *(f"run{i}" for i in range(12))]
        look = pictures.styles(every)
        self.assertEqual(len({(s["color"], s["ls"]) for s in look.values()}), len(every))
        three = flow(top / "three", 0.1, "solver", dim=3) and top / "three"
        self.picture("plot_planes.py", three, "-o", self.top / "b.png")

    def test_flow_numbers(self):
        """What is drawn and told of a flow: mse, not rel; quartiles over the tests of a group; times against the reference."""
        top = self.flows()
        wig, bare = runs.Metrics(top / "wig"), runs.Metrics(top / "bare")
        mean, median, lost, count = plot_bars.numbers(bare, "interpolation")
        mse = [bare.test["mse"][i] for i in (1, 2, 3, 4, 6, 7)]
        np.testing.assert_allclose((mean, median, lost, count), (np.mean(mse), np.median(mse), 2, 8))
        chosen = wig.test["group"] == 1
        k, curve = plot_spectrum.spectrum(wig, chosen, "spectrum")
        np.testing.assert_array_equal(k, 2 * np.arange(1, 8))
        np.testing.assert_allclose(curve, np.percentile(wig.shell["spectrum"][4:8, 1:], (25, 50, 75), axis=0))
        ratio = wig.shell["spectrum"][4:8, 1:] / wig.shell["spectrum_reference"][4:8, 1:]
        np.testing.assert_allclose(plot_spectrum.ratio(wig, chosen), np.percentile(ratio, (25, 50, 75), axis=0))
        status, out, _ = tool("table.py", top / "wig", top / "bare")
        self.assertEqual(status, 0)
        rows = {line.split()[0]: re.split(r"\s{2,}", line.strip()) for line in out.splitlines() if line}
        mse = [np.mean(m.test["mse"][~m.is_diverged]) for m in (bare, wig)]
        self.assertEqual(rows["wig"][1:3], [f"{mse[1]:.4g}", f"{mse[0] / mse[1]:.1f} x"])
        self.assertEqual(rows["wig"][5:], [f"0 of {TESTS}", f"> {np.mean(wig.test['vorticity_correlation_time']):.0f}",
                                           f"{np.median(wig.test['energy_error']):.2g}", f"{np.median(wig.test['spectrum_error']):.2g}"])
        self.assertLessEqual(max(map(len, out.splitlines())), 120)

    def test_flow_report(self):
        top = self.flows()
        status, out, err = tool("report.py", top)
        self.assertEqual((status, err), (0, ""), err)
        self.assertEqual({Path(line).name for line in out.split()[:-1]},
                         {"bars.png", "error.png", "energy.png", "spectrum.png", "planes-interpolation.png", "planes-extrapolation.png"})
        page = Page((top / "report.html").read_text())
        for words in ("aaa-smagorinsky", "other0", "vorticity", "velocity"):
            self.assertIn(words, page.text)
        # A flow of a finite-volume scheme has no spectrum; one run without planes: none are drawn.
        for path in top.iterdir():
            if (path / "metrics.h5").exists():
                with h5py.File(path / "metrics.h5", "a") as f:
                    del f["shell"]
        with h5py.File(top / "nog" / "metrics.h5", "a") as f:
            del f["planes"]
        status, out, err = tool("report.py", top)
        self.assertEqual((status, err), (0, ""), err)
        self.assertEqual({Path(line).name for line in out.split()[:-1]}, {"bars.png", "error.png", "energy.png"})

    def test_flow_bad_input(self):
        top = self.flows()
        self.fails("holds no planes", "plot_planes.py", self.top / "bare")
        self.fails("holds no spectrum", "plot_spectrum.py", self.top / "bare")
        self.fails("holds no energy", "plot_energy.py", self.top / "bare")
        self.fails("no saved test .3.; allowed: 0 to 2", "plot_planes.py", top / "bare", "--test", 3)
        self.fails("no planes of frames .*; allowed: 0, 10, 40, 60", "plot_planes.py", top / "bare", "--frames", "3,7")
        self.fails("--frames .x.; allowed", "plot_planes.py", top / "bare", "--frames", "x")
        with h5py.File(top / "wig" / "metrics.h5", "a") as f:
            f["planes/frame"][1] = 11
        self.fails("planes of different frames", "plot_planes.py", top / "bare", top / "wig")

    def test_taylor_green(self):
        """The vortex itself has energy 1/8 and enstrophy 3/8, whatever the points; decayed by 3/4 it has 9/16 of these."""
        run = vortex(self.top / "9")
        status, out, err = tool("taylor_green.py", run)
        self.assertEqual((status, err), (0, ""), err)
        self.assertIn("largest dissipation 0.01286 at 8.97", out)  # the reference
        self.assertIn(f"9: largest dissipation {2 * 3 / 8 / 1600:.5f} at 0.00", out)
        energy = np.array([0.125, 0.124763795])  # of the reference at 0 and 0.5
        off = abs(0.125 * 0.5625 - energy[1]) / np.sqrt((energy**2).sum())
        self.assertIn(f"to t = 4: energy {off:.1e}", out)
        self.assertTrue(matplotlib.image.imread(run / "taylor_green.png").std() > 0.01)
        (run / "trajectory.h5").unlink()
        self.fails("jobs/taylor_green_1600.sh", "taylor_green.py", run)

    def test_as_programs(self):
        """Each script by itself, from another directory: a mistake is one line and status 2, a run status 0."""
        top = self.flows()
        arguments = {"plot_training.py": [self.top / "train-one"], "report.py": [self.top],
                     "taylor_green.py": [vortex(self.top / "9")],
                     **{f"plot_{name}.py": [top / "bare", top / "wig"] for name in ("planes", "spectrum", "energy")}}
        for path in sorted(TOOLS.glob("*.py")):
            if "if __name__" not in path.read_text() or path.name in ("plot_solve.py", "mosaic.py"):
                continue  # mosaic.py runs the solver: test_mosaic.py; plot_solve.py wants a run of it
            for given, status in ((["nowhere"], 2), (arguments.get(path.name, self.runs), 0)):
                done = subprocess.run([sys.executable, path, *given], capture_output=True, text=True, cwd=self.top,
                                      timeout=300)
                self.assertEqual((done.returncode, len(done.stderr.splitlines())), (status, status // 2), done.stderr)
        # The table needs no matplotlib: it serves on a login node.
        code = "import sys; sys.modules['matplotlib'] = None; sys.path[0] = sys.argv[1]; import table"
        self.assertEqual(subprocess.run([sys.executable, "-c", code, TOOLS], timeout=60).returncode, 0)

    def test_bad_input(self):
        bare, one, top = self.top / "bare", self.top / "one", self.top
        every = ("plot_xt.py", "plot_error.py", "plot_bars.py", "table.py")
        for name in (*every, "plot_training.py", "report.py"):
            self.fails("no such run directory .*nowhere", name, top / "nowhere")
        for name in every:
            self.fails("no summary.json", name, top)
            self.fails("is a run of train; this needs one of evaluate", name, bare, top / "train-one")
        self.fails("no history.csv", "plot_training.py", bare)
        self.fails("holds no run", "report.py", bare)
        self.fails("no saved test .3.; allowed: 0 to 2", "plot_xt.py", bare, "--test", 3)
        self.fails("--frames .0.; allowed", "plot_xt.py", bare, "--frames", 0)
        self.fails("--frames .-1.; allowed", "plot_error.py", bare, "--frames", -1)
        (top / "foreign").mkdir()
        for content, words in (("{", "not a summary"), ("[]", "not a summary"), ('{"a": 1}', "not a summary")):
            (top / "foreign" / "summary.json").write_text(content)
            self.fails(words, "table.py", top / "foreign")
        (top / "foreign" / "history.csv").write_text("a,b\n1,2\n")
        self.fails("no column epoch", "plot_training.py", top / "foreign")
        head = "update,stage,epoch,loss,validation,learning_rate,gradient_norm,skipped,seconds\n"
        (top / "foreign" / "history.csv").write_text(head + "1,0,0,many,,1,1,none,1\n")
        self.fails("no number", "plot_training.py", top / "foreign")
        # Other tests, then files that are gone, cut short or of another shape.
        with h5py.File(one / "metrics.h5", "a") as f:
            f["test/first_sample"][3] = 99
        for name in every:
            self.fails("measured different tests", name, bare, one)
        with h5py.File(one / "metrics.h5", "a") as f:
            f["test/first_sample"][3] = 3
        field(one / "trajectory.h5", np.zeros((3, 4, POINTS)))
        self.fails("different shapes", "plot_xt.py", bare, one)
        (one / "trajectory.h5").unlink()
        self.fails("no trajectory.h5", "plot_xt.py", bare, one)
        whole = (one / "metrics.h5").read_bytes()
        (one / "metrics.h5").write_bytes(whole[:700])
        self.fails("not a metrics file", "table.py", bare, one)
        with h5py.File(one / "metrics.h5", "w") as f:
            f["other"] = 1
        self.fails("not a metrics file", "table.py", bare, one)
        (one / "metrics.h5").unlink()
        self.fails("evaluate did not finish", "table.py", bare, one)
        with h5py.File(bare / "reference.h5", "w") as f:
            f["t1_fields/velocity"] = np.zeros((1, 2, 3, 3, 2))
        self.fails("no 1-D scalar field", "plot_xt.py", bare)


if __name__ == "__main__":
    unittest.main()
