#!/usr/bin/env bash
# The main job: sets up, builds, makes Kuramoto-Sivashinsky data, trains a correction network in the modes one, nog and
# wig and a prediction network in wig, evaluates them beside the bare solver, and prints the table and the pictures.
#
#   bash jobs/demo.sh     about three minutes on two cores after set-up; results in runs/demo/, which it starts afresh
#
# Trainings this small run fastest on one core each, as many at once as there are cores: 1000 updates of wig and of nog
# took 7 to 15 s side by side, 26 to 30 s in turn on two ranks (two cores, three rounds).

set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=jobs/setup.sh
source "$top/jobs/setup.sh"
mpi_environment 2
# Two programs at once must not both be bound to the first core.
export OMPI_MCA_hwloc_base_binding_policy=none
build_unroll
cd "$top"
cores=$(env -u OMP_NUM_THREADS -u OMP_THREAD_LIMIT nproc) # which otherwise answers with those
export unroll=$build/unroll out=runs/demo deck=inputs/ks/demo.yaml

# Longest first, so that cores idle little at the end.  An update of `one` costs a third of the others'.
modes=(wig nog predict one)
declare -A updates=([wig]=6000 [nog]=6000 [predict]=6000 [one]=12000)
declare -A options=([wig]="-rollout_mode wig" [nog]="-rollout_mode nog" [one]="-rollout_mode one"
  [predict]="-rollout_mode wig -model_type predict")

run() { # run LOG COMMAND ...: its output goes to a log, which is shown when it fails
  local log=$1
  shift
  "$@" >"$log" 2>&1 || { say "demo: failed: $*"; tail -n 20 "$log" >&2; return 255; }
}

train_and_evaluate() { # train_and_evaluate MODE COUNT OPTION ...
  local mode=$1 count=$2
  shift 2
  run "$out/log/train-$mode" mpiexec -n 1 "$unroll" train -options_file "$deck" "$@" -train_updates "$count" \
    -out "$out/train-$mode" || return
  run "$out/log/evaluate-$mode" mpiexec -n 1 "$unroll" evaluate -options_file "$deck" "$@" \
    -model_file "$out/train-$mode/model.h5" -out "$out/$mode"
}
export -f say run train_and_evaluate

progress() { # what every training has reached, now and then
  local mode line
  while sleep 10 >/dev/null 2>&1; do
    line=
    for mode in "${modes[@]}"; do
      if [[ -f $out/$mode/summary.json ]]; then
        line+="  $mode done"
      elif [[ -f $out/train-$mode/history.csv ]]; then
        line+="  $mode $(tail -n 1 "$out/train-$mode/history.csv" | cut -d, -f1 | tr -d a-z)/${updates[$mode]}"
      fi
    done
    printf '   %3d s:%s\n' $((SECONDS - start)) "$line"
  done
}

start=$SECONDS
rm -rf "$out"
mkdir -p "$out/data" "$out/log"
echo "== 1. data: 36 trajectories to train on, 40 to test"
for set in train test; do
  run "$out/log/generate-$set" mpiexec -n 2 "$unroll" generate -options_file "$deck" -generate_set "$set"
done

echo "== 2. train and evaluate: correction in ${modes[0]}, ${modes[1]}, ${modes[3]}; prediction; and the bare solver"
progress &
teller=$!
trap 'kill "$teller" 2>/dev/null || true' EXIT
run "$out/log/evaluate-bare" mpiexec -n 1 "$unroll" evaluate -options_file "$deck" -model_type solver -out "$out/bare"
for mode in "${modes[@]}"; do
  echo "$mode ${updates[$mode]} ${options[$mode]}"
done | xargs -P "$cores" -L 1 bash -c 'train_and_evaluate "$@"' _
{ kill "$teller" && wait "$teller"; } 2>/dev/null || true

echo "== 3. table, pictures, report"
echo
/usr/bin/python3 postprocess/table.py "$out"/{bare,one,nog,wig,predict} | tee "$out/table.txt"
echo
/usr/bin/python3 postprocess/report.py "$out"
echo "demo: done in $((SECONDS - start)) s after set-up"
