#!/usr/bin/env python3
"""Every deck in inputs/ from end to end in a small form: generate, train, evaluate and bench, and what each leaves.

    test_decks.py PROGRAM MPIEXEC

Small are the numbers of trajectories, frames and updates; network, model, mode, batch and fractions are the deck's own.
The finite numbers, counts and shapes are asserted, not how good a network of four updates is.
"""
import concurrent.futures
import csv
import json
import math
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import h5py
import numpy as np

from small_grid import small_grid

SOURCE = Path(os.environ["UNR_SOURCE_DIR"])
UPDATES, STARTS, FRAMES, TESTS, HORIZON = 4, 2, 100, 1, 14
SMALL = {
    "-generate_starts": STARTS, "-generate_frames": FRAMES, "-start_warmup": 20, "-validation_steps": 3,
    "-validation_samples": 6, "-validation_interval": 2, "-test_starts": TESTS, "-test_warmup": 20, "-test_frames": HORIZON,
    "-train_updates": UPDATES, "-checkpoint_interval": 2, "-bench_updates": 2, "-bench_warmup": 1,
}
COLUMNS = "update,stage,epoch,loss,validation,learning_rate,gradient_norm,skipped,seconds".split(",")

# Besides every deck as it is: the paper's old schedule, with an interval that four updates see.
OLD = ["-optim_rate", "exponential", "-optim_lr_factor", "0.9", "-optim_lr_interval", "2"]
CASES = [("inputs/ks/correct-26-8-wig.yaml", 1, OLD)]

# What a deck's name promises: KIND-FEATURES-DEPTH-MODE, weights by (features, depth); SIZE-MODE, weights by size.
WEIGHTS = {("26", "8"): 33125, ("52", "12"): 196457, "32k": 32376, "100k": 115810, "500k": 461250, "1m": 1084610}
MODELS = {"correct": "correct_parallel", "predict": "predict"}


class Wrong(Exception):
    pass


def expect(good, *what):
    if not good:
        raise Wrong(" ".join(str(word) for word in what))


class Runner:
    """Runs commands of one case in its own folder and reads what they leave."""

    def __init__(self, program, mpiexec, deck, ranks, options, folder):
        self.start = [mpiexec, "-n", str(ranks), program]
        small = [str(word) for pair in SMALL.items() for word in pair]
        files = ["-dataset_file", f"{folder}/train.h5", "-test_file", f"{folder}/test.h5"]
        grids = small_grid(deck)
        self.rest = ["-options_file", str(SOURCE / deck), *small, *grids, *files, *options]
        self.folder = Path(folder)

    def __call__(self, command, out, *options):
        path = self.folder / out
        done = subprocess.run([*self.start, command, *self.rest, "-out", str(path), *options], capture_output=True, text=True,
                              timeout=300)
        expect(done.returncode == 0, command, "status", done.returncode, done.stdout, done.stderr)
        summary = json.loads((path / "summary.json").read_text())
        expect(summary["command"] == command and summary["status"] == "ok", command, summary)
        return summary


def finite(*values):
    return all(isinstance(value, (int, float)) and math.isfinite(value) for value in values)


def numbers(text):
    """A list as the resolved options have it."""
    return [float(word) for word in text.split(",")] if text else []


def check_data(path, trajectories, frames, parameter):
    with h5py.File(path) as f:
        field = f["t0_fields/u"] if "u" in f["t0_fields"] else f["t1_fields/velocity"]
        expect(field.shape[:2] == (trajectories, frames), path.name, "has", field.shape, "not", trajectories, frames)
        expect(np.isfinite(field[()]).all() and np.ptp(field[:, -1]) > 0, path.name, "not finite, or flat")
        return f["scalars"][parameter][()] if parameter else None


def check_history(path, summary):
    with open(path) as f:
        rows = list(csv.DictReader(f))
    expect(rows and list(rows[0]) == COLUMNS, "columns", list(rows[0]) if rows else None)
    expect([int(row["update"]) for row in rows] == list(range(1, UPDATES + 1)), "updates", [row["update"] for row in rows])
    for row in rows:
        expect(finite(*(float(row[name]) for name in ("loss", "learning_rate", "gradient_norm", "seconds"))), row)
        expect(row["skipped"] == "none", row)
    expect(any(row["validation"] and finite(float(row["validation"])) for row in rows), "no validation in", rows)
    expect(math.isclose(float(rows[0]["loss"]), summary["loss_first"], rel_tol=1e-5), rows[0], summary["loss_first"])
    return [float(row["learning_rate"]) for row in rows]


def check_train(summary, deck):
    expect(summary["updates"] == UPDATES and summary["start_update"] == 0, "updates", summary["updates"])
    expect(finite(summary["loss_first"], summary["loss_last"], summary["weights_norm"]), summary)
    expect(sum(summary["skipped"].values()) == 0, summary["skipped"])
    words = Path(deck).stem.split("-")
    if len(words) == 2 and words[0] in WEIGHTS:
        expect(summary["mode"] == words[1] and summary["model"] == "correct_sequential", summary["mode"], summary["model"])
        expect(summary["parameters"] == WEIGHTS[words[0]], "weights", summary["parameters"])
        expect(summary["options"]["-train_batch"] == "1", summary["options"]["-train_batch"])
    if len(words) == 4:
        kind, features, depth, mode = words
        expect(summary["mode"] == mode and summary["model"] == MODELS[kind], summary["mode"], summary["model"])
        expect(summary["parameters"] == WEIGHTS[features, depth], "weights", summary["parameters"])
        expect(summary["options"]["-train_batch"] == ("48" if mode == "one" else "16"), summary["options"]["-train_batch"])


def check_evaluate(summary, path, values):
    tests = values * TESTS
    expect(len(summary["tests"]) == values, "groups", len(summary["tests"]), "not", values)
    expect(summary["all"]["count"] == tests, "tests", summary["all"]["count"], "not", tests)
    for group in summary["tests"]:
        expect(group["diverged"] == group["count"] or finite(group["rel"], group["rel_median"], group["one_frame"]), group)
    with h5py.File(path) as f:
        expect(f["frame/rel"].shape == (tests, HORIZON + 1), "frame/rel", f["frame/rel"].shape)
        expect(np.isfinite(f["test/one_frame"][()]).all(), "one_frame", f["test/one_frame"][()])


def case(program, mpiexec, deck, ranks, options):
    with tempfile.TemporaryDirectory() as folder:
        run = Runner(program, mpiexec, deck, ranks, options, folder)
        made = run("generate", "generate")["options"]
        parameter, values = made.get("-sample_parameter"), numbers(made.get("-sample_values")) or [0]
        seen = check_data(run.folder / "train.h5", len(values) * STARTS, FRAMES, parameter)
        expect(not parameter or np.allclose(seen, np.repeat(values, STARTS)), "parameters", seen)
        made = run("generate", "generate-test", "-generate_set", "test")["options"]
        wanted = numbers(made.get("-test_values")) or values
        seen = check_data(run.folder / "test.h5", len(wanted) * TESTS, HORIZON + 1, parameter)
        expect(not parameter or np.allclose(seen, np.repeat(wanted, TESTS)), "test parameters", seen)
        summary = run("train", "train")
        check_train(summary, deck)
        rates = check_history(run.folder / "train/history.csv", summary)
        if options == OLD:
            expect(np.allclose(rates, [1e-4, 1e-4, 0.9e-4, 0.9e-4]), "rates", rates)
        summary = run("evaluate", "evaluate", "-model_file", f"{folder}/train/model.h5")
        check_evaluate(summary, run.folder / "evaluate/metrics.h5", len(wanted))
        summary = run("bench", "bench")
        expect(finite(*summary["phases"].values()) and summary["updates_per_second"] > 0, summary["phases"])


def verdict(arguments):
    try:
        case(*arguments)
    except (Wrong, KeyError, OSError, ValueError, subprocess.TimeoutExpired) as wrong:
        return f"{type(wrong).__name__}: {wrong}"
    return None


def main():
    program, mpiexec = sys.argv[1:3]
    decks = sorted(str(path.relative_to(SOURCE)) for path in SOURCE.glob("inputs/*/*.yaml"))
    cases = [(deck, 1 + i % 2, []) for i, deck in enumerate(decks)] + CASES
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for (deck, ranks, options), wrong in zip(cases, pool.map(verdict, [(program, mpiexec, *c) for c in cases])):
            failed += wrong is not None
            print("FAILED" if wrong else "ok", deck, ranks, *options, wrong or "", flush=True)
    print(f"{len(cases) - failed} passed, {failed} failed")
    sys.exit(failed > 0 or not decks)


if __name__ == "__main__":
    main()
