#!/usr/bin/env python3
"""jobs/slurm/ on a Slurm of its own: a training that is signalled twice and requeued ends with the bits of one that is not.

    test_slurm.py PROGRAM

Skipped (77) where Slurm's programs are not installed.
"""
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import h5py

sys.path.insert(0, str(Path(__file__).parent / "slurm"))
from cluster import Cluster, lacks  # noqa: E402

SOURCE, DECK = Path(os.environ["UNR_SOURCE_DIR"]), "inputs/ks/smoke.yaml"
# Long enough that a fast machine is still training when the second signal comes, some seconds after the start.
UPDATES, BATCH = 1500, 128


class Jobs:
    def __init__(self, folder, environment):
        self.folder, self.environment = folder, environment
        self.files = ["-dataset_file", f"{folder}/train.h5", "-test_file", f"{folder}/test.h5"]

    def ask(self, *command):
        return subprocess.run(command, env=self.environment, check=True, capture_output=True, text=True, cwd=SOURCE).stdout

    def submit(self, script, out, *options, after=None):
        dependency = [f"--dependency=afterok:{after}"] if after else []
        return self.ask("sbatch", "--parsable", f"--output={self.folder}/{out}.log", "--open-mode=append", *dependency,
                        f"jobs/slurm/{script}.sbatch", DECK, f"{self.folder}/{out}", *self.files, *options).strip()

    def log(self, out):
        return (self.folder / f"{out}.log").read_text()[-2000:]

    def about(self, job):
        return dict(word.split("=", 1) for word in self.ask("scontrol", "-o", "show", "job", job).split() if "=" in word)

    def wait(self, job, out, state="COMPLETED"):
        end = time.time() + 120
        while (about := self.about(job))["JobState"] in ("PENDING", "CONFIGURING", "RUNNING", "COMPLETING"):
            if time.time() > end:
                sys.exit(f"{out} still {about['JobState']}\n" + self.log(out))
            time.sleep(0.3)
        if about["JobState"] != state:
            sys.exit(f"{out} ended {about['JobState']}, not {state}\n" + self.log(out))
        return about

    def rows(self, out):
        history = self.folder / out / "history.csv"
        return history.read_text().count("\n") - 1 if history.exists() else 0

    def until(self, out, what, reached):
        end = time.time() + 100
        while not reached():
            if time.time() > end:
                sys.exit(f"{out}: no {what}\n" + self.log(out))
            time.sleep(0.1)

    def wait_for_updates(self, out, more):
        """Waits for `more` rows beside those there are now; they are written about once a second, many at a time."""
        rows = self.rows(out)
        self.until(out, f"{more} more updates", lambda: self.rows(out) >= rows + more)

    def wait_for_restart(self, job, out, restarts):
        self.until(out, f"restart {restarts}", lambda: self.about(job)["Restarts"] == str(restarts))


def weights(path):
    found = {}
    with h5py.File(path) as f:
        f["weights"].visititems(lambda name, item: found.update({name: item[()].tobytes()}) if hasattr(item, "dtype") else None)
    return found


def main():
    if lacks():
        print(f"skipped: no {lacks()} here (Debian: slurm-wlm, munge)")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with Cluster(folder / "slurm") as environment:
            jobs = Jobs(folder, {**environment, "UNROLL": os.path.abspath(sys.argv[1])})
            jobs.wait(jobs.submit("generate", "data"), "data")
            # The checkpoints of the one are not where the other is stopped.
            length = ["-train_updates", str(UPDATES), "-train_batch", str(BATCH), "-checkpoint_interval", "400"]
            plain = jobs.submit("train", "plain", *length)
            jobs.wait(plain, "plain")
            stopped = jobs.submit("train", "stopped", *length)
            evaluated = jobs.submit("evaluate", "stopped", after=stopped)
            for restarts in (1, 2):
                jobs.wait_for_updates("stopped", 1)
                jobs.ask("scancel", "--batch", "--signal=USR1", stopped)
                jobs.wait_for_restart(stopped, "stopped", restarts)
            about = jobs.wait(stopped, "stopped")
            ended = jobs.submit("train", "ended", "-train_updates", "1000000")
            jobs.wait_for_updates("ended", 1)
            jobs.ask("scancel", ended)
            kept = jobs.wait(ended, "ended", "CANCELLED")
            jobs.wait(evaluated, "stopped")
        summary = {out: json.loads((folder / out / "summary.json").read_text()) for out in ("plain", "stopped", "stopped/evaluate")}
        checks = {
            "requeued twice": about["Restarts"] == "2",
            "went on": 1 < summary["stopped"]["start_update"] < UPDATES and summary["plain"]["start_update"] == 0,
            "all updates": summary["stopped"]["updates"] == summary["plain"]["updates"] == UPDATES,
            "same best weights": weights(folder / "plain/model.h5") == weights(folder / "stopped/model.h5") != {},
            "same norm of the last weights": summary["plain"]["weights_norm"] == summary["stopped"]["weights_norm"],
            "scancel is the end": kept["Restarts"] == "0" and not (folder / "ended/summary.json").exists(),
            "evaluated": summary["stopped/evaluate"]["command"] == "evaluate",
        }
        for what, good in checks.items():
            print("ok" if good else "FAILED", what)
        print(f"{sum(checks.values())} passed, {len(checks) - sum(checks.values())} failed")
        sys.exit(not all(checks.values()))


if __name__ == "__main__":
    main()
