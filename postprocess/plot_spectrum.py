#!/usr/bin/python3
"""Energy spectra, mean over the frames, on logarithmic scales: the reference and each run; below, their ratio.

usage: plot_spectrum.py RUN_DIR [RUN_DIR ...] [-o PICTURE]

Reads metrics.h5 of each run of evaluate; writes PICTURE [spectrum.png in the first run].  Median and quartiles over the tests
of a group, a column a group.  A run on a finer grid (the bare solver as direct simulation) shows its own, longer spectrum.
"""
import argparse
from pathlib import Path

import numpy as np
from matplotlib.ticker import LogLocator, NullFormatter

from pictures import REFERENCE, legend_below, plt, save, styles
from runs import RunError, groups_shown, read_all, script


def quartiles(values):
    """Lower quartile, median, upper quartile over the tests, without those that have none."""
    some = np.isfinite(values).any(axis=0)
    out = np.full((3, values.shape[1]), np.nan)
    out[:, some] = np.nanpercentile(values[:, some], (25, 50, 75), axis=0)
    return out


def filled(energy):
    """Shells with more than rounding."""
    return energy > 1e-12 * energy.sum(axis=1, keepdims=True)


def spectrum(run, chosen, name):
    """Wavenumbers and quartiles of the energy by shell, without what is rounding; the mean, shell 0, has no place on a
    logarithmic axis."""
    k, energy = run.shell["wavenumber"][chosen], run.shell[name][chosen]
    return np.median(k, axis=0)[1:], quartiles(np.where(filled(energy), energy, np.nan))[:, 1:]


def ratio(run, chosen):
    """Quartiles over the tests of a run's energy over the reference's, by shell."""
    ours, theirs = run.shell["spectrum"][chosen], run.shell["spectrum_reference"][chosen]
    good = (ours > 0) & filled(theirs)
    with np.errstate(divide="ignore", invalid="ignore"):
        return quartiles(np.where(good, ours / theirs, np.nan))[:, 1:]


def curve(ax, k, three, label, style):
    low, middle, high = three
    ax.fill_between(k, low, high, color=style["color"], alpha=0.18, lw=0)
    ax.plot(k, middle, label=label, **style)


def plain(axis):
    """A logarithmic axis of one or two decades with plain numbers."""
    axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.set_major_formatter("{x:g}")
    axis.set_minor_formatter(NullFormatter())


def limits(ax, least, most):
    """Limits that rounding far below does not widen."""
    if np.isfinite([least, most]).all() and most > 0:
        ax.set_ylim(max(least, 1e-14 * most) / 3, 3 * most)


def draw(runs):
    """The figure of these runs."""
    metrics = read_all(runs)
    for m in metrics:
        if "spectrum" not in m.shell:
            raise RunError(f"{m.run / 'metrics.h5'} holds no spectrum: a physics with transforms has one")
    shown = groups_shown(metrics[0])
    style = styles([m.label for m in metrics])
    fig, axes = plt.subplots(2, len(shown), figsize=(3.9 * len(shown) + 0.8, 6.4), sharex="col", sharey="row", squeeze=False,
                             height_ratios=(2, 1))
    least, most = np.inf, 0.0
    for (top, low), g in zip(axes.T, shown):
        for m in metrics:
            chosen = m.test["group"] == g
            k, three = spectrum(m, chosen, "spectrum")
            curve(top, k, three, m.label, {**style[m.label], "lw": 1.6})
            curve(low, k, ratio(m, chosen), m.label, {**style[m.label], "lw": 1.6})
        k, three = spectrum(metrics[0], metrics[0].test["group"] == g, "spectrum_reference")
        curve(top, k, three, "reference", REFERENCE)
        low.axhline(1, **{**REFERENCE, "lw": 1})
        least, most = np.fmin(least, np.nanmin(three)), np.fmax(most, np.nanmax(three))
        top.set(xscale="log", yscale="log", title=f"{metrics[0].group_name[g]} ({metrics[0].group_kind[g]})")
        low.set(xscale="log", yscale="log", xlabel="wavenumber")
        plain(top.xaxis)
        plain(low.yaxis)
    limits(axes[0, 0], least, most)
    low, high = axes[1, 0].get_ylim()
    axes[1, 0].set_ylim(max(low, 1e-3), min(high, 1e3))
    axes[0, 0].set_ylabel("energy of a shell")
    axes[1, 0].set_ylabel("run / reference")
    legend_below(fig, axes[0, 0])
    fig.suptitle("mean over the frames; median and quartiles over the tests", fontsize=10)
    return fig


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("run", nargs="+", help="directory of a run of evaluate")
    parser.add_argument("-o", "--output", help="the picture [spectrum.png in the first run]")
    given = parser.parse_args()
    save(draw(given.run), given.output or Path(given.run[0]) / "spectrum.png")


if __name__ == "__main__":
    script(main)
