#!/usr/bin/python3
"""How the error grows over the frames: median and quartiles over the tests, a curve a run.

usage: plot_error.py RUN_DIR [RUN_DIR ...] [--frames N] [-o PICTURE]

Reads metrics.h5 of each run of evaluate; writes PICTURE [error.png in the first run].  A test counts until it diverges;
a curve ends where more than half of its tests have, and the legend says how many.
"""
import argparse
from pathlib import Path

import numpy as np

from pictures import plt, save, styles
from runs import RunError, read_all, script

REL, CORRELATION = ("rel", "squared error / max|ref|$^2$", "log"), ("correlation", "correlation with the reference", "linear")
FLOW = (("mse", "mean square error of the velocity", "log"),
        ("vorticity_correlation", "correlation of the vorticity", "linear"))


def quartiles(run, name):
    """Lower quartile, median and upper quartile by frame over the tests that are still bounded; NaN past half."""
    series = run.frame[name]
    frame = np.arange(series.shape[1])
    until = run.test["bounded_frames"][:, None] if "bounded_frames" in run.test else np.full((run.tests, 1), np.inf)
    good = np.isfinite(series) & ((frame[None] <= until) | (until >= run.frames))
    out = np.full((3, len(frame)), np.nan)
    enough = good.sum(axis=0) > run.tests / 2
    if enough.any():
        out[:, enough] = np.nanpercentile(np.where(good, series, np.nan)[:, enough], (25, 50, 75), axis=0)
    return out


def legend(run):
    """The run's name with its diverged tests."""
    lost = int(run.is_diverged.sum())
    late = int((run.test["bounded_frames"] < run.frames).sum()) if "bounded_frames" in run.test else lost
    return f"{run.label}: {lost} of {run.tests} diverged by frame {run.rel_frames}, {late} by {run.frames}"


def draw(runs, frames=None):
    """The figure of these runs."""
    metrics = read_all(runs)
    wanted = FLOW if all(m.is_flow for m in metrics) else (REL, CORRELATION)
    panels = [panel for panel in wanted if all(panel[0] in m.frame for m in metrics)]
    if not panels:
        raise RunError(f"{metrics[0].run / 'metrics.h5'} holds neither an error nor a correlation by frame")
    last = min(frames or metrics[0].reference_frames, metrics[0].reference_frames)
    style = styles([m.label for m in metrics])
    words_height = 0.28 * len(metrics) + 0.1
    fig = plt.figure(figsize=(5.5 * len(panels), 4.4 + words_height))
    grid = fig.add_gridspec(2, len(panels), height_ratios=(4.4, words_height))
    axes = [fig.add_subplot(grid[0, i]) for i in range(len(panels))]
    for ax, (name, words, scale) in zip(axes, panels):
        for run in metrics:
            low, middle, high = quartiles(run, name)[:, 1:last + 1]
            frame = np.arange(1, len(middle) + 1)
            ax.fill_between(frame, low, high, color=style[run.label]["color"], alpha=0.18, lw=0)
            ax.plot(frame, middle, lw=1.8, label=legend(run), **style[run.label])
            seen = np.flatnonzero(np.isfinite(middle))
            if len(seen) and seen[-1] + 1 < len(middle):  # where half of the tests are gone
                ax.plot(frame[seen[-1]], middle[seen[-1]], "X", ms=9, color=style[run.label]["color"])
        ax.set(xlabel="frame", ylabel=words, yscale=scale, xscale="log" if last > 30 else "linear", title=name)
        ax.xaxis.set_major_formatter("{x:g}")
        ax.axvline(metrics[0].rel_frames, color="k", lw=0.6)
    below = fig.add_subplot(grid[1, :])
    below.axis("off")
    below.legend(*axes[0].get_legend_handles_labels(), loc="center", fontsize=10)
    fig.suptitle(f"median and quartiles over the tests; thin line: frame {metrics[0].rel_frames}; "
                 "cross: half of the tests have diverged", fontsize=10)
    return fig


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("run", nargs="+", help="directory of a run of evaluate")
    parser.add_argument("--frames", type=int, help="how many [all]")
    parser.add_argument("-o", "--output", help="the picture [error.png in the first run]")
    given = parser.parse_args()
    if given.frames is not None and given.frames < 1:
        raise RunError(f"--frames ({given.frames}); allowed: at least 1")
    save(draw(given.run, given.frames), given.output or Path(given.run[0]) / "error.png")


if __name__ == "__main__":
    script(main)
