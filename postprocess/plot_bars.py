#!/usr/bin/python3
"""Bars by run, as in the paper: the error for interpolation and extrapolation, on a logarithmic scale.

usage: plot_bars.py RUN_DIR [RUN_DIR ...] [-o PICTURE]

Reads metrics.h5 of each run of evaluate; writes PICTURE [bars.png in the first run].  The error is rel, of flows the mean
square error of the velocity.  A bar is the mean over the tests that did not diverge, the line across it their median; diverged ones are counted above it.
"""
import argparse
from pathlib import Path

import numpy as np

from pictures import plt, save, styles
from runs import KINDS, RunError, read_all, script


def numbers(run, kind):
    """Mean and median of the error over the tests of this kind that did not diverge, the diverged, all; of one run."""
    chosen = run.kind == kind
    rel = (run.test["mse"] if run.is_flow else run.rel)[chosen & ~run.is_diverged]
    rel = rel[np.isfinite(rel)]
    middle = (float(rel.mean()), float(np.median(rel))) if len(rel) else (np.nan, np.nan)
    return (*middle, int((chosen & run.is_diverged).sum()), int(chosen.sum()))


def draw(runs):
    """The figure of these runs."""
    metrics = read_all(runs)
    kinds = [kind for kind in KINDS if any((m.kind == kind).any() for m in metrics)]
    if not kinds:
        raise RunError(f"{metrics[0].run / 'metrics.h5'} holds no test of kind {' or '.join(KINDS)}")
    style = styles([m.label for m in metrics])
    fig, axes = plt.subplots(1, len(kinds), figsize=(1.2 + (0.6 + 0.85 * len(metrics)) * len(kinds), 4.6), sharey=True,
                             squeeze=False)
    low, high = np.inf, 0.0
    for ax, kind in zip(axes[0], kinds):
        for i, run in enumerate(metrics):
            mean, median, lost, count = numbers(run, kind)
            word = f"{lost}/{count}\ndiverged" if lost else ""
            if not mean > 0:
                ax.text(i, 0.02, word or "none", transform=ax.get_xaxis_transform(), ha="center", fontsize=9)
                continue
            low, high = min(low, mean, median or mean), max(high, mean)
            ax.bar(i, mean, color=style[run.label]["color"], width=0.72)
            ax.plot([i - 0.36, i + 0.36], [median] * 2, color="w", lw=3.5)
            ax.plot([i - 0.36, i + 0.36], [median] * 2, color="k", lw=1.5)
            ax.annotate(f"{mean:.2g}" + (f"\n{word}" if word else ""), (i, max(mean, median)), (0, 3),
                        textcoords="offset points", ha="center", va="bottom", fontsize=9)
        ax.grid(axis="x", visible=False)
        ax.set_xlim(-0.6, len(metrics) - 0.4)
        ax.set_xticks(range(len(metrics)), [m.label for m in metrics], rotation=30 if len(metrics) > 6 else 0)
        ax.set(title=f"{kind}: " + ", ".join(n for n, k in zip(metrics[0].group_name, metrics[0].group_kind) if k == kind),
               yscale="log")
        ax.title.set_fontsize(10)
    if high > 0:
        axes[0, 0].set_ylim(low / 3, high * 6)
    what = "velocity mse" if all(m.is_flow for m in metrics) else "rel"
    axes[0, 0].set_ylabel(f"{what} over {metrics[0].rel_frames} frames\nbar: mean, line: median")
    return fig


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("run", nargs="+", help="directory of a run of evaluate")
    parser.add_argument("-o", "--output", help="the picture [bars.png in the first run]")
    given = parser.parse_args()
    save(draw(given.run), given.output or Path(given.run[0]) / "bars.png")


if __name__ == "__main__":
    script(main)
