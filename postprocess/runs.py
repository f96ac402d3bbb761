"""Reading run directories, and the way the scripts of this directory tell mistakes.

A run directory is what `unroll train` or `unroll evaluate` left in -out (docs/interfaces.md).  A missing, foreign or
unfinished one is a RunError: one line on stderr, status 2.
"""
import csv
import json
import sys
import warnings
from pathlib import Path

import h5py
import numpy as np

KINDS = ("interpolation", "extrapolation")


class RunError(Exception):
    """What is wrong with the user's input, in one line."""


def script(main):
    """Runs main(); a mistake of the user becomes one line and status 2."""
    try:
        # A median over no test is NaN by design.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            main()
    except BrokenPipeError:
        sys.stderr.close()
    except (RunError, OSError) as error:
        print(f"{Path(sys.argv[0]).name}: error: {' '.join(str(error).split())}", file=sys.stderr)
        sys.exit(2)


def directory(path):
    """The path of a run directory that is there."""
    path = Path(path)
    if not path.is_dir():
        raise RunError(f"no such run directory ({path})")
    return path


def read_summary(run, command=None):
    """summary.json; command: what must have written it."""
    path = directory(run) / "summary.json"
    if not path.exists():
        raise RunError(f"{path.parent} has no summary.json: not a run directory, or the run is not finished")
    try:
        summary = json.loads(path.read_text())
        found = summary["command"]
    except (ValueError, KeyError, TypeError) as error:
        raise RunError(f"{path} is not a summary of unroll ({type(error).__name__}: {error})")
    if command and found != command:
        raise RunError(f"{path.parent} is a run of {found}; this needs one of {command}")
    return summary


def label(run):
    """The name of a run in pictures: its directory's, without the train- of a training."""
    name = Path(run).resolve().name
    return name[len("train-"):] if name.startswith("train-") and len(name) > len("train-") else name


def labels(runs):
    """One label a run; runs of one name in different directories get their parent's before it."""
    names = [label(run) for run in runs]
    return [f"{Path(run).resolve().parent.name}/{name}" if names.count(name) > 1 else name
            for run, name in zip(runs, names)]


NUMBERS = ("update", "stage", "epoch", "loss", "validation", "learning_rate", "gradient_norm", "seconds")


def read_history(run):
    """history.csv as arrays by column, of a running training too: a last line cut short is left out."""
    path = directory(run) / "history.csv"
    if not path.exists():
        raise RunError(f"{path.parent} has no history.csv: not a run of train")
    with path.open(newline="") as file:
        reader = csv.reader(file)
        head = next(reader, [])
        if missing := set(NUMBERS + ("skipped",)) - set(head):
            raise RunError(f"{path} has no column {sorted(missing)[0]}: not a history of train")
        lines = [line for line in reader if len(line) == len(head)]
    column = {name: [line[i] for line in lines] for i, name in enumerate(head)}
    try:
        history = {name: np.array([float(v) if v else np.nan for v in column[name]]) for name in NUMBERS}
    except ValueError as error:
        raise RunError(f"{path} holds a field that is no number ({error})")
    return dict(history, skipped=np.array(column["skipped"], dtype=str))


def text(value):
    return value.decode() if isinstance(value, bytes) else str(value)


class Metrics:
    """metrics.h5 of one run of evaluate: per test, and per test and frame."""

    def __init__(self, run):
        self.summary = read_summary(run, "evaluate")
        self.run, self.label = Path(run), label(run)
        path = self.run / "metrics.h5"
        if not path.exists():
            raise RunError(f"{self.run} has no metrics.h5: evaluate did not finish")
        try:
            with h5py.File(path) as file:
                self.model, self.mode = text(file.attrs["model"]), text(file.attrs.get("mode", ""))
                self.parameters, self.frames = int(file.attrs["parameters"]), int(file.attrs["frames"])
                self.reference_frames = int(file.attrs.get("reference_frames", self.frames))
                self.frame_time = float(file.attrs.get("frame_time", 1.0))
                self.frame = {name: data[()] for name, data in file["frame"].items()}
                self.test = {name: data[()] for name, data in file["test"].items()}
                self.shell = {name: data[()] for name, data in file.get("shell", {}).items()}
                self.has_planes = "planes" in file
                self.group_name = [text(name) for name in file["groups/name"][()]]
                self.group_kind = [text(kind) for kind in file["groups/kind"][()]]
            self.rel, self.one_frame = self.test["rel"], self.test["one_frame"]
            self.is_diverged = self.test["diverged"].astype(bool)
            self.kind = np.array([self.group_kind[g] for g in self.test["group"]], dtype=str)
        except (KeyError, OSError) as error:
            raise RunError(f"{path} is not a metrics file of evaluate ({' '.join(str(error).split())})")

    @property
    def is_flow(self):
        """Has it a vorticity?  Then its error is told by mse and by the vorticity's correlation."""
        return "vorticity_correlation" in self.frame

    @property
    def tests(self):
        return len(self.rel)

    @property
    def rel_frames(self):
        """Frames that rel is the mean of."""
        return int(float(self.option("-evaluate_frames", 12)))

    def option(self, name, default):
        return self.summary.get("options", {}).get(name, default)

    def same_tests(self, other):
        """The tests of both must be the same for a comparison of them."""
        mine, its = (np.stack([m.test["group"], m.test["first_sample"]]) if m.tests else np.empty((2, 0))
                     for m in (self, other))
        if self.group_name != other.group_name or not np.array_equal(mine, its):
            raise RunError(f"{self.run} and {other.run} measured different tests")


def read_all(runs):
    """Metrics of several runs of the same tests, the bare solver's first; labels made distinct.

    Of several runs without a network (a closure is one) the one called `bare` is the bare solver's, else the first."""
    if not runs:
        raise RunError("no run directory given")
    metrics = [Metrics(run) for run in runs]
    for m, name in zip(metrics, labels(runs)):
        m.label = name
    for m in metrics[1:]:
        m.same_tests(metrics[0])
    return sorted(metrics, key=lambda m: (m.model != "solver", m.label.rpartition("/")[2] != "bare" if m.model == "solver" else 0))


def groups_shown(metrics, most=4):
    """Groups of tests that a figure has columns for: all, or some evenly among them."""
    count = len(metrics.group_name)
    return list(range(count)) if count <= most else sorted({round(i * (count - 1) / (most - 1)) for i in range(most)})


def is_line(path):
    """Is it a file of a 1-D scalar field?"""
    try:
        with h5py.File(path) as file:
            return any(data.ndim == 3 for data in file.get("t0_fields", {}).values())
    except OSError:
        return False


def read_lines(run, name):
    """A 1-D field's trajectories: (trajectory, frame, x), nodes (trajectory, x), name of the field."""
    path = directory(run) / name
    if not path.exists():
        raise RunError(f"{path.parent} has no {name}: evaluate did not finish, or saved none (-evaluate_save)")
    try:
        with h5py.File(path) as file:
            fields = [(key, file["t0_fields"][key]) for key in file.get("t0_fields", {})]
            if not fields or fields[0][1].ndim != 3:
                raise RunError(f"{path} holds no 1-D scalar field: x over time needs one")
            u, x = fields[0][1][()].astype(float), file["dimensions/x"][()]
        return u, np.broadcast_to(x, (len(u), u.shape[-1])), fields[0][0]
    except (KeyError, OSError) as error:
        raise RunError(f"{path} is not a trajectory file ({' '.join(str(error).split())})")


class Planes:
    """Planes of a field that evaluate kept for pictures: [group, plane, x, y] of the roll-out and of its reference."""

    def __init__(self, run):
        path = directory(run) / "metrics.h5"
        try:
            with h5py.File(path) as file:
                if "planes" not in file:
                    raise RunError(f"{path} holds no planes: those of 2-D and 3-D runs do (-evaluate_planes)")
                group = file["planes"]
                self.trajectory, self.reference = group["trajectory"][()], group["reference"][()]
                self.frame, self.time = group["frame"][()].astype(int), group["time"][()]
                self.x, self.y = group["x"][()], group["y"][()]
                self.z = group["z"][()] if "z" in group else None
                component = text(group.attrs["component"])
                self.name = text(group.attrs["field"]) + (f" ({component})" if component else "")
        except (KeyError, OSError) as error:
            raise RunError(f"{path} is not a metrics file of evaluate ({' '.join(str(error).split())})")
