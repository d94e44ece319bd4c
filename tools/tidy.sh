#!/bin/sh
# Runs clang-tidy on src/ (with the dev build's commands) and on each public header by itself, so
# that include/.clang-tidy applies. Usage: tidy.sh [JOBS [FILE.cc...]]
set -eu
cd "$(dirname "$0")/.."

jobs=${1:-2}
[ $# -eq 0 ] || shift
# The commands of the dev build use g++ warnings that clang does not know.
options="--quiet --extra-arg=-Wno-unknown-warning-option -p build/dev"

if [ $# -gt 0 ]; then
  printf '%s\0' "$@" | xargs -0 -n 1 -P "$jobs" clang-tidy $options
  exit
fi

status=0
find src -name '*.cc' -print0 |
  xargs -0 -r -n 1 -P "$jobs" clang-tidy $options || status=1
find include -name '*.h' -print0 |
  xargs -0 -r -I HEADER -P "$jobs" clang-tidy --quiet HEADER -- -x c++ -std=c++20 -Iinclude ||
  status=1
exit $status
