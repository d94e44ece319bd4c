#!/bin/sh
# Configures, builds and tests the given test presets in turn, then prints one total line.
set -eu
cd "$(dirname "$0")/.."

jobs=$(nproc 2>/dev/null || echo 2)
started=$(date +%s)
reports=

# clang 14's tsan cannot map its shadow memory under wide address randomisation (vm.mmap_rnd_bits
# above 28), so randomisation is disabled if the system allows that.
fixed_addresses=
if setarch -R true 2>/dev/null; then fixed_addresses="setarch -R"; fi

for preset in "$@"; do
  build=$preset  # the configure preset, and the folder
  [ "$preset" != plain ] || build=dev
  [ "$preset" != slow ] || build=release
  [ "$preset" != integration ] || build=asan
  under=
  [ "$preset" != tsan ] || under=$fixed_addresses

  echo "== $preset: build"
  mkdir -p build
  cmake --preset "$build" >build/configure.log 2>&1 || { cat build/configure.log; exit 1; }
  $under cmake --build --preset "$preset" -j "$jobs"

  echo "== $preset: test"
  report="$PWD/build/$build/report-$preset.xml"
  rm -f "$report"
  $under ctest --preset "$preset" --output-junit "$report" || {
    echo "== make test: FAILED in preset $preset; replay with: ctest --preset $preset -R NAME" >&2
    exit 1
  }
  reports="$reports $report"
done

python3 tools/total.py "$(($(date +%s) - started))" $reports
