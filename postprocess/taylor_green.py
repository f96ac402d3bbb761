#!/usr/bin/python3
"""The Taylor-Green vortex at Re 1600 beside the published spectral solution: energy, dissipation rate and enstrophy.

usage: taylor_green.py RUN_DIR [RUN_DIR ...] [-o PICTURE]

Reads trajectory.h5 of `unroll solve` runs in a periodic cube, made by jobs/taylor_green_1600.sh, and taylor_green_1600.txt
beside this file; writes PICTURE [taylor_green.png in the first run] and prints the largest values and the errors.
"""
import argparse
from pathlib import Path

import h5py
import numpy as np

from pictures import REFERENCE, legend_below, plt, save, styles
from runs import RunError, script

VISCOSITY = 1 / 1600
TABLE = Path(__file__).with_name("taylor_green_1600.txt")
COLUMNS = ("energy", "dissipation", "enstrophy")


def sums(u):
    """Energy and enstrophy per volume of one frame u [x, y, z, component] in a cube of 2 pi."""
    n = u.shape[0]
    modes = np.fft.rfftn(np.asarray(u, dtype=float), axes=(0, 1, 2)) / n**3
    k = np.fft.fftfreq(n, 1 / n)
    square = k[:, None, None]**2 + k[None, :, None]**2 + np.arange(n // 2 + 1)[None, None, :]**2
    weight = np.full(n // 2 + 1, 2.0)
    weight[0] = 1
    if n % 2 == 0:
        weight[-1] = 1
    energy = 0.5 * weight * (abs(modes)**2).sum(axis=-1)
    return energy.sum(), (square * energy).sum()  # without divergence |curl u|^2 = |grad u|^2


def history(run):
    """time, {name: series} of a run: the dissipation rate is twice the viscosity times the enstrophy, mode by mode."""
    path = Path(run) / "trajectory.h5"
    if not path.exists():
        raise RunError(f"{path}: no such file; run jobs/taylor_green_1600.sh first")
    with h5py.File(path) as file:
        time = file["dimensions/time"][()]
        field = file["t1_fields/velocity"]
        if field.ndim != 6 or len(set(field.shape[2:5])) > 1:
            raise RunError(f"{path}: a field of shape {field.shape}; allowed: one trajectory of a velocity in a cube")
        series = np.array([sums(field[0, i]) for i in range(field.shape[1])])
    return time - time[0], {"energy": series[:, 0], "enstrophy": series[:, 1], "dissipation": 2 * VISCOSITY * series[:, 1]}


def off(series, table, rows):
    """Root mean square of the differences over that of the table; rows: pairs of places in both."""
    difference = [series[i] - table[j] for i, j in rows]
    return np.sqrt(np.mean(np.square(difference)) / np.mean([table[j]**2 for _, j in rows]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("runs", nargs="+", metavar="RUN_DIR")
    parser.add_argument("-o", dest="picture", metavar="PICTURE")
    arguments = parser.parse_args()
    table = dict(zip(("time",) + COLUMNS, np.loadtxt(TABLE).T))
    fig, axes = plt.subplots(1, 3, figsize=(12, 3.9))
    peak = table["dissipation"].argmax()
    print(f"512^3 reference: largest dissipation {table['dissipation'][peak]:.5f} at {table['time'][peak]:.2f}")
    look = styles([Path(run).name for run in arguments.runs])
    for run in arguments.runs:
        time, series = history(run)
        name = Path(run).name
        both = [i for i, t in enumerate(table["time"]) if t <= time[-1] and abs(time - t).min() < 1e-6]
        here = [abs(time - table["time"][i]).argmin() for i in both]
        peak = series["dissipation"].argmax()
        print(f"{name}: largest dissipation {series['dissipation'][peak]:.5f} at {time[peak]:.2f}; off by (rms over rms)")
        for end in (4, 6, 8, 10, 20):
            rows = [(i, j) for i, j in zip(here, both) if table["time"][j] <= end]
            print(f"  to t = {end}:", ", ".join(f"{c} {off(series[c], table[c], rows):.1e}" for c in COLUMNS))
        for ax, column in zip(axes, COLUMNS):
            ax.plot(time, series[column], label=f"{name}$^3$" if name.isdigit() else name, **look[name])
    for ax, column in zip(axes, COLUMNS):
        ax.plot(table["time"], table[column], ".", ms=5, color=REFERENCE["color"], label="spectral, 512$^3$")
        ax.set(xlabel="time", ylabel=column, ylim=(0, None))
    legend_below(fig, axes[0])
    save(fig, arguments.picture or Path(arguments.runs[0]) / "taylor_green.png")


if __name__ == "__main__":
    script(main)
