"""slowhttptest: the server closes the connections of each mode and serves other clients."""

import contextlib
import csv
import os
import re
import subprocess
import tempfile

from scene import Server, tool
from scene.neighbours import RULES, Neighbours, connections
from server import DEADLINE_SECONDS, ask, expect, run_tests, until

COUNT = 300
# The time after which an attack would stop by itself, far beyond the server's deadlines.
SECONDS = 30
DEADLINES = [flag for name in ("header", "body", "write", "idle")
             for flag in (f"--deadlines-{name}", "5s")]
COMMON = ["-c", str(COUNT), "-r", str(COUNT), "-i", "1", "-l", str(SECONDS),
          "-p", str(DEADLINE_SECONDS), "-s", "100000"]

# All replies are refusals, with a body.
LIMITED = "---\ndomain: api\nrules: [{ name: all, per: [ip], limit: 1/d }]\n"


class Attack:
    """A running slowhttptest, stopped by its process id."""

    def __init__(self, server, *mode):
        self.folder = tempfile.TemporaryDirectory()
        self.report = os.path.join(self.folder.name, "report")
        self.process = subprocess.Popen(
            [tool("slowhttptest"), *COMMON, "-g", "-o", self.report,
             "-u", f"http://{server.address}/auth/api/page", *mode],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()
        self.folder.cleanup()

    def end(self):
        """Returns how it ended, its maximum of connections, and whether the server was down."""
        said = self.process.communicate(timeout=SECONDS + DEADLINE_SECONDS)[0]
        how = re.search(r"Exit status: ([A-Za-z ]+)", re.sub(r"\x1b\[[0-9;]*m", "", said))
        assert how, said
        with open(self.report + ".csv", encoding="ascii") as file:
            rows = list(csv.DictReader(file))
        return (how.group(1), max(int(row["Connected"]) + int(row["Closed"]) for row in rows),
                any(int(row["Service Available"]) == 0 for row in rows))


@contextlib.contextmanager
def under_attack(*mode):
    """Runs an attack until the server has closed all of its connections."""
    with Server(RULES + LIMITED, DEADLINES) as server, Neighbours(server), \
            Attack(server, *mode) as attacker:
        until(lambda: connections(server) > Neighbours.count + COUNT // 2, "it is attacked")
        until(lambda: connections(server) <= Neighbours.count, "the attackers are let go")
        yield attacker


def test_slow_headers():
    with under_attack("-H") as attacker:
        expect(attacker.end(), ("No open connections left", COUNT, False))


def test_slow_bodies():
    with under_attack("-B") as attacker:
        expect(attacker.end(), ("No open connections left", COUNT, False))


def test_slow_reads():
    """It keeps reading what the system has buffered, so the test does not wait for its end."""
    with under_attack("-X", "-k", "10", "-n", "1", "-z", "5", "-w", "1", "-y", "16") as attacker:
        expect(attacker.process.poll(), None, "it has not left by itself")


def test_ranges():
    """Range headers are ignored: each request is an ordinary one and leaves nothing behind."""
    with Server(RULES + LIMITED, DEADLINES) as server, Neighbours(server), \
            Attack(server, "-R", "-t", "GET") as attacker:
        how, _, ever_away = attacker.end()
        expect((how, ever_away), ("No open connections left", False))
        counts = re.findall(r'(?m)^sluice_checks_total{frontend="forward_auth".*} (\d+)$',
                            ask(server.admin, "/metrics")[2])
        assert sum(map(int, counts)) >= COUNT, counts
        until(lambda: connections(server) <= Neighbours.count, "the attackers are let go")
        status, headers, _ = ask(server.address, "/auth/api/page", headers={"Range": "bytes=0-1"})
        expect((status, headers["Content-Range"]), (429, None))


run_tests(globals())
