#!/usr/bin/env python3
"""`unroll check` from outside: every deck in inputs/ in a small form, on 1 to 4 ranks, in the modes and models.

    test_check.py PROGRAM MPIEXEC

A run must end with status 0, no failed item, and items of every kind for every quantity; a broken bound must fail.
"""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from small_grid import small_grid

KINDS = ("dot", "taylor", "finite-difference")
QUANTITIES = ("weights", "start", "parameters")
SOURCE = Path(os.environ["UNR_SOURCE_DIR"])

# Deck, ranks, options over it: each mode, each model, each way to cut a domain at least once.
KS, KDV, BURGERS = "inputs/ks/smoke.yaml", "inputs/kdv/smoke.yaml", "inputs/burgers/smoke.yaml"
KOLM = "inputs/kolm/smoke.yaml"
RECIPROCAL = ["-net_constants", "1/viscosity", "-net_constant_scale", "1000"]
CASES = [
    (KS, 1, []),
    (KS, 2, ["-rollout_mode", "nog"]),
    (KS, 3, ["-rollout_mode", "one"]),
    (KS, 3, ["-layout_replicas", "1"]),
    (KS, 4, ["-layout_replicas", "2", "-rollout_steps", "5", "-rollout_warmup", "2"]),
    (KS, 2, ["-layout_replicas", "1", "-rollout_steps", "4", "-rollout_truncate", "2", "-model_type", "transition"]),
    (KS, 1, ["-model_type", "predict", "-net_precision", "double"]),
    (KS, 2, ["-model_type", "predict_residual", "-net_precision", "double", "-layout_replicas", "1"]),
    (KS, 3, ["-model_type", "solver", "-stepper_etdrk_order", "4", "-layout_replicas", "1"]),
    (KDV, 2, ["-layout_replicas", "1"]),
    ("inputs/swift_hohenberg/smoke.yaml", 3, ["-layout_replicas", "1"]),
    (BURGERS, 1, []),
    (BURGERS, 2, ["-layout_replicas", "1", "-rollout_mode", "nog"]),
    (BURGERS, 3, ["-layout_replicas", "1", "-layout_grid", "1,3", "-net_precision", "double"]),
    (BURGERS, 4, ["-layout_replicas", "1", "-layout_grid", "2,2"]),
    (KOLM, 2, ["-layout_replicas", "1", "-net_diagnostics", "pressure,vorticity", *RECIPROCAL]),
]
SMALL = ["-train_batch", "2", "-start_warmup", "20", "-net_resnet_features", "16"]


def run(program, mpiexec, deck, ranks, options, out):
    command = [mpiexec, "-n", str(ranks), program, "check", "-options_file", str(SOURCE / deck), *options, "-out", out]
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


def verdict(program, mpiexec, deck, ranks, options):
    """What is wrong with this case, or None."""
    with tempfile.TemporaryDirectory() as out:
        done = run(program, mpiexec, deck, ranks, options, out)
        if done.returncode:
            return f"status {done.returncode}\n{done.stdout}{done.stderr}"
        summary = json.loads(Path(out, "summary.json").read_text())
    items = summary["items"]
    if summary["status"] != "ok" or not all(item["pass"] for item in items):
        return f"a failed item in {summary}"
    # The deck's own precision, not that of the items in double precision.
    precision = options[options.index("-net_precision") + 1] if "-net_precision" in options else "single"
    if summary["options"].get("-net_precision", precision) != precision:
        return f"net_precision {summary['options']['-net_precision']} in summary.json"
    has = {(item["kind"], item["name"].split(".")[-1]) for item in items}
    solver = "solver" in options
    # A solver alone has no weights; behind a warm-up the start has no gradient.
    lacks = {"weights"} if solver else {"start"} if "-rollout_warmup" in options else set()
    kinds = KINDS + (("rank",) if ranks > 1 else ())
    want = {(kind, q) for kind in kinds for q in QUANTITIES if q not in lacks}
    if not solver:
        want |= {("calls", "vjp"), ("calls", "input_vjp")}
    return f"no items for {sorted(want - has)}" if want - has else None


def main():
    program, mpiexec = sys.argv[1:3]
    failed = 0
    decks = {str(path.relative_to(SOURCE)) for path in SOURCE.glob("inputs/*/*.yaml")}
    # A deck that no case names is tried with few and thin samples: adding one changes nothing here.
    cases = CASES + [(deck, 2, SMALL + small_grid(deck)) for deck in sorted(decks - {case[0] for case in CASES})]
    for case in cases:
        wrong = verdict(program, mpiexec, *case)
        failed += wrong is not None
        print("FAILED" if wrong else "ok", *case[:2], *case[2], wrong or "", flush=True)
    # The check itself must be able to fail: a cotangent cut where the plan has none cannot be asked for, so a
    # difference quotient of a chaotic rollout far beyond its predictability is: status 1, items listed as failed.
    with tempfile.TemporaryDirectory() as out:
        done = run(program, mpiexec, KS, 1, ["-model_type", "solver", "-rollout_steps", "400"], out)
        summary = json.loads(Path(out, "summary.json").read_text())
        if done.returncode != 1 or summary["status"] != "failed" or all(item["pass"] for item in summary["items"]):
            print("FAILED a chaotic rollout of 400 frames passed", done.returncode)
            failed += 1
    # Numbers that are none fail every item but the counts, those that compare layouts too.
    with tempfile.TemporaryDirectory() as out:
        done = run(program, mpiexec, KS, 2, ["-stepper_type", "rk", "-stepper_dt", "50"], out)
        items = json.loads(Path(out, "summary.json").read_text())["items"]
        if done.returncode != 1 or any(item["pass"] != (item["kind"] == "calls") for item in items):
            print("FAILED a diverged solver passes", [item for item in items if item["pass"]])
            failed += 1
    print(f"{len(cases) + 2 - failed} passed, {failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
