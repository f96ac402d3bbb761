#!/usr/bin/env bash
# Times updates of KS correction training, ours and PyTorch's in turn, and prints the ratios.
#
#   jobs/bench_ks.sh [RANKS=1] [ROUNDS=5] [PEER]
#
# RANKS of ours stand against as many threads of the peer.  PEER: a script that takes THREADS and ROUNDS and prints lines
# "... (26,8) one  median X ms  min X ..."; the default needs torch in /usr/bin/python3 and is left out without it.
# Quote the ratio of the medians and that of the least; both programs drift by some per cent, and more on a busy machine.

set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=jobs/setup.sh
source "$top/jobs/setup.sh"
ranks=${1:-1} rounds=${2:-5} peer=${3:-$top/tests/reference/ks_torch_bench.py}
mpi_environment "$ranks"
[[ ${#} -ge 3 ]] || /usr/bin/python3 -c 'import torch' 2>/dev/null || peer=
[[ -x $build/unroll ]] || build_unroll
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# Item, median, least of one run in milliseconds, as "ours|peer (26,8) one X X".
ours() { # features depth mode updates
  mpiexec -n "$ranks" "$build/unroll" bench -options_file "$top/inputs/ks/smoke.yaml" -train_batch 16 -rollout_mode "$3" \
    -net_resnet_features "$1" -net_resnet_depth "$2" -bench_updates "$4" -bench_warmup 10 -out "$scratch/out" >/dev/null
  sed -n 's/^ *"seconds_per_update\(_least\)*": \([^,]*\),*$/\2/p' "$scratch/out/summary.json" |
    awk -v item="($1,$2) $3" '{ t[NR] = 1e3 * $1 } END { print "ours", item, t[1], t[2] }'
}
theirs() {
  /usr/bin/python3 "$peer" "$ranks" 3 |
    sed -n 's/^.*\(([0-9,]*) [a-z]*\) *median *\([0-9.]*\) ms *min *\([0-9.]*\).*/peer \1 \2 \3/p'
}

for ((round = 1; round <= rounds; round++)); do
  echo "round $round of $rounds" >&2
  [[ -z $peer ]] || theirs
  for size in "26 8" "52 12"; do
    for mode in one nog wig; do
      read -r features depth <<<"$size"
      updates=$((features == 26 ? 200 : 40))
      [[ $mode == one ]] || updates=$((updates / 3))
      ours "$features" "$depth" "$mode" "$updates"
    done
  done
done >"$scratch/times"

# Per item: the median of the medians, and the least of all, over the rounds.
for item in "(26,8) one" "(26,8) nog" "(26,8) wig" "(52,12) one" "(52,12) nog" "(52,12) wig"; do
  for who in ours peer; do
    grep -F "$who $item " "$scratch/times" | awk '{ print $4 }' | sort -g |
      awk -v who=$who '{ t[NR] = $1 } END { if (NR) print who, (t[int((NR + 1) / 2)] + t[int((NR + 2) / 2)]) / 2 }' || true
    grep -F "$who $item " "$scratch/times" | awk '{ print $5 }' | sort -g | head -1
  done | paste -sd' ' | awk -v item="$item" -v ranks="$ranks" '{
    printf "%-12s %d rank(s): median %8.3f ms, least %8.3f ms", item, ranks, $2, $3
    if ($4 == "peer") printf "; peer %8.3f, %8.3f; ratio %5.2f, %5.2f", $5, $6, $5 / $2, $6 / $3
    print "" }'
done
