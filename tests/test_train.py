"""The command `train` from outside: layouts, restarts, kills, signals, stages, skips.

Needs numpy and h5py.  The program is $UNR_BUILD_DIR/unroll; meson gives that and the environment of MPI."""
import csv
import json
import os
import random
import re
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

import h5py
import numpy as np

UNROLL = os.path.join(os.environ["UNR_BUILD_DIR"], "unroll")
MPIEXEC = os.environ.get("UNR_MPIEXEC", "mpiexec")
DECK = os.path.join(os.environ["UNR_SOURCE_DIR"], "inputs/ks/smoke.yaml")
REQUEUE = 85

folder = None  # of all runs of this program
data = None    # 18 trajectories of 40 frames, six domain sizes


def setUpModule():
    global folder, data
    folder = Path(tempfile.mkdtemp(prefix="unroll-train-"))
    data = str(folder / "train.h5")
    done = run("generate", "-generate_starts", 3, "-generate_frames", 40, "-dataset_file", data, "-dataset_precision", "double",
               ranks=2)
    if done.returncode:
        raise RuntimeError(done.stderr)


def tearDownModule():
    shutil.rmtree(folder)


def command(name, *options, ranks=1, deck=DECK):
    return [MPIEXEC, "-n", str(ranks), UNROLL, name, "-options_file", str(deck), *map(str, options)]


def run(name, *options, **more):
    return subprocess.run(command(name, *options, **more), capture_output=True, text=True, timeout=300)


# What all trainings here share; the deck's net is small.
COMMON = ("-validation_steps", 3, "-validation_samples", 8, "-validation_fraction", 0.2, "-dataset_fraction", 1,
          "-optim_lr", 1e-3, "-train_batch", 5)


def options(out, *more):
    return (*COMMON, "-dataset_file", data, "-out", folder / out, *more)


def state(out, update):
    """All arrays of a checkpoint but the clock."""
    arrays = {}
    with h5py.File(folder / out / f"checkpoint-{update}.h5") as f:
        f.visititems(lambda name, item: arrays.update({name: item[()]})
                     if isinstance(item, h5py.Dataset) and name != "seconds" else None)
    return arrays


def history(out):
    with open(folder / out / "history.csv") as f:
        return list(csv.DictReader(f))


def summary(out):
    return json.loads((folder / out / "summary.json").read_text())


def weights(arrays):
    return np.concatenate([np.ravel(a) for name, a in sorted(arrays.items()) if name.startswith("weights/")])


class Train(unittest.TestCase):
    def train(self, out, *more, ranks=1, status=0):
        done = run("train", *options(out, *more), ranks=ranks)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def assert_same_bits(self, a, b):
        self.assertEqual(sorted(a), sorted(b))
        for name, value in a.items():
            self.assertEqual(np.asarray(value).tobytes(), np.asarray(b[name]).tobytes(), name)

    def test_layouts_agree(self):
        """First loss, first gradient norm and the weights after 50 updates, double precision, every mode: 1 to 4 ranks as
        replicas (batches of 5 divide by none of 2, 3, 4), and as one grid."""
        for mode in ("one", "nog", "wig"):
            more = ("-rollout_mode", mode, "-net_precision", "double", "-train_updates", 50)
            self.train(f"{mode}1", *more)
            first, end = history(f"{mode}1")[0], weights(state(f"{mode}1", 50))
            for ranks, layout in ((2, ()), (3, ("-layout_replicas", 3)), (4, ("-layout_replicas", 2)),
                                  (3, ("-layout_replicas", 1))):
                out = f"{mode}{ranks}-{len(layout) and layout[1]}"
                self.train(out, *more, *layout, ranks=ranks)
                row = history(out)[0]
                # sums in another order: some 1e-16 of their parts
                self.assertLess(abs(float(row["loss"]) / float(first["loss"]) - 1), 1e-13)
                self.assertLess(abs(float(row["gradient_norm"]) / float(first["gradient_norm"]) - 1), 1e-8)  # nine digits
                # Adam divides by the root of a square: a gradient near zero passes its rounding on whole
                self.assertLess(np.abs(weights(state(out, 50)) - end).max(), 1e-10, out)

    def test_restart_keeps_the_bits(self):
        """1000 updates = 500, restart, 500, bit for bit on two ranks; to rounding when the rest runs on three."""
        for rate in ("exponential", "plateau"):
            more = ("-rollout_mode", "wig", "-rollout_steps", 2, "-optim_rate", rate, "-optim_lr_interval", 150,
                    "-validation_interval", 70, "-checkpoint_interval", 250, "-net_precision", "double")
            self.train(f"whole-{rate}", *more, "-train_updates", 1000, ranks=2)
            self.train(f"half-{rate}", *more, "-train_updates", 500, ranks=2)
            shutil.copytree(folder / f"half-{rate}", folder / f"third-{rate}")
            done = self.train(f"half-{rate}", *more, "-train_updates", 1000, "-restart", "auto", ranks=2)
            self.assertIn("resumed from", done.stdout)
            whole, half = state(f"whole-{rate}", 1000), state(f"half-{rate}", 1000)
            self.assert_same_bits(whole, half)
            self.assertEqual(summary(f"half-{rate}")["start_update"], 500)
            self.assertEqual(len(history(f"half-{rate}")), 1000)
            self.train(f"third-{rate}", *more, "-train_updates", 520, "-restart", "auto", ranks=3)
            self.train(f"short-{rate}", *more, "-train_updates", 520, ranks=2)
            a, b = weights(state(f"third-{rate}", 520)), weights(state(f"short-{rate}", 520))
            self.assertLess(np.abs(a - b).max(), 1e-10)
        with h5py.File(folder / "whole-plateau/model.h5") as a, h5py.File(folder / "half-plateau/model.h5") as b:
            for name in a["weights"]:
                self.assertEqual(a["weights"][name][()].tobytes(), b["weights"][name][()].tobytes())

    def test_kills(self):
        """kill -9 at twenty random moments: never a broken file, at most one interval lost, the same final bits."""
        updates, interval = 4000, 100
        more = ("-rollout_mode", "nog", "-train_updates", updates, "-checkpoint_interval", interval, "-restart", "auto")
        begun = time.time()
        self.train("undisturbed", *more, ranks=2)
        whole, kills, trainings, rng = time.time() - begun, 0, 0, random.Random(1)
        while kills < 20:
            out, told = f"killed{trainings}", 0
            while kills < 20 and self.kill_one(out, more, rng.uniform(0.1, 0.1 + whole / 5)):
                kills += 1
                told = self.check_files(out, told - interval)
            self.train(out, *more, ranks=2)
            self.assertGreaterEqual(summary(out)["start_update"], told - interval)
            self.assert_same_bits(state("undisturbed", updates), state(out, updates))
            self.assertEqual([row["update"] for row in history(out)], [str(i + 1) for i in range(updates)])
            self.assertEqual([row["loss"] for row in history(out)], [row["loss"] for row in history("undisturbed")])
            trainings += 1

    def kill_one(self, out, more, seconds):
        """Was the run killed before it ended?"""
        process = subprocess.Popen(command("train", *options(out, *more), ranks=2), stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, start_new_session=True)
        try:
            process.wait(timeout=seconds)
            return False
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            return True

    def check_files(self, out, least):
        """Every file opens whole; the newest checkpoint is not before `least`; the last update that history tells of."""
        time.sleep(0.1)  # the ranks die after mpiexec
        for path in (folder / out).glob("*.h5"):
            with h5py.File(path) as f:
                self.assertIn(f.attrs["kind"], ("model", "checkpoint"))
        newest = max([int(path.stem.split("-")[1]) for path in (folder / out).glob("checkpoint-*.h5")], default=0)
        self.assertGreaterEqual(newest, least)
        rows = history(out) if (folder / out / "history.csv").exists() else []
        return int(rows[-1]["update"]) if rows else 0

    def test_signal(self):
        """USR1: a checkpoint, status 85, no summary; and on from there."""
        more = ("-rollout_mode", "one", "-train_updates", 3000, "-checkpoint_interval", 0, "-restart", "auto")
        self.train("calm", *more)
        environment = {**os.environ, "OMPI_MCA_orte_abort_print_stack": "0"}
        process = subprocess.Popen(command("train", *options("signalled", *more)), stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, env=environment)
        while not (folder / "signalled/history.csv").exists():
            time.sleep(0.01)
        time.sleep(0.05)
        process.send_signal(signal.SIGUSR1)  # mpiexec passes it on
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, REQUEUE, out + err)
        self.assertFalse((folder / "signalled/summary.json").exists())
        self.assertIn("-restart auto", out)
        self.train("signalled", *more)
        self.assertGreater(summary("signalled")["start_update"], 0)
        self.assert_same_bits(state("calm", 3000), state("signalled", 3000))

    def test_stages(self):
        """A curriculum: steps, rates and ends in turn; and one stage by the command line."""
        more = ("-stage_steps", "1,2,4", "-stage_lr", "1e-3,5e-4,1e-4", "-stage_updates", "20,30,10")
        self.train("stages", *more)
        rows = history("stages")
        self.assertEqual([row["stage"] for row in rows], ["1"] * 20 + ["2"] * 30 + ["3"] * 10)
        self.assertEqual([float(rows[i]["learning_rate"]) for i in (0, 20, 50)], [1e-3, 5e-4, 1e-4])
        self.assertTrue((folder / "stages/model-stage1.h5").exists() and (folder / "stages/model-stage2.h5").exists())
        self.assertEqual(state("stages", 60)["moments/count"], 10)
        self.train("cut", *more, "-train_updates", 25)
        self.assertEqual(len(history("cut")), 25)
        self.train("cut", *more, "-restart", "auto")
        self.assert_same_bits(state("stages", 60), state("cut", 60))
        self.train("one-stage", *more, "-rollout_mode", "nog")
        self.assertEqual({row["stage"] for row in history("one-stage")}, {"1"})
        self.assertEqual(len(history("one-stage")), 60)

    def test_learns_and_validates(self):
        """The error on windows that training never saw falls, and the best of them is what model.h5 holds."""
        self.train("learns", "-train_updates", 600, "-validation_interval", 50, "-optim_lr", 3e-3)
        rows = [row for row in history("learns") if row["validation"]]
        self.assertEqual([int(row["update"]) for row in rows], list(range(50, 601, 50)))
        errors = [float(row["validation"]) for row in rows]
        self.assertLess(errors[-1], 0.7 * errors[0])
        self.assertAlmostEqual(summary("learns")["validation_best"] / min(errors), 1, 6)

    def test_start_from_a_model(self):
        """-model_file: the first loss of the second training is about the last of the first; its net needs no options."""
        self.train("teacher", "-train_updates", 400, "-optim_lr", 3e-3)
        self.train("pupil", "-train_updates", 1, "-model_file", folder / "teacher/model.h5")
        self.assertLess(summary("pupil")["loss_first"], 0.3 * summary("teacher")["loss_first"])

    def test_a_model_knows_its_fraction(self):
        """All of the augmented step comes with the file, not the word transition alone."""
        more = ("-train_updates", 1, "-model_type", "transition")
        self.train("part", *more, "-model_transition_fraction", 0.3)
        model = ("-model_file", folder / "part/model.h5")
        self.train("whole", *more, *model)
        with h5py.File(folder / "whole/model.h5") as f:
            self.assertEqual(float(f["options"].attrs["model_transition_fraction"]), 0.3)
        done = run("train", *options("other", *more, *model, "-model_transition_fraction", 0.5))
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("-model_transition_fraction (0.5) contradicts", done.stderr)

    def test_hopeless(self):
        """A rate that blows the weights up: every later update is skipped and counted; the run says so and fails."""
        done = run("train", *options("hopeless", "-optim_type", "sgd", "-optim_lr", 900, "-train_updates", 2000))
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("given up", done.stdout)
        end = summary("hopeless")
        self.assertEqual((end["status"], end["reason"]), ("failed", "skipped"))
        self.assertGreaterEqual(end["skipped"]["nonfinite"], 100)
        self.assertEqual(history("hopeless")[-1]["skipped"], "nonfinite")

    def test_an_old_run_is_kept(self):
        self.train("again", "-train_updates", 3)
        before = state("again", 3)
        self.train("again", "-train_updates", 2)
        self.assertTrue((folder / "again/previous/checkpoint-3.h5").exists())
        self.assertEqual(len(history("again")), 2)
        self.assert_same_bits(before, state("again/previous", 3))

    def test_refusals(self):
        bare = folder / "bare.yaml"  # a deck that names neither data nor an end
        bare.write_text(Path(DECK).read_text().replace("  file: runs/data/ks-smoke-train.h5\n", "").replace("  updates: 60\n", ""))
        for what, more in (("-dataset_file is not given", ("-train_updates", 1)),
                           ("generate -options_file", ("-dataset_file", folder / "none.h5", "-train_updates", 1)),
                           ("nothing ends the training", ("-dataset_file", data)),
                           ("-out is not given", ("-dataset_file", data, "-train_updates", 1)),
                           ("entries where another list", ("-dataset_file", data, "-stage_steps", "1,2", "-stage_epochs", 1)),
                           ("stages without an end", ("-dataset_file", data, "-stage_steps", "1,2")),
                           ("frames of", ("-dataset_file", data, "-train_updates", 1, "-stepper_dt", 0.25)),
                           ("a frame of the solver takes", ("-dataset_file", data, "-reference_stepper_dt", 0.25)),
                           ("leaves no frame for training (1 of 40", ("-dataset_file", data, "-validation_fraction", 1)),
                           ("above the learning rate 1e-05", ("-dataset_file", data, "-stage_lr", "1e-3,1e-5", "-stage_updates",
                                                              "1,1", "-optim_lr_min", 1e-4)),
                           ("has no network", ("-dataset_file", data, "-train_updates", 1, "-model_type", "solver"))):
            out = () if "-out" in what else ("-out", folder / "refused")
            done = run("train", *COMMON, *more, *out, ranks=2, deck=bare)
            self.assertEqual(done.returncode, 2, what + done.stderr)
            self.assertIn(what, done.stderr)
            self.assertEqual(done.stderr.count("unroll: error:"), 1)

    def test_the_advice_on_validation_works(self):
        """More steps than the frames that are held back allow: either of the two options that the message names will do."""
        more = ("-train_updates", 1, "-validation_fraction", 0.05)
        done = run("train", *options("advised", *more, "-validation_steps", 6))
        self.assertEqual(done.returncode, 2, done.stderr)
        advice = re.findall(r"-validation_\w+ [\d.]+", done.stderr.split("; try: ")[1])
        self.assertEqual([line.split()[0] for line in advice], ["-validation_steps", "-validation_fraction"])
        for line in advice:
            self.train("advised", *more, "-validation_steps", 6, *line.split())

    def test_stage_begins_with_the_best(self):
        """A rate that spoils the weights in stage 1: stage 2 begins with its best ones, also after a restart; or with its last."""
        more = ("-stage_lr", "1e-1,1e-9", "-stage_updates", "12,2", "-stage_warmup", "2,0", "-validation_interval", 1,
                "-checkpoint_interval", 12)
        for name, begin in (("last", ()), ("best", ("-stage_begin", "best"))):
            self.train("begin-" + name, *more, *begin)
        rows = history("begin-best")
        self.assertEqual([float(row["learning_rate"]) for row in rows], [0.05] + [0.1] * 11 + [1e-9] * 2)
        errors = [float(row["validation"]) for row in rows]
        self.assertGreater(errors[11], 1.1 * min(errors[:12]))  # the stage does not end with its best
        self.assertAlmostEqual(errors[12] / min(errors[:12]), 1, 5)  # a rate of 1e-9 changes nothing
        self.assertAlmostEqual(float(history("begin-last")[12]["validation"]) / errors[11], 1, 5)
        self.train("begin-cut", *more, "-stage_begin", "best", "-train_updates", 12)
        self.train("begin-cut", *more, "-stage_begin", "best", "-restart", "auto")
        self.assert_same_bits(state("begin-best", 14), state("begin-cut", 14))

    def test_a_checkpoint_of_other_stages(self):
        """Stages that began elsewhere are refused, at once and in words; so are numbers that no training has."""
        more = ("-stage_lr", "1e-3,1e-4", "-train_updates", 12)
        self.train("staged", *more, "-stage_updates", "10,20")
        path = folder / "staged/checkpoint-12.h5"
        for updates in ("5,20", "11,20"):
            done = run("train", *options("staged", *more, "-stage_updates", updates, "-restart", "auto"), ranks=2)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("its stage 2 began after 10", done.stderr)
        for name, value in (("stage", -1), ("stage_update", -2), ("update", -5), ("moments/count", -1), ("weights/first.bias", np.nan),
                            ("update", 10**15)):
            changed = folder / "changed.h5"
            with h5py.File(path) as old, h5py.File(changed, "w") as new:  # one that is changed in place has another checksum
                for key in old:
                    old.copy(key, new)
                for key, item in old.attrs.items():
                    new.attrs[key] = item
                new[name][...] = value
            done = run("train", *options("changed", *more, "-stage_updates", "10,20", "-restart", changed), ranks=2)
            self.assertEqual(done.returncode, 2, name + done.stderr)
            self.assertEqual(done.stderr.count("unroll: error:"), 1)
            self.assertIn("its stage 2 began after" if value == 10**15 else f"array '{name}'", done.stderr)

    def test_a_damaged_history_can_be_moved_away(self):
        self.train("torn", "-train_updates", 3)
        path = folder / "torn/history.csv"
        path.write_text("no history\n")
        done = run("train", *options("torn", "-train_updates", 5, "-restart", "auto"))
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("try: move it away", done.stderr)
        path.unlink()
        self.train("torn", "-train_updates", 5, "-restart", "auto")
        self.assertEqual([row["update"] for row in history("torn")], ["4", "5"])

    def test_unused_options_are_unused(self):
        done = self.train("told", "-train_updates", 1, "-optim_rate", "cosine")
        unused = done.stdout.split("not used by this command: ")[1].splitlines()[0].split()
        self.assertFalse([name for name in unused if name.startswith("-optim")], unused)

    def test_dry_run(self):
        done = self.train("dry", "-train_updates", 100, "-dry_run")
        self.assertNotIn("-optim_lr", "".join(done.stdout.split("not used by this command")[1:]))
        self.assertIn("100 updates, about", done.stdout)
        self.assertFalse((folder / "dry").exists())


if __name__ == "__main__":
    unittest.main(verbosity=2)
