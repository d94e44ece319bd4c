#!/bin/sh
# Builds the fuzz targets and runs each for SECONDS over its kept corpus, or keeps the inputs that
# earlier runs have found.
#
#   fuzz.sh SECONDS [NAME...]   writes new inputs to build/fuzz/found/NAME, failing ones to
#                               build/fuzz/failed
#   fuzz.sh --keep [NAME...]    reduces the kept and found inputs to a small set with the same
#                               coverage, in fuzz/corpus/NAME
#
# FUZZ_BYTES is the maximum size of an input (8192).
set -eu
cd "$(dirname "$0")/.."

task=${1:?usage: fuzz.sh SECONDS|--keep [NAME...]}
shift
[ $# -gt 0 ] || set -- $(ls fuzz/*_fuzz.cc | sed 's|fuzz/\(.*\)_fuzz\.cc|\1|')

# The bounds of one input. Time is bounded by the size of a text, so a second for 8 KiB is a bug;
# asan and a busy machine may make ten seconds of it.
seconds_most=10
megabytes_most=2048
# The maximum size of kept inputs; longer ones add little coverage.
kept_bytes_most=2048

# Asan spends most of its time on the stacks of allocations and on quarantined memory.
export ASAN_OPTIONS=malloc_context_size=8:quarantine_size_mb=32

mkdir -p build
cmake --preset fuzz >build/configure.log 2>&1 || { cat build/configure.log; exit 1; }
cmake --build --preset fuzz -j "$(nproc 2>/dev/null || echo 2)"

# Runs without entropic scheduling, which takes three quarters of the time once the corpus has a
# thousand inputs.
fuzz() {
  mkdir -p "build/fuzz/found/$1" build/fuzz/failed
  case $1 in
    rules_match | *_messages | grpc_* | hpack | http2) dictionary= ;;  # their inputs are no text
    resp_* | http1_* | target) dictionary=-dict=fuzz/wire.dict ;;
    *) dictionary=-dict=fuzz/rules.dict ;;
  esac
  echo "== fuzz $1: $task s"
  "build/fuzz/fuzz/$1_fuzz" -max_total_time="$task" -entropic=0 $dictionary \
    -max_len="${FUZZ_BYTES:-8192}" -timeout="$seconds_most" -report_slow_units=1 \
    -rss_limit_mb="$megabytes_most" -artifact_prefix="build/fuzz/failed/$1-" \
    -print_final_stats=1 "build/fuzz/found/$1" "fuzz/corpus/$1" || {
    echo "== fuzz $1: FAILED; again: build/fuzz/fuzz/$1_fuzz build/fuzz/failed/$1-..." >&2
    exit 1
  }
}

# Inputs with a name were added by hand for a bug, and stay whatever they cover.
keep() {
  rm -rf build/fuzz/kept
  mkdir -p build/fuzz/kept "build/fuzz/found/$1"
  "build/fuzz/fuzz/$1_fuzz" -set_cover_merge=1 -use_counters=0 -max_len="$kept_bytes_most" \
    build/fuzz/kept "fuzz/corpus/$1" "build/fuzz/found/$1" 2>&1 | tail -n 1
  find "fuzz/corpus/$1" -type f | grep -E '/[0-9a-f]{40}$' | xargs -r rm
  find build/fuzz/kept -type f -exec mv {} "fuzz/corpus/$1/" \;
  echo "== fuzz $1: $(ls "fuzz/corpus/$1" | wc -l) inputs kept"
}

for name in "$@"; do
  if [ "$task" = --keep ]; then keep "$name"; else fuzz "$name"; fi
done
