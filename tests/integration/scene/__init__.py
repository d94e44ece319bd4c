"""Shared by the integration tests: a server that must shut down cleanly, and client programs.

For scripts that are run as `python3 FILE path/to/sluice`. tests/integration/setup.sh installs what
they need.
"""

import json
import os
import shutil
import subprocess
import sys

INTEGRATION = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PROJECT = os.path.dirname(os.path.dirname(INTEGRATION))
TOOLS = os.path.join(PROJECT, "build", "tools")
VENV = os.path.join(TOOLS, "venv")
sys.path.insert(0, os.path.join(PROJECT, "tests", "support"))

import server  # noqa: E402
from server import DEADLINE_SECONDS, ask, expect  # noqa: E402


class Server(server.Server):
    """A server that drains after a successful test and must report that."""

    def __exit__(self, kind, *rest):
        try:
            if kind is None and self.process.poll() is None:
                expect(self.stop(), 0, "the server's exit code")
        finally:
            super().__exit__(kind, *rest)


def use_venv():
    """Restarts the script in the python that has the packages of requirements.txt."""
    if sys.prefix != VENV:
        python = tool("python", VENV + "/bin/python")
        os.execv(python, [python, *sys.argv])


def tool(name, *places):
    """Returns the path of a program: the first of the places where it exists, else from PATH."""
    for place in places:
        if os.access(place, os.X_OK):
            return place
    found = shutil.which(name)
    assert found, f"no {name}; tests/integration/setup.sh and tools/setup.sh fetch it"
    return found


def run(*command, given="", timeout=DEADLINE_SECONDS, **options):
    """Returns the output of a command that must succeed."""
    done = subprocess.run(command, input=given, capture_output=True, text=True, timeout=timeout,
                          check=False, **options)
    assert done.returncode == 0, f"{command}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


def run_node(script, *arguments):
    """Returns the output of a script in this folder, parsed as JSON."""
    node = tool("node", VENV + "/bin/node")
    modules = os.path.join(TOOLS, "node_modules")
    return json.loads(run(node, os.path.join(INTEGRATION, script), *arguments,
                          env={**os.environ, "NODE_PATH": modules}))


def peek(address, domain, attributes):
    """Returns what a check would decide now."""
    status, _, body = ask(address, "/v1/peek", {"domain": domain, "attributes": attributes})
    assert status in (200, 429), body
    return json.loads(body)["decisions"]
