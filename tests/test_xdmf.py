"""The .xmf beside field files, by VTK's own reader: every node where it is, with the value and the vector it has in the file.

Needs vtkXdmfReader, which Debian's python3-paraview has (python3-vtk9 is built without it); skipped where it is missing.
"""
import os
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

import h5py
import numpy as np

try:
    from vtkmodules.util.numpy_support import vtk_to_numpy
    from vtkmodules.vtkCommonExecutionModel import vtkStreamingDemandDrivenPipeline as Pipeline
    from vtkmodules.vtkIOXdmf2 import vtkXdmfReader
except ImportError:
    vtkXdmfReader = None

UNROLL = os.path.join(os.environ["UNR_BUILD_DIR"], "unroll")
MPIEXEC = os.environ.get("UNR_MPIEXEC", "mpiexec")
FLOW = ["-physics_type", "navier_stokes_spectral", "-start_type", "random_modes", "-start_peak", "1", "-stepper_type", "etdrk",
        "-stepper_dt", "0.05", "-model_type", "solver", "-layout_replicas", "1", "-generate_starts", "2", "-generate_frames", "3"]


class Xdmf(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="unroll-xdmf-")
        self.addCleanup(self.folder.cleanup)

    def generate(self, name, *options, ranks=2):
        path = os.path.join(self.folder.name, name)
        line = [MPIEXEC, "-n", str(ranks), UNROLL, "generate", *FLOW, "-dataset_file", path, *options]
        done = subprocess.run(line, capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        return path

    def compare(self, path, points, lengths):
        """Each value at its place, of all fields, trajectories and frames."""
        reader = vtkXdmfReader()
        reader.SetFileName(path[:-3] + ".xmf")
        reader.UpdateInformation()
        times = reader.GetOutputInformation(0).Get(Pipeline.TIME_STEPS())
        with h5py.File(path) as f:
            fields = {name: f[group][name][:] for group in ("t0_fields", "t1_fields") for name in f[group].attrs["field_names"]}
            np.testing.assert_array_equal(times, f["dimensions/time"])
        self.assertEqual(len(times), 3)
        for frame, time in enumerate(times):
            reader.UpdateTimeStep(time)
            blocks = reader.GetOutputDataObject(0)
            self.assertEqual(blocks.GetNumberOfBlocks(), 2)
            for trajectory in range(2):
                grid = blocks.GetBlock(trajectory)
                at = vtk_to_numpy(grid.GetPoints().GetData())
                spacing = np.array([length / n for length, n in zip(lengths, points)])
                nodes = np.rint(at[:, :len(points)] / spacing).astype(int)
                self.assertEqual(sorted(map(tuple, nodes)), list(np.ndindex(*points)))
                np.testing.assert_allclose(at[:, :len(points)], nodes * spacing, rtol=1e-6)
                self.assertTrue((at[:, len(points):] == 0).all())
                for name, values in fields.items():
                    found = vtk_to_numpy(grid.GetPointData().GetArray(name))
                    wanted = values[trajectory, frame][tuple(nodes.T)]
                    if wanted.ndim == 2 and wanted.shape[1] == 2:
                        wanted = np.column_stack([wanted, np.zeros(len(wanted))])
                    np.testing.assert_array_equal(found, wanted)
        return fields

    @unittest.skipUnless(vtkXdmfReader, "no vtkXdmfReader (Debian: python3-paraview): nothing reads the .xmf files here")
    def test_read_by_vtk(self):
        for name, points, lengths, more in (
                ("space.h5", (6, 8, 10), (2.0, 5.0, 7.0), ["-dataset_precision", "double"]),
                ("plane.h5", (8, 11), (2.0, 3.0), ["-physics_navier_stokes_tracer"]),
                ("a <&> b.h5", (8, 11), (2.0, 3.0), [])):
            path = self.generate(name, "-grid_points", ",".join(map(str, points)), "-grid_length", ",".join(map(str, lengths)), *more)
            fields = self.compare(path, points, lengths)
            self.assertEqual("tracer" in fields, name == "plane.h5")
            for values in fields.values():  # nothing that an exchange of axes, frames or trajectories would not change
                self.assertEqual(len(np.unique(values)), values.size)

    def test_what_there_is(self):
        """Well-formed; of all trajectories and no more than 4096 grids; none of a line."""
        path = self.generate("long.h5", "-grid_points", "6,5", "-generate_frames", "5000", "-generate_starts", "2")
        self.assertEqual(sorted(os.listdir(self.folder.name)), ["long.h5", "long.xmf"])
        root = ElementTree.parse(path[:-3] + ".xmf").getroot()
        grids = [[g.get("Name") for g in t] for t in root[0]]
        self.assertEqual([len(g) for g in grids], [1667, 1667])
        self.assertEqual(grids[0][-1], "frame4998")
        with h5py.File(path) as f:
            x, y = (f["unroll/coordinates"][c] for c in "xy")
            self.assertEqual((x.shape, x.chunks), ((6, 5, 1), (1, 5, 1)))
            np.testing.assert_allclose(y[3, :, 0], f["dimensions/y"], rtol=1e-7)
        self.generate("line.h5", "-physics_type", "ks_spectral", "-grid_points", "16")
        self.assertFalse(os.path.exists(os.path.join(self.folder.name, "line.xmf")))


if __name__ == "__main__":
    unittest.main()
