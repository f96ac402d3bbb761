#!/usr/bin/python3
"""x over time: the reference, and each run with its error beside it, all on one colour scale.

usage: plot_xt.py RUN_DIR [RUN_DIR ...] [--test I] [--frames N] [-o PICTURE]

Reads reference.h5 of the first and trajectory.h5 of every run of evaluate; writes PICTURE [xt.png in the first run].
Grey: the run has diverged.
"""
import argparse
from pathlib import Path

import numpy as np

from pictures import plt, save
from runs import RunError, read_all, read_lines, script


def bounded(u, limit):
    """u with everything from the first frame that is not finite or above the limit masked; that frame, or None."""
    bad = ~(np.abs(u) <= limit).all(axis=1)
    if not bad.any():
        return np.ma.array(u), None
    first = int(np.argmax(bad))
    return np.ma.array(np.where(np.isfinite(u), u, 0.0), mask=np.arange(len(u))[:, None] >= np.full(u.shape, first)), first


def panel(ax, x, u, limit):
    """One picture: frames along, x upwards."""
    ax.set_facecolor("0.8")
    ax.grid(False)
    return ax.pcolormesh(np.arange(len(u)), x, u.T, cmap="RdBu_r", vmin=-limit, vmax=limit, shading="nearest",
                         rasterized=True)


def draw(runs, test=0, frames=None):
    """The figure of test number `test` of the saved ones (one a group)."""
    metrics = read_all(runs)
    reference, nodes, name = read_lines(metrics[0].run, "reference.h5")
    if not 0 <= test < len(reference):
        raise RunError(f"no saved test ({test}); allowed: 0 to {len(reference) - 1}")
    count = min(frames + 1 if frames is not None else reference.shape[1], reference.shape[1])
    reference, x = reference[test, :count], nodes[test]
    scale = np.abs(reference).max() or 1.0
    fig, axes = plt.subplots(len(metrics) + 1, 2, figsize=(10, 1.75 * (len(metrics) + 1)), sharex=True, sharey=True,
                             squeeze=False)
    image = panel(axes[0, 0], x, reference, scale)
    axes[0, 0].set_title(f"reference {name}")
    axes[0, 1].axis("off")
    group = metrics[0].group_name[test] if test < len(metrics[0].group_name) else ""
    kind = metrics[0].group_kind[test] if test < len(metrics[0].group_kind) else ""
    axes[0, 1].text(0.02, 0.5, f"{group}\n{kind}\n\nleft: the state\nright: the state minus the reference\n"
                    "grey: diverged\nthin line: end of the frames of rel", va="center", transform=axes[0, 1].transAxes)
    for row, run in zip(axes[1:], metrics):
        u, _, _ = read_lines(run.run, "trajectory.h5")
        if u.shape[0] <= test or u.shape[1] < count or u.shape[2] != len(x):
            raise RunError(f"{run.run / 'trajectory.h5'} and {metrics[0].run / 'reference.h5'} have different shapes")
        u, first = bounded(u[test, :count], float(run.option("-evaluate_limit", 30)))
        panel(row[0], x, u, scale)
        panel(row[1], x, u - reference, scale)
        row[0].set_title(run.label + (f" (diverged at frame {first})" if first is not None else ""))
        row[1].set_title(f"{run.label} - reference")
        for ax in row:
            ax.axvline(run.rel_frames, color="k", lw=0.6)
    for ax in axes[:, 0]:
        ax.set_ylabel("x")
    for ax in axes[-1]:
        ax.set_xlabel("frame")
    axes[0, 0].set_xlim(-0.5, count - 0.5)
    fig.colorbar(image, ax=axes, label=name, shrink=0.5, aspect=40, pad=0.01)
    return fig


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("run", nargs="+", help="directory of a run of evaluate")
    parser.add_argument("--test", type=int, default=0, help="which of the saved tests, one a group [0]")
    parser.add_argument("--frames", type=int, help="how many [all that were saved]")
    parser.add_argument("-o", "--output", help="the picture [xt.png in the first run]")
    given = parser.parse_args()
    if given.frames is not None and given.frames < 1:
        raise RunError(f"--frames ({given.frames}); allowed: at least 1")
    save(draw(given.run, given.test, given.frames), given.output or Path(given.run[0]) / "xt.png")


if __name__ == "__main__":
    script(main)
