#!/usr/bin/env bash
# Strong scaling of an update of a deck, by phase: one line for each number of ranks, from summaries of `unroll bench`.
#
#   jobs/bench_scaling.sh DECK RANKS [RANKS ...] [-- -option value ...]
#   jobs/bench_scaling.sh inputs/kolm/smoke.yaml 1 2 -- -layout_replicas 1
#
# Efficiency is against the first number of ranks.  Options behind -- go to bench: -layout_replicas 1 splits the grid, not
# the batch.  ROUNDS (3) of all numbers of ranks in turn; printed is, for each, the round of the median time: a busy machine
# drifts, and more ranks than cores measure nothing.

set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=jobs/setup.sh
source "$top/jobs/setup.sh"
usage() {
  sed -n '2,/^$/s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2
  exit 2
}
[[ ${#} -ge 2 && -f $1 ]] || usage
deck=$1
shift
ranks=()
while [[ ${#} -gt 0 && $1 != -- ]]; do
  [[ $1 =~ ^[1-9][0-9]*$ ]] || usage
  ranks+=("$1")
  shift
done
[[ ${#ranks[@]} -gt 0 ]] || usage
[[ ${#} -eq 0 ]] || shift
most=$(printf '%s\n' "${ranks[@]}" | sort -n | tail -n 1)
mpi_environment "$most"
# shellcheck disable=SC2119 # it takes no arguments of ours
[[ -x $build/unroll ]] || build_unroll
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# "milliseconds replicas ranks-of-a-grid halo transpose allreduce other sum" of one run, the phases in milliseconds of the logged pass.
one_run() {
  mpiexec -n "$1" "$build/unroll" bench -options_file "$deck" "${@:2}" -out "$scratch/out" >"$scratch/log" 2>&1 ||
    { cat "$scratch/log" >&2; return 1; }
  awk -F'[":, ]+' '!($2 in value) { value[$2] = $3 }
    END { print 1e3 * value["seconds_per_update"], value["replicas"], value["size"] / value["replicas"],
            1e3 * value["halo"],
            1e3 * value["transpose"], 1e3 * value["allreduce"], 1e3 * value["other"], 1e3 * value["seconds_per_update_logged"] }' \
    "$scratch/out/summary.json"
}

rounds=${ROUNDS:-3}
for ((round = 1; round <= rounds; round++)); do
  echo "round $round of $rounds" >&2
  for n in "${ranks[@]}"; do
    one_run "$n" "$@" >>"$scratch/$n"
  done
done

printf '%5s  %-15s %10s %8s %10s %7s %10s %10s %7s\n' ranks 'replicas x grid' ms/update speed-up efficiency halo transpose \
  allreduce other
for n in "${ranks[@]}"; do
  sort -g "$scratch/$n" | awk -v ranks="$n" '{ line[NR] = $0 } END { print ranks, line[int((NR + 1) / 2)] }'
done | awk 'NR == 1 { base = $2 * $1; first = $2 }
  { printf "%5d  %-15s %10.4g %8.2f %8.0f %% %5.1f %% %8.1f %% %8.1f %% %5.1f %%\n", $1, $3 " x " $4, $2, first / $2,
      100 * base / ($1 * $2), 100 * $5 / $9, 100 * $6 / $9, 100 * $7 / $9, 100 * $8 / $9 }'
