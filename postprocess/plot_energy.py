#!/usr/bin/python3
"""The energy budget over time: energy, injection, dissipation, and how far a run is from solenoidal.

usage: plot_energy.py RUN_DIR [RUN_DIR ...] [-o PICTURE]

Reads metrics.h5 of each run of evaluate; writes PICTURE [energy.png in the first run].  Median and quartiles over the tests
of a group that are in bounds, a column a group; a curve ends where half of them have left.
"""
import argparse
from pathlib import Path

import numpy as np

from pictures import REFERENCE, legend_below, plt, save, styles
from runs import RunError, groups_shown, read_all, script

ROWS = (("energy", "linear"), ("injection", "linear"), ("dissipation", "linear"), ("enstrophy", "linear"), ("divergence", "log"))


def quartiles(series):
    """Lower quartile, median, upper quartile by frame over the tests that have a number; NaN past half of them."""
    out = np.full((3, series.shape[1]), np.nan)
    enough = np.isfinite(series).sum(axis=0) > len(series) / 2
    if enough.any():
        out[:, enough] = np.nanpercentile(series[:, enough], (25, 50, 75), axis=0)
    return out


def curve(ax, time, series, scale, label, style):
    if scale == "log":
        series = np.where(series > 0, series, np.nan)
    low, middle, high = quartiles(series)
    ax.fill_between(time, low, high, color=style["color"], alpha=0.18, lw=0)
    ax.plot(time, middle, label=label, **style)
    return np.nanmin(low, initial=0.0), np.nanmax(high, initial=0.0)


def draw(runs):
    """The figure of these runs."""
    metrics = read_all(runs)
    rows = [row for row in ROWS if all(row[0] in m.frame for m in metrics) and
            any(np.nanmax(np.abs(m.frame[row[0]]), initial=0) > 0 for m in metrics)]
    if not rows:
        raise RunError(f"{metrics[0].run / 'metrics.h5'} holds no energy: that of a flow does")
    shown = groups_shown(metrics[0])
    style = styles([m.label for m in metrics])
    fig, axes = plt.subplots(len(rows), len(shown), figsize=(4.6 * len(shown) + 0.8, 1.9 * len(rows) + 1.2), sharex=True,
                             sharey="row", squeeze=False)
    for line, (name, scale) in zip(axes, rows):
        drawn = []  # least and most of each curve, the reference's last in its panel
        known = 0.0
        for ax, g in zip(line, shown):
            for m in metrics:
                series = m.frame[name][m.test["group"] == g]
                drawn.append(curve(ax, m.frame_time * np.arange(series.shape[1]), series, scale, m.label,
                                   {**style[m.label], "lw": 1.5}))
            series = metrics[0].frame[name + "_reference"][metrics[0].test["group"] == g]
            time = metrics[0].frame_time * np.arange(series.shape[1])
            drawn.append(curve(ax, time, series, scale, "reference", REFERENCE))
            known = max(known, *map(abs, drawn[-1]))
        line[0].set(ylabel=name, yscale=scale)
        if scale == "linear" and known > 0:  # a run that blows up does not flatten the others
            line[0].set_ylim(1.05 * max(min(low for low, _ in drawn), -2.5 * known),
                             1.05 * min(max(high for _, high in drawn), 2.5 * known))
    for ax, g in zip(axes[0], shown):
        ax.set_title(f"{metrics[0].group_name[g]} ({metrics[0].group_kind[g]})")
    for ax in axes[-1]:
        ax.set_xlabel("time")
    legend_below(fig, axes[0, 0])
    fig.suptitle("median and quartiles over the tests in bounds", fontsize=10)
    return fig


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("run", nargs="+", help="directory of a run of evaluate")
    parser.add_argument("-o", "--output", help="the picture [energy.png in the first run]")
    given = parser.parse_args()
    save(draw(given.run), given.output or Path(given.run[0]) / "energy.png")


if __name__ == "__main__":
    script(main)
