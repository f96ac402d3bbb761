#!/usr/bin/env python3
"""The program from outside: a user's mistake is one line on stderr and status 2 on every rank, whatever it is.

    test_cli.py PROGRAM MPIEXEC

A row of BAD, GOOD or FAULT: arguments, what the line or stdout must say (in this order), files to make first.
{} in arguments and words is the scratch directory.
"""
import concurrent.futures
import os
import subprocess
import sys
import tempfile

RANKS = (1, 3)

CHECK = ["check", "-grid_points", "32", "-stepper_dt", "0.1", "-sample_parameter", "domain_size", "-sample_values", "8"]
GENERATE = ["generate", *CHECK[1:]]
TS = ["-physics_type", "ks_fd", "-stepper_type", "ts", "-stepper_ts_type", "cn"]

TYPES = ["-physics_type", "-stepper_type", "-reference_stepper_type", "-net_type", "-model_type", "-loss_type", "-start_type",
         "-layer_engine", "-rollout_mode"]

BAD = [
    # arguments, words of the message, files
    ([], ["no command ()", "try: unroll"], {}),
    (["inof"], ["unknown command (inof)", "allowed:", "try: unroll info"], {}),
    (["help", "inof"], ["unknown command (inof)", "try: unroll help info"], {}),
    (["info", "one", "two"], ["a word that is no option's value (two)"], {}),
    (["info", "-rollout_stpes", "3"], ["unknown option (-rollout_stpes)", "try: -rollout_steps"], {}),
    (["info", "-reference_steper_dt", "3"], ["unknown option (-reference_steper_dt)", "try: -reference_stepper_dt"], {}),
    (["info", "--layout_replcas", "3"], ["unknown option (-", "try: -layout_replicas"], {}),
    (["info", "{}/absent"], ["no run directory and no file ({}/absent)"], {}),
    (["info", "{}/file"], ["not an HDF5 file ({}/file)"], {"file": b"x"}),
    (["info", "{}/m.h5"], ["damaged file ({}/m.h5)"], {"m.h5": b"unroll state file\nsha256 0\n" + bytes(600)}),
    (["info", "{}/u.h5"], ["damaged HDF5 file ({}/u.h5"], {"u.h5": b"\x89HDF\r\n\x1a\n" + bytes(600)}),
    (["help", "-markdown", "maybe"], ["-markdown is not a truth value (maybe)", "allowed: true, false"], {}),
    (["info", "-options_file"], ["-options_file has no value"], {}),
    (["info", "-options_file", "{}/a", "-options_file", "{}/a"], ["-options_file is given twice"], {"a": b"out: x\n"}),
    (["info", "-options_file", "{}/absent.yaml"], ["the deck does not exist ({}/absent.yaml)"], {}),
    (["info", "-options_file", "{}"], ["the deck is not a file ({})"], {}),
    (["info", "-options_file", "{}/d.yaml"], ["the deck is empty ({}/d.yaml)"], {"d.yaml": b""}),
    (["info", "-options_file", "{}/d.h5"], ["the deck is not a text"], {"d.h5": b"\x89HDF\r\n\x1a\n\x00\x00"}),
    (["info", "-options_file", "{}/d.yaml"], ["the deck is no YAML of options", "near line 3"],
     {"d.yaml": b"seed:\n  data: 3\n\torder: 4\n  test: 1\n"}),
    (["info", "-options_file", "{}/d.yaml"], ["the deck is no YAML of options"], {"d.yaml": b"just a sentence\n"}),
    (["info", "-options_file", "{}/d.yaml"], ["the deck gives an option twice (-seed_data, line 4 of"],
     {"d.yaml": b"seed:\n  data: 3\n  order: 4\n  data: 5\n"}),
    (["info", "-options_file", "{}/d.yaml"], ["unknown option (-seed_dat)", "try: -seed_data"], {"d.yaml": b"seed:\n  dat: 3\n"}),
    (["info", "-options_file", "{}/d.yaml"], ["the deck gives an option twice (-seed_data, line 1 of"],
     {"d.yaml": b"seed: {data: 3, order: 4, data: 5}\n"}),
    (["info", "-options_file", "{}/d.yaml"], ["the deck gives an option twice (-seed_data, line 4 of"],
     {"d.yaml": b"seed: {data: 3}\nlayout:\n  replicas: 1\nseed_data: 5\n"}),
    (["info", "-options_file", "{}/d.yaml"], ["the deck gives no option ({}/d.yaml)"], {"d.yaml": b"# later\n\n"}),
    (["info", "-options_file", "{}/d.yaml"], ["the deck is no YAML of options", "near line"],
     {"d.yaml": b"".join(b"  " * i + b"a:\n" for i in range(40)) + b"  " * 40 + b"b: 3\n"}),
    (["in\nfo"], ["unknown command (in fo)"], {}),
    (["x" * 20000], ["unknown command (xxx", " ... ", "try: unroll"], {}),
    (["solve", "-solve_input", "x/" * 3000], ["-solve_input is too long a path (x/x/"], {}),
    (["bench", *CHECK[1:], "-model_type", "solver"], ["model solver has none (-model_type solver)", "try: -model_type"], {}),
    (["bench", *CHECK[1:], "-bench_updates", "-1"], ["-bench_updates is out of range (-1)"], {}),
    (["bench", *CHECK[1:], "-bench_warmup", "0"], ["-bench_warmup is out of range (0)"], {}),
    (["bench"], ["no grid; allowed: -grid_points"], {}),
    (CHECK[:-1] + ["-3"], ["-physics_ks_domain_size, from -sample_values, is out of range (-3)"], {}),
    (CHECK + ["-grid_points", "1000000000", "-train_batch", "1000"], ["too little memory for the states of the grid ("], {}),
    (CHECK + ["-rollout_steps", "1000000", "-grid_points", "1000000", "-train_batch", "1"],
     ["too little memory for the frames of a window ("], {}),
    (CHECK + ["-net_resnet_features", "65536"], ["too little memory for the network's weights ("], {}),
    (CHECK + TS + ["-frame_ksp_type", "foo"], ["PETSc refuses an option of prefix -frame_ (", "KSP type foo)"], {}),
    (CHECK + TS + ["-frame_snes_rtol", "foo"], ["PETSc refuses an option of prefix -frame_ (", "foo"], {}),
    *((CHECK + [option, "foo"], [f"{option} is not known (foo)", "allowed: ", "try: " + option], {}) for option in TYPES),
    (["check", "inputs/d.yaml"], ["a word that is no option's value (inputs/d.yaml)", "try: -options_file inputs/d.yaml"], {}),
    (["check", "-grid_points", "32"], ["stepper_dt; allowed: the time of a sub-step"], {}),
    (["solve", "-solve_input", "{}/u.h5", "-out", "{}/out"], ["no -solve_dt"], {}),
    (CHECK + ["-layout_replicas", "7"], ["-layout_replicas"], {}),
    (CHECK + ["-layout_grid", "7"], ["-layout_grid"], {}),
    (["check", "-grid_points", "16,16", "-physics_type", "burgers_spectral", "-stepper_dt", "0.1", "-layout_grid", "1,7"],
     ["-layout_grid"], {}),
    (["check", "-grid_points", "32,32", "-stepper_dt", "0.1"], ["ks_spectral on a grid of dimension 2"], {}),
    (CHECK + ["-physics_type", "ks_fd"], ["stepper_type etdrk needs the linear symbol", "try: ", "stepper_type rk"], {}),
    (CHECK + ["-rollout_warmup", "3", "-rollout_steps", "3"], ["-rollout_warmup"], {}),
    (CHECK + ["-rollout_memory", "10"], ["-rollout_memory is too small"], {}),
    (CHECK + ["-physics_type", "ks_fd", "-stepper_type", "ts", "-stepper_ts_type", "ssp", "-rollout_mode", "wig"],
     ["-rollout_mode wig differentiates model", "no adjoint (ts)", "allowed: one, nog"], {}),
    (["info", "-options_file", "{}/d.yaml"], ["a deck gives -options_file ({}/d.yaml)", "try: include: FILE"],
     {"d.yaml": b"options_file: e.yaml\n"}),
    (["info", "-options_file", "{}/d.yaml"], ["the deck does not exist ({}/absent.yaml, included by {}/d.yaml)"],
     {"d.yaml": b"include: absent.yaml\n"}),
    (["info", "-options_file", "{}/d.yaml"], ["the deck is not a file ({}/, included by {}/d.yaml)"], {"d.yaml": b"include:\n"}),
    (["info", "-options_file", "{}/d.yaml"], ["the deck includes itself ({}/./d.yaml, included by {}/./e.yaml)"],
     {"d.yaml": b"include: ./e.yaml\n", "e.yaml": b"include: d.yaml\n"}),
    (["info", "-options_file", "{}/d.yaml"], ["the deck gives an option twice (-include, line 2 of {}/d.yaml)"],
     {"d.yaml": b"include: e.yaml\ninclude: e.yaml\n", "e.yaml": b"seed_data: 3\n"}),
    (["info", "-options_file", "{}/d.yaml"], ["the deck gives an option twice (-seed_data, line 3 of {}/e.yaml)"],
     {"d.yaml": b"include: e.yaml\n", "e.yaml": b"seed:\n  data: 3\n  data: 4\n"}),
    (["info", "-options_file", "{}/d.yaml"], ["the deck is no YAML of options", "{}/e.yaml, near line 1"],
     {"d.yaml": b"include: e.yaml\n", "e.yaml": b"seed: [\n"}),
    (["info", "-include", "x", "-options_file", "{}/d.yaml"], ["unknown option (-include)"],
     {"d.yaml": b"include: e.yaml\n", "e.yaml": b"seed_data: 3\n"}),
    (GENERATE, ["no -dataset_file; allowed: the data file to write; try: -dataset_file runs/data/train.h5"], {}),
    (GENERATE + ["-generate_set", "test"], ["no -test_file; allowed:", "try: -test_file runs/data/test.h5"], {}),
    (GENERATE + ["-generate_set", "tests"], ["-generate_set is not known (tests)", "allowed: train|test"], {}),
    (GENERATE + ["-generate_starts", "0"], ["-generate_starts is out of range (0)"], {}),
    (GENERATE + ["-dataset_file", "{}"], ["cannot write data file ({}): Is a directory"], {}),
    (GENERATE + ["-dataset_file", "{}/file/u.h5"], ["cannot make or write a directory ({}/file): Not a directory"], {"file": b"x"}),
    (GENERATE + ["-dataset_file", "{}/u.h5", "-out", "{}/file"], ["cannot make or write a directory ({}/file)"], {"file": b"x"}),
    (GENERATE + ["-dataset_file", "{}/u.h5", "-generate_frames", "1000000000", "-grid_points", "4096"],
     ["cannot write data file ({}/u.h5): No space left on device"], {}),
    (GENERATE + ["-dataset_file", "{}/u.h5", "-start_type", "file"], ["-start_type file without -start_file"], {}),
    (GENERATE + ["-dataset_file", "{}/u.h5", "-start_type", "file", "-start_file", "{}/absent.h5"], ["({}/absent.h5)"], {}),
    (GENERATE + ["-test_file", "{}/u.h5", "-generate_set", "test", "-test_values", "-3"],
     ["-physics_ks_domain_size, from -test_values, is out of range (-3)"], {}),
    (GENERATE + ["-dataset_file", "{}/u.h5", "-sample_parameter", "domain"], ["unknown parameter of ks_spectral", "(-sample_parameter domain)"], {}),
    (GENERATE + ["-dataset_file", "{}/u.h5", "-stepper_dt", "1e3", "-start_warmup", "9"],
     ["the reference scheme diverged in trajectory 0 of 6, frame ", " of the warm-up (domain_size 8), so there is no {}/u.h5",
      "try: a smaller -reference_stepper_dt"], {}),
]

GOOD = [
    # arguments, words of stdout, files
    (["info"], ["unroll 0.", "PETSc", "HDF5", "processor", "physics", "ks_spectral", "engine", "simd", "stepper", "etdrk", "net", "model", "correct_parallel"], {}),
    (["-version"], ["unroll 0."], {}),
    (["--help"], ["Commands:", "info"], {}),
    (["info", "-help"], ["unroll info:", "-out", "-seed_data", "default: 1"], {}),
    (["help", "info"], ["unroll info:", "-layout_grid"], {}),
    (["info", "-frame_bogus", "3"], ["not used by this command: -frame_bogus\n"], {}),
    (["info", "-log_view", ":{}/log"], ["unroll 0."], {}),
    (["info", "-options_file", "{}/d.yaml"], ["not used by this command: -layout_grid -seed_data\n"],
     {"d.yaml": b"seed: {data: 3}\nlayout:\n  grid: [1, 2]\n"}),
    # The including deck decides, wherever its line stands; what neither knows is unknown.
    (["check", "-options_file", "{}/d.yaml", "-dry_run"], ["points, model predict,", "batch 3;"],
     {"d.yaml": b"model_type: predict\ninclude: e.yaml\n", "f.yaml": b"train_batch: 2\ngrid_points: 16\n",
      "e.yaml": b"include: f.yaml\nmodel_type: solver\ntrain_batch: 3\nstepper_dt: 0.1\n"}),
    (["info", "{}"], ["not finished"], {}),
    (["info", "{}"], ["not finished", "update        7\n", "loss          0.5\n", "healthy       yes", "s ago"], {"history.csv": b"update,loss\n6,1\n7,0.5\n"}),
    (["info", "{}"], ["update        7\n", "half a line", "healthy       yes"], {"history.csv": b"update,loss\n6,1\n7,0.5\n8,0."}),
    (["info", "{}"], ["loss          nan", "skipped       nonfinite (1 of 2)", "healthy       yes"],
     {"history.csv": b"update,loss,skipped\n6,1,none\n7,nan,nonfinite\n"}),
    (["info", "{}"], ["finished", "command       train", "status        ok", "updates       40", "healthy       yes"],
     {"summary.json": b'{\n  "command": "train",\n  "status": "ok",\n  "updates": 40\n}\n'}),
]

# Runs of which info says what is wrong: status 1.
SICK = [
    (["info", "{}"], ["not finished", "healthy       no: the last loss is not finite (nan)"], {"history.csv": b"update,loss\n6,1\n7,nan\n"}),
    (["info", "{}"], ["healthy       no: line 3 of history.csv is of update 8, not 7"], {"history.csv": b"update,loss\n6,1\n8,2\n"}),
    (["info", "{}"], ["healthy       no: line 3 of history.csv has 1 columns, not 2"], {"history.csv": b"update,loss\n6,1\n7\n"}),
    (["info", "{}"], ["healthy       no: history.csv has no column 'update'"], {"history.csv": b"\n"}),
    (["info", "{}"], ["finished", "reason        skipped", "healthy       no: the run failed"],
     {"summary.json": b'{"command": "train", "status": "failed", "reason": "skipped"}'}),
    (["info", "{}"], ["healthy       no: summary.json is damaged"], {"summary.json": b""}),
    (["info", "{}"], ["healthy       no: summary.json has 40 updates, history.csv 2"],
     {"summary.json": b'{"status": "ok", "updates": 40}', "history.csv": b"update,loss\n1,1\n2,1\n"}),
    (["info", "{}"], ["checkpoint    checkpoint-7.h5: not an HDF5 file", "healthy       no: not an HDF5 file ({}/checkpoint-7.h5"],
     {"checkpoint-7.h5": b"x"}),
    (["info", "{}"], ["model         model.h5: not an HDF5 file", "healthy       no: "], {"model.h5": b""}),
]

# A fault on one rank (the log cannot be opened there): PETSc's trace, no rank left waiting, none with status 0 or 2.
FAULT = [(["info", "-log_view", ":{}/absent/log"], [], {})]

SCRIPT = 'program=$1; shift; "$program" "$@"; echo $? > "$SCRATCH/status.${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-0}}"'


def run(program, mpiexec, arguments, files, ranks, scratch):
    """stdout, stderr and the list of exit statuses; the shell around each rank hides them from mpiexec, which would talk."""
    data = os.path.join(scratch, "data")
    os.mkdir(data)
    for name, content in files.items():
        with open(os.path.join(data, name), "wb") as file:
            file.write(content)
    command = ["/bin/sh", "-c", SCRIPT, "sh", program] + [argument.replace("{}", data) for argument in arguments]
    if ranks > 1:
        command = [mpiexec, "-n", str(ranks)] + command
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, env={**os.environ, "SCRATCH": scratch})
    statuses = []
    for rank in range(ranks):
        path = os.path.join(scratch, f"status.{rank}")
        statuses.append(int(open(path).read()) if os.path.exists(path) else None)
    return done.stdout, done.stderr, statuses, data


def in_order(text, words):
    """The first of the words that does not follow the others in the text, or None."""
    at = 0
    for word in words:
        found = text.find(word, at)
        if found < 0:
            return word
        at = found + len(word)
    return None


def judge(program, mpiexec, row, ranks, kind):
    arguments, words, files = row
    with tempfile.TemporaryDirectory() as scratch:
        try:
            stdout, stderr, statuses, data = run(program, mpiexec, arguments, files, ranks, scratch)
        except subprocess.TimeoutExpired:
            return "hangs"
    words = [word.replace("{}", data) for word in words]
    if kind == "fault":
        wrong = "PETSC ERROR" not in stderr or "unroll: error" in stderr or {0, 2} & set(statuses)
        return f"statuses {statuses}; {stderr}" if wrong else None
    status = {"bad": 2, "sick": 1, "good": 0}[kind]
    if statuses != [status] * ranks:
        return f"statuses {statuses}, not {status}; stderr: {stderr}"
    for noise in ("PETSC ERROR", "MPI_ABORT", "WARNING"):
        if noise in stdout + stderr:
            return f"{noise} in the output: {stdout}{stderr}"
    if kind != "bad":
        missing = in_order(stdout, words)
        return f"no {missing!r} in order in stdout: {stdout}" if missing else stderr and f"talks on stderr: {stderr}"
    if stderr.count("unroll: error: ") != 1 or stderr.count("\n") != 1:
        return f"not one line of error: {stderr!r}"
    missing = in_order(stderr, words + ["; try: "] if not any("try: " in word for word in words) else words)
    return f"no {missing!r} in order in {stderr!r}" if missing else None


def main():
    program, mpiexec = os.path.abspath(sys.argv[1]), sys.argv[2]
    kinds = {"bad": BAD, "good": GOOD, "sick": SICK, "fault": FAULT}
    jobs = [(row, ranks, kind) for kind, rows in kinds.items() for row in rows for ranks in RANKS]
    failures = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for job, problem in zip(jobs, pool.map(lambda job: judge(program, mpiexec, *job), jobs)):
            if problem:
                failures += 1
                print(f"unroll {' '.join(job[0][0])} on {job[1]} ranks: {problem}")
    print(f"{len(jobs) - failures} of {len(jobs)} as they should be")
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
