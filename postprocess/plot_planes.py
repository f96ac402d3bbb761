#!/usr/bin/python3
"""Planes of a 2-D or 3-D field (the vorticity) at some frames: the reference, and each run below it, on one colour scale.

usage: plot_planes.py RUN_DIR [RUN_DIR ...] [--test I] [--frames K,K,...] [-o PICTURE]

Reads metrics.h5 of each run of evaluate; writes PICTURE [planes.png in the first run].  Grey: the run has diverged, or its
reference has ended.  The number in a picture is the correlation of the vorticity with the reference's, where there is one.
"""
import argparse
from pathlib import Path

import numpy as np

from pictures import plt, save
from runs import Planes, RunError, read_all, script


def planes_of(metrics, test):
    """Planes of all runs; their frames, grids and the test must agree."""
    planes = [Planes(m.run) for m in metrics]
    if not 0 <= test < len(planes[0].trajectory):
        raise RunError(f"no saved test ({test}); allowed: 0 to {len(planes[0].trajectory) - 1}")
    for m, p in zip(metrics, planes):
        if not np.array_equal(p.frame, planes[0].frame):
            raise RunError(f"{m.run} and {metrics[0].run} kept planes of different frames; the same -evaluate_planes is needed")
    return planes


def panel(ax, x, y, u, limit):
    """One picture: x to the right, y upwards, in true proportions."""
    ax.set_facecolor("0.8")
    ax.grid(False)
    step = x[1] - x[0], y[1] - y[0]
    ax.set(xlim=(x[0] - step[0] / 2, x[-1] + step[0] / 2), ylim=(y[0] - step[1] / 2, y[-1] + step[1] / 2))
    ax.set_aspect("equal")
    return ax.pcolormesh(x, y, np.ma.masked_invalid(u).T, cmap="RdBu_r", vmin=-limit, vmax=limit, shading="nearest",
                         rasterized=True)


def correlation(run, test, frame):
    """Of the vorticity of the first test of group `test` in a frame; None where there is none."""
    first = np.flatnonzero(run.test["group"] == test)
    series = run.frame.get("vorticity_correlation")
    value = series[first[0], frame] if series is not None and len(first) and frame < series.shape[1] else np.nan
    return value if np.isfinite(value) else None


def draw(runs, test=0, frames=None):
    """The figure of the first test of group number `test`."""
    metrics = read_all(runs)
    planes = planes_of(metrics, test)
    first = planes[0]
    chosen = [i for i, k in enumerate(first.frame) if frames is None or k in frames]
    if not chosen:
        raise RunError(f"no planes of frames {frames}; allowed: {', '.join(map(str, first.frame))}")
    known = np.abs(first.reference[test][np.isfinite(first.reference[test])])
    limit = float(np.quantile(known, 0.999)) if known.size and known.max() > 0 else 1.0
    height = 1.9 * np.clip((first.y[test][-1] - first.y[test][0]) / (first.x[test][-1] - first.x[test][0]), 0.3, 2)
    rows = [("reference", None, first.reference, first)] + [(m.label, m, p.trajectory, p) for m, p in zip(metrics, planes)]
    words = 0.085 * max(len(label) for label, *_ in rows)  # of the labels beside the rows
    fig, axes = plt.subplots(len(rows), len(chosen), sharex=True, sharey=True, squeeze=False,
                             figsize=(1.9 * len(chosen) + 1.5 + words, (height + 0.12) * len(rows) + 1.1))
    for row, (label, run, u, p) in zip(axes, rows):
        for ax, i in zip(row, chosen):
            image = panel(ax, p.x[test], p.y[test], u[test, i], limit)
            value = correlation(run, test, int(p.frame[i])) if run else None
            if value is not None:
                ax.text(0.04, 0.95, f"{value:.2f}", transform=ax.transAxes, va="top", fontsize=9,
                        bbox={"fc": "w", "ec": "none", "alpha": 0.75, "pad": 1.5})
        row[0].set_ylabel(label, rotation=0, ha="right", va="center", fontsize=11)
    for ax, i in zip(axes[0], chosen):
        ax.set_title(f"t = {first.time[i]:.4g}\nframe {first.frame[i]}", fontsize=10)
    for ax in axes[-1]:
        ax.set_xlabel("x")
    axes[-1, 0].annotate("y", (0, 1), (-12, 8), xycoords="axes fraction", textcoords="offset points", ha="right")
    where = "" if first.z is None else f", z = {first.z[test][0]:.3g}"
    fig.suptitle(f"{metrics[0].group_name[test]} ({metrics[0].group_kind[test]}){where}", fontsize=11)
    fig.colorbar(image, ax=axes, label=first.name, shrink=min(1.0, 3 / len(rows)), aspect=30, pad=0.01, extend="both")
    return fig


def numbers(words):
    """Frames from "0,10,20"."""
    try:
        return [int(word) for word in words.split(",")]
    except ValueError:
        raise RunError(f"--frames ({words}); allowed: numbers with commas between")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("run", nargs="+", help="directory of a run of evaluate")
    parser.add_argument("--test", type=int, default=0, help="which of the saved tests, one a group [0]")
    parser.add_argument("--frames", help="which of the kept ones, with commas between [all]")
    parser.add_argument("-o", "--output", help="the picture [planes.png in the first run]")
    given = parser.parse_args()
    save(draw(given.run, given.test, numbers(given.frames) if given.frames else None),
         given.output or Path(given.run[0]) / "planes.png")


if __name__ == "__main__":
    script(main)
