#!/usr/bin/python3
"""Pictures of a `unroll solve` run: the trajectory, and the gradient if one was asked for.

usage: plot_solve.py RUN_DIR [PICTURE]

1-D: x over time, with the sensitivity of the last state below it.  2-D and 3-D: first and last frame (the middle plane).
Reads trajectory.h5, gradient.h5 (if there) and summary.json of RUN_DIR; writes PICTURE [RUN_DIR/solve.png].
"""
import json
import sys
from pathlib import Path

import h5py
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt


def field_of(file):
    """The first scalar field, or the first component of the first vector field, of trajectory 0: (frames, x[, y[, z]])."""
    for group in ("t0_fields", "t1_fields"):
        for name in file.get(group, {}):
            data = file[group][name]
            return (name, data[0]) if group == "t0_fields" else (name + "_x", data[0][..., 0])
    raise SystemExit(f"plot_solve.py: error: no field in {file.filename}")


def coordinate(file, axis):
    """One axis of trajectory 0: per trajectory or shared."""
    x = file["dimensions"][axis][()]
    return x[0] if x.ndim == 2 else x


def plot_line(run, summary, file, name, u):
    """x over time; below it the gradient with respect to the start state beside that state."""
    gradient = run / "gradient.h5"
    x, t = coordinate(file, "x"), file["dimensions"]["time"][()]
    rows = 2 if gradient.exists() else 1
    fig, axes = plt.subplots(rows, 1, figsize=(9, 3.2 * rows), squeeze=False, constrained_layout=True)
    top = axes[0, 0]
    limit = abs(u).max()
    image = top.pcolormesh(t, x, u.T, cmap="RdBu_r", vmin=-limit, vmax=limit, shading="nearest")
    top.set(xlabel="time", ylabel="x", title=f"{name}(x, t): {summary['steps']} frames, "
            f"{summary['layout']['size']} ranks, {summary['seconds_forward']:.3g} s")
    fig.colorbar(image, ax=top)
    if rows == 2:
        with h5py.File(gradient) as g:
            _, bar = field_of(g)
        low = axes[1, 0]
        low.plot(x, bar[0], color="tab:red", label="dJ/du at the start")
        low.set(xlabel="x", ylabel="gradient", xlim=(x[0], x[-1]),
                title=f"gradient of the cotangent's product with u(x, {t[-1]:g}), norm {summary['gradient_norm']:.4g}")
        other = low.twinx()
        other.plot(x, u[0], color="0.6", lw=1, label="start state")
        other.set_ylabel("start state")
        handles = low.get_legend_handles_labels()[0] + other.get_legend_handles_labels()[0]
        low.legend(handles, [h.get_label() for h in handles], loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=2)
    return fig


def plot_planes(file, name, u):
    """First and last frame; the middle plane of z in 3-D."""
    t = file["dimensions"]["time"][()]
    x, y = coordinate(file, "x"), coordinate(file, "y")
    fig, axes = plt.subplots(1, 2, figsize=(10, 4.2), constrained_layout=True)
    for ax, frame in zip(axes, (0, -1)):
        plane = u[frame] if u.ndim == 3 else u[frame][..., u.shape[-1] // 2]
        image = ax.pcolormesh(x, y, plane.T, cmap="RdBu_r", shading="nearest")
        ax.set(xlabel="x", ylabel="y", aspect="equal", title=f"{name}, time {t[frame]:g}")
        fig.colorbar(image, ax=ax)
    return fig


def main():
    if len(sys.argv) not in (2, 3):
        raise SystemExit(__doc__)
    run = Path(sys.argv[1])
    picture = Path(sys.argv[2]) if len(sys.argv) == 3 else run / "solve.png"
    try:
        summary = json.loads((run / "summary.json").read_text())
        with h5py.File(run / "trajectory.h5") as file:
            name, u = field_of(file)
            fig = plot_line(run, summary, file, name, u) if u.ndim == 2 else plot_planes(file, name, u)
    except OSError as error:
        raise SystemExit(f"plot_solve.py: error: {error}")
    fig.savefig(picture, dpi=130)
    print(picture)


if __name__ == "__main__":
    main()
