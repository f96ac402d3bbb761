#!/usr/bin/python3
"""One self-contained report.html of a set of runs: tables, pictures, what was run and how.

usage: report.py DIR [-o REPORT]

DIR holds run directories of `unroll evaluate` (one of them the bare solver's, -model_type solver) and of `unroll train`.
Writes REPORT [DIR/report.html] and the pictures, also inside the report, beside it.
"""
import argparse
import base64
import html
import math
from pathlib import Path

import plot_bars
import plot_energy
import plot_error
import plot_planes
import plot_spectrum
import plot_training
import plot_xt
from compare import columns, compare
from pictures import save
from runs import KINDS, RunError, directory, is_line, label, read_all, read_history, read_summary, script

GROWTH = 200  # frames of its picture: the growth, not what follows it

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; color: #222; background: #fff; max-width: 60rem; margin: 1.5rem auto;
  padding: 0 1rem; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.2rem; margin-top: 2.2rem; border-bottom: 1px solid #ddd; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: 0.9rem; font-variant-numeric: tabular-nums; margin: 0.5rem 0; }
th, td { padding: 0.25rem 0.7rem; text-align: right; border-bottom: 1px solid #e5e5e5; white-space: nowrap; }
th { font-weight: 600; vertical-align: bottom; } th small { display: block; font-weight: 400; color: #666; }
th:first-child, td:first-child { text-align: left; }
.options td { text-align: left; white-space: normal; overflow-wrap: anywhere; }
img { max-width: 100%; height: auto; } figure { margin: 1rem 0; } figcaption, .note { color: #555; font-size: 0.9rem; }
details { margin: 0.5rem 0; } summary { cursor: pointer; }
@media print { body { max-width: none; font-size: 10pt; margin: 0; } h2, figure { break-inside: avoid; }
  details:not([open]) { display: none; } a { color: inherit; } }
"""


def table(heads, rows, kind=""):
    """HTML of a table; a head is a text, or a text and the small one below it."""
    def head(cell):
        words = cell if isinstance(cell, tuple) else (cell, "")
        return f"<th>{html.escape(words[0])}" + (f"<small>{html.escape(words[1])}</small>" if words[1] else "") + "</th>"

    body = "\n".join("<tr>" + "".join(f"<td>{html.escape(str(cell))}</td>" for cell in row) + "</tr>" for row in rows)
    return (f'<div class="wide"><table class="{kind}">\n<tr>' + "".join(map(head, heads)) +
            f"</tr>\n{body}\n</table></div>")


def picture(path, caption):
    """HTML of a picture inside the page."""
    data = base64.b64encode(Path(path).read_bytes()).decode()
    return (f'<figure><img alt="{html.escape(caption)}" src="data:image/png;base64,{data}">'
            f"<figcaption>{html.escape(caption)}</figcaption></figure>")


def find(top):
    """Run directories below DIR: of evaluate with summary, of train with a history (finished or not)."""
    evaluations, trainings = [], []
    for path in sorted(p for p in directory(top).iterdir() if p.is_dir()):
        if (path / "history.csv").exists():
            trainings.append(path)
        elif (path / "summary.json").exists() and read_summary(path)["command"] == "evaluate":
            evaluations.append(path)
    if not evaluations and not trainings:
        raise RunError(f"{top} holds no run of evaluate or train")
    # The order in which one speaks of the modes; others behind, by name.
    order = {name: i for i, name in enumerate(("bare", "one", "nog", "wig", "predict"))}

    def rank(path):
        return order.get(label(path), len(order)), path.name

    return sorted(evaluations, key=rank), sorted(trainings, key=rank)


def number(value, digits=3):
    """A number for a table; what is not there is a dash."""
    if isinstance(value, (int, float)) and math.isfinite(value):
        return f"{value:.{digits}g}" if isinstance(value, float) else str(value)
    return "-"


def group_table(metrics):
    """Median error and diverged tests by group."""
    rows = []
    for g, (name, kind) in enumerate(zip(metrics[0].group_name, metrics[0].group_kind)):
        cells = [name, kind]
        for run in metrics:
            chosen = run.test["group"] == g
            error = run.test["mse"] if run.is_flow else run.rel
            rel, lost = error[chosen & ~run.is_diverged], int((chosen & run.is_diverged).sum())
            rel = sorted(rel[rel == rel])
            middle = (rel[(len(rel) - 1) // 2] + rel[len(rel) // 2]) / 2 if rel else math.nan
            cells.append(number(float(middle)) + (f" ({lost} div.)" if lost else ""))
        rows.append(cells)
    return table(["tests", "kind", *[m.label for m in metrics]], rows)


def training_row(path):
    """One line of the table of trainings; an unfinished run has what its history says."""
    h = read_history(path)
    summary = read_summary(path, "train") if (path / "summary.json").exists() else {}
    skipped = sum(summary["skipped"].values()) if "skipped" in summary else int((h["skipped"] != "none").sum())
    best = h["validation"][h["validation"] == h["validation"]]
    layout = summary.get("layout", {})
    step = summary.get("seconds_per_update")
    return [label(path), summary.get("model", "-"), summary.get("mode", "-"), number(summary.get("parameters")),
            str(int(h["update"][-1])) if len(h["update"]) else "0", number(summary.get("loss_last"), 4),
            number(float(best.min()) if len(best) else None, 4), str(skipped),
            number(1e3 * step if isinstance(step, (int, float)) else None),
            number(float(h["seconds"][-1]) if len(h["seconds"]) else None),
            f"{layout['replicas']} x {layout['grid']}" if layout else "-", summary.get("status", "not finished")]


TRAINING = ("run", "model", "mode", "parameters", "updates", "last loss", ("best", "validation"), "skipped",
            ("ms", "per update"), "seconds", ("ranks", "replicas x grid"), "status")


def size(count):
    """Bytes for people."""
    return f"{count / 2**20:.1f} MiB" if isinstance(count, (int, float)) else "-"


def run_section(paths):
    """Per run: version, layout, time, memory; every option behind a fold."""
    rows, folds = [], []
    for path in paths:
        if not (path / "summary.json").exists():
            continue
        s = read_summary(path)
        layout = s.get("layout", {})
        rows.append([path.name, s["command"], s.get("version", "-"), s.get("status", "-"),
                     f"{layout.get('size', '-')} = {layout.get('replicas', '-')} x {layout.get('grid', '-')}",
                     number(s.get("seconds")), size(s.get("peak_memory_bytes")), size(s.get("tape_bytes"))])
        options = table(["option", "value"], sorted(s.get("options", {}).items()), "options")
        folds.append(f"<details><summary>options of {html.escape(path.name)}</summary>{options}</details>")
    heads = ("run", "command", "version", "status", ("ranks", "replicas x grid"), "seconds", ("memory", "largest rank"),
             "tapes")
    return table(heads, rows) + "\n".join(folds)


def evaluation_section(evaluations, out):
    """Tables and pictures of what was measured."""
    metrics = read_all(evaluations)
    rows, note = compare(metrics)
    part = ["<h2>Errors</h2>", table([(head, below) for head, below, *_ in columns(metrics)], rows),
            f'<p class="note">{html.escape(note)}</p>',
            f"<p>Median {'mse' if metrics[0].is_flow else 'rel'} by group, over the tests that did not diverge:</p>", group_table(metrics)]

    def add(name, caption, figure):
        save(figure, out / name)
        part.append(picture(out / name, caption))

    add("bars.png", "error by run, interpolation and extrapolation", plot_bars.draw(evaluations))
    add("error.png", "error growth over the frames", plot_error.draw(evaluations, None if metrics[0].is_flow else GROWTH))
    if all("energy" in m.frame for m in metrics):
        add("energy.png", "energy budget over time", plot_energy.draw(evaluations))
    if all("spectrum" in m.shell for m in metrics):
        add("spectrum.png", "energy spectra", plot_spectrum.draw(evaluations))
    for kind in KINDS:
        if kind not in metrics[0].group_kind:
            continue
        g = metrics[0].group_kind.index(kind)
        name = f"{kind}: {metrics[0].group_name[g]}"
        if all(m.has_planes for m in metrics):
            add(f"planes-{kind}.png", f"planes, {name}", plot_planes.draw(evaluations, g))
        elif all(is_line(m.run / file) for m in metrics for file in ("trajectory.h5", "reference.h5")):
            add(f"xt-{kind}.png", f"x over time, {name}", plot_xt.draw(evaluations, g))
    return part


def page(top, out):
    """The whole page."""
    evaluations, trainings = find(top)
    part = []
    if evaluations:
        part += evaluation_section(evaluations, out)
    if trainings:
        part += ["<h2>Training</h2>", table(TRAINING, [training_row(path) for path in trainings])]
        save(plot_training.draw(trainings), out / "training.png")
        part.append(picture(out / "training.png", "loss, validation, learning rate and gradient norm over the updates"))
    part += ["<h2>What was run</h2>", run_section(evaluations + trainings)]
    title = f"Unroll: {html.escape(Path(top).resolve().name)}"
    return (f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>\n'
            f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{STYLE}</style></head>\n'
            f"<body>\n<h1>{title}</h1>\n" + "\n".join(part) + "\n</body></html>\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("directory", help="holds the run directories")
    parser.add_argument("-o", "--output", help="the report [DIRECTORY/report.html]; pictures go beside it")
    given = parser.parse_args()
    out = Path(given.output or Path(given.directory) / "report.html")
    text = page(given.directory, out.parent)
    whole = out.with_name(out.name + ".part")
    whole.write_text(text, encoding="utf-8")
    whole.replace(out)
    print(out)


if __name__ == "__main__":
    script(main)
