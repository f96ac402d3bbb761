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

SOURCE, DECK, UPDATES = Path(os.environ["UNR_SOURCE_DIR"]), "inputs/ks/smoke.yaml", 1500


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

    def wait_for_updates(self, out, updates):
        history, end = self.folder / out / "history.csv", time.time() + 100
        while not history.exists() or history.read_text().count("\n") <= updates:
            if time.time() > end:
                sys.exit(f"{out}: no {updates} updates\n" + self.log(out))
            time.sleep(0.1)


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
            length = ["-train_updates", str(UPDATES), "-checkpoint_interval", "400"]
            plain = jobs.submit("train", "plain", *length)
            jobs.wait(plain, "plain")
            stopped = jobs.submit("train", "stopped", *length)
            evaluated = jobs.submit("evaluate", "stopped", after=stopped)
            for updates in (100, 700):
                jobs.wait_for_updates("stopped", updates)
                jobs.ask("scancel", "--batch", "--signal=USR1", stopped)
            about = jobs.wait(stopped, "stopped")
            ended = jobs.submit("train", "ended", "-train_updates", "1000000")
            jobs.wait_for_updates("ended", 50)
            jobs.ask("scancel", ended)
            kept = jobs.wait(ended, "ended", "CANCELLED")
            jobs.wait(evaluated, "stopped")
        summary = {out: json.loads((folder / out / "summary.json").read_text()) for out in ("plain", "stopped", "stopped/evaluate")}
        checks = {
            "requeued twice": about["Restarts"] == "2",
            "went on": 700 <= summary["stopped"]["start_update"] < UPDATES and summary["plain"]["start_update"] == 0,
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
