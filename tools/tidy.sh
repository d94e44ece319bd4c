#!/bin/sh
# clang-tidy over src/ (with the dev build's commands) and over each public header on its own,
# so that include/.clang-tidy applies. Usage: tidy.sh [JOBS [FILE.cc...]]
set -eu
cd "$(dirname "$0")/.."

jobs=${1:-2}
[ $# -eq 0 ] || shift

if [ $# -gt 0 ]; then
  printf '%s\0' "$@" | xargs -0 -n 1 -P "$jobs" clang-tidy --quiet --extra-arg=-Wno-unknown-warning-option -p build/dev
  exit
fi

status=0
find src -name '*.cc' -print0 |
  xargs -0 -r -n 1 -P "$jobs" clang-tidy --quiet --extra-arg=-Wno-unknown-warning-option -p build/dev || status=1
find include -name '*.h' -print0 |
  xargs -0 -r -I HEADER -P "$jobs" clang-tidy --quiet HEADER -- -x c++ -std=c++20 -Iinclude ||
  status=1
exit $status
