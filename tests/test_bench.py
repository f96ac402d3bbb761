#!/usr/bin/env python3
"""`unroll bench` from outside: phases that add up, counted operations, every model with a network, on 1 and 2 ranks.

    test_bench.py PROGRAM MPIEXEC

No speed is asserted: only what must hold on any machine, however busy.
"""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE = Path(os.environ["UNR_SOURCE_DIR"])
KS, BURGERS, KOLM = "inputs/ks/smoke.yaml", "inputs/burgers/smoke.yaml", "inputs/kolm/smoke.yaml"
PHASES = {"data", "solver_forward", "solver_reverse", "net_forward", "net_reverse", "halo", "transpose", "allreduce",
          "update", "io", "other"}
# Deck, ranks, options over it, phases that must be zero.
CASES = [
    (KS, 1, ["-rollout_mode", "one"], {"solver_reverse", "io"}),
    (KS, 2, ["-rollout_mode", "nog"], {"solver_reverse", "io"}),
    (KS, 1, ["-rollout_mode", "wig"], {"io"}),
    (KS, 2, ["-layout_replicas", "1", "-rollout_mode", "wig", "-net_precision", "double"], {"io"}),
    (KS, 1, ["-model_type", "predict"], {"solver_forward", "solver_reverse", "io"}),
    (KS, 2, ["-model_type", "correct_sequential", "-rollout_memory", "25000"], {"io"}),
    (BURGERS, 2, ["-layout_replicas", "1"], {"io"}),
    # Transforms over two ranks send; those of the model's projection too, forward and, even in nog, in reverse.
    (KOLM, 2, ["-layout_replicas", "1", "-model_project", "true"], {"io"}),
    (KOLM, 2, ["-layout_replicas", "1", "-model_project", "true", "-rollout_mode", "nog"], {"io"}),
    # Without a solver, the pressure that the net asks for is the solver's work all the same.
    (KOLM, 2, ["-layout_replicas", "1", "-model_type", "predict", "-net_diagnostics", "pressure"], {"io"}),
]


def run(program, mpiexec, deck, ranks, options):
    command = [mpiexec, "-n", str(ranks), program, "bench", "-options_file", str(SOURCE / deck), "-bench_updates", "5",
               *options]
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


def ks_flops(s):
    """An update of the KS deck's ResNet (2 -> 8, two blocks, 8 -> 1; kernel 3): batch 4 on 48 points."""
    input_, all_ = 2 * 3 * 2 * 8, 2 * 3 * (2 * 8 + 4 * 8 * 8 + 8 * 1)
    cells, m = 4 * 48, s["steps"]
    # The first step of a segment asks for no cotangent of its input; predict and the corrections do alike.
    starts = m if s["options"]["-rollout_mode"] == "nog" else 1
    return cells * (m * (2 + s["recompute_factor"]) * all_ - starts * input_)


def verdict(program, mpiexec, deck, ranks, options, zero, tries=5):
    """What is wrong with this case, or None."""
    with tempfile.TemporaryDirectory() as out:
        done = run(program, mpiexec, deck, ranks, [*options, "-out", out])
        if done.returncode:
            return f"status {done.returncode}\n{done.stdout}{done.stderr}"
        s = json.loads(Path(out, "summary.json").read_text())
    phases = s["phases"]
    if set(phases) != PHASES:
        return f"phases {sorted(phases)}"
    # A halo that is a little shorter than its own event may leave the solver's difference below zero: by rounding only.
    small = 1e-3 * s["seconds_per_update_logged"]
    negative = {p: v for p, v in phases.items() if v < -small}
    wrong = {p: phases[p] for p in zero if abs(phases[p]) > small} | {
        p: phases[p] for p in PHASES - zero if phases[p] <= 0 and not (p in ("halo", "other") or (p == "transpose" and deck != KOLM))}
    if negative or wrong:
        return f"phases below or not zero: {negative or wrong} of {phases}"
    if abs(sum(phases.values()) - s["seconds_per_update_logged"]) > 1e-9 * s["seconds_per_update_logged"]:
        return f"phases sum to {sum(phases.values())}, not {s['seconds_per_update_logged']}"
    if not 0 < s["seconds_per_update_least"] <= s["seconds_per_update"]:
        return f"least {s['seconds_per_update_least']}, median {s['seconds_per_update']}"
    if abs(s["updates_per_second"] * s["seconds_per_update"] - 1) > 1e-12:
        return f"{s['updates_per_second']} updates per second of {s['seconds_per_update']} s"
    if deck == KS and abs(s["net_flops"] / ks_flops(s) - 1) > 1e-12:
        return f"{s['net_flops']} operations, by hand {ks_flops(s)}"
    if min(s["net_gflops"], s["fma_peak_gflops"], s["tape_bytes"], s["peak_memory_bytes"]) <= 0 or s["updates"] != 5:
        return f"{s}"
    if ("-rollout_memory" in options) != (s["recompute_factor"] > 1):
        return f"recompute factor {s['recompute_factor']}"
    # Net and solver are what an update is made of: a phase that is not counted shows here.  A busy machine may halt a
    # rank anywhere, once or twice.
    if phases["other"] > 0.5 * s["seconds_per_update_logged"]:
        if tries > 1:
            return verdict(program, mpiexec, deck, ranks, options, zero, tries - 1)
        return f"more than half of an update is in no phase: {phases}"
    return None


def scaling(program):
    """jobs/bench_scaling.sh: a row for each number of ranks, the first of efficiency 100 %, options passed on; or what is wrong."""
    environment = {**os.environ, "ROUNDS": "1", "UNROLL_BUILD": str(Path(program).resolve().parent)}
    script = ["bash", str(SOURCE / "jobs/bench_scaling.sh")]
    done = subprocess.run([*script, str(SOURCE / KOLM), "2", "1", "--", "-layout_replicas", "1", "-bench_updates", "3"],
                          capture_output=True, text=True, timeout=300, env=environment)
    rows = [line.split() for line in done.stdout.splitlines()]
    if done.returncode or [row[:4] for row in rows[1:]] != [["2", "1", "x", "2"], ["1", "1", "x", "1"]]:
        return f"status {done.returncode}\n{done.stdout}{done.stderr}"
    if rows[1][5:8] != ["1.00", "100", "%"] or float(rows[1][10]) <= 0 or float(rows[2][10]) != 0:
        return f"first row not its own base, or transposes of 2 ranks and of 1:\n{done.stdout}"
    if subprocess.run([*script, str(SOURCE / KOLM), "two"], capture_output=True, env=environment).returncode != 2:
        return "a wrong argument is not refused"
    return None


def main():
    program, mpiexec = sys.argv[1:3]
    failed = 0
    for case in CASES:
        wrong = verdict(program, mpiexec, *case)
        failed += wrong is not None
        print("FAILED" if wrong else "ok", *case[:2], *case[2], wrong or "", flush=True)
    with tempfile.TemporaryDirectory() as out:
        done = run(program, mpiexec, KS, 2, ["-dry_run", "-out", out])
        good = done.returncode == 0 and "steps a window" in done.stdout and not Path(out, "summary.json").exists()
        failed += not good
        print("ok" if good else "FAILED", "-dry_run", "" if good else done.stdout + done.stderr)
    wrong = scaling(program)
    failed += wrong is not None
    print("FAILED" if wrong else "ok", "bench_scaling.sh", wrong or "")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
