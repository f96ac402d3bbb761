#!/usr/bin/env bash
# Installs what is missing and builds build/unroll.  Sourced by demo.sh and test.sh, or run alone: bash jobs/setup.sh
#
# Debian and Ubuntu: apt.  Elsewhere it names the modules that are needed and uses what pkg-config finds.
# Safe to repeat.  UNROLL_BUILD names another build directory [build].

set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=${UNROLL_BUILD:-$top/build}

# Package -> how to see that it is there.
packages=(
  "meson              type -P meson"
  "ninja-build        type -P ninja"
  "pkg-config         type -P pkg-config"
  "cmake              type -P cmake"
  "openmpi-bin        type -P mpiexec"
  "libopenmpi-dev     pkg-config --exists ompi"
  "libpetsc-real-dev  pkg-config --exists petsc"
  "libhdf5-openmpi-dev pkg-config --exists hdf5-openmpi"
  "libfftw3-dev       pkg-config --exists fftw3"
  "libcriterion-dev   pkg-config --exists criterion"
  "valgrind           type -P valgrind"
  "libdnnl-dev        test -e /usr/include/dnnl.h"
  "python3            type -P python3"
  "python3-numpy      /usr/bin/python3 -c 'import numpy'"
  "python3-h5py       /usr/bin/python3 -c 'import h5py'"
  "python3-matplotlib /usr/bin/python3 -c 'import matplotlib'"
)

say() { printf '%s\n' "$*" >&2; }

missing() {
  local line name test
  for line in "${packages[@]}"; do
    read -r name test <<<"$line"
    bash -c "$test" >/dev/null 2>&1 || printf '%s\n' "$name"
  done
}

install_missing() {
  local want
  mapfile -t want < <(missing)
  ((${#want[@]})) || return 0
  if ! type -P apt-get >/dev/null; then
    say "unroll: needs ${want[*]} (Debian's names); load your site's modules for meson, ninja, MPI, PETSc >= 3.18 (real,"
    say "unroll: double), parallel HDF5 and FFTW 3 so that pkg-config finds them, then run this again"
    # The tests' and plots' packages are not needed for the program.
    pkg-config --exists petsc fftw3 && type -P meson ninja >/dev/null || exit 1
    return 0
  fi
  local sudo=()
  ((EUID == 0)) || sudo=(sudo)
  say "unroll: installing ${want[*]}"
  local log
  log=$(mktemp)
  if ! { "${sudo[@]}" apt-get update -q &&
    DEBIAN_FRONTEND=noninteractive "${sudo[@]}" apt-get install -y -q --no-install-recommends "${want[@]}"; } >"$log" 2>&1; then
    tail -n 20 "$log" >&2
    say "unroll: could not install ${want[*]}; the whole log is $log"
    exit 1
  fi
  rm -f "$log"
}

# What Open MPI asks for as root or with more ranks than cores; set only where needed.
mpi_environment() { # mpi_environment RANKS
  if ((EUID == 0)); then export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1; fi
  if (($1 > $(nproc))); then export OMPI_MCA_rmaps_base_oversubscribe=1; fi
  export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
}

build_unroll() { # build_unroll [meson option ...]
  if [[ ! -f $build/build.ninja ]]; then
    meson setup "$build" "$top" "$@" >/dev/null || { say "unroll: meson setup failed: $build/meson-logs/meson-log.txt"; exit 1; }
  fi
  if ninja -C "$build" -n | grep -q 'no work to do'; then return; fi
  say "unroll: building in ${build#"$top/"} (about two minutes on two cores the first time)"
  ninja -C "$build" --quiet || { say "unroll: the build failed"; exit 1; }
}

install_missing
if [[ ${BASH_SOURCE[0]} == "$0" ]]; then
  build_unroll
  say "unroll: built $build/unroll"
fi
