"""`unroll info` on a training's directory and files, whole and damaged; a restart beside a damaged checkpoint; the
example of docs/data-format.md that reads a model by h5py and numpy alone.

Needs numpy and h5py.  The program is $UNR_BUILD_DIR/unroll; meson gives that and the environment of MPI."""
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import h5py
import numpy as np

SOURCE = Path(os.environ["UNR_SOURCE_DIR"])
UNROLL = os.path.join(os.environ["UNR_BUILD_DIR"], "unroll")
MPIEXEC = os.environ.get("UNR_MPIEXEC", "mpiexec")
DECK = SOURCE / "inputs/ks/smoke.yaml"

folder = None  # of all runs of this program
data = None


def setUpModule():
    global folder, data
    folder = Path(tempfile.mkdtemp(prefix="unroll-info-"))
    data = folder / "train.h5"
    need(run("generate", "-dataset_file", data))
    need(train("run"))


def tearDownModule():
    shutil.rmtree(folder)


def need(done):
    if done.returncode:
        raise RuntimeError(done.stderr)


def run(command, *words, ranks=1):
    arguments = [UNROLL, command, *(["-options_file", DECK] if command != "info" else []), *words]
    return subprocess.run([MPIEXEC, "-n", str(ranks), *map(str, arguments)], capture_output=True, text=True, timeout=300)


def train(out, *options):
    return run("train", "-dataset_file", data, "-out", folder / out, "-train_updates", 30, "-checkpoint_interval", 10, *options)


def copy(name):
    """A copy of the run, to be spoilt."""
    return Path(shutil.copytree(folder / "run", folder / name))


def flip(path, at):
    content = bytearray(path.read_bytes())
    content[at] ^= 1
    path.write_bytes(content)


class Directory(unittest.TestCase):
    def expect(self, directory, status, *words, ranks=1):
        done = run("info", directory, ranks=ranks)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        for word in words:
            self.assertIn(word, done.stdout)

    def test_every_plugin(self):
        """Every line of a list header of src/ is in `info`, with its word and a summary."""
        told = {tuple(line.split()[:2]) for line in run("info").stdout.splitlines() if len(line.split()) > 2}
        listed = {(kind.lower(), name) for path in SOURCE.glob("src/*/*list.h") if path.parent.name != "app"
                  for kind, name in re.findall(r"^UNR_([A-Z]+)\((\w+),", path.read_text(), re.M)}
        self.assertGreater(len(listed), 30)
        self.assertEqual({(k, n) for k, n in listed if n != "onednn"} - told, set())

    def test_whole(self):
        for ranks in (1, 3):
            self.expect(folder / "run", 0, "run: finished", "status        ok", "checkpoint-20.h5: whole", "checkpoint-30.h5: whole",
                        "model.h5: whole", "-net_type     resnet", "update        30 of 30 (100 %)", "stage         1", "epoch", "loss  ",
                        "learning_rate 0.001", "healthy       yes", "s ago", ranks=ranks)

    def test_going_on(self):
        directory = copy("going-on")
        (directory / "summary.json").unlink()
        (directory / "checkpoint-30.h5").unlink()
        lines = (directory / "history.csv").read_text().splitlines(keepends=True)
        (directory / "history.csv").write_text("".join(lines[:26]) + "26,1")
        self.expect(directory, 0, "not finished: no summary.json", "update        25 of 30 (83 %)", "half a line", "healthy       yes")

    def test_damaged(self):
        for name in ("checkpoint-20.h5", "model.h5"):
            directory = copy("damaged-" + name)
            flip(directory / name, 5000)
            self.expect(directory, 1, f"{name}: damaged file (", "healthy       no: damaged file (", ranks=2)
        directory = copy("truncated")
        os.truncate(directory / "checkpoint-30.h5", 3000)
        self.expect(directory, 1, "checkpoint-30.h5: truncated file (", "3000 of ", "healthy       no: ")

    def test_disagreeing(self):
        directory = copy("short-history")
        lines = (directory / "history.csv").read_text().splitlines(keepends=True)
        (directory / "history.csv").write_text("".join(lines[:21]))
        self.expect(directory, 1, "healthy       no: history.csv ends at update 20, before checkpoint-30.h5")


class File(unittest.TestCase):
    def expect(self, path, *words):
        done = run("info", path)
        self.assertEqual(done.returncode, 0, done.stderr)
        for word in words:
            self.assertIn(word, done.stdout)

    def test_whole(self):
        self.expect(folder / "run/model.h5", "whole", "parameters 881", "kind model", "schema 1", "weights/first.weight",
                    "float32 (3, 2, 8)", "-net_constants domain_size")
        self.expect(folder / "run/checkpoint-30.h5", "kind checkpoint", "int64 (1) = 30\n", "-checkpoint_interval 10")
        self.expect(data, "data in The Well's layout", "field u, 12 trajectories of 80 frames, time 0 to 79", "float32 (12, 80, 48)")

    def test_damaged(self):
        directory = copy("files")
        flip(directory / "model.h5", 700)
        with h5py.File(directory / "foreign.h5", "w") as f:
            f["x"] = np.arange(3)
        os.truncate(shutil.copy(data, directory / "data.h5"), 20000)
        for name, words in (("model.h5", "damaged file ("), ("data.h5", "truncated or damaged HDF5 file ("), ("history.csv", "not an HDF5 file (")):
            done = run("info", directory / name, ranks=2)
            self.assertEqual(done.returncode, 2, done.stdout)
            self.assertIn("unroll: error: " + words, done.stderr)
        self.expect(directory / "foreign.h5", "foreign.h5: HDF5", "int64 (3)")


class Restart(unittest.TestCase):
    def test_beside_a_damaged_checkpoint(self):
        directory = copy("restart")
        flip(directory / "checkpoint-30.h5", 4000)
        done = train("restart", "-restart", "auto")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr.count("unroll: warning: damaged file ("), 1, done.stderr)
        self.assertIn("checkpoint-20.h5: update 20 of 30", done.stdout)
        with h5py.File(directory / "model.h5") as f, h5py.File(folder / "run/model.h5") as g:
            for name in g["weights"]:
                np.testing.assert_array_equal(f["weights"][name], g["weights"][name])


class Numpy(unittest.TestCase):
    def test_example(self):
        """The forward pass of the documentation against one augmented step of evaluate; u' = N(u, c) shows N alone."""
        out, test = folder / "predict", folder / "test.h5"
        need(train("predict", "-model_type", "predict", "-dataset_normalise", "standard"))
        need(run("generate", "-generate_set", "test", "-test_file", test, "-out", folder / "made", "-dataset_precision", "double"))
        need(run("evaluate", "-model_file", out / "model.h5", "-model_type", "predict", "-test_file", test, "-out", folder / "evaluated",
                 "-dataset_precision", "double"))
        page = (SOURCE / "docs/data-format.md").read_text()
        code = next(block for block in re.findall(r"```python\n(.*?)```", page, re.S) if "def net(" in block)
        names = {}
        exec(code.replace("runs/ks-smoke/model.h5", str(out / "model.h5")), names)
        with h5py.File(folder / "evaluated/trajectory.h5") as f:
            u, size = f["t0_fields/u"][:], f["scalars/domain_size"][:]
        for trajectory in range(len(u)):
            u0, u1 = u[trajectory, :2]
            error = np.abs(names["net"](u0, size[trajectory]) - u1).max() / np.abs(u1).max()
            # The program computes in single precision: about 2e-7 a layer, of which there are six.
            self.assertLess(error, 5e-6)
            self.assertGreater(np.abs(u1 - u0).max(), 0.01)  # a net that gives its input back would prove nothing


if __name__ == "__main__":
    unittest.main()
