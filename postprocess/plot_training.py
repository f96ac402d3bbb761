#!/usr/bin/python3
"""Curves of one or several trainings: loss and validation, learning rate, gradient norm, skipped updates.

usage: plot_training.py RUN_DIR [RUN_DIR ...] [-o PICTURE]

Reads history.csv of each (a running training has one too); writes PICTURE [training.png in the first run].
"""
import argparse
from pathlib import Path

import numpy as np

from pictures import plt, save, styles
from runs import labels, read_history, script

POINTS = 4000  # of a curve in the picture


def smoothed(loss, width):
    """Running geometric mean over `width` finite values on each side's half; gaps are left out."""
    good = np.isfinite(loss) & (loss > 0)
    total = np.cumsum(np.concatenate([[0.0], np.where(good, np.log(np.where(good, loss, 1.0)), 0.0)]))
    count = np.cumsum(np.concatenate([[0], good]))
    i = np.arange(len(loss))
    low, high = np.maximum(i - width // 2, 0), np.minimum(i + width // 2 + 1, len(loss))
    return np.exp((total[high] - total[low]) / (count[high] - count[low]))


def thin(*columns):
    """Every so many values, so that a picture of a million updates stays small."""
    step = max(1, len(columns[0]) // POINTS)
    return [column[::step] for column in columns]


def curves(axes, name, h, style):
    """One training in the three panels."""
    top, rate, norm = axes
    update, colour = h["update"], style["color"]
    width = max(1, min(len(update) // 50, 500))
    top.plot(*thin(update, h["loss"]), color=colour, alpha=0.15, lw=0.6)
    top.plot(*thin(update, smoothed(h["loss"], width)), label=f"{name}: loss", **style)
    seen = np.isfinite(h["validation"])
    top.plot(update[seen], h["validation"][seen], "o", ms=4, mfc="white", mec=colour, color=colour,
             label=f"{name}: validation" if seen.any() else None)
    rate.plot(*thin(update, h["learning_rate"]), **style)
    norm.plot(*thin(update, h["gradient_norm"]), color=colour, alpha=0.15, lw=0.6)
    norm.plot(*thin(update, smoothed(h["gradient_norm"], width)), **style)
    is_skipped = h["skipped"] != "none"
    if is_skipped.any():
        causes = ", ".join(f"{int((h['skipped'] == cause).sum())} {cause}" for cause in np.unique(h["skipped"][is_skipped]))
        # A norm that is not finite has no height: on the panel's lower edge.
        norm.plot(update[is_skipped], np.full(is_skipped.sum(), 0.03), "x", color=colour, ms=6,
                  transform=norm.get_xaxis_transform(), label=f"{name}: skipped ({causes})")
    for at in update[1:][np.diff(h["stage"]) != 0]:
        for ax in axes:
            ax.axvline(at, color=colour, lw=1, ls=":")


def draw(runs):
    """The figure of these trainings."""
    histories = [read_history(run) for run in runs]
    names = labels(runs)
    style = styles(names)
    fig, axes = plt.subplots(3, 1, figsize=(9, 9), sharex=True, height_ratios=(2.2, 1, 1.4))
    for name, h in zip(names, histories):
        curves(axes, name, h, style[name])
    scale = "log" if any((h["loss"] > 0).any() for h in histories) else "linear"
    axes[0].set(ylabel="loss", yscale=scale, title="loss (running geometric mean; light: each update) and validation")
    axes[1].set(ylabel="learning rate")
    axes[1].ticklabel_format(axis="y", scilimits=(-2, 2))
    axes[2].set(ylabel="gradient norm", yscale=scale, xlabel="update")
    if all(len(h["update"]) == 0 for h in histories):
        axes[0].text(0.5, 0.5, "no update yet", transform=axes[0].transAxes, ha="center")
    if any(np.any(np.diff(h["stage"]) != 0) for h in histories):
        axes[1].set_title("dotted: a new stage")
    for ax in (axes[0], axes[2]):
        if ax.get_legend_handles_labels()[0]:
            ax.legend(fontsize=9, ncols=2)
    return fig


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("run", nargs="+", help="directory of a run of train")
    parser.add_argument("-o", "--output", help="the picture [training.png in the first run]")
    given = parser.parse_args()
    save(draw(given.run), given.output or Path(given.run[0]) / "training.png")


if __name__ == "__main__":
    script(main)
