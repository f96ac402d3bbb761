#!/usr/bin/python3
"""The table that compares runs of evaluate with the bare solver.

usage: table.py RUN_DIR [RUN_DIR ...]

Reads metrics.h5 and summary.json of each; they must have measured the same tests.  The run with -model_type solver is
the bare one.
"""
import argparse
import textwrap

from compare import columns, compare
from runs import read_all, script


def lines(metrics):
    """The table as aligned lines: two of heads, one a run, the note."""
    rows, note = compare(metrics)
    heads = columns(metrics)
    table = [[head for head, *_ in heads], [below for _, below, *_ in heads], *rows]
    width = [max(len(row[i]) for row in table) for i in range(len(heads))]
    out = ["  ".join(cell.ljust(w) if i == 0 else cell.rjust(w) for i, (cell, w) in enumerate(zip(row, width))).rstrip()
           for row in table]
    rule = "-" * max(map(len, out))
    return [*out[:2], rule, *out[2:], rule, *textwrap.wrap(note, max(len(rule), 72))]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("run", nargs="+", help="directory of a run of evaluate")
    print("\n".join(lines(read_all(parser.parse_args().run))))


if __name__ == "__main__":
    script(main)
