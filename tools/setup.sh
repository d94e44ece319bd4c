#!/bin/sh
# Installs the missing packages of a list: tools/packages.txt, or the file that is named. Prints
# nothing and takes well under a second if all are installed. Needs apt, and root or sudo only if
# something must be installed.
set -eu
cd "$(dirname "$0")/.."

list=${1:-tools/packages.txt}
attempts=4
wait_seconds=5

if ! command -v dpkg-query >/dev/null 2>&1; then
  echo "setup: this is not a Debian system; install the equivalents of $list" >&2
  exit 0
fi

installed=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' $(cat "$list") \
  2>/dev/null | sed -n 's/ installed$//p') || true
missing=$(grep -v -x -F -e "$installed" "$list") || true
[ -n "$installed" ] || missing=$(cat "$list")
[ -n "$missing" ] || exit 0

as_root=
if [ "$(id -u)" != 0 ]; then
  as_root=sudo
  if ! command -v sudo >/dev/null 2>&1; then
    echo "setup: needs root or sudo to install:" $missing >&2
    exit 1
  fi
fi

# A mirror that is briefly down, or another apt that holds the lock, must not fail a build.
apt() {
  attempt=1
  until $as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get -q -y -o DPkg::Lock::Timeout=120 -o Acquire::Retries=3 "$@"; do
    if [ "$attempt" -ge "$attempts" ]; then
      echo "setup: apt-get $1 failed $attempts times; still missing:" $missing >&2
      exit 1
    fi
    attempt=$((attempt + 1))
    sleep "$wait_seconds"
  done
}

echo "setup: installing" $missing
apt update
apt install --no-install-recommends $missing
