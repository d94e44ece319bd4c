#!/bin/sh
# Runs clang-format on every C++ file, in place; with --check it only reports, and fails.
set -eu
cd "$(dirname "$0")/.."

mode=-i
[ "${1-}" != --check ] || mode="--dry-run --Werror"

find include src tests bench examples fuzz -type f \( -name '*.h' -o -name '*.cc' \) -print0 \
  2>/dev/null | xargs -0 -r -n 20 clang-format --style=file $mode
