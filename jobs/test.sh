#!/usr/bin/env bash
# Sets up, builds with warnings as errors, and runs every test on 1, 2, 3 and 4 ranks.
#
#   bash jobs/test.sh             everything: tests, then again under the sanitizers and valgrind
#   bash jobs/test.sh --quick     the tests only

set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
export UNROLL_BUILD=${UNROLL_BUILD:-$top/build}
quick=0
case ${1:-} in
  "") ;;
  --quick) quick=1 ;;
  *) echo "unroll: unknown argument ($1); allowed: --quick" >&2; exit 2 ;;
esac

# shellcheck source=jobs/setup.sh
source "$top/jobs/setup.sh"
mpi_environment 4
build_unroll --werror
start=$SECONDS
meson test -C "$UNROLL_BUILD" --print-errorlogs
echo "tests took $((SECONDS - start)) s"
if ! ((quick)); then bash "$top/tests/analysis.sh"; fi
total=$(grep -h -o 'Tested: [0-9]* | Passing: [0-9]* | Failing: [0-9]*' "$UNROLL_BUILD/meson-logs/testlog.txt" |
  awk -F'[ |:]+' '{t += $2; p += $4; f += $6} END {printf "%d passed, %d failed", p, f}')
echo "$total"
