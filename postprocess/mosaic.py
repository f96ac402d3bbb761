#!/usr/bin/python3
"""Mosaic's periodic experiments through `unroll solve`: our figures beside the published ones.

usage: mosaic.py [--program build/unroll] [--out runs/mosaic] [--ranks 2] [SECTION ...]

Sections: accuracy, agreement, laws, gradient, horizon, cost [all].  Each prints a table and writes OUT/SECTION.json.
Scheme of all rows: exponential Runge-Kutta of order 2 (cost also shows 4), files in single precision unless a row says double.
"""
import argparse
import json
import os
from pathlib import Path

import mosaic_published as published
import mosaic_sections as sections
from runs import RunError, script
from solver import Solver


def table(head, rows):
    """Aligned columns, the first to the left."""
    cells = [[f"{c:.3g}" if isinstance(c, float) else str(c) for c in row] for row in [head, *rows]]
    width = [max(len(row[i]) for row in cells) for i in range(len(head))]
    print("\n".join("  ".join(c.ljust(w) if i == 0 else c.rjust(w) for i, (c, w) in enumerate(zip(row, width))) for row in cells))


def accuracy(run):
    with run("single") as single, run("double") as double:
        result = {"single": sections.accuracy(single), "double": sections.accuracy(double)}
        wind = {n: sections.advected(single, n=n) for n in result["single"]}
    sizes = list(result["single"])
    print("Relative rms error of 2-D Taylor-Green after one step, nu 0.05, dt 0.01")
    table(["", *(f"N {n}" for n in sizes)], [[f"unroll, {p} files", *row.values()] for p, row in result.items()] +
          [["unroll, single files, in a wind (1, 0.5)", *wind.values()]] +
          [[name, *(row[n] for n in sizes)] for name, row in published.ACCURACY.items()])
    return {**result, "single, in a wind": wind}


def agreement(run):
    with run("single") as single, run("double") as double:
        result = {"single": sections.agreement(single), "double": sections.agreement(double)}
    print("Relative rms error of 2-D Taylor-Green, N 64, dt 0.05, 20 steps, by viscosity")
    table(["", *(f"nu {nu:g}" for nu in result["single"])], [[f"unroll, {p} files", *row.values()] for p, row in result.items()])
    print(f"best published about {published.AGREEMENT_BEST:g}")
    return result


def laws(run):
    with run("single") as single:
        result = sections.laws(single)
    print("2-D Taylor-Green, nu 0.05, dt 0.01, single files: the program's divergence and energy are those of the state, in double")
    table(["N", "steps", "error", "rms divergence", "of the file", "energy", "energy / law - 1"],
          [[r["points"], r["steps"], r["error"], r["divergence_rms"], r["divergence_rms_file"], r["energy"], r["energy_error"]]
           for r in result])
    return result


def gradient(run):
    result = {}
    for precision in ("single", "double"):
        with run(precision, 1) as solver:  # some 250 short runs a row
            for steps, eps in ((20, sections.EPS), (200, (*sections.EPS, 1e-5))):
                result[f"{precision}, {steps} steps"] = sections.gradient(solver, steps=steps, eps=eps)
    print("Gradient of sum(out^2), 2-D, N 16, nu 0.001, dt 0.05: median over 20 directions of |fd - vjp| / max, least over eps")
    table(["", "median error", "1 - cosine", "norm", "by viscosity", "error"],
          [[name, r["best_median_error"], 1 - r["best_cosine"], r["gradient_norm"], r["viscosity_slope"],
            r["best_viscosity_error"]] for name, r in result.items()])
    print("by eps:")
    table(["", *(f"{e:g}" for e in (*sections.EPS, 1e-5))],
          [[name, *(r["median_error"].get(e, "-") for e in (*sections.EPS, 1e-5))] for name, r in result.items()])
    print("published, 20 steps, single: " + ", ".join(f"{name} {v:g}" for name, v in published.GRADIENT.items()) +
          "; nobody publishes a check of the viscosity's; XLB's gradient breaks over 200 steps")
    return result


def horizon(run):
    with run("double", 1) as solver:
        result = sections.horizon(solver)
    print("3-D Taylor-Green, N 20, nu 0.001, dt 0.05, double files, one rank with 20 MB: gradient of sum(out^2), and the slope along it")
    table(["steps", "energy", "norm", "slope by differences", "relative difference", "recompute", "MB of tapes", "s"],
          [[r["steps"], r["energy"], r["norm"], r["slope"], r["error"], r["recompute"], r["tape_bytes"] / 1e6, r["seconds"]]
           if r["finite"] else [r["steps"], "not finite"] + 6 * ["-"] for r in result])
    print("published: " + ", ".join(f"{name} {what}" for name, what in published.HORIZON.items()))
    return result


def cost(run):
    with run("single") as solver:
        result = sections.cost(solver)
        print(f"Seconds, nu 0.01, dt 0.01, single files, {solver.ranks} ranks of one thread, median (least) of {result[0]['rounds']}; load "
              f"{os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    for (what, steps), theirs in published.COST.items():
        dim, kind = int(what[0]), what.split()[1]
        sizes = sorted({n for row in theirs.values() for n in row})
        ours = {order: [next(f"{r[kind]:.3g} ({r[kind + '_least']:.3g})" for r in result
                             if (r["dim"], r["points"], r["order"]) == (dim, n, order)) for n in sizes] for order in (2, 4)}
        table([f"{what}, {steps} steps", *(f"N {n}" for n in sizes)],
              [[f"unroll, order {order}", *row] for order, row in ours.items()] +
              [[name, *(row.get(n, "-") for n in sizes)] for name, row in theirs.items()])
    print("vjp / forward: " + ", ".join(f"{r['dim']}-D N {r['points']} order {r['order']}: {r['ratio']:.2f}" for r in result))
    return result


SECTIONS = {f.__name__: f for f in (accuracy, agreement, laws, gradient, horizon, cost)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    top = Path(__file__).resolve().parent.parent
    parser.add_argument("--program", default=str(top / "build" / "unroll"))
    parser.add_argument("--out", default=str(top / "runs" / "mosaic"))
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("section", nargs="*", metavar="SECTION", help=", ".join(SECTIONS) + " [all]")
    given = parser.parse_args()
    if unknown := set(given.section) - set(SECTIONS):
        raise RunError(f"unknown section ({min(unknown)}); allowed: {', '.join(SECTIONS)}; try: accuracy")
    os.makedirs(given.out, exist_ok=True)
    for name in given.section or SECTIONS:
        result = SECTIONS[name](lambda precision, ranks=given.ranks: Solver(given.program, ranks, precision))
        (Path(given.out) / f"{name}.json").write_text(json.dumps({"ranks": given.ranks, "order": 2, "result": result}, indent=1))
        print(flush=True)


if __name__ == "__main__":
    script(main)
