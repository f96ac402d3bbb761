#!/usr/bin/env bash
# The tests again under AddressSanitizer + UndefinedBehaviorSanitizer on 1 and 2 ranks, and the network, the models and
# the rollout on the generic kernels under valgrind (which knows no AVX-512).  Any report fails.
set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=${UNROLL_BUILD:-$top/build}

echo "== AddressSanitizer and UndefinedBehaviorSanitizer, 1 and 2 ranks"
san=$build-sanitize
if [[ ! -f $san/build.ninja ]]; then
  meson setup "$san" "$top" -Db_sanitize=address,undefined -Db_lundef=false -Dbuildtype=debugoptimized >/dev/null
fi
ninja -C "$san" --quiet
# Leaks are valgrind's part: MPI keeps memory to the end on purpose.
export ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
# torch: hundreds of updates of code that the others run too, minutes under a sanitizer.
meson test -C "$san" --print-errorlogs --timeout-multiplier 6 --suite few-ranks --no-suite torch

echo "== valgrind, generic kernels, one rank"
export PETSC_OPTIONS="-layer_isa generic"
for program in layer net model rollout; do
  echo "-- test_$program"
  mpiexec -n 1 valgrind --quiet --error-exitcode=9 --leak-check=full --errors-for-leak-kinds=definite \
    --show-leak-kinds=definite --num-callers=30 --suppressions="$top/tests/valgrind.supp" \
    --suppressions="$(pkg-config --variable=prefix ompi)/share/openmpi/openmpi-valgrind.supp" \
    "$build/tests/test_$program"
done
