"""A `sluice serve` process per test, and its HTTP client.

For scripts that are run as `python3 FILE path/to/sluice`.
"""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import traceback
import urllib.error
import urllib.request

SLUICE = sys.argv[1]
DEADLINE_SECONDS = 60
ANY_PORT = "127.0.0.1:0"


class Server:
    """A server on free ports, stopped by its process id."""

    def __init__(self, rules, flags=(), under=(), listen=ANY_PORT, pass_fds=()):
        self.under = under  # a command that runs the server
        self.pass_fds = pass_fds  # descriptors that it inherits
        self.folder = tempfile.TemporaryDirectory()
        self.rules = os.path.join(self.folder.name, "rules.yaml")
        self.write(rules)
        self.start(flags, listen)

    def write(self, rules):
        with open(self.rules + ".new", "w", encoding="utf-8") as file:
            file.write(rules)
        os.rename(self.rules + ".new", self.rules)

    def start(self, flags=(), listen=ANY_PORT):
        self.process = subprocess.Popen(
            [*self.under, SLUICE, "serve", "--rules", self.rules, "--listen", listen,
             "--admin", ANY_PORT, "--log-format", "json", *flags],
            stderr=subprocess.PIPE, text=True, pass_fds=self.pass_fds)
        self.lines = []
        text = self.line("serving")
        self.address, self.admin = re.search(r"at (\S+), admin (\S+)", text).groups()

    def line(self, event):
        """Returns the text of the next log line about that event."""
        while True:
            line = self.process.stderr.readline()
            assert line, f"no line about {event}: {self.lines}, exit {self.process.wait()}"
            self.lines.append(line)
            said = json.loads(line)
            if said["event"] == event:
                return said["text"]

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(DEADLINE_SECONDS)

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.process.stderr.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()
        self.folder.cleanup()

    @property
    def port(self):
        return int(self.address.rsplit(":", 1)[1])

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), DEADLINE_SECONDS)


def memory(server, what):
    """Returns the memory of a server in bytes: VmRSS now, VmHWM the peak since forget_peak."""
    with open(f"/proc/{server.process.pid}/status", encoding="ascii") as status:
        return int(re.search(rf"(?m)^{what}:\s+(\d+) kB$", status.read()).group(1)) * 1024


def forget_peak(server):
    with open(f"/proc/{server.process.pid}/clear_refs", "w", encoding="ascii") as file:
        file.write("5")


def ask(address, path, body=None, headers=None):
    """Returns status, headers and body of one request."""
    data = None if body is None else json.dumps(body).encode()
    given = {"Content-Type": "application/json"} if body is not None else {}
    return send(urllib.request.Request(f"http://{address}{path}", data,
                                       {**given, **(headers or {})}))


def put(address, path, text):
    return send(urllib.request.Request(f"http://{address}{path}", text.encode(), method="PUT"))


def send(request):
    try:
        with urllib.request.urlopen(request, timeout=DEADLINE_SECONDS) as reply:
            return reply.status, reply.headers, reply.read().decode()
    except urllib.error.HTTPError as reply:
        return reply.code, reply.headers, reply.read().decode()


def until(holds, what):
    """Waits for a condition, with a deadline."""
    end = time.monotonic() + DEADLINE_SECONDS
    while not holds():
        assert time.monotonic() < end, f"it never came to be that {what}"
        time.sleep(0.01)


def expect(found, wanted, what=""):
    assert found == wanted, f"{what}: expected {wanted!r}, found {found!r}"


def run_tests(names):
    """Runs every test_* of a script's globals, reports all failures, and ends the script."""
    failed = 0
    for name, test in list(names.items()):
        if not name.startswith("test_"):
            continue
        try:
            test()
        except Exception:  # all failures are to be reported
            failed += 1
            print(f"FAILED {name}")
            traceback.print_exc(file=sys.stdout)
    sys.exit(1 if failed else 0)
