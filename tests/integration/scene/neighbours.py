"""Clients that behave well beside others that do not, and what a server holds meanwhile."""

import json
import os
import re
import signal
import subprocess

from server import DEADLINE_SECONDS, SLUICE, ask, expect

# Every protocol of the port, and a key that is never used up.
PROTOCOLS = {
    "http": ["--domain", "neighbours"],
    "rls": ["--domain", "neighbours"],
    "resp": ["--command", "CL.THROTTLE {key} 1000000 1000000 1"],
}
RULES = """
domain: neighbours
rules: [{ name: all, per: [user], limit: 1000000/s }]
"""
# So many connections each of them has, and so many requests it sends a second.
CONNECTIONS, RATE = 3, 50

# Else the sanitizer holds back what was freed, and memory seems to grow.
os.environ["ASAN_OPTIONS"] = ":".join(
    filter(None, [os.environ.get("ASAN_OPTIONS"), "quarantine_size_mb=1"]))


def bench(address, protocol, *flags):
    """`sluice bench` as a process that tells what it has counted when it is interrupted."""
    return subprocess.Popen(
        [SLUICE, "bench", "--server", address, "--protocol", protocol, "--connections",
         str(CONNECTIONS), "--timeout", f"{DEADLINE_SECONDS}s", "-o", "json", "--progress", *flags],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


class Neighbours:
    """One client for each protocol, at a constant rate. None of their requests may fail.

    A server that they are to be used with needs the RULES.
    """

    count = len(PROTOCOLS) * CONNECTIONS

    def __init__(self, server):
        self.benches = {protocol: bench(server.address, protocol, *flags, "--rate", str(RATE),
                                        "--duration", "1h")
                        for protocol, flags in PROTOCOLS.items()}

    def __enter__(self):
        for process in self.benches.values():
            process.stderr.readline()  # its first second is over
        return self

    def __exit__(self, kind, *_):
        for process in self.benches.values():
            process.send_signal(signal.SIGINT)
        for protocol, process in self.benches.items():
            said, error = process.communicate(timeout=DEADLINE_SECONDS)
            if kind is None:
                report = json.loads(said or "{}")
                expect((process.returncode, report.get("errors")), (0, 0),
                       f"{protocol}: {said}{error}")
                # Had it waited for one of them, not so many would have been answered.
                assert report["allowed"] > RATE // 2, report


def connections(server):
    """How many connections clients have to it."""
    found = re.search(rf'(?m)^sluice_connections{{listener="{re.escape(server.address)}"}} (\d+)$',
                      ask(server.admin, "/metrics")[2])
    return int(found.group(1))
